"""Node images with GPU driver and OFED that Oracle publishes for RDMA pools: what is in each, and for which shapes."""

from pulumi_offline.frozen import frozen
from ..machine import Source
from .record import BLUEPRINTS


@frozen(kw_only=True)
class OkeImage:
    """An image that is imported from object storage into a compartment."""

    release: str
    """Our short name of it: ``ubuntu-24.04-595``."""
    object_name: str
    """Name of the object, with system, kernel and OFED. It identifies the image; the link to it may change."""
    bucket_url: str
    """Link to the bucket, pre-authenticated: with the object's name below ``/o/`` a download link."""
    architecture: str
    """``amd64`` or ``arm64``."""
    driver: str
    """Branch of the GPU driver: ``570``, or ``ROCm 7.2.4``."""
    cuda: str | None
    """CUDA version; ``None`` for AMD GPUs."""
    shapes: tuple[str, ...]
    """Shapes that its publisher names."""
    source: Source

    @property
    def listed(self) -> bool:
        """Whether it is on Oracle's own list; the others' links nobody looks after."""
        return self.source is _LIST

    @property
    def url(self) -> str:
        """The link that is imported."""
        return f"{self.bucket_url}/o/{self.object_name}"


# docs/worker-node-images.json, updated 2026-07-14.
_LIST = Source("github.com/oracle-quickstart/oci-hpc-oke@61d210a docs/worker-node-images.json", "2026-07-14")
_LIST_BUCKET = (
    "https://idxzjcdglx2s.objectstorage.eu-frankfurt-1.oci.customer-oci.com"
    "/p/rr0d4Zw8yIc-Bwwu8cUDPJ6ooh4LQ_SVHPDBFJ5T89j2drv-hmkeMTwVv8DANpvC/n/idxzjcdglx2s/b/oci-hpc-image-builds"
)
_LIST_FOLDER = "images/2026.07.13"
# fmt: off
_NVIDIA_X86 = ("BM.GPU4.8", "BM.GPU.B4.8", "BM.GPU.A100-v2.8", "BM.GPU.L40S.4", "BM.GPU.H100.8", "BM.GPU.H200.8",
               "BM.GPU.B200.8", "BM.GPU.B300.8")
# fmt: on
_NVIDIA_ARM = ("BM.GPU.GB200.4", "BM.GPU.GB200-v3.4", "BM.GPU.GB300.4")
_AMD = ("BM.GPU.MI300X.8", "BM.GPU.MI355X-v1.8")

# The list of AI Blueprints: driver branches of 2025, for those who cannot move to the newest yet. It names GPUs, not
# shapes; these are the shapes of those GPUs that the list of 2026 names, too.
_BLUEPRINTS_BUCKET = (
    "https://objectstorage.ca-montreal-1.oraclecloud.com"
    "/p/ts6fjAuj7hY4io5x_jfX3fyC70HRCG8-9gOFqAjuF0KE0s-6tgDZkbRRZIbMZmoN/n/hpc_limited_availability/b/images"
)
_TO_HOPPER = ("BM.GPU4.8", "BM.GPU.B4.8", "BM.GPU.A100-v2.8", "BM.GPU.H100.8", "BM.GPU.H200.8")


def _listed(os_version: str, kernel: str, *, arm: bool = False, amd: bool = False) -> OkeImage:
    flavour = f"NVIDIA-64K-{kernel}" if arm else f"ORACLE-{kernel}"
    gpu = "AMD-ROCM-724" if amd else "GPU-595-OPEN-CUDA-13.2"
    marks = ["ubuntu", os_version, "rocm7.2.4" if amd else "595", *(["arm64"] if arm else [])]
    # The newer kernel is a choice, so the older one has the plain name.
    marks += [f"kernel{kernel}"] if kernel != "6.8" else []
    return OkeImage(
        release="-".join(marks),
        object_name=f"{_LIST_FOLDER}/Canonical-Ubuntu-{os_version}{'-aarch64' if arm else ''}-2026.02.28-0-"
        f"KERNEL-{flavour}-DOCA-OFED-3.4.0-{gpu}-2026.07.13-0.oci",
        bucket_url=_LIST_BUCKET,
        architecture="arm64" if arm else "amd64",
        driver="ROCm 7.2.4" if amd else "595",
        cuda=None if amd else "13.2",
        shapes=_NVIDIA_ARM if arm else _AMD if amd else _NVIDIA_X86,
        source=_LIST,
    )


def _blueprint(os_version: str, driver: str, cuda: str) -> OkeImage:
    old = os_version == "22.04"
    return OkeImage(
        release=f"ubuntu-{os_version}-{driver.partition('-')[0]}",
        object_name=f"Canonical-Ubuntu-{os_version}-2025.05.20-0-{'OFED-24.10-1.1.4.0' if old else 'DOCA-OFED-2.10.0'}-"
        f"GPU-{driver.upper()}-CUDA-{cuda}-{'2025.06.07-0' if old else '2025.06.25-0'}",
        bucket_url=_BLUEPRINTS_BUCKET,
        architecture="amd64",
        driver=driver.partition("-")[0],
        cuda=cuda,
        shapes=(*_TO_HOPPER, "BM.GPU.B200.8") if driver.startswith("570") else _TO_HOPPER,
        source=BLUEPRINTS,
    )


IMAGES = (
    _listed("24.04", "6.8"),
    _listed("24.04", "6.14"),
    _listed("22.04", "6.8"),
    _listed("24.04", "6.8", arm=True),
    _listed("24.04", "6.14", arm=True),
    _listed("22.04", "6.8", arm=True),
    _listed("24.04", "6.8", amd=True),
    _listed("24.04", "6.14", amd=True),
    _listed("22.04", "6.8", amd=True),
    _blueprint("22.04", "570-open", "12.8"),
    _blueprint("22.04", "560", "12.6"),
    _blueprint("22.04", "550", "12.4"),
    _blueprint("24.04", "570-open", "12.8"),
    _blueprint("24.04", "560", "12.6"),
)
"""Newest first: the first that names a shape is its default."""
