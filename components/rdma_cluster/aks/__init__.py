"""Components for AKS, and the shapes of their args. A component imports its SDK; a shape imports none."""

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
    from ..incluster.plan.nodes import NodeSet
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
        "..incluster.addons.inference": ["InferenceChoice", "InferenceSplit", "InferenceWeights"],
        "..incluster.addons.injection": ["InjectionChoice", "InjectionEngine"],
        "..incluster.addons.queues": ["QueueChoice"],
        "..incluster.addons.storage.args": ["ExistingStorage"],
        ".plan.storage": ["AksStorageArgs", "AksStorageChoice"],
        "..incluster.addons.monitoring": ["MonitoringChoice"],
        "..incluster.plan.nodes": ["NodeSet"],
    },
)
