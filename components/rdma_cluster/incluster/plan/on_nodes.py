"""What the GPU nodes of a cluster need before pods use them: drivers, device plugins, NCCL plugins on hosts."""

from collections.abc import Mapping, Sequence

from ...fabrics import Claims, ExtendedResource, GpuAllocation, HostPlugin
from ...faults import Faults
from .device_plugins import DevicePluginsArgs, DevicePluginsPlan, decide_device_plugins
from .dra_drivers import DraDriversArgs, DraDriversPlan, DriverChoice, Part, decide_dra_drivers
from .nccl_installer import NcclInstallerArgs, NcclInstallerPlan, decide_nccl_installer
from .nodes import NodeSet
from .pool import SitePool
from .site import Decided, Site, WholeChoice


def drivers_for(
    site: Site, pools: Sequence[SitePool], claimed: Sequence[SitePool], choice: WholeChoice, faults: Faults
) -> Decided[DraDriversArgs, DraDriversPlan] | None:
    """DRA drivers, where GPUs or NICs are claimed. The choice is checked even where none are."""
    claims_gpus = [pool for pool in pools if pool.allocation == GpuAllocation.DRA]
    racks = [pool for pool in pools if pool.machine.is_rack]
    channels_alone = site.channels_beside_plugins and not claims_gpus
    gpus = racks if channels_alone else claims_gpus
    args = DraDriversArgs(
        **choice.drivers,
        registries=dict(choice.registries),
        host=site.host,
        gpu_nodes=_nodes(site, gpus),
        nic_nodes=_nodes(site, claimed),
        # NVLink between nodes takes IMEX channels.
        compute_domains=any(pool.machine.is_rack for pool in gpus),
    )
    if channels_alone and racks:
        args["channels_alone"] = True
    for exposure in (pool.fabric.exposure for pool in claimed):
        if isinstance(exposure, Claims) and exposure.chart is not None:
            args["nic_driver"] = exposure.driver
    if site.nic_registry:
        args["nic_registry"] = site.nic_registry
    if site.other_taints:
        args["other_taints"] = dict(site.other_taints)
    plan = decide_dra_drivers(args, faults)
    return Decided(args, plan) if plan is not None and (gpus or claimed) else None


def device_plugins_for(
    site: Site, plugged: Sequence[SitePool], choice: WholeChoice, faults: Faults
) -> Decided[DevicePluginsArgs, DevicePluginsPlan] | None:
    """Device plugins, where the NICs' is one of ours; no node gets both plugins and DRA drivers."""
    exposures = [pool.fabric.exposure for pool in plugged]
    plugins = [each.driver for each in exposures if isinstance(each, ExtendedResource) and each.chart is not None]
    if not plugins:
        return None
    registries, nodes = dict(choice.registries), _nodes(site, plugged)
    args = DevicePluginsArgs(**choice.drivers, registries=registries, nodes=nodes, nic_plugin=plugins[-1])
    if site.nic_registry:
        args["nic_registry"] = site.nic_registry
    plan = decide_device_plugins(args, faults)
    return None if plan is None else Decided(args, plan)


def installers_for(
    site: Site, pools: Sequence[SitePool], registries: Mapping[str, str], faults: Faults
) -> dict[str, Decided[NcclInstallerArgs, NcclInstallerPlan]]:
    """Each plugin that goes on hosts, or has a daemon there, on the hosts of the pools that need it."""
    installers = {}
    on_hosts = [pool for pool in pools if isinstance(pool.fabric.plugin, HostPlugin) or pool.fabric.plugin.beside]
    for name in sorted({pool.fabric.plugin.name for pool in on_hosts}):
        needing = [pool for pool in on_hosts if pool.fabric.plugin.name == name]
        fabric, nodes = needing[0].fabric.name, _nodes(site, needing)
        args = NcclInstallerArgs(fabric=fabric, nodes=nodes, registries=dict(registries))
        if (plan := decide_nccl_installer(args, faults)) is not None:
            installers[name] = Decided(args, plan)
    return installers


def missing_classes(claimed: Sequence[SitePool], choice: DriverChoice) -> list[str]:
    """Warnings of DeviceClasses that must exist already."""
    if choice.get("nic") != Part.EXISTING:
        return []
    classes = {p.fabric.exposure.device_class for p in claimed if isinstance(p.fabric.exposure, Claims)}
    return [
        f"drivers.nic is existing: the claims name DeviceClass {each}, which must exist, or pods stay pending"
        for each in sorted(classes)
    ]


def _nodes(site: Site, pools: Sequence[SitePool]) -> NodeSet:
    return NodeSet(label=site.pool_label, values=[pool.name for pool in pools], nodes=sum(pool.nodes for pool in pools))
