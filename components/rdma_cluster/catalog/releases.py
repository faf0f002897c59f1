"""Everything the stacks install, pinned: what belongs together stands in one row, with its source and date."""

from dataclasses import dataclass

from .machine import Source


@dataclass(frozen=True, slots=True)
class Chart:
    """A Helm chart at one version."""

    chart: str
    """An OCI reference."""
    version: str
    source: Source


@dataclass(frozen=True, slots=True)
class Image:
    """A container image at one tag or digest."""

    image: str
    source: Source


@dataclass(frozen=True, slots=True)
class NcclPlugin:
    """An NCCL network plugin with the diagnostic image of the same release: never mix two rows."""

    version: str
    architecture: str
    installer: str
    """Image that writes the plugin onto the host."""
    diagnostic: str
    """Image with nccl-tests built against it."""
    source: Source


@dataclass(frozen=True, slots=True)
class GkeFloors:
    """Least GKE versions of the features that a stack may use."""

    gpu_dra: str
    """``resource.k8s.io/v1`` without beta flags, at the patch that NVIDIA's driver asks for."""
    managed_dranet: str
    flex_start: str
    default: str
    """The minor that a stack asks for when the user names none."""
    source: Source


_CEA = "github.com/GoogleCloudPlatform/container-engine-accelerators@992db81"

NVIDIA_DRA_DRIVER = Chart(
    chart="oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu",
    # Sort by date, not by number: v25.12.0 (2026-02) came before 0.4.0 (2026-05).
    version="0.4.1",
    source=Source("github.com/kubernetes-sigs/dra-driver-nvidia-gpu tag v0.4.1", "2026-06-30"),
)

DRANET = Chart(
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

COS_DRIVER_INSTALLER = Image(
    # GKE preloads this image on COS nodes, built for the node's own kernel: it is never pulled.
    image="cos-nvidia-installer:fixed",
    source=Source(f"{_CEA} nvidia-driver-installer/cos/daemonset-preloaded.yaml", "2026-06-09"),
)

PAUSE = Image(
    image="gke.gcr.io/pause:3.8@sha256:880e63f94b145e46f1b1082bb71b85e21f16b99b180b9996407d61240ceb9830",
    source=Source(f"{_CEA} gpudirect-rdma/nccl-rdma-installer.yaml", "2026-06-09"),
)

GKE = GkeFloors(
    gpu_dra="1.34.2",
    managed_dranet="1.34.1-gke.1829001",
    flex_start="1.32.2-gke.1652000",
    default="1.35",
    source=Source("docs.cloud.google.com/kubernetes-engine/docs/how-to/set-up-dra; NVIDIA DRA driver docs", "2026-07-31"),
)
