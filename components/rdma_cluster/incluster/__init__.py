"""Components for any Kubernetes cluster. Importing one imports pulumi-kubernetes; the plans in ``plan`` do not."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from .claim_templates import ClaimTemplates
    from .device_plugins import DevicePlugins
    from .dra_drivers import DraDrivers
    from .mpi_operator import MpiOperator
    from .nccl_acceptance import NcclAcceptance
    from .nccl_installer import NcclInstaller

__all__ = ["ClaimTemplates", "DevicePlugins", "DraDrivers", "MpiOperator", "NcclAcceptance", "NcclInstaller"]

__getattr__ = lazy(
    __name__,
    {
        "ClaimTemplates": "claim_templates",
        "DevicePlugins": "device_plugins",
        "DraDrivers": "dra_drivers",
        "MpiOperator": "mpi_operator",
        "NcclAcceptance": "nccl_acceptance",
        "NcclInstaller": "nccl_installer",
    },
)
