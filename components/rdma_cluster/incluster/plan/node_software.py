"""What the GPU nodes of a cluster need before pods use them: drivers, device plugins, NCCL plugins on hosts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from pulumi_offline.errors import ErrorList
from rdma_agent.names import STARTUP_TAINT
from ...fabrics import Claims
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
from .node_sets import device_plugins_of, drivers_of, host_plugins_of
from .pool import GpuPool
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
    context: ClusterContext, pools: Sequence[GpuPool], choice: InClusterOptions, errors: ErrorList
) -> Part[DriverOptions, DraDriversPlan] | None:
    """DRA drivers, where GPUs or NICs are claimed. The choice is checked even where none are."""
    of_nodes = drivers_of(pools, context.pool_label, context.channels_beside_plugins)
    args = DraDriversArgs(
        **choice.drivers, registries=dict(context.registries), host=context.host, **cast("Any", of_nodes)
    )
    if context.nic_registry:
        args["nic_registry"] = context.nic_registry
    if context.other_taints:
        args["other_taints"] = dict(context.other_taints)
    plan = plan_dra_drivers(args, errors)
    if plan is None or not (plan.gpu_nodes["values"] or plan.nic_nodes["values"]):
        return None
    return Part(choice.drivers, plan, tuple(statements({**args, "nic_driver": plan.nic_driver})))


def device_plugins_for(
    context: ClusterContext, pools: Sequence[GpuPool], choice: InClusterOptions, errors: ErrorList
) -> Part[DriverOptions, DevicePluginsPlan] | None:
    """Device plugins, where the NICs' is one of ours; no node gets both plugins and DRA drivers."""
    of_nodes = device_plugins_of(pools, context.pool_label)
    if not of_nodes:
        return None
    args = DevicePluginsArgs(**choice.drivers, registries=dict(context.registries), **cast("Any", of_nodes))
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
    for name, of_nodes in host_plugins_of(pools, context.pool_label).items():
        args = NcclInstallerArgs(registries=dict(context.registries), **cast("Any", of_nodes))
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
