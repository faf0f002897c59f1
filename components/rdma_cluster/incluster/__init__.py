"""Components for any Kubernetes cluster, their args, and the options that clouds share.

A component imports its SDK, the rest imports none.
"""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from ..fabrics import Carrier as Carrier
    from ..fabrics import GpuAllocation as GpuAllocation
    from .claim_templates import ClaimTemplates as ClaimTemplates
    from .device_plugins import DevicePlugins as DevicePlugins
    from .distributed_inference import DistributedInference as DistributedInference
    from .dra_drivers import DraDrivers as DraDrivers
    from .fabric_injection import FabricInjection as FabricInjection
    from .monitoring import Monitoring as Monitoring
    from .mpi_operator import MpiOperator as MpiOperator
    from .nccl_acceptance import NcclAcceptance as NcclAcceptance
    from .nccl_installer import NcclInstaller as NcclInstaller
    from .plan.acceptance.args import AcceptanceChoice as AcceptanceChoice
    from .plan.acceptance.args import AcceptancePool as AcceptancePool
    from .plan.acceptance.args import NcclAcceptanceArgs as NcclAcceptanceArgs
    from .plan.claim_templates import ClaimChoice as ClaimChoice
    from .plan.claim_templates import ClaimTemplatesArgs as ClaimTemplatesArgs
    from .plan.device_plugins import DevicePluginsArgs as DevicePluginsArgs
    from .plan.dra_drivers import DraDriversArgs as DraDriversArgs
    from .plan.dra_drivers import DriverChoice as DriverChoice
    from .plan.dra_drivers import Part as Part
    from .plan.inference.args import DistributedInferenceArgs as DistributedInferenceArgs
    from .plan.inference.args import InferenceChoice as InferenceChoice
    from .plan.inference.args import InferencePool as InferencePool
    from .plan.inference.args import InferenceSplit as InferenceSplit
    from .plan.injection.args import FabricInjectionArgs as FabricInjectionArgs
    from .plan.injection.args import InjectionChoice as InjectionChoice
    from .plan.injection.args import InjectionEngine as InjectionEngine
    from .plan.injection.args import InjectionPool as InjectionPool
    from .plan.monitoring.args import MonitoredPool as MonitoredPool
    from .plan.monitoring.args import MonitoringArgs as MonitoringArgs
    from .plan.monitoring.args import MonitoringChoice as MonitoringChoice
    from .plan.mpi_operator import MpiOperatorArgs as MpiOperatorArgs
    from .plan.nccl_installer import NcclInstallerArgs as NcclInstallerArgs
    from .plan.pod_files import PodFilesArgs as PodFilesArgs
    from .plan.queues.args import QueueChoice as QueueChoice
    from .plan.queues.args import QueuePool as QueuePool
    from .plan.queues.args import QueuesArgs as QueuesArgs
    from .plan.shared_volume import SharedVolumeArgs as SharedVolumeArgs
    from .plan.storage import ExistingStorage as ExistingStorage
    from .pod_files import PodFiles as PodFiles
    from .queues import Queues as Queues
    from .shared_volume import SharedVolume as SharedVolume

__getattr__ = lazy(__name__)
