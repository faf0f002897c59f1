"""Everything the stacks install, pinned: what belongs together stands in one row, with its source and date."""

from dataclasses import dataclass

from .machine import Source


@dataclass(frozen=True)
class Chart:
    """A Helm chart at one version."""

    title: str
    """What it installs, for people."""
    chart: str
    """An OCI reference, or a name in ``repo``."""
    version: str
    source: Source
    repo: str = ""
    """Address of the Helm repository, where the chart has one."""


@dataclass(frozen=True)
class Image:
    """A container image at one tag or digest."""

    image: str
    source: Source


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
    source: Source


KUBERNETES = "1.35"
"""The minor that is taken where nobody says: DRA is on without flags from 1.34 on, and all four clouds offer it."""

_CEA = "github.com/GoogleCloudPlatform/container-engine-accelerators@992db81"

NVIDIA_DRA_DRIVER = Chart(
    title="NVIDIA GPU DRA driver",
    chart="oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu",
    # Sort by date, not by number: v25.12.0 (2026-02) came before 0.4.0 (2026-05).
    version="0.4.1",
    source=Source("github.com/kubernetes-sigs/dra-driver-nvidia-gpu tag v0.4.1", "2026-06-30"),
)

DRANET = Chart(
    title="DraNet",
    chart="oci://registry.k8s.io/networking/charts/dranet",
    # MAINTENANCE.md gives 1.4.0; the README's install line writes v1.4.0 for the same chart.
    version="1.4.0",
    source=Source("github.com/kubernetes-sigs/dranet MAINTENANCE.md", "2026-07-17"),
)

GIB_X86 = NcclPlugin(
    version="v1.1.1",
    architecture="amd64",
    installer="us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib:v1.1.1",
    diagnostic="us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib-diagnostic:v1.1.1",
    source=Source(f"{_CEA} gpudirect-rdma/nccl-rdma-installer.yaml", "2026-06-09"),
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

COS_DRIVER_INSTALLER = Image(
    # GKE preloads this image on COS nodes, built for the node's own kernel: it is never pulled.
    image="cos-nvidia-installer:fixed",
    source=Source(f"{_CEA} nvidia-driver-installer/cos/daemonset-preloaded.yaml", "2026-06-09"),
)

JUDGE_PYTHON = Image(
    # Any Python from 3.10 on would do: the judge needs the standard library alone.
    image="docker.io/library/python:3.13.7-slim@sha256:8220ccec22e88cddd9a541cacd1bf48423bda8cdeb1015249e4b298edf86cdc7",
    source=Source("github.com/RDFLib/rdflib@d45c236 docker/latest/Dockerfile", "2026-11-21"),
)

PAUSE = Image(
    image="gke.gcr.io/pause:3.8@sha256:880e63f94b145e46f1b1082bb71b85e21f16b99b180b9996407d61240ceb9830",
    source=Source(f"{_CEA} gpudirect-rdma/nccl-rdma-installer.yaml", "2026-06-09"),
)

GKE = GkeFloors(
    gpu_dra="1.34.2",
    nic_dra="1.34",
    managed_dranet="1.34.1-gke.1829001",
    flex_start="1.32.2-gke.1652000",
    default="1.35",
    source=Source(
        "docs.cloud.google.com/kubernetes-engine/docs/how-to/set-up-dra; NVIDIA DRA driver docs", "2026-07-31"
    ),
)

_EKS_CHARTS = "https://aws.github.io/eks-charts"

AWS_DRANET = Chart(
    title="AWS DRA driver for EFA",
    chart="aws-dranet",
    repo=_EKS_CHARTS,
    version="1.0.0",
    source=Source("github.com/aws/eks-charts@5239609 stable/aws-dranet", "2026-08-03"),
)

EFA_DEVICE_PLUGIN = Chart(
    title="EFA device plugin",
    chart="aws-efa-k8s-device-plugin",
    repo=_EKS_CHARTS,
    version="v0.5.30",
    source=Source("github.com/aws/eks-charts@5239609 stable/aws-efa-k8s-device-plugin", "2026-08-03"),
)

NVIDIA_DEVICE_PLUGIN = Chart(
    title="NVIDIA device plugin",
    chart="nvidia-device-plugin",
    repo="https://nvidia.github.io/k8s-device-plugin",
    # 0.19.0 to 0.19.2 take every /dev/infiniband/uverbs* into each GPU container (k8s-device-plugin#1692).
    version="0.19.3",
    source=Source("github.com/NVIDIA/k8s-device-plugin tag v0.19.3", "2026-06-16"),
)

EFA_NCCL_TESTS = Image(
    # NVIDIA/aicr runs this tag on EKS with H100. A newer one was seen on g7e alone, and its CUDA asks for driver 580:
    # cuda13.1.2-efa1.50.0-ofiv1.21.1-ncclv2.31.2-1-testsv2.20.0. There is none for arm64.
    image="public.ecr.aws/hpc-cloud/nccl-tests:cuda12.8.1-efa1.43.2-ofiv1.16.3-ncclv2.27.7-1-testsv2.16.9",
    source=Source("github.com/awslabs/awsome-distributed-ai micro-benchmarks/nccl-tests", "2026-07-23"),
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

MPI_OPERATOR = Image(
    image="docker.io/mpioperator/mpi-operator:0.8.0",
    source=Source("github.com/kubeflow/mpi-operator tag v0.8.0 deploy/v2beta1/mpi-operator.yaml", "2026-02-18"),
)

EKS = EksFloors(
    device_plugin="1.33",
    gpu_dra="1.34",
    default="1.35",
    source=Source("docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html", "2026-08-21"),
)
