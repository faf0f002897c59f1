"""Which nodes get which driver and which plugin: it follows from their pools."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from pulumi_offline.errors import ErrorList
from ...fabrics import Claims, ExtendedResource, GpuAllocation, HostPlugin
from .pool import GpuPool, NodeSet
from .resolve import check_cluster, resolve_all

A = TypeVar("A", bound=Mapping[str, Any])


def node_set(label: str, pools: Sequence[GpuPool]) -> NodeSet:
    """The nodes of some pools."""
    return NodeSet(label=label, values=[pool.name for pool in pools], nodes=sum(pool.nodes for pool in pools))


def claimed_of(pools: Sequence[GpuPool]) -> list[GpuPool]:
    """Pools whose NICs are claimed."""
    return [pool for pool in pools if isinstance(pool.fabric.nic_attachment, Claims)]


def drivers_of(pools: Sequence[GpuPool], label: str, channels_beside_plugins: bool = False) -> dict[str, Any]:
    """What ``DraDrivers`` must know of the nodes."""
    claims_gpus = [pool for pool in pools if pool.allocation == GpuAllocation.DRA]
    racks = [pool for pool in pools if pool.machine.is_rack]
    channels_alone = channels_beside_plugins and not claims_gpus
    gpus, claimed = racks if channels_alone else claims_gpus, claimed_of(pools)
    args = {
        "gpu_nodes": node_set(label, gpus),
        "nic_nodes": node_set(label, claimed),
        # NVLink between nodes takes IMEX channels.
        "compute_domains": any(pool.machine.is_rack for pool in gpus),
        **({"channels_alone": True} if channels_alone and racks else {}),
    }
    for nic_attachment in (pool.fabric.nic_attachment for pool in claimed):
        if isinstance(nic_attachment, Claims) and nic_attachment.chart is not None:
            args["nic_driver"] = nic_attachment.driver
    return args


def device_plugins_of(pools: Sequence[GpuPool], label: str) -> dict[str, Any]:
    """What ``DevicePlugins`` must know of the nodes; nothing where the plugin of their NICs is none of ours."""
    plugged = [pool for pool in pools if isinstance(pool.fabric.nic_attachment, ExtendedResource)]
    attachments = [pool.fabric.nic_attachment for pool in plugged]
    plugins = [each.driver for each in attachments if isinstance(each, ExtendedResource) and each.chart is not None]
    return {"nodes": node_set(label, plugged), "nic_plugin": plugins[-1]} if plugins else {}


def host_plugins_of(pools: Sequence[GpuPool], label: str) -> dict[str, dict[str, Any]]:
    """What ``NcclInstaller`` must know of the nodes, by each plugin that goes on hosts, or has a daemon there."""
    on_hosts = [pool for pool in pools if isinstance(pool.fabric.plugin, HostPlugin) or pool.fabric.plugin.beside]
    found = {}
    for name in sorted({pool.fabric.plugin.name for pool in on_hosts}):
        needing = [pool for pool in on_hosts if pool.fabric.plugin.name == name]
        found[name] = {"fabric": needing[0].fabric.name, "nodes": node_set(label, needing)}
    return found


def from_pools(
    args: A, keys: Sequence[str], follow: Callable[[list[GpuPool], str], Mapping[str, Any]], errors: ErrorList
) -> A | None:
    """``args`` with ``keys``, which ``follow`` from pools where these are given. ``None`` when an error was added."""
    if "pools" not in args:
        missing = [key for key in keys if key not in args]
        for key in missing:
            errors.at(key).add("missing; write it, or in its place pools and pool_label, from which it follows")
        return None if missing else args
    before = len(errors.found())
    check_cluster(args, errors)
    for key in keys:
        if key in args:
            errors.at(key).add("got this beside pools, from which it follows; remove one of the two")
    if "pool_label" not in args:
        errors.at("pool_label").add("missing; pools need it: the node label that holds a pool's name")
    pools = resolve_all(args["pools"], errors.at("pools"))
    if len(errors.found()) > before:
        return None
    return cast("A", {**follow(pools, args["pool_label"]), **args})
