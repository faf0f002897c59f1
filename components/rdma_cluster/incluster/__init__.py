"""Components for any Kubernetes cluster, their args, and the options that clouds share.

A component imports its SDK, the rest imports none. ``DraDrivers`` and ``NcclInstaller`` are two of the four components;
each cloud's package has the other two.
"""

from typing import TYPE_CHECKING

from ..base.lazy import lazy

if TYPE_CHECKING:
    from ..component.outputs import (
        BusbwThreshold as BusbwThreshold,
        PodMount as PodMount,
        PodSidecar as PodSidecar,
        PodToleration as PodToleration,
        PodVariable as PodVariable,
        PodVolume as PodVolume,
        PoolProof as PoolProof,
        PoolWorkload as PoolWorkload,
        ServedModel as ServedModel,
        StoredData as StoredData,
    )
    from ..fabrics import GpuAllocation as GpuAllocation, Launcher as Launcher
    from .addons.inference.args import (
        DistributedInferenceArgs as DistributedInferenceArgs,
        InferenceOptions as InferenceOptions,
        InferenceSplit as InferenceSplit,
    )
    from .addons.inference.component import DistributedInference as DistributedInference
    from .addons.injection.args import (
        FabricInjectionArgs as FabricInjectionArgs,
        InjectionEngine as InjectionEngine,
        InjectionOptions as InjectionOptions,
    )
    from .addons.injection.component import FabricInjection as FabricInjection
    from .addons.monitoring.args import (
        ExporterBy as ExporterBy,
        MonitoringArgs as MonitoringArgs,
        MonitoringOptions as MonitoringOptions,
    )
    from .addons.monitoring.component import Monitoring as Monitoring
    from .addons.queues.args import (
        DispatchCluster as DispatchCluster,
        DispatchKind as DispatchKind,
        QueueOptions as QueueOptions,
        QueuesArgs as QueuesArgs,
    )
    from .addons.queues.component import Queues as Queues
    from .addons.readiness.args import (
        NodeReadinessArgs as NodeReadinessArgs,
        OnFault as OnFault,
        ReadinessOptions as ReadinessOptions,
        RenewWhen as RenewWhen,
    )
    from .addons.readiness.component import NodeReadiness as NodeReadiness
    from .addons.storage.args import ExistingStorage as ExistingStorage, SharedVolumeArgs as SharedVolumeArgs
    from .addons.storage.component import SharedVolume as SharedVolume
    from .claim_templates import ClaimTemplates as ClaimTemplates
    from .dra_drivers import DevicePlugins as DevicePlugins, DraDrivers as DraDrivers
    from .mpi_operator import MpiOperator as MpiOperator
    from .nccl_acceptance import NcclAcceptance as NcclAcceptance
    from .nccl_installer import NcclInstaller as NcclInstaller
    from .plan.acceptance.args import (
        AcceptanceOptions as AcceptanceOptions,
        NcclAcceptanceArgs as NcclAcceptanceArgs,
        OnBusy as OnBusy,
    )
    from .plan.claim_templates import ClaimOptions as ClaimOptions, ClaimTemplatesArgs as ClaimTemplatesArgs
    from .plan.dra_drivers import (
        DevicePluginsArgs as DevicePluginsArgs,
        DraDriversArgs as DraDriversArgs,
        DriverOptions as DriverOptions,
        InstalledBy as InstalledBy,
        ManagedBy as ManagedBy,
    )
    from .plan.mpi_operator import MpiOperatorArgs as MpiOperatorArgs
    from .plan.nccl_installer import NcclInstallerArgs as NcclInstallerArgs
    from .plan.pod_files import PodFilesArgs as PodFilesArgs
    from .plan.pool import InClusterPool as InClusterPool, NodePools as NodePools, NodeSet as NodeSet
    from .pod_files import PodFiles as PodFiles

_MODULES = {
    "..fabrics": "GpuAllocation Launcher",
    "..component.outputs": "BusbwThreshold PodMount PodSidecar PodToleration PodVariable PodVolume "
    "PoolProof PoolWorkload ServedModel StoredData",
    ".addons.inference.args": "DistributedInferenceArgs InferenceOptions InferenceSplit",
    ".addons.inference.component": "DistributedInference",
    ".addons.injection.args": "FabricInjectionArgs InjectionEngine InjectionOptions",
    ".addons.injection.component": "FabricInjection",
    ".addons.monitoring.args": "ExporterBy MonitoringArgs MonitoringOptions",
    ".addons.monitoring.component": "Monitoring",
    ".addons.queues.args": "DispatchCluster DispatchKind QueueOptions QueuesArgs",
    ".addons.queues.component": "Queues",
    ".addons.readiness.args": "NodeReadinessArgs OnFault ReadinessOptions RenewWhen",
    ".addons.readiness.component": "NodeReadiness",
    ".addons.storage.args": "ExistingStorage SharedVolumeArgs",
    ".addons.storage.component": "SharedVolume",
    ".claim_templates": "ClaimTemplates",
    ".dra_drivers": "DevicePlugins DraDrivers",
    ".mpi_operator": "MpiOperator",
    ".nccl_acceptance": "NcclAcceptance",
    ".nccl_installer": "NcclInstaller",
    ".plan.acceptance.args": "AcceptanceOptions NcclAcceptanceArgs OnBusy",
    ".plan.claim_templates": "ClaimOptions ClaimTemplatesArgs",
    ".plan.dra_drivers": "DevicePluginsArgs DraDriversArgs DriverOptions InstalledBy ManagedBy",
    ".plan.mpi_operator": "MpiOperatorArgs",
    ".plan.nccl_installer": "NcclInstallerArgs",
    ".plan.pod_files": "PodFilesArgs",
    ".plan.pool": "InClusterPool NodePools NodeSet",
    ".pod_files": "PodFiles",
}
__getattr__, __dir__ = lazy(__name__, _MODULES)
