"""Components for GKE, and their args. A component imports its SDK, the rest imports none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from .cluster import GkeCluster as GkeCluster
    from .network import GkeHpcNetwork as GkeHpcNetwork
    from .node_pool import GkeGpuNodePool as GkeGpuNodePool
    from .plan.capacity import GkeCapacity as GkeCapacity
    from .plan.cluster import GkeClusterArgs as GkeClusterArgs
    from .plan.cluster import GkeEndpoint as GkeEndpoint
    from .plan.cluster import GkeLocation as GkeLocation
    from .plan.cluster import GkeReleaseChannel as GkeReleaseChannel
    from .plan.fabric import GkeNetworkMode as GkeNetworkMode
    from .plan.network import GkeHpcNetworkArgs as GkeHpcNetworkArgs
    from .plan.network import GkeNodeNetwork as GkeNodeNetwork
    from .plan.network import GkePrimaryNetwork as GkePrimaryNetwork
    from .plan.node_pool import GkeGpuNodePoolArgs as GkeGpuNodePoolArgs
    from .plan.node_pool import GkePool as GkePool
    from .plan.placement import GkePlacement as GkePlacement
    from .plan.pod_networks import GkePodNetwork as GkePodNetwork
    from .plan.pod_networks import GkePodNetworksArgs as GkePodNetworksArgs
    from .plan.rdma_cluster import GkeRdmaClusterArgs as GkeRdmaClusterArgs
    from .plan.storage import GkeStorageArgs as GkeStorageArgs
    from .pod_networks import GkePodNetworks as GkePodNetworks
    from .rdma_cluster import GkeRdmaCluster as GkeRdmaCluster
    from .storage import GkeStorage as GkeStorage

__getattr__, __dir__ = lazy(__name__)
