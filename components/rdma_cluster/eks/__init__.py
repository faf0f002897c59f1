"""Components for EKS, and the shapes of their args. A component imports its SDK; a shape imports none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from ..fabrics import GpuAllocation
    from ..incluster.addons.inference import InferenceChoice, InferenceSplit, InferenceWeights
    from ..incluster.addons.injection import InjectionChoice, InjectionEngine
    from ..incluster.addons.monitoring import MonitoringChoice
    from ..incluster.addons.queues import QueueChoice
    from ..incluster.addons.storage.args import ExistingStorage
    from ..incluster.plan.acceptance.args import AcceptanceChoice, AcceptanceImages
    from ..incluster.plan.claim_templates import ClaimChoice
    from ..incluster.plan.dra_drivers import Part
    from .cluster import EksCluster
    from .network import EksHpcNetwork
    from .node_pool import EksGpuNodePool
    from .plan.capacity import EksCapacity, EksCapacityBlock, EksPlacement, EksReservation
    from .plan.cluster import EksClusterArgs, EksEndpoint, EksExistingCluster, EksKubernetes
    from .plan.devices import EksDriverChoice
    from .plan.existing import EksNetworkChoice
    from .plan.network import EksExistingNetwork, EksHpcNetworkArgs, EksSubnet
    from .plan.node_pool import EksAmiType, EksGpuNodePoolArgs, EksPool
    from .plan.rdma_cluster import EksRdmaClusterArgs
    from .plan.storage import EksLustre, EksObjectStore, EksStorageArgs, EksStorageChoice
    from .rdma_cluster import EksRdmaCluster
    from .storage import EksStorage

__all__ = [
    "AcceptanceChoice",
    "AcceptanceImages",
    "ClaimChoice",
    "EksAmiType",
    "EksCapacity",
    "EksCapacityBlock",
    "EksCluster",
    "EksClusterArgs",
    "EksDriverChoice",
    "EksEndpoint",
    "EksExistingCluster",
    "EksExistingNetwork",
    "EksGpuNodePool",
    "EksGpuNodePoolArgs",
    "EksHpcNetwork",
    "EksHpcNetworkArgs",
    "EksKubernetes",
    "EksLustre",
    "EksNetworkChoice",
    "EksObjectStore",
    "EksPlacement",
    "EksPool",
    "EksRdmaCluster",
    "EksRdmaClusterArgs",
    "EksReservation",
    "EksStorage",
    "EksStorageArgs",
    "EksStorageChoice",
    "EksSubnet",
    "ExistingStorage",
    "GpuAllocation",
    "InferenceChoice",
    "InferenceSplit",
    "InferenceWeights",
    "InjectionChoice",
    "InjectionEngine",
    "MonitoringChoice",
    "Part",
    "QueueChoice",
]

__getattr__ = lazy(
    __name__,
    {
        ".cluster": ["EksCluster"],
        ".network": ["EksHpcNetwork"],
        ".node_pool": ["EksGpuNodePool"],
        ".storage": ["EksStorage"],
        ".rdma_cluster": ["EksRdmaCluster"],
        ".plan.capacity": ["EksCapacity", "EksCapacityBlock", "EksPlacement", "EksReservation"],
        ".plan.cluster": ["EksClusterArgs", "EksEndpoint", "EksExistingCluster", "EksKubernetes"],
        ".plan.devices": ["EksDriverChoice"],
        ".plan.existing": ["EksNetworkChoice"],
        ".plan.network": ["EksExistingNetwork", "EksHpcNetworkArgs", "EksSubnet"],
        ".plan.node_pool": ["EksAmiType", "EksGpuNodePoolArgs", "EksPool"],
        ".plan.rdma_cluster": ["EksRdmaClusterArgs"],
        "..incluster.plan.acceptance.args": ["AcceptanceChoice", "AcceptanceImages"],
        "..incluster.plan.claim_templates": ["ClaimChoice"],
        "..incluster.plan.dra_drivers": ["Part"],
        "..incluster.addons.inference": ["InferenceChoice", "InferenceSplit", "InferenceWeights"],
        "..incluster.addons.injection": ["InjectionChoice", "InjectionEngine"],
        "..incluster.addons.queues": ["QueueChoice"],
        "..incluster.addons.storage.args": ["ExistingStorage"],
        ".plan.storage": ["EksLustre", "EksObjectStore", "EksStorageArgs", "EksStorageChoice"],
        "..incluster.addons.monitoring": ["MonitoringChoice"],
        "..fabrics": ["GpuAllocation"],
    },
)
