"""Components for OKE, and their args. A component imports its SDK, the rest imports none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from .adopt import OkeAdoptedNodes as OkeAdoptedNodes
    from .cluster import OkeCluster as OkeCluster
    from .identity import OkeIdentityPolicies as OkeIdentityPolicies
    from .network import OkeHpcNetwork as OkeHpcNetwork
    from .node_image import OkeImportedImage as OkeImportedImage
    from .node_pool import OkeGpuNodePool as OkeGpuNodePool
    from .plan.adopt import OkeAdoptedNodesArgs as OkeAdoptedNodesArgs
    from .plan.adopt import OkeAdoptedPool as OkeAdoptedPool
    from .plan.capacity import OkeCapacity as OkeCapacity
    from .plan.capacity import OkeSpread as OkeSpread
    from .plan.capacity_modes import OkeMemoryFabric as OkeMemoryFabric
    from .plan.capacity_modes import OkePoolMode as OkePoolMode
    from .plan.cluster import OkeClusterArgs as OkeClusterArgs
    from .plan.cluster import OkeEndpoint as OkeEndpoint
    from .plan.cni import OkeCniType as OkeCniType
    from .plan.identity import OkeIdentityPoliciesArgs as OkeIdentityPoliciesArgs
    from .plan.images import OkeImportedImageArgs as OkeImportedImageArgs
    from .plan.network import OkeHpcNetworkArgs as OkeHpcNetworkArgs
    from .plan.node_pool import OkeGpuNodePoolArgs as OkeGpuNodePoolArgs
    from .plan.node_pool import OkePool as OkePool
    from .plan.rdma import OkeGpuPlugin as OkeGpuPlugin
    from .plan.rdma import OkeNicAttachment as OkeNicAttachment
    from .plan.rdma import OkeVfResource as OkeVfResource
    from .plan.rdma_cluster import OkeRdmaClusterArgs as OkeRdmaClusterArgs
    from .plan.storage import OkeStorageArgs as OkeStorageArgs
    from .plan.virtual_functions import OkeVirtualFunctionsArgs as OkeVirtualFunctionsArgs
    from .rdma_cluster import OkeRdmaCluster as OkeRdmaCluster
    from .storage import OkeStorage as OkeStorage
    from .virtual_functions import OkeVirtualFunctions as OkeVirtualFunctions

__getattr__, __dir__ = lazy(__name__)
