"""Components for GKE. Importing one imports its SDK; the plans in ``plan`` import none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from .cluster import GkeCluster
    from .network import GkeHpcNetwork
    from .node_pool import GkeGpuNodePool
    from .rdma_cluster import GkeRdmaCluster

__all__ = ["GkeCluster", "GkeGpuNodePool", "GkeHpcNetwork", "GkeRdmaCluster"]

__getattr__ = lazy(
    __name__,
    {
        "GkeCluster": "cluster",
        "GkeGpuNodePool": "node_pool",
        "GkeHpcNetwork": "network",
        "GkeRdmaCluster": "rdma_cluster",
    },
)
