"""Components for any Kubernetes cluster, and the shapes of their args. A component imports its SDK; a shape none."""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from ..fabrics import Carrier, GpuAllocation
    from .addons.inference.args import DistributedInferenceArgs, InferenceSplit, InferenceWeights
    from .addons.inference.component import DistributedInference
    from .addons.injection import FabricInjectionArgs, InjectionEngine
    from .addons.injection.component import FabricInjection
    from .addons.monitoring import ExporterPods, MonitoringArgs
    from .addons.monitoring.component import Monitoring
    from .addons.queues import QueuesArgs
    from .addons.queues.component import Queues
    from .addons.storage.args import SharedVolumeArgs
    from .addons.storage.component import SharedVolume
    from .claim_templates import ClaimTemplates
    from .device_plugins import DevicePlugins
    from .dra_drivers import DraDrivers
    from .mpi_operator import MpiOperator
    from .nccl_acceptance import NcclAcceptance
    from .nccl_installer import NcclInstaller
    from .plan.acceptance.args import AcceptanceImages, NcclAcceptanceArgs
    from .plan.claim_templates import ClaimChoice, ClaimTemplatesArgs
    from .plan.device_plugins import DevicePluginsArgs
    from .plan.dra_drivers import DraDriversArgs, Part
    from .plan.mpi_operator import MpiOperatorArgs
    from .plan.nccl_installer import NcclInstallerArgs
    from .plan.nodes import NodeSet
    from .plan.pod_files import PodFilesArgs
    from .plan.pool import InClusterPool
    from .pod_files import PodFiles

__all__ = [
    "AcceptanceImages",
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
    "InClusterPool",
    "InferenceSplit",
    "InferenceWeights",
    "InjectionEngine",
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
        ".plan.acceptance.args": ["AcceptanceImages", "NcclAcceptanceArgs"],
        ".plan.claim_templates": ["ClaimChoice", "ClaimTemplatesArgs"],
        ".plan.device_plugins": ["DevicePluginsArgs"],
        ".plan.dra_drivers": ["DraDriversArgs", "Part"],
        ".addons.inference.args": [
            "DistributedInferenceArgs",
            "InferenceSplit",
            "InferenceWeights",
        ],
        ".addons.injection": ["FabricInjectionArgs", "InjectionEngine"],
        ".addons.monitoring": ["ExporterPods", "MonitoringArgs"],
        ".plan.mpi_operator": ["MpiOperatorArgs"],
        ".plan.nccl_installer": ["NcclInstallerArgs"],
        ".plan.nodes": ["NodeSet"],
        ".plan.pool": ["InClusterPool"],
        ".plan.pod_files": ["PodFilesArgs"],
        ".addons.queues": ["QueuesArgs"],
        ".addons.storage.args": ["SharedVolumeArgs"],
        ".pod_files": ["PodFiles"],
        ".addons.queues.component": ["Queues"],
        ".addons.storage.component": ["SharedVolume"],
        "..fabrics": ["Carrier", "GpuAllocation"],
    },
)
