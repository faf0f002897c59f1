"""Components for EKS, and their args. A component imports its SDK, the rest imports none.

``EksHpcNetwork`` and ``EksGpuNodePool`` are two of the four components; ``DraDrivers`` and ``NcclInstaller`` are in
``incluster``. ``EksCluster`` stands between them, and ``EksRdmaCluster`` is the whole.
"""

from typing import TYPE_CHECKING

from ..base.lazy import lazy

if TYPE_CHECKING:
    from .cluster import EksCluster as EksCluster
    from .network import EksHpcNetwork as EksHpcNetwork
    from .node_pool import EksGpuNodePool as EksGpuNodePool
    from .plan.capacity import EksCapacity as EksCapacity, EksPlacement as EksPlacement
    from .plan.cluster import EksClusterArgs as EksClusterArgs, EksEndpoint as EksEndpoint
    from .plan.network import EksHpcNetworkArgs as EksHpcNetworkArgs, EksSubnet as EksSubnet
    from .plan.node_pool import EksAmiType as EksAmiType, EksGpuNodePoolArgs as EksGpuNodePoolArgs, EksPool as EksPool
    from .plan.rdma_cluster import EksRdmaClusterArgs as EksRdmaClusterArgs
    from .plan.storage import EksStorageArgs as EksStorageArgs
    from .rdma_cluster import EksRdmaCluster as EksRdmaCluster
    from .storage import EksStorage as EksStorage

_MODULES = {
    ".cluster": "EksCluster",
    ".network": "EksHpcNetwork",
    ".node_pool": "EksGpuNodePool",
    ".plan.capacity": "EksCapacity EksPlacement",
    ".plan.cluster": "EksClusterArgs EksEndpoint",
    ".plan.network": "EksHpcNetworkArgs EksSubnet",
    ".plan.node_pool": "EksAmiType EksGpuNodePoolArgs EksPool",
    ".plan.rdma_cluster": "EksRdmaClusterArgs",
    ".plan.storage": "EksStorageArgs",
    ".rdma_cluster": "EksRdmaCluster",
    ".storage": "EksStorage",
}
__getattr__, __dir__ = lazy(__name__, _MODULES)
