"""Components for OKE, and their args. A component imports its SDK, the rest imports none.

``OkeHpcNetwork`` and ``OkeGpuNodePool`` are two of the four components; ``DraDrivers`` and ``NcclInstaller`` are in
``incluster``. ``OkeCluster`` stands between them, and ``OkeRdmaCluster`` is the whole.
"""

from typing import TYPE_CHECKING

from ..base.lazy import lazy

if TYPE_CHECKING:
    from .adopt import OkeAdoptedNodes as OkeAdoptedNodes
    from .cluster import OkeCluster as OkeCluster
    from .identity import OkeIdentityPolicies as OkeIdentityPolicies
    from .network import OkeHpcNetwork as OkeHpcNetwork
    from .node_image import OkeImportedImage as OkeImportedImage
    from .node_pool import OkeGpuNodePool as OkeGpuNodePool
    from .plan.adopt import OkeAdoptedNodesArgs as OkeAdoptedNodesArgs, OkeAdoptedPool as OkeAdoptedPool
    from .plan.capacity import OkeCapacity as OkeCapacity, OkeSpread as OkeSpread
    from .plan.capacity_modes import OkeMemoryFabric as OkeMemoryFabric, OkePoolMode as OkePoolMode
    from .plan.cluster import OkeClusterArgs as OkeClusterArgs, OkeEndpoint as OkeEndpoint
    from .plan.cni import OkeCniType as OkeCniType
    from .plan.identity import OkeIdentityPoliciesArgs as OkeIdentityPoliciesArgs
    from .plan.images import OkeImportedImageArgs as OkeImportedImageArgs
    from .plan.network import OkeHpcNetworkArgs as OkeHpcNetworkArgs
    from .plan.node_pool import OkeGpuNodePoolArgs as OkeGpuNodePoolArgs, OkePool as OkePool
    from .plan.rdma import (
        OkeGpuPlugin as OkeGpuPlugin,
        OkeNicAttachment as OkeNicAttachment,
        OkeVfResource as OkeVfResource,
    )
    from .plan.rdma_cluster import OkeRdmaClusterArgs as OkeRdmaClusterArgs
    from .plan.storage import OkeStorageArgs as OkeStorageArgs
    from .plan.virtual_functions import OkeVirtualFunctionsArgs as OkeVirtualFunctionsArgs
    from .plan.zones import OkePlace as OkePlace
    from .rdma_cluster import OkeRdmaCluster as OkeRdmaCluster
    from .storage import OkeStorage as OkeStorage
    from .virtual_functions import OkeVirtualFunctions as OkeVirtualFunctions

_MODULES = {
    ".adopt": "OkeAdoptedNodes",
    ".cluster": "OkeCluster",
    ".identity": "OkeIdentityPolicies",
    ".network": "OkeHpcNetwork",
    ".node_image": "OkeImportedImage",
    ".node_pool": "OkeGpuNodePool",
    ".plan.adopt": "OkeAdoptedNodesArgs OkeAdoptedPool",
    ".plan.capacity": "OkeCapacity OkeSpread",
    ".plan.capacity_modes": "OkeMemoryFabric OkePoolMode",
    ".plan.cluster": "OkeClusterArgs OkeEndpoint",
    ".plan.cni": "OkeCniType",
    ".plan.identity": "OkeIdentityPoliciesArgs",
    ".plan.images": "OkeImportedImageArgs",
    ".plan.network": "OkeHpcNetworkArgs",
    ".plan.node_pool": "OkeGpuNodePoolArgs OkePool",
    ".plan.rdma": "OkeGpuPlugin OkeNicAttachment OkeVfResource",
    ".plan.rdma_cluster": "OkeRdmaClusterArgs",
    ".plan.storage": "OkeStorageArgs",
    ".plan.virtual_functions": "OkeVirtualFunctionsArgs",
    ".plan.zones": "OkePlace",
    ".rdma_cluster": "OkeRdmaCluster",
    ".storage": "OkeStorage",
    ".virtual_functions": "OkeVirtualFunctions",
}
__getattr__, __dir__ = lazy(__name__, _MODULES)
