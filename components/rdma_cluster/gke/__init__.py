"""Components for GKE, and the shapes of their args. A component imports its SDK; a shape imports none."""

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
    from ..incluster.plan.dra_drivers import DriverChoice, Part
    from .cluster import GkeCluster
    from .network import GkeHpcNetwork
    from .node_pool import GkeGpuNodePool
    from .plan.capacity import GkeCapacity, GkeReservation
    from .plan.cluster import (
        GkeClusterArgs,
        GkeEndpoint,
        GkeExistingCluster,
        GkeKubernetes,
        GkeLocation,
        GkeReleaseChannel,
    )
    from .plan.fabric import GkeNetworkMode
    from .plan.network import GkeExistingNetwork, GkeHpcNetworkArgs, GkeNodeNetwork, GkePrimaryNetwork
    from .plan.node_pool import GkeGpuNodePoolArgs, GkePool
    from .plan.placement import GkePlacement
    from .plan.pod_networks import GkePodNetwork, GkePodNetworksArgs
    from .plan.rdma_cluster import GkeNetworkChoice, GkeRdmaClusterArgs
    from .plan.storage import GkeLustre, GkeObjectStore, GkeStorageArgs, GkeStorageChoice
    from .pod_networks import GkePodNetworks
    from .rdma_cluster import GkeRdmaCluster
    from .storage import GkeStorage

__all__ = [
    "AcceptanceChoice",
    "AcceptanceImages",
    "ClaimChoice",
    "DriverChoice",
    "ExistingStorage",
    "GkeCapacity",
    "GkeCluster",
    "GkeClusterArgs",
    "GkeEndpoint",
    "GkeExistingCluster",
    "GkeExistingNetwork",
    "GkeGpuNodePool",
    "GkeGpuNodePoolArgs",
    "GkeHpcNetwork",
    "GkeHpcNetworkArgs",
    "GkeKubernetes",
    "GkeLocation",
    "GkeLustre",
    "GkeNetworkChoice",
    "GkeNetworkMode",
    "GkeNodeNetwork",
    "GkeObjectStore",
    "GkePlacement",
    "GkePodNetwork",
    "GkePodNetworks",
    "GkePodNetworksArgs",
    "GkePool",
    "GkePrimaryNetwork",
    "GkeRdmaCluster",
    "GkeRdmaClusterArgs",
    "GkeReleaseChannel",
    "GkeReservation",
    "GkeStorage",
    "GkeStorageArgs",
    "GkeStorageChoice",
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
        ".cluster": ["GkeCluster"],
        ".network": ["GkeHpcNetwork"],
        ".node_pool": ["GkeGpuNodePool"],
        ".pod_networks": ["GkePodNetworks"],
        ".rdma_cluster": ["GkeRdmaCluster"],
        ".storage": ["GkeStorage"],
        ".plan.cluster": [
            "GkeClusterArgs",
            "GkeEndpoint",
            "GkeExistingCluster",
            "GkeKubernetes",
            "GkeLocation",
            "GkeReleaseChannel",
        ],
        ".plan.fabric": ["GkeNetworkMode"],
        ".plan.network": ["GkeExistingNetwork", "GkeHpcNetworkArgs", "GkeNodeNetwork", "GkePrimaryNetwork"],
        ".plan.capacity": ["GkeCapacity", "GkeReservation"],
        ".plan.node_pool": ["GkeGpuNodePoolArgs", "GkePool"],
        ".plan.placement": ["GkePlacement"],
        ".plan.pod_networks": ["GkePodNetwork", "GkePodNetworksArgs"],
        ".plan.rdma_cluster": ["GkeNetworkChoice", "GkeRdmaClusterArgs"],
        ".plan.storage": ["GkeLustre", "GkeObjectStore", "GkeStorageArgs", "GkeStorageChoice"],
        "..incluster.plan.acceptance.args": ["AcceptanceChoice", "AcceptanceImages"],
        "..incluster.plan.claim_templates": ["ClaimChoice"],
        "..incluster.plan.dra_drivers": ["DriverChoice", "Part"],
        "..incluster.addons.inference": ["InferenceChoice", "InferenceSplit", "InferenceWeights"],
        "..incluster.addons.injection": ["InjectionChoice", "InjectionEngine"],
        "..incluster.addons.queues": ["QueueChoice"],
        "..incluster.addons.storage.args": ["ExistingStorage"],
        "..incluster.addons.monitoring": ["MonitoringChoice"],
        "..fabrics": ["GpuAllocation"],
    },
)
