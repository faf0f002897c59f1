"""Components for EKS, and their args. A component imports its SDK, the rest imports none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from .cluster import EksCluster as EksCluster
    from .network import EksHpcNetwork as EksHpcNetwork
    from .node_pool import EksGpuNodePool as EksGpuNodePool
    from .plan.capacity import EksCapacity as EksCapacity
    from .plan.capacity import EksPlacement as EksPlacement
    from .plan.cluster import EksClusterArgs as EksClusterArgs
    from .plan.cluster import EksEndpoint as EksEndpoint
    from .plan.network import EksHpcNetworkArgs as EksHpcNetworkArgs
    from .plan.network import EksSubnet as EksSubnet
    from .plan.node_pool import EksAmiType as EksAmiType
    from .plan.node_pool import EksGpuNodePoolArgs as EksGpuNodePoolArgs
    from .plan.node_pool import EksPool as EksPool
    from .plan.rdma_cluster import EksRdmaClusterArgs as EksRdmaClusterArgs
    from .plan.storage import EksStorageArgs as EksStorageArgs
    from .rdma_cluster import EksRdmaCluster as EksRdmaCluster
    from .storage import EksStorage as EksStorage

__getattr__, __dir__ = lazy(__name__)
