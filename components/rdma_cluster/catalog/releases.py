"""Everything the stacks install, pinned: what belongs together stands in one row, with its source and date."""

from collections.abc import Mapping
from dataclasses import replace

from pulumi_offline.frozen import frozen
from . import images
from .machine import Source


@frozen
class NcclPlugin:
    """An NCCL network plugin."""

    version: str
    architecture: str
    installer: str
    """Image that writes the plugin onto the host."""
    source: Source


@frozen
class NcclTests:
    """An image with nccl-tests built for one fabric, and where things are in it."""

    image: str
    architecture: str
    """As in ``kubernetes.io/arch``."""
    tests: str
    """Folder of the programs."""
    mpirun: str
    mpi_args: str
    """What its publisher adds to the command line."""
    source: Source
    daemon: str = ""
    """What starts an sshd for which the image holds the keys; empty where it holds none."""
    ssh_port: int = 22


@frozen(kw_only=True)
class _Floors:
    """Least versions of a cloud's Kubernetes for the features that a stack may use."""

    gpu_dra: str
    """``resource.k8s.io/v1`` without beta flags, at the version that the drivers of the claims ask for."""
    default: str
    """The minor that a stack asks for when the user names none."""
    minors: tuple[str, str]
    """The oldest that is offered, in whatever channel, and the newest that was seen; a newer one is a warning."""
    minors_source: Source
    source: Source


@frozen(kw_only=True)
class GkeFloors(_Floors):
    """GKE names patches."""

    nic_dra: str
    """``resource.k8s.io/v1`` without beta flags."""
    managed_dranet: str
    flex_start: str
    channels: Mapping[str, tuple[str, str]]
    """Oldest and newest minor that each release channel has for new clusters."""


@frozen(kw_only=True)
class EksFloors(_Floors):
    """EKS names minors alone. ``gpu_dra`` is also AWS's threshold of its DRA driver for EFA."""

    device_plugin: str
    """The AL2023 NVIDIA image with the driver branch that the catalogue's machines need."""


KUBERNETES = "1.35"
"""The minor that is taken where nobody says: DRA is on without flags from 1.34 on, and all four clouds offer it."""

# Plugin and tests are of one release each: never mix them.
GIB_X86 = NcclPlugin("v1.1.2", "amd64", images.GIB_INSTALLER.image, images.GIB_INSTALLER.source)
# fmt: off
GIB_TESTS = NcclTests(images.GIB_DIAGNOSTIC.image, "amd64", tests="/third_party/nccl-tests/build", mpirun="mpirun",
    mpi_args="", daemon="/scripts/container_entry.sh daemon", ssh_port=222,
    source=Source("github.com/GoogleCloudPlatform/cluster-toolkit@1047080 examples/gke-a4/nccl-jobset-example.yaml",
        "2026-06-25"))
GIB_ARM = NcclPlugin("v1.1.2", "arm64", images.GIB_ARM_INSTALLER.image, images.GIB_ARM_INSTALLER.source)
GIB_ARM_TESTS = replace(GIB_TESTS, image=images.GIB_ARM_DIAGNOSTIC.image, architecture="arm64",
    source=Source("cluster-toolkit v1.95.0 examples/gke-a4x/nccl-jobset-example.yaml", "2026-06-25"))
GIB_METAL_TESTS = replace(GIB_ARM_TESTS, image=images.GIB_METAL.image, source=images.GIB_METAL.source)
EFA_TESTS = NcclTests(images.EFA_NCCL_TESTS.image, "amd64", tests="/opt/nccl-tests/build",
    mpirun="/opt/amazon/openmpi/bin/mpirun", mpi_args="--mca pml ^cm,ucx",
    source=Source(
        "github.com/awslabs/awsome-distributed-ai@0b55ba5 micro-benchmarks/nccl-tests nccl-tests.Dockerfile, README.md",
        "2026-08-21"))
_INFINIBAND_TESTS = NcclTests(images.INFINIBAND_NCCL_TESTS.image, "amd64", tests="/opt/nccl_tests/build",
    mpirun="/opt/hpcx/ompi/bin/mpirun",
    # MPI starts the ranks and no more; over UCX or HCOLL it would look for InfiniBand of its own.
    mpi_args="--mca pml ^ucx --mca coll ^hcoll,ucc", source=images.INFINIBAND_NCCL_TESTS.source)
INFINIBAND_TESTS = (_INFINIBAND_TESTS, replace(_INFINIBAND_TESTS, architecture="arm64"))

GKE = GkeFloors(gpu_dra="1.34.2", nic_dra="1.34", managed_dranet="1.34.1-gke.1829001", flex_start="1.32.2-gke.1652000",
    # Google's own default is 1.36 since 2026-R43 (2026-10-08). Its nodes are COS 129, those of 1.37 COS 133; what is
    # pinned here was run on COS 125, the nodes of 1.34 and 1.35.
    default="1.35", minors=("1.31", "1.37"),
    channels={"RAPID": ("1.34", "1.37"), "REGULAR": ("1.34", "1.36"), "STABLE": ("1.34", "1.35")},
    # The oldest are in the channel Extended alone. The page's table of current versions, of September 2026, agrees with
    # the notes of 2026-R43, as github.com/takech9203/google-cloud-news-summary has them.
    minors_source=Source("docs.cloud.google.com/kubernetes-engine/docs/release-notes, current versions", "2026-10-08"),
    source=Source("docs.cloud.google.com/kubernetes-engine/docs/how-to/set-up-dra; NVIDIA DRA driver docs",
        "2026-07-31"))
EKS = EksFloors(device_plugin="1.33", gpu_dra="1.34", default="1.35", minors=("1.32", "1.37"),
    # The calendar has the end of 1.31 at 2026-11-26: from that day on nobody makes a cluster of it.
    minors_source=Source("github.com/awsdocs/amazon-eks-user-guide@0138560 latest/ug/versioning/"
        "kubernetes-versions.adoc; of 1.37 aws.amazon.com/about-aws/whats-new/2026/10/"
        "amazon-eks-distro-kubernetes-version-1-37, as several quote it", "2026-10-02"),
    source=Source("docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html", "2026-08-21"))
