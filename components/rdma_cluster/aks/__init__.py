"""Components for AKS. Importing one imports its SDK; the plans in ``plan`` import none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from .cluster import AksCluster
    from .network import AksHpcNetwork
    from .node_pool import AksGpuNodePool

__all__ = ["AksCluster", "AksGpuNodePool", "AksHpcNetwork"]

__getattr__ = lazy(
    __name__,
    {
        "AksCluster": "cluster",
        "AksGpuNodePool": "node_pool",
        "AksHpcNetwork": "network",
    },
)
