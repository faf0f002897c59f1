"""Who hands out GPUs and EFA devices on EKS, and from which registry their drivers come."""

from typing import NotRequired

from pulumi_offline.errors import ErrorList
from ...base.args import args_schema
from ...catalog.eks.registries import registry
from ...fabrics import Fabric, GpuAllocation
from ...fabrics.efa import EFA, EFA_DEVICE_PLUGIN
from ...incluster.plan.dra_drivers import DriverOptions, refuse_managed
from ...incluster.plan.images import check_registry
from .zones import has_form


@args_schema
class EksDriverOptions(DriverOptions):
    """Who brings which driver, and from where."""

    registry: NotRequired[str]
    """Registry of EKS's images. Default: AWS's own in the region."""


FABRICS: dict[GpuAllocation, Fabric] = {GpuAllocation.DRA: EFA, GpuAllocation.DEVICE_PLUGIN: EFA_DEVICE_PLUGIN}
"""GPUs and EFA devices are handed out alike: DRA drivers and device plugins are on no node both."""


def plan_drivers(choice: EksDriverOptions, *, region: str, errors: ErrorList) -> tuple[DriverOptions, str]:
    """Choose who brings which driver, and the registry of EKS's images. EKS brings no driver itself."""
    images, at = choice.get("registry", registry(region)), errors.at("registry")
    if "registry" in choice:
        check_registry(choice["registry"], at)
    elif images is None and has_form(region):
        at.add(
            f"missing; AWS's registry in {region} is not in the catalogue, name it: "
            "https://docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html"
        )
    drivers = DriverOptions(**{key: owner for key, owner in choice.items() if key != "registry"})
    return refuse_managed(drivers, "EKS brings none", errors), "" if at or images is None else images
