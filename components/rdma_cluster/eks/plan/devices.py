"""Who hands out GPUs and EFA devices on EKS, and from which registry their drivers come."""

from typing import NotRequired

from ...args import shape
from ...catalog.eks.registries import registry
from ...fabrics import Fabric, GpuAllocation
from ...fabrics.efa import EFA, EFA_DEVICE_PLUGIN
from ...faults import Faults
from ...incluster.plan.dra_drivers import DriverChoice, refuse_managed
from ...incluster.plan.images import check_registry
from .zones import has_form


@shape
class EksDriverChoice(DriverChoice):
    """Who brings which driver, and from where."""

    registry: NotRequired[str]
    """Registry of EKS's images. Default: AWS's own in the region."""


FABRICS: dict[GpuAllocation, Fabric] = {GpuAllocation.DRA: EFA, GpuAllocation.DEVICE_PLUGIN: EFA_DEVICE_PLUGIN}
"""GPUs and EFA devices are handed out alike: DRA drivers and device plugins are on no node both."""


def decide_drivers(choice: EksDriverChoice, *, region: str, faults: Faults) -> tuple[DriverChoice, str]:
    """Who brings which driver, with what EKS cannot bring left out, and the registry of EKS's images."""
    images = _registry(choice.get("registry"), region=region, faults=faults.at("registry"))
    parts = DriverChoice(**{key: part for key, part in choice.items() if key != "registry"})
    return refuse_managed(parts, "EKS brings none", faults), images or ""


def _registry(named: str | None, *, region: str, faults: Faults) -> str | None:
    """Where EKS's images come from; ``None`` when a fault was added."""
    if named is not None:
        check_registry(named, faults)
        return None if faults else named
    images = registry(region)
    if images is None and has_form(region):
        faults.add(
            f"missing; AWS's registry in {region} is not in the catalogue, name it: "
            "https://docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html"
        )
    return images
