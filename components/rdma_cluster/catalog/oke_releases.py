"""What OKE offers and Oracle publishes for it: versions, add-ons, test images, and addresses of its RDMA fabric."""

from collections.abc import Mapping

from pulumi_offline.frozen import frozen
from .artifact import Image
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
VERSIONS = OkeVersions(default="1.36.1", offered=("1.36.1", "1.35.2", "1.34.2"), broken=("1.34.0", "1.34.1"),
    source=Source(f"{_STACK} terraform/variables.tf, docs/using-dynamic-resource-allocation-*.md", "2026-08-20"))

NODE_FEATURES = OkeAddon("NodeFeatureDiscovery", None, {}, Source(f"{_STACK} terraform/oke-addons.tf", "2026-08-20"))
GPU_OPERATOR = OkeAddon("NvidiaGpuOperator", "v25.10.1",
    {
        # One owner of nvidia.com/gpu: the operator's plugin in the place of OKE's own.
        "disableNvidiaGpuPlugin": "true",
        # The image brings driver and container toolkit.
        "toolkit.enabled": "false",
        "cdi.enabled": "true",
        "cdi.default": "false",
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
