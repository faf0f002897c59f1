"""Versions that AKS stacks keep to beside the shared releases."""

from pulumi_offline.frozen import frozen
from .machine import Source


@frozen
class AksFloors:
    """Least AKS versions of the features that a stack may use."""

    minors: tuple[str, str]
    """The oldest and the newest that a new cluster of the Standard tier takes."""
    gpu_dra: str
    """``resource.k8s.io/v1``, at the patch that NVIDIA's driver asks for."""
    ubuntu_is_2404: str
    """From here on ``osSKU: Ubuntu`` means Ubuntu 24.04, whose containerd 2 has NRI on; below, ``Ubuntu2404`` must be
    named."""
    ubuntu_is_2604: str
    """From here on it means Ubuntu 26.04, for which no driver here is built; ``Ubuntu2404`` goes on."""
    default: str
    """The minor that a stack asks for when the user names none."""
    source: Source


# fmt: off
FLOORS = AksFloors(minors=("1.34", "1.37"), gpu_dra="1.34.2", ubuntu_is_2404="1.35",
    ubuntu_is_2604="1.38", default="1.36",
    source=Source(
        "github.com/Azure/AKS/releases/tag/2026-10-25; github.com/MicrosoftDocs/azure-aks-docs@fb060ab "
        "supported-kubernetes-versions.md, upgrade-os-version.md; NVIDIA DRA driver docs",
        "2026-10-25"))
# fmt: on
