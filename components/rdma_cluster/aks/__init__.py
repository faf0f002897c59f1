"""Components for AKS, and their args. A component imports its SDK, the rest imports none.

``AksHpcNetwork`` and ``AksGpuNodePool`` are two of the four components; ``DraDrivers`` and ``NcclInstaller`` are in
``incluster``. ``AksCluster`` stands between them, and ``AksRdmaCluster`` is the whole.
"""

from typing import TYPE_CHECKING

from ..base.lazy import lazy

if TYPE_CHECKING:
    from .cluster import AksCluster as AksCluster
    from .network import AksHpcNetwork as AksHpcNetwork
    from .node_pool import AksGpuNodePool as AksGpuNodePool
    from .operators import AksOperators as AksOperators
    from .plan.access import (
        AksAdmin as AksAdmin,
        AksEndpoint as AksEndpoint,
        AksLogin as AksLogin,
        AksPrincipalType as AksPrincipalType,
    )
    from .plan.capacity import AksCapacity as AksCapacity
    from .plan.cluster import AksClusterArgs as AksClusterArgs, AksNodeOsUpgrades as AksNodeOsUpgrades
    from .plan.drivers import (
        AksGpuDriver as AksGpuDriver,
        AksMemoryLock as AksMemoryLock,
        AksRdmaDriver as AksRdmaDriver,
        AksRdmaResource as AksRdmaResource,
    )
    from .plan.features import AksFeatureCheck as AksFeatureCheck
    from .plan.network import AksHpcNetworkArgs as AksHpcNetworkArgs, AksOutbound as AksOutbound
    from .plan.node_pool import AksGpuNodePoolArgs as AksGpuNodePoolArgs, AksOsDisk as AksOsDisk, AksPool as AksPool
    from .plan.operators import AksOperatorsArgs as AksOperatorsArgs
    from .plan.rdma_cluster import AksRdmaClusterArgs as AksRdmaClusterArgs
    from .plan.storage import AksStorageArgs as AksStorageArgs
    from .rdma_cluster import AksRdmaCluster as AksRdmaCluster
    from .storage import AksStorage as AksStorage

_MODULES = {
    ".cluster": "AksCluster",
    ".network": "AksHpcNetwork",
    ".node_pool": "AksGpuNodePool",
    ".operators": "AksOperators",
    ".plan.access": "AksAdmin AksEndpoint AksLogin AksPrincipalType",
    ".plan.capacity": "AksCapacity",
    ".plan.cluster": "AksClusterArgs AksNodeOsUpgrades",
    ".plan.drivers": "AksGpuDriver AksMemoryLock AksRdmaDriver AksRdmaResource",
    ".plan.features": "AksFeatureCheck",
    ".plan.network": "AksHpcNetworkArgs AksOutbound",
    ".plan.node_pool": "AksGpuNodePoolArgs AksOsDisk AksPool",
    ".plan.operators": "AksOperatorsArgs",
    ".plan.rdma_cluster": "AksRdmaClusterArgs",
    ".plan.storage": "AksStorageArgs",
    ".rdma_cluster": "AksRdmaCluster",
    ".storage": "AksStorage",
}
__getattr__, __dir__ = lazy(__name__, _MODULES)
