"""Components for GKE, and their args. A component imports its SDK, the rest imports none.

``GkeHpcNetwork`` and ``GkeGpuNodePool`` are two of the four components; ``DraDrivers`` and ``NcclInstaller`` are in
``incluster``. ``GkeCluster`` stands between them, and ``GkeRdmaCluster`` is the whole.
"""

from typing import TYPE_CHECKING

from ..base.lazy import lazy

if TYPE_CHECKING:
    from .cluster import GkeCluster as GkeCluster
    from .network import GkeHpcNetwork as GkeHpcNetwork
    from .node_pool import GkeGpuNodePool as GkeGpuNodePool
    from .plan.capacity import GkeCapacity as GkeCapacity
    from .plan.cluster import (
        GkeClusterArgs as GkeClusterArgs,
        GkeEndpoint as GkeEndpoint,
        GkeLocation as GkeLocation,
        GkeReleaseChannel as GkeReleaseChannel,
    )
    from .plan.fabric import GkeNetworkMode as GkeNetworkMode
    from .plan.network import (
        GkeHpcNetworkArgs as GkeHpcNetworkArgs,
        GkeNodeNetwork as GkeNodeNetwork,
        GkePrimaryNetwork as GkePrimaryNetwork,
    )
    from .plan.node_pool import GkeGpuNodePoolArgs as GkeGpuNodePoolArgs, GkePool as GkePool
    from .plan.placement import GkePlacement as GkePlacement
    from .plan.pod_networks import GkePodNetwork as GkePodNetwork, GkePodNetworksArgs as GkePodNetworksArgs
    from .plan.rdma_cluster import GkeRdmaClusterArgs as GkeRdmaClusterArgs
    from .plan.storage import GkeStorageArgs as GkeStorageArgs
    from .pod_networks import GkePodNetworks as GkePodNetworks
    from .rdma_cluster import GkeRdmaCluster as GkeRdmaCluster
    from .storage import GkeStorage as GkeStorage

_MODULES = {
    ".cluster": "GkeCluster",
    ".network": "GkeHpcNetwork",
    ".node_pool": "GkeGpuNodePool",
    ".plan.capacity": "GkeCapacity",
    ".plan.cluster": "GkeClusterArgs GkeEndpoint GkeLocation GkeReleaseChannel",
    ".plan.fabric": "GkeNetworkMode",
    ".plan.network": "GkeHpcNetworkArgs GkeNodeNetwork GkePrimaryNetwork",
    ".plan.node_pool": "GkeGpuNodePoolArgs GkePool",
    ".plan.placement": "GkePlacement",
    ".plan.pod_networks": "GkePodNetwork GkePodNetworksArgs",
    ".plan.rdma_cluster": "GkeRdmaClusterArgs",
    ".plan.storage": "GkeStorageArgs",
    ".pod_networks": "GkePodNetworks",
    ".rdma_cluster": "GkeRdmaCluster",
    ".storage": "GkeStorage",
}
__getattr__, __dir__ = lazy(__name__, _MODULES)
