"""Components for any Kubernetes cluster, and the shapes of their args. A component imports its SDK; a shape none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from ..fabrics import Carrier, GpuAllocation
    from .addons.inference.args import DistributedInferenceArgs, InferencePool, InferenceSplit, InferenceWeights
    from .addons.inference.component import DistributedInference
    from .addons.injection import FabricInjectionArgs, InjectionEngine, InjectionPool
    from .addons.injection.component import FabricInjection
    from .addons.monitoring import ExporterPods, MonitoredPool, MonitoringArgs
    from .addons.monitoring.component import Monitoring
    from .addons.queues import QueuePool, QueuesArgs
    from .addons.queues.component import Queues
    from .addons.storage.args import SharedVolumeArgs
    from .addons.storage.component import SharedVolume
    from .claim_templates import ClaimTemplates
    from .device_plugins import DevicePlugins
    from .dra_drivers import DraDrivers
    from .mpi_operator import MpiOperator
    from .nccl_acceptance import NcclAcceptance
    from .nccl_installer import NcclInstaller
    from .plan.acceptance.args import AcceptanceImages, AcceptancePool, NcclAcceptanceArgs
    from .plan.claim_templates import ClaimChoice, ClaimTemplatesArgs
    from .plan.device_plugins import DevicePluginsArgs
    from .plan.dra_drivers import DraDriversArgs, Part
    from .plan.mpi_operator import MpiOperatorArgs
    from .plan.nccl_installer import NcclInstallerArgs
    from .plan.nodes import NodeSet
    from .plan.pod_files import PodFilesArgs
    from .pod_files import PodFiles

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
        ".addons.inference.component": ["DistributedInference"],
        ".dra_drivers": ["DraDrivers"],
        ".addons.injection.component": ["FabricInjection"],
        ".addons.monitoring.component": ["Monitoring"],
        ".mpi_operator": ["MpiOperator"],
        ".nccl_acceptance": ["NcclAcceptance"],
        ".nccl_installer": ["NcclInstaller"],
        ".plan.acceptance.args": ["AcceptanceImages", "AcceptancePool", "NcclAcceptanceArgs"],
        ".plan.claim_templates": ["ClaimChoice", "ClaimTemplatesArgs"],
        ".plan.device_plugins": ["DevicePluginsArgs"],
        ".plan.dra_drivers": ["DraDriversArgs", "Part"],
        ".addons.inference.args": [
            "DistributedInferenceArgs",
            "InferencePool",
            "InferenceSplit",
            "InferenceWeights",
        ],
        ".addons.injection": ["FabricInjectionArgs", "InjectionEngine", "InjectionPool"],
        ".addons.monitoring": ["ExporterPods", "MonitoredPool", "MonitoringArgs"],
        ".plan.mpi_operator": ["MpiOperatorArgs"],
        ".plan.nccl_installer": ["NcclInstallerArgs"],
        ".plan.nodes": ["NodeSet"],
        ".plan.pod_files": ["PodFilesArgs"],
        ".addons.queues": ["QueuePool", "QueuesArgs"],
        ".addons.storage.args": ["SharedVolumeArgs"],
        ".pod_files": ["PodFiles"],
        ".addons.queues.component": ["Queues"],
        ".addons.storage.component": ["SharedVolume"],
        "..fabrics": ["Carrier", "GpuAllocation"],
    },
)
