"""Components for any Kubernetes cluster, and the shapes of their args. A component imports its SDK; a shape none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from ..fabrics import Carrier, GpuAllocation
    from .claim_templates import ClaimTemplates
    from .device_plugins import DevicePlugins
    from .distributed_inference import DistributedInference
    from .dra_drivers import DraDrivers
    from .fabric_injection import FabricInjection
    from .monitoring import Monitoring
    from .mpi_operator import MpiOperator
    from .nccl_acceptance import NcclAcceptance
    from .nccl_installer import NcclInstaller
    from .plan.acceptance.args import AcceptanceImages, AcceptancePool, NcclAcceptanceArgs
    from .plan.claim_templates import ClaimChoice, ClaimTemplatesArgs
    from .plan.device_plugins import DevicePluginsArgs
    from .plan.dra_drivers import DraDriversArgs, Part
    from .plan.inference.args import DistributedInferenceArgs, InferencePool, InferenceSplit, InferenceWeights
    from .plan.injection import FabricInjectionArgs, InjectionEngine, InjectionPool
    from .plan.monitoring import ExporterPods, MonitoredPool, MonitoringArgs
    from .plan.mpi_operator import MpiOperatorArgs
    from .plan.nccl_installer import NcclInstallerArgs
    from .plan.nodes import NodeSet
    from .plan.pod_files import PodFilesArgs
    from .plan.queues import QueuePool, QueuesArgs
    from .plan.shared_volume import SharedVolumeArgs
    from .pod_files import PodFiles
    from .queues import Queues
    from .shared_volume import SharedVolume

__all__ = [
    "AcceptanceImages",
    "AcceptancePool",
    "Carrier",
    "ClaimChoice",
    "ClaimTemplates",
    "ClaimTemplatesArgs",
    "DevicePlugins",
    "DevicePluginsArgs",
    "DistributedInference",
    "DistributedInferenceArgs",
    "DraDrivers",
    "DraDriversArgs",
    "ExporterPods",
    "FabricInjection",
    "FabricInjectionArgs",
    "GpuAllocation",
    "InferencePool",
    "InferenceSplit",
    "InferenceWeights",
    "InjectionEngine",
    "InjectionPool",
    "MonitoredPool",
    "Monitoring",
    "MonitoringArgs",
    "MpiOperator",
    "MpiOperatorArgs",
    "NcclAcceptance",
    "NcclAcceptanceArgs",
    "NcclInstaller",
    "NcclInstallerArgs",
    "NodeSet",
    "Part",
    "PodFiles",
    "PodFilesArgs",
    "QueuePool",
    "Queues",
    "QueuesArgs",
    "SharedVolume",
    "SharedVolumeArgs",
]

__getattr__ = lazy(
    __name__,
    {
        ".claim_templates": ["ClaimTemplates"],
        ".device_plugins": ["DevicePlugins"],
        ".distributed_inference": ["DistributedInference"],
        ".dra_drivers": ["DraDrivers"],
        ".fabric_injection": ["FabricInjection"],
        ".monitoring": ["Monitoring"],
        ".mpi_operator": ["MpiOperator"],
        ".nccl_acceptance": ["NcclAcceptance"],
        ".nccl_installer": ["NcclInstaller"],
        ".plan.acceptance.args": ["AcceptanceImages", "AcceptancePool", "NcclAcceptanceArgs"],
        ".plan.claim_templates": ["ClaimChoice", "ClaimTemplatesArgs"],
        ".plan.device_plugins": ["DevicePluginsArgs"],
        ".plan.dra_drivers": ["DraDriversArgs", "Part"],
        ".plan.inference.args": [
            "DistributedInferenceArgs",
            "InferencePool",
            "InferenceSplit",
            "InferenceWeights",
        ],
        ".plan.injection": ["FabricInjectionArgs", "InjectionEngine", "InjectionPool"],
        ".plan.monitoring": ["ExporterPods", "MonitoredPool", "MonitoringArgs"],
        ".plan.mpi_operator": ["MpiOperatorArgs"],
        ".plan.nccl_installer": ["NcclInstallerArgs"],
        ".plan.nodes": ["NodeSet"],
        ".plan.pod_files": ["PodFilesArgs"],
        ".plan.queues": ["QueuePool", "QueuesArgs"],
        ".plan.shared_volume": ["SharedVolumeArgs"],
        ".pod_files": ["PodFiles"],
        ".queues": ["Queues"],
        ".shared_volume": ["SharedVolume"],
        "..fabrics": ["Carrier", "GpuAllocation"],
    },
)
