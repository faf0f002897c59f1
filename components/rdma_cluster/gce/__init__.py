"""Components for plain machines on Google Cloud, and the shapes of their args. A component imports its SDK; a shape
imports none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from ..incluster.plan.acceptance.args import AcceptanceImages
    from .network import GceHpcNetwork
    from .plan.acceptance import GceAcceptance
    from .plan.capacity import GceCapacity, GceReservation
    from .plan.network import GceHpcNetworkArgs, GceNic
    from .plan.rdma_cluster import GceNetworkChoice, GceRdmaClusterArgs
    from .plan.vms import GceGpuVmsArgs, GcePool, GceSystem
    from .rdma_cluster import GceRdmaCluster
    from .vms import GceGpuVms

__all__ = [
    "AcceptanceImages",
    "GceAcceptance",
    "GceCapacity",
    "GceGpuVms",
    "GceGpuVmsArgs",
    "GceHpcNetwork",
    "GceHpcNetworkArgs",
    "GceNetworkChoice",
    "GceNic",
    "GcePool",
    "GceRdmaCluster",
    "GceRdmaClusterArgs",
    "GceReservation",
    "GceSystem",
]

__getattr__ = lazy(
    __name__,
    {
        ".network": ["GceHpcNetwork"],
        ".rdma_cluster": ["GceRdmaCluster"],
        ".vms": ["GceGpuVms"],
        ".plan.acceptance": ["GceAcceptance"],
        ".plan.capacity": ["GceCapacity", "GceReservation"],
        ".plan.network": ["GceHpcNetworkArgs", "GceNic"],
        ".plan.rdma_cluster": ["GceNetworkChoice", "GceRdmaClusterArgs"],
        ".plan.vms": ["GceGpuVmsArgs", "GcePool", "GceSystem"],
        "..incluster.plan.acceptance.args": ["AcceptanceImages"],
    },
)
