"""What AKS stacks install beside the shared releases, pinned: what belongs together stands in one row."""

from dataclasses import dataclass

from .machine import Source


@dataclass(frozen=True)
class AksFloors:
    """Least AKS versions of the features that a stack may use."""

    supported: str
    """The oldest minor that a new cluster of the Standard tier takes."""
    ending: str
    """The minor that AKS is about to drop."""
    gpu_dra: str
    """``resource.k8s.io/v1``, at the patch that NVIDIA's driver asks for."""
    ubuntu_is_2404: str
    """``osSKU: Ubuntu`` means Ubuntu 24.04, whose containerd 2 has NRI on; below, ``Ubuntu2404`` must be named."""
    default: str
    """The minor that a stack asks for when the user names none."""
    source: Source


FLOORS = AksFloors(
    supported="1.34",
    ending="1.34",
    gpu_dra="1.34.2",
    ubuntu_is_2404="1.35",
    default="1.35",
    source=Source(
        "github.com/MicrosoftDocs/azure-aks-docs@fb060ab supported-kubernetes-versions.md, upgrade-os-version.md; "
        "NVIDIA DRA driver docs",
        "2026-08-21",
    ),
)
