"""What OKE offers and Oracle publishes for it: versions, add-ons, test images, and addresses of its RDMA fabric."""

import json
from collections.abc import Mapping

from pulumi_offline.frozen import frozen
from .artifact import Image
from .evidence import DRA_DRIVER
from .images import OKE_NCCL_TESTS, OKE_NCCL_TESTS_CUDA_12
from .machine import Source
from .releases import NcclTests


@frozen
class OkeVersions:
    """Kubernetes versions, as OKE writes them without the ``v``."""

    default: str
    offered: tuple[str, ...]
    """Newest patch of each minor; OKE takes a patch version only."""
    broken: tuple[str, ...]
    """Versions whose defect in dynamic resource allocation keeps ComputeDomains and claims from working."""
    source: Source
    broken_source: Source


@frozen
class OkeAddon:
    """A cluster add-on of OKE."""

    name: str
    version: str | None
    """``None`` leaves it to OKE, which takes its default for the cluster's version."""
    configuration: Mapping[str, str]
    source: Source


_STACK = "github.com/oracle-quickstart/oci-hpc-oke@61d210a"

# fmt: off
# A user's call of the API on 2026-10-05 has 1.36.4 as the newest, and images of Oracle's of August are named for it and
# for 1.37.0; whether Oracle's Ubuntu packages for nodes exist for them was not found.
VERSIONS = OkeVersions(default="1.36.1", offered=("1.36.1", "1.35.2", "1.34.2"), broken=("1.34.0", "1.34.1"),
    source=Source(f"{_STACK} terraform/schema.yaml, variables.tf; "
        "docs.oracle.com/iaas/images/oke-worker-node-oracle-linux-9x/index.htm (build 1505)", "2026-08-20"),
    broken_source=DRA_DRIVER)

NODE_FEATURES = OkeAddon("NodeFeatureDiscovery", None, {}, Source(f"{_STACK} terraform/oke-addons.tf", "2026-08-20"))
# The newest that Oracle's stack names. NVIDIA has ended its support (GPU Operator platform-support.html: 25.10.x and
# lower), and Oracle's own list of add-ons could not be read.
GPU_OPERATOR = OkeAddon("NvidiaGpuOperator", "v25.10.1",
    {
        # One owner of nvidia.com/gpu: the operator's plugin in the place of OKE's own.
        "disableNvidiaGpuPlugin": "true",
        "toolkit.enabled": "true",
        # With CDI the plugin hands devices to the runtime by it: names alone end in "unresolvable CDI devices" (#234).
        "cdi.enabled": "true",
        "cdi.default": "true",
        "devicePlugin.env": json.dumps([{"name": name, "value": value} for name, value in (
            ("PASS_DEVICE_SPECS", "true"), ("FAIL_ON_INIT_ERROR", "true"), ("DEVICE_LIST_STRATEGY", "cdi-cri"),
            ("DEVICE_ID_STRATEGY", "uuid"), ("NVIDIA_VISIBLE_DEVICES", "all"),
            ("NVIDIA_DRIVER_CAPABILITIES", "all"))]),
    },
    Source(f"{_STACK} terraform/variables.tf, oke-addons.tf", "2026-08-20"))
NETWORK_OPERATOR = OkeAddon("NvidiaNetworkOperator", "v25.10.0", {"sriovNetworkOperator.enabled": "true"},
    Source(f"{_STACK} terraform/variables.tf, oke-addons.tf", "2026-08-20"))
# fmt: on
ADDONS = (NODE_FEATURES, GPU_OPERATOR, NETWORK_OPERATOR)

RDMA_RANGES = {
    "10.224.0.0/12": "addresses of RDMA ports, as Oracle's agent gave them to A100 and H100 hosts",
    "192.168.0.0/16": "addresses of RDMA ports and of their virtual functions, as Oracle's agent gives them today",
}
"""Blocks that hosts already use on their RDMA ports: a VCN, pods or services in one of them cannot be reached."""
RDMA_RANGES_SOURCE = Source(
    "oci-hpc-oke branch vf .../shapes.json 20251203-0.5.91; GIDs in published logs (::ffff:10.224.x)", "2026-06-28"
)

# Made of docker/nccl-tests/Dockerfile for both architectures: nccl-tests 2.19.6, NCCL 2.30.4. Which Open MPI its base
# brings is not said (the manifests serve 4 and 5), so UCX is kept out of it: it would take the RDMA ports.
_MPI_ARGS = "--mca pml ob1 --mca coll ^hcoll"


def _tests(image: Image) -> tuple[NcclTests, ...]:
    return tuple(
        NcclTests(
            image=image.image,
            architecture=architecture,
            tests="/workspace/nccl-tests/build",
            mpirun="/usr/local/mpi/bin/mpirun",
            mpi_args=_MPI_ARGS,
            source=image.source,
        )
        for architecture in image.architectures
    )


NCCL_TESTS = _tests(OKE_NCCL_TESTS)
NCCL_TESTS_CUDA = "CUDA 13.3"
"""CUDA version in these images."""
NCCL_TESTS_CUDA_12 = _tests(OKE_NCCL_TESTS_CUDA_12)
"""For nodes whose driver brings CUDA 12: a container's major version of CUDA is its node's."""
