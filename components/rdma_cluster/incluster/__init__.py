"""Components for any Kubernetes cluster, their args, and the options that clouds share.

A component imports its SDK, the rest imports none.
"""

from typing import TYPE_CHECKING

from ..lazy import lazy

if TYPE_CHECKING:
    from ..fabrics import GpuAllocation as GpuAllocation
    from ..fabrics import Launcher as Launcher
    from ..shown import BusbwThreshold as BusbwThreshold
    from ..shown import PodMount as PodMount
    from ..shown import PodSidecar as PodSidecar
    from ..shown import PodToleration as PodToleration
    from ..shown import PodVariable as PodVariable
    from ..shown import PodVolume as PodVolume
    from ..shown import PoolProof as PoolProof
    from ..shown import PoolWorkload as PoolWorkload
    from ..shown import ServedModel as ServedModel
    from ..shown import StoredData as StoredData
    from .addons.inference.args import DistributedInferenceArgs as DistributedInferenceArgs
    from .addons.inference.args import InferenceOptions as InferenceOptions
    from .addons.inference.args import InferenceSplit as InferenceSplit
    from .addons.inference.component import DistributedInference as DistributedInference
    from .addons.injection.args import FabricInjectionArgs as FabricInjectionArgs
    from .addons.injection.args import InjectionEngine as InjectionEngine
    from .addons.injection.args import InjectionOptions as InjectionOptions
    from .addons.injection.component import FabricInjection as FabricInjection
    from .addons.monitoring.args import ExporterBy as ExporterBy
    from .addons.monitoring.args import MonitoringArgs as MonitoringArgs
    from .addons.monitoring.args import MonitoringOptions as MonitoringOptions
    from .addons.monitoring.component import Monitoring as Monitoring
    from .addons.queues.args import QueueOptions as QueueOptions
    from .addons.queues.args import QueuesArgs as QueuesArgs
    from .addons.queues.component import Queues as Queues
    from .addons.queues.dispatch_args import DispatchCluster as DispatchCluster
    from .addons.queues.dispatch_kinds import DispatchKind as DispatchKind
    from .addons.readiness.args import NodeReadinessArgs as NodeReadinessArgs
    from .addons.readiness.args import OnFault as OnFault
    from .addons.readiness.args import ReadinessOptions as ReadinessOptions
    from .addons.readiness.args import RenewWhen as RenewWhen
    from .addons.readiness.component import NodeReadiness as NodeReadiness
    from .addons.storage.args import ExistingStorage as ExistingStorage
    from .addons.storage.args import SharedVolumeArgs as SharedVolumeArgs
    from .addons.storage.component import SharedVolume as SharedVolume
    from .claim_templates import ClaimTemplates as ClaimTemplates
    from .device_plugins import DevicePlugins as DevicePlugins
    from .dra_drivers import DraDrivers as DraDrivers
    from .mpi_operator import MpiOperator as MpiOperator
    from .nccl_acceptance import NcclAcceptance as NcclAcceptance
    from .nccl_installer import NcclInstaller as NcclInstaller
    from .plan.acceptance.args import AcceptanceOptions as AcceptanceOptions
    from .plan.acceptance.args import NcclAcceptanceArgs as NcclAcceptanceArgs
    from .plan.claim_templates import ClaimOptions as ClaimOptions
    from .plan.claim_templates import ClaimTemplatesArgs as ClaimTemplatesArgs
    from .plan.device_plugins import DevicePluginsArgs as DevicePluginsArgs
    from .plan.dra_drivers import DraDriversArgs as DraDriversArgs
    from .plan.dra_drivers import DriverOptions as DriverOptions
    from .plan.dra_drivers import InstalledBy as InstalledBy
    from .plan.dra_drivers import ManagedBy as ManagedBy
    from .plan.mpi_operator import MpiOperatorArgs as MpiOperatorArgs
    from .plan.nccl_installer import NcclInstallerArgs as NcclInstallerArgs
    from .plan.pod_files import PodFilesArgs as PodFilesArgs
    from .plan.pool import InClusterPool as InClusterPool
    from .pod_files import PodFiles as PodFiles

__getattr__, __dir__ = lazy(__name__)
