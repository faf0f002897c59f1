"""Components for AKS, and their args. A component imports its SDK, the rest imports none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from .cluster import AksCluster as AksCluster
    from .network import AksHpcNetwork as AksHpcNetwork
    from .node_pool import AksGpuNodePool as AksGpuNodePool
    from .operators import AksOperators as AksOperators
    from .plan.access import AksAdmin as AksAdmin
    from .plan.access import AksEndpoint as AksEndpoint
    from .plan.access import AksLogin as AksLogin
    from .plan.access import AksPrincipalType as AksPrincipalType
    from .plan.capacity import AksCapacity as AksCapacity
    from .plan.cluster import AksClusterArgs as AksClusterArgs
    from .plan.cluster import AksNodeOsUpgrades as AksNodeOsUpgrades
    from .plan.drivers import AksGpuDriver as AksGpuDriver
    from .plan.drivers import AksMemoryLock as AksMemoryLock
    from .plan.drivers import AksRdmaDriver as AksRdmaDriver
    from .plan.drivers import AksRdmaResource as AksRdmaResource
    from .plan.features import AksFeatureCheck as AksFeatureCheck
    from .plan.network import AksHpcNetworkArgs as AksHpcNetworkArgs
    from .plan.network import AksOutbound as AksOutbound
    from .plan.node_pool import AksGpuNodePoolArgs as AksGpuNodePoolArgs
    from .plan.node_pool import AksOsDisk as AksOsDisk
    from .plan.node_pool import AksPool as AksPool
    from .plan.operators import AksOperatorsArgs as AksOperatorsArgs
    from .plan.rdma_cluster import AksRdmaClusterArgs as AksRdmaClusterArgs
    from .plan.storage import AksStorageArgs as AksStorageArgs
    from .rdma_cluster import AksRdmaCluster as AksRdmaCluster
    from .storage import AksStorage as AksStorage

__getattr__, __dir__ = lazy(__name__)
