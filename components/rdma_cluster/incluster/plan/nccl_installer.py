"""Which NCCL plugin goes on which nodes, and what a workload then has to mount and source."""

from dataclasses import replace
from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ...base.args import args_schema
from ...catalog.artifact import mirrored
from ...catalog.images import PAUSE
from ...fabrics import FABRICS, HostDaemon, HostPlugin, unknown_fabric
from .images import check_registries
from .node_sets import from_pools, host_plugins_of, node_set
from .pool import FromNodePools, GpuPool, NodeSet
from .workload import Workload


@args_schema
class NcclInstallerArgs(FromNodePools):
    """A fabric and the nodes that need its plugin."""

    fabric: NotRequired[str]
    """The machines' fabric. Example: ``gib``. Default: that of ``pools``, where one plugin serves all that need any."""
    nodes: NotRequired[NodeSet]
    """Exactly the nodes that get the plugin. Default: as ``pools`` have it."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold what is fetched, by prefix of its reference: ``{"registry.k8s.io": "mirror.example/k8s"}``."""


@frozen
class NcclInstallerPlan:
    """What ``NcclInstaller`` runs on each node."""

    nodes: NodeSet
    """Exactly the nodes that get the plugin."""
    plugin: HostPlugin | None
    """What is installed; ``None`` where the images hold the plugin, or NCCL needs none."""
    daemons: tuple[HostDaemon, ...]
    """What stays on the hosts, for what the plugin's pods ask of them."""
    pause: str
    """Image that the installer leaves running; empty where nothing is installed."""
    workload: Workload
    """What a pod adds to use the fabric."""


def stage_path(host_path: str) -> str:
    """Where the installer sees a folder of the host."""
    return f"{HostPlugin.STAGE}{host_path}"


def _of_pools(pools: list[GpuPool], label: str, args: NcclInstallerArgs, errors: ErrorList) -> dict[str, Any]:
    """The fabric and its nodes; an error where pools need more than one plugin and nobody says which."""
    if "fabric" in args:
        having = [pool for pool in pools if pool.fabric.name == args["fabric"]]
        if args["fabric"] in FABRICS and not having:
            errors.at("fabric").add(f"got {args['fabric']}; none of the pools has it")
        return {"nodes": node_set(label, having)}
    found = list(host_plugins_of(pools, label).values())
    if len(found) > 1:
        fabrics = ", ".join(each["fabric"] for each in found)
        errors.at("fabric").add(f"missing; the pools need a plugin each for {fabrics}: make one component of each")
        return {}
    return found[0] if found else {"fabric": pools[0].fabric.name, "nodes": node_set(label, pools)}


def plan_nccl_installer(args: NcclInstallerArgs, errors: ErrorList) -> NcclInstallerPlan | None:
    """All choices of ``NcclInstaller``. Returns ``None`` when an error was added."""
    registries = args.get("registries", {})
    check_registries(registries, errors.at("registries"))
    keys = ("nodes",) if "pools" in args else ("fabric", "nodes")
    read = from_pools(args, keys, lambda *pools: _of_pools(*pools, args, errors), errors)
    if read is None or errors.at("fabric"):
        return None
    args = read
    fabric = FABRICS.get(args["fabric"])
    if fabric is None:
        errors.at("fabric").add(unknown_fabric(args["fabric"]))
        return None
    plugin = fabric.plugin if isinstance(fabric.plugin, HostPlugin) else None
    if (plugin is not None or fabric.plugin.beside) and not args["nodes"]["values"]:
        errors.at("nodes", "values").add("empty; name the pools that need the plugin, e.g. a4")
    if errors:
        return None
    daemons = tuple(replace(each, image=mirrored(each.image, registries)) for each in fabric.plugin.beside)
    if plugin is not None:
        release = replace(plugin.release, installer=mirrored(plugin.release.installer, registries))
        plugin = replace(plugin, release=release, beside=daemons)
    pause = mirrored(PAUSE.image, registries) if plugin is not None else ""
    return NcclInstallerPlan(args["nodes"], plugin, daemons, pause, Workload(fabric, registries=registries))
