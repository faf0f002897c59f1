"""Everything the stacks install, pinned: what belongs together stands in one row, with its source and date."""

from dataclasses import dataclass, replace

from . import images
from .artifact import Chart as Chart
from .artifact import Image as Image
from .charts import AWS_DRANET as AWS_DRANET
from .charts import DRANET as DRANET
from .charts import EFA_DEVICE_PLUGIN as EFA_DEVICE_PLUGIN
from .charts import LEADER_WORKER_SET as LEADER_WORKER_SET
from .charts import NVIDIA_DEVICE_PLUGIN as NVIDIA_DEVICE_PLUGIN
from .charts import NVIDIA_DRA_DRIVER as NVIDIA_DRA_DRIVER
from .images import COS_DRIVER_INSTALLER as COS_DRIVER_INSTALLER
from .images import EFA_NCCL_TESTS as EFA_NCCL_TESTS
from .images import JUDGE_PYTHON as JUDGE_PYTHON
from .images import MPI_OPERATOR as MPI_OPERATOR
from .images import PAUSE as PAUSE
from .machine import Source


@dataclass(frozen=True)
class NcclPlugin:
    """An NCCL network plugin with the diagnostic image of the same release: never mix two rows."""

    version: str
    architecture: str
    installer: str
    """Image that writes the plugin onto the host."""
    diagnostic: str
    """Image with nccl-tests built against it."""
    source: Source


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class GkeFloors:
    """Least GKE versions of the features that a stack may use."""

    gpu_dra: str
    """``resource.k8s.io/v1`` without beta flags, at the patch that NVIDIA's driver asks for."""
    nic_dra: str
    """``resource.k8s.io/v1`` without beta flags."""
    managed_dranet: str
    flex_start: str
    default: str
    """The minor that a stack asks for when the user names none."""
    minors: tuple[str, str]
    """The oldest that is offered, in whatever channel, and the newest that was seen; a newer one is a warning."""
    minors_source: Source
    source: Source


@dataclass(frozen=True)
class EksFloors:
    """Least EKS versions of the features that a stack may use; EKS names minors alone."""

    device_plugin: str
    """The AL2023 NVIDIA image with the driver branch that the catalogue's machines need."""
    gpu_dra: str
    """``resource.k8s.io/v1``, and AWS's floor of its DRA driver for EFA."""
    default: str
    """The minor that a stack asks for when the user names none."""
    minors: tuple[str, str]
    """The oldest that is offered, in whatever channel, and the newest that was seen; a newer one is a warning."""
    minors_source: Source
    source: Source


KUBERNETES = "1.35"
"""The minor that is taken where nobody says: DRA is on without flags from 1.34 on, and all four clouds offer it."""

GIB_X86 = NcclPlugin(
    version="v1.1.2",
    architecture="amd64",
    installer=images.GIB_INSTALLER.image,
    diagnostic=images.GIB_DIAGNOSTIC.image,
    source=images.GIB_INSTALLER.source,
)

GIB_TESTS = NcclTests(
    image=GIB_X86.diagnostic,
    architecture=GIB_X86.architecture,
    tests="/third_party/nccl-tests/build",
    mpirun="mpirun",
    mpi_args="",
    daemon="/scripts/container_entry.sh daemon",
    ssh_port=222,
    source=Source(
        "github.com/GoogleCloudPlatform/cluster-toolkit@1047080 examples/gke-a4/nccl-jobset-example.yaml", "2026-06-25"
    ),
)

GIB_ARM = NcclPlugin(
    version="v1.1.2",
    architecture="arm64",
    installer=images.GIB_ARM_INSTALLER.image,
    diagnostic=images.GIB_ARM_DIAGNOSTIC.image,
    source=images.GIB_ARM_INSTALLER.source,
)

GIB_ARM_TESTS = replace(
    GIB_TESTS,
    image=GIB_ARM.diagnostic,
    architecture=GIB_ARM.architecture,
    source=Source("cluster-toolkit v1.95.0 examples/gke-a4x/nccl-jobset-example.yaml", "2026-06-25"),
)

GIB_METAL_TESTS = replace(
    GIB_ARM_TESTS,
    image=images.GIB_METAL.image,
    source=images.GIB_METAL.source,
)

GKE = GkeFloors(
    gpu_dra="1.34.2",
    nic_dra="1.34",
    managed_dranet="1.34.1-gke.1829001",
    flex_start="1.32.2-gke.1652000",
    default="1.35",
    minors=("1.30", "1.36"),
    # Rapid to Extended, by the table of current versions in S3NS's copy of this page; on 2026-09-23 the feed of the
    # Rapid channel still has 1.36 as its default. Nothing here is older than the drivers' own floors allow.
    minors_source=Source(
        "docs.cloud.google.com/kubernetes-engine/docs/release-notes; "
        "docs.cloud.google.com/feeds/gke-rapid-channel-release-notes.xml",
        "2026-09-23",
    ),
    source=Source(
        "docs.cloud.google.com/kubernetes-engine/docs/how-to/set-up-dra; NVIDIA DRA driver docs", "2026-07-31"
    ),
)

EFA_TESTS = NcclTests(
    image=EFA_NCCL_TESTS.image,
    architecture="amd64",
    tests="/opt/nccl-tests/build",
    mpirun="/opt/amazon/openmpi/bin/mpirun",
    mpi_args="--mca pml ^cm,ucx",
    source=Source(
        "github.com/awslabs/awsome-distributed-ai@0b55ba5 micro-benchmarks/nccl-tests nccl-tests.Dockerfile, README.md",
        "2026-08-21",
    ),
)

EKS = EksFloors(
    device_plugin="1.33",
    gpu_dra="1.34",
    default="1.35",
    minors=("1.31", "1.36"),
    # The page has 1.36 as the newest. AWS's calendar has the end of 1.31 at 2026-11-26.
    minors_source=Source(
        "docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html; "
        "aws-samples.github.io/sample-apex-skills eks-operation-review, cluster-lifecycle",
        "2026-11-22",
    ),
    source=Source("docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html", "2026-08-21"),
)
