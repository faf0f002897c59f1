"""What the GPU nodes of a cluster need before pods use them: drivers, device plugins, NCCL plugins on hosts."""

from collections.abc import Sequence
from dataclasses import replace

from pulumi_offline.errors import ErrorList
from rdma_agent.names import STARTUP_TAINT
from ...fabrics import Claims, ExtendedResource, GpuAllocation, HostPlugin
from ...fabrics.rollout import ANY_VALUE
from ..addons import is_enabled
from .context import ClusterContext, InClusterOptions, Part
from .dra_drivers import (
    DevicePluginsArgs,
    DevicePluginsPlan,
    DraDriversArgs,
    DraDriversPlan,
    DriverOptions,
    ManagedBy,
    plan_device_plugins,
    plan_dra_drivers,
)
from .nccl_installer import NcclInstallerArgs, NcclInstallerPlan, plan_nccl_installer
from .pool import GpuPool, NodeSet
from .statements import statements


def software_context(context: ClusterContext, choice: InClusterOptions) -> ClusterContext:
    """The cluster as what makes its nodes ready must know it.

    Where nodes are held until they are proven, it has the start-up taint, too, whatever its value. Work does not
    tolerate that.
    """
    if not is_enabled(choice.addons.get("readiness")):
        return context
    return replace(context, other_taints={**context.other_taints, STARTUP_TAINT: ANY_VALUE})


def drivers_for(
    context: ClusterContext,
    pools: Sequence[GpuPool],
    claimed: Sequence[GpuPool],
    choice: InClusterOptions,
    errors: ErrorList,
) -> Part[DriverOptions, DraDriversPlan] | None:
    """DRA drivers, where GPUs or NICs are claimed. The choice is checked even where none are."""
    claims_gpus = [pool for pool in pools if pool.allocation == GpuAllocation.DRA]
    racks = [pool for pool in pools if pool.machine.is_rack]
    channels_alone = context.channels_beside_plugins and not claims_gpus
    gpus = racks if channels_alone else claims_gpus
    args = DraDriversArgs(
        **choice.drivers,
        registries=dict(context.registries),
        host=context.host,
        gpu_nodes=_nodes(context, gpus),
        nic_nodes=_nodes(context, claimed),
        # NVLink between nodes takes IMEX channels.
        compute_domains=any(pool.machine.is_rack for pool in gpus),
    )
    if channels_alone and racks:
        args["channels_alone"] = True
    for nic_attachment in (pool.fabric.nic_attachment for pool in claimed):
        if isinstance(nic_attachment, Claims) and nic_attachment.chart is not None:
            args["nic_driver"] = nic_attachment.driver
    if context.nic_registry:
        args["nic_registry"] = context.nic_registry
    if context.other_taints:
        args["other_taints"] = dict(context.other_taints)
    plan = plan_dra_drivers(args, errors)
    if plan is None or not (gpus or claimed):
        return None
    return Part(choice.drivers, plan, tuple(statements({**args, "nic_driver": plan.nic_driver})))


def device_plugins_for(
    context: ClusterContext, plugged: Sequence[GpuPool], choice: InClusterOptions, errors: ErrorList
) -> Part[DriverOptions, DevicePluginsPlan] | None:
    """Device plugins, where the NICs' is one of ours; no node gets both plugins and DRA drivers."""
    attachments = [pool.fabric.nic_attachment for pool in plugged]
    plugins = [each.driver for each in attachments if isinstance(each, ExtendedResource) and each.chart is not None]
    if not plugins:
        return None
    registries, nodes = dict(context.registries), _nodes(context, plugged)
    args = DevicePluginsArgs(**choice.drivers, registries=registries, nodes=nodes, nic_plugin=plugins[-1])
    if context.nic_registry:
        args["nic_registry"] = context.nic_registry
    if STARTUP_TAINT in context.other_taints:
        args["other_taints"] = {STARTUP_TAINT: context.other_taints[STARTUP_TAINT]}
    plan = plan_device_plugins(args, errors)
    return None if plan is None else Part(choice.drivers, plan, tuple(statements(args)))


def installers_for(
    context: ClusterContext, pools: Sequence[GpuPool], errors: ErrorList
) -> dict[str, Part[NcclInstallerArgs, NcclInstallerPlan]]:
    """Each plugin that goes on hosts, or has a daemon there, on the hosts of the pools that need it."""
    installers = {}
    on_hosts = [pool for pool in pools if isinstance(pool.fabric.plugin, HostPlugin) or pool.fabric.plugin.beside]
    for name in sorted({pool.fabric.plugin.name for pool in on_hosts}):
        needing = [pool for pool in on_hosts if pool.fabric.plugin.name == name]
        fabric, nodes = needing[0].fabric.name, _nodes(context, needing)
        args = NcclInstallerArgs(fabric=fabric, nodes=nodes, registries=dict(context.registries))
        if (plan := plan_nccl_installer(args, errors)) is not None:
            installers[name] = Part(args, plan, tuple(statements(args)))
    return installers


def missing_classes(claimed: Sequence[GpuPool], choice: DriverOptions) -> list[str]:
    """Warnings of DeviceClasses that must exist already."""
    if choice.get("nic") != ManagedBy.EXISTING:
        return []
    classes = {p.fabric.nic_attachment.device_class for p in claimed if isinstance(p.fabric.nic_attachment, Claims)}
    return [
        f"drivers.nic is existing: the claims name DeviceClass {each}, which must exist, or pods stay pending"
        for each in sorted(classes)
    ]


def _nodes(context: ClusterContext, pools: Sequence[GpuPool]) -> NodeSet:
    return NodeSet(
        label=context.pool_label, values=[pool.name for pool in pools], nodes=sum(pool.nodes for pool in pools)
    )
