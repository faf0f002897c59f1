"""Components for EKS. Importing one imports its SDK; the plans in ``plan`` import none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from .cluster import EksCluster
    from .network import EksHpcNetwork
    from .node_pool import EksGpuNodePool
    from .rdma_cluster import EksRdmaCluster

__all__ = ["EksCluster", "EksGpuNodePool", "EksHpcNetwork", "EksRdmaCluster"]

__getattr__ = lazy(
    __name__,
    {
        "EksCluster": "cluster",
        "EksGpuNodePool": "node_pool",
        "EksHpcNetwork": "network",
        "EksRdmaCluster": "rdma_cluster",
    },
)
