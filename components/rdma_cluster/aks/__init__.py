"""Components for AKS, and the shapes of their args. A component imports its SDK; a shape imports none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from ..fabrics import GpuAllocation
    from ..incluster.plan.acceptance.args import AcceptanceChoice, AcceptanceImages
    from ..incluster.plan.claim_templates import ClaimChoice
    from ..incluster.plan.dra_drivers import Part
    from ..incluster.plan.inference import InferenceChoice, InferenceSplit, InferenceWeights
    from ..incluster.plan.injection import InjectionChoice, InjectionEngine
    from ..incluster.plan.monitoring import MonitoringChoice
    from ..incluster.plan.nodes import NodeSet
    from ..incluster.plan.queues import QueueChoice
    from ..incluster.plan.storage import ExistingStorage
    from .cluster import AksCluster
    from .network import AksHpcNetwork
    from .node_pool import AksGpuNodePool
    from .operators import AksOperators
    from .plan.blobs import AksObjectStore
    from .plan.capacity import AksCapacity, AksReservation
    from .plan.cluster import AksClusterArgs, AksExistingCluster, AksKubernetes, AksNodeOsUpgrades
    from .plan.drivers import AksDriverChoice, AksGpuDriver, AksMemoryLock, AksRdmaDriver, AksRdmaResource
    from .plan.entry import AksAdmin, AksEndpoint, AksLogin, AksPrincipalType
    from .plan.existing import AksNetworkChoice
    from .plan.features import AksFeatureCheck
    from .plan.lustre import AksLustre
    from .plan.network import AksExistingNetwork, AksHpcNetworkArgs, AksOutbound
    from .plan.node_pool import AksGpuNodePoolArgs, AksOsDisk, AksPool
    from .plan.operators import AksOperatorsArgs
    from .plan.rdma_cluster import AksRdmaClusterArgs
    from .plan.storage import AksStorageArgs, AksStorageChoice
    from .rdma_cluster import AksRdmaCluster
    from .storage import AksStorage

__all__ = [
    "AcceptanceChoice",
    "AcceptanceImages",
    "AksAdmin",
    "AksCapacity",
    "AksCluster",
    "AksClusterArgs",
    "AksDriverChoice",
    "AksEndpoint",
    "AksExistingCluster",
    "AksExistingNetwork",
    "AksFeatureCheck",
    "AksGpuDriver",
    "AksGpuNodePool",
    "AksGpuNodePoolArgs",
    "AksHpcNetwork",
    "AksHpcNetworkArgs",
    "AksKubernetes",
    "AksLogin",
    "AksLustre",
    "AksMemoryLock",
    "AksNetworkChoice",
    "AksNodeOsUpgrades",
    "AksObjectStore",
    "AksOperators",
    "AksOperatorsArgs",
    "AksOsDisk",
    "AksOutbound",
    "AksPool",
    "AksPrincipalType",
    "AksRdmaCluster",
    "AksRdmaClusterArgs",
    "AksRdmaDriver",
    "AksRdmaResource",
    "AksReservation",
    "AksStorage",
    "AksStorageArgs",
    "AksStorageChoice",
    "ClaimChoice",
    "ExistingStorage",
    "GpuAllocation",
    "InferenceChoice",
    "InferenceSplit",
    "InferenceWeights",
    "InjectionChoice",
    "InjectionEngine",
    "MonitoringChoice",
    "NodeSet",
    "Part",
    "QueueChoice",
]

__getattr__ = lazy(
    __name__,
    {
        ".cluster": ["AksCluster"],
        ".network": ["AksHpcNetwork"],
        ".node_pool": ["AksGpuNodePool"],
        ".operators": ["AksOperators"],
        ".storage": ["AksStorage"],
        ".rdma_cluster": ["AksRdmaCluster"],
        ".plan.blobs": ["AksObjectStore"],
        ".plan.capacity": ["AksCapacity", "AksReservation"],
        ".plan.cluster": ["AksClusterArgs", "AksExistingCluster", "AksKubernetes", "AksNodeOsUpgrades"],
        ".plan.drivers": ["AksDriverChoice", "AksGpuDriver", "AksMemoryLock", "AksRdmaDriver", "AksRdmaResource"],
        ".plan.entry": ["AksAdmin", "AksEndpoint", "AksLogin", "AksPrincipalType"],
        ".plan.existing": ["AksNetworkChoice"],
        ".plan.features": ["AksFeatureCheck"],
        ".plan.lustre": ["AksLustre"],
        ".plan.network": ["AksExistingNetwork", "AksHpcNetworkArgs", "AksOutbound"],
        ".plan.node_pool": ["AksGpuNodePoolArgs", "AksOsDisk", "AksPool"],
        ".plan.operators": ["AksOperatorsArgs"],
        ".plan.rdma_cluster": ["AksRdmaClusterArgs"],
        "..fabrics": ["GpuAllocation"],
        "..incluster.plan.acceptance.args": ["AcceptanceChoice", "AcceptanceImages"],
        "..incluster.plan.claim_templates": ["ClaimChoice"],
        "..incluster.plan.dra_drivers": ["Part"],
        "..incluster.plan.inference": ["InferenceChoice", "InferenceSplit", "InferenceWeights"],
        "..incluster.plan.injection": ["InjectionChoice", "InjectionEngine"],
        "..incluster.plan.queues": ["QueueChoice"],
        "..incluster.plan.storage": ["ExistingStorage"],
        ".plan.storage": ["AksStorageArgs", "AksStorageChoice"],
        "..incluster.plan.monitoring": ["MonitoringChoice"],
        "..incluster.plan.nodes": ["NodeSet"],
    },
)
