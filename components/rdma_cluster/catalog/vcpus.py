"""vCPUs of the machine types: what a node's kubelet counts as ``cpu``."""

from .machine import Machine, Source

_GOOGLE = Source("docs.cloud.google.com/compute/docs/accelerator-optimized-machines", "2026-10-31")
_GOOGLE_ARM = Source("docs.cloud.google.com/compute/docs/instances/arm-on-compute", "2026-10-31")
_AZURE = Source("learn.microsoft.com/azure/virtual-machines/sizes/gpu-accelerated, one page a series", "2026-08-31")

_VCPUS: dict[str, tuple[int, Source]] = {
    "a3-highgpu-8g": (208, _GOOGLE),
    "a3-edgegpu-8g": (208, _GOOGLE),
    "a3-megagpu-8g": (208, _GOOGLE),
    "a3-ultragpu-8g": (224, _GOOGLE),
    "a4-highgpu-8g": (224, _GOOGLE),  # and as others count them on such a node: 112 cores, two threads each
    "a4x-highgpu-4g": (140, _GOOGLE_ARM),
    "a4x-maxgpu-4g-metal": (144, _GOOGLE_ARM),
    "Standard_ND96asr_v4": (96, _AZURE),
    "Standard_ND96amsr_A100_v4": (96, _AZURE),
    "Standard_ND96isr_H100_v5": (96, _AZURE),
    "Standard_ND96isr_H200_v5": (96, _AZURE),
    "Standard_ND96isr_MI300X_v5": (96, _AZURE),
    "Standard_ND128isr_NDR_GB200_v6": (128, _AZURE),
    "Standard_ND128isr_GB300_v6": (128, _AZURE),
    "Standard_ND128isrG5_GB300_v6": (128, _AZURE),
}
"""Of machines whose own rows do not say; Oracle's page of shapes could not be read."""


def vcpus_of(machine: Machine) -> int | None:
    """How many; ``None`` where nobody published it."""
    own: int | None = getattr(machine, "vcpus", None)
    return own if own is not None else _VCPUS.get(machine.name, (None,))[0]
