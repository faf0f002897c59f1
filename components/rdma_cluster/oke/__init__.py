"""Components for OKE, and the shapes of their args. A component imports its SDK; a shape imports none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from ..fabrics import GpuAllocation
    from ..incluster.plan.acceptance.args import AcceptanceChoice, AcceptanceImages
    from ..incluster.plan.claim_templates import ClaimChoice
    from ..incluster.plan.dra_drivers import DriverChoice, Part
    from ..incluster.plan.inference import InferenceChoice, InferenceSplit, InferenceWeights
    from ..incluster.plan.injection import InjectionChoice, InjectionEngine
    from ..incluster.plan.monitoring import MonitoringChoice
    from ..incluster.plan.queues import QueueChoice
    from ..incluster.plan.storage import ExistingStorage
    from .adopt import OkeAdoptedNodes
    from .cluster import OkeCluster
    from .identity import OkeIdentityPolicies
    from .network import OkeHpcNetwork
    from .node_image import OkeImportedImage
    from .node_pool import OkeGpuNodePool
    from .plan.adopt import OkeAdoptedNodesArgs, OkeAdoptedPool
    from .plan.capacity import OkeCapacity, OkePlacement, OkeReservation, OkeSpread
    from .plan.cluster import OkeClusterArgs, OkeEndpoint, OkeExistingCluster, OkeKubernetes
    from .plan.cni import OkeCniType
    from .plan.existing import OkeNetworkChoice
    from .plan.identity import OkeIdentity, OkeIdentityDomain, OkeIdentityPoliciesArgs
    from .plan.images import OkeBootVolume, OkeImportedImageArgs, OkeNodeImage
    from .plan.modes import OkeMemoryFabric, OkePoolMode
    from .plan.network import OkeExistingNetwork, OkeHpcNetworkArgs
    from .plan.node_pool import OkeGpuNodePoolArgs, OkePool
    from .plan.rdma import OkeExposure, OkeGpuPlugin, OkeRdma, OkeVfResource
    from .plan.rdma_cluster import OkeRdmaClusterArgs
    from .plan.storage import OkeLustre, OkeObjectStore, OkeStorageArgs, OkeStorageChoice
    from .plan.virtual_functions import OkeVirtualFunctionsArgs
    from .rdma_cluster import OkeRdmaCluster
    from .storage import OkeStorage
    from .virtual_functions import OkeVirtualFunctions

__all__ = [
    "AcceptanceChoice",
    "AcceptanceImages",
    "ClaimChoice",
    "DriverChoice",
    "ExistingStorage",
    "GpuAllocation",
    "InferenceChoice",
    "InferenceSplit",
    "InferenceWeights",
    "InjectionChoice",
    "InjectionEngine",
    "MonitoringChoice",
    "OkeAdoptedNodes",
    "OkeAdoptedNodesArgs",
    "OkeAdoptedPool",
    "OkeBootVolume",
    "OkeCapacity",
    "OkeCluster",
    "OkeClusterArgs",
    "OkeCniType",
    "OkeEndpoint",
    "OkeExistingCluster",
    "OkeExistingNetwork",
    "OkeExposure",
    "OkeGpuNodePool",
    "OkeGpuNodePoolArgs",
    "OkeGpuPlugin",
    "OkeHpcNetwork",
    "OkeHpcNetworkArgs",
    "OkeIdentity",
    "OkeIdentityDomain",
    "OkeIdentityPolicies",
    "OkeIdentityPoliciesArgs",
    "OkeImportedImage",
    "OkeImportedImageArgs",
    "OkeKubernetes",
    "OkeLustre",
    "OkeMemoryFabric",
    "OkeNetworkChoice",
    "OkeNodeImage",
    "OkeObjectStore",
    "OkePlacement",
    "OkePool",
    "OkePoolMode",
    "OkeRdma",
    "OkeRdmaCluster",
    "OkeRdmaClusterArgs",
    "OkeReservation",
    "OkeSpread",
    "OkeStorage",
    "OkeStorageArgs",
    "OkeStorageChoice",
    "OkeVfResource",
    "OkeVirtualFunctions",
    "OkeVirtualFunctionsArgs",
    "Part",
    "QueueChoice",
]

__getattr__ = lazy(
    __name__,
    {
        ".adopt": ["OkeAdoptedNodes"],
        ".cluster": ["OkeCluster"],
        ".identity": ["OkeIdentityPolicies"],
        ".network": ["OkeHpcNetwork"],
        ".node_image": ["OkeImportedImage"],
        ".node_pool": ["OkeGpuNodePool"],
        ".rdma_cluster": ["OkeRdmaCluster"],
        ".storage": ["OkeStorage"],
        ".virtual_functions": ["OkeVirtualFunctions"],
        "..fabrics": ["GpuAllocation"],
        "..incluster.plan.acceptance.args": ["AcceptanceChoice", "AcceptanceImages"],
        "..incluster.plan.claim_templates": ["ClaimChoice"],
        "..incluster.plan.dra_drivers": ["DriverChoice", "Part"],
        "..incluster.plan.inference": ["InferenceChoice", "InferenceSplit", "InferenceWeights"],
        "..incluster.plan.injection": ["InjectionChoice", "InjectionEngine"],
        "..incluster.plan.queues": ["QueueChoice"],
        "..incluster.plan.storage": ["ExistingStorage"],
        ".plan.storage": ["OkeLustre", "OkeObjectStore", "OkeStorageArgs", "OkeStorageChoice"],
        "..incluster.plan.monitoring": ["MonitoringChoice"],
        ".plan.adopt": ["OkeAdoptedNodesArgs", "OkeAdoptedPool"],
        ".plan.capacity": ["OkeCapacity", "OkePlacement", "OkeReservation", "OkeSpread"],
        ".plan.cluster": ["OkeClusterArgs", "OkeEndpoint", "OkeExistingCluster", "OkeKubernetes"],
        ".plan.cni": ["OkeCniType"],
        ".plan.existing": ["OkeNetworkChoice"],
        ".plan.identity": ["OkeIdentity", "OkeIdentityDomain", "OkeIdentityPoliciesArgs"],
        ".plan.images": ["OkeBootVolume", "OkeImportedImageArgs", "OkeNodeImage"],
        ".plan.modes": ["OkeMemoryFabric", "OkePoolMode"],
        ".plan.network": ["OkeExistingNetwork", "OkeHpcNetworkArgs"],
        ".plan.node_pool": ["OkeGpuNodePoolArgs", "OkePool"],
        ".plan.rdma": ["OkeExposure", "OkeGpuPlugin", "OkeRdma", "OkeVfResource"],
        ".plan.rdma_cluster": ["OkeRdmaClusterArgs"],
        ".plan.virtual_functions": ["OkeVirtualFunctionsArgs"],
    },
)
