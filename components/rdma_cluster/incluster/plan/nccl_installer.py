"""Which NCCL plugin goes on which nodes, and what a workload then has to mount and source."""

from dataclasses import replace
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import args_schema
from ...catalog.artifact import mirrored
from ...catalog.images import PAUSE
from ...fabrics import FABRICS, HostDaemon, HostPlugin, unknown_fabric
from .images import check_registries
from .pool import NodeSet
from .workload import Workload


@args_schema
class NcclInstallerArgs(TypedDict):
    """A fabric and the nodes that need its plugin."""

    fabric: str
    """The machines' fabric. Example: ``gib``."""
    nodes: NodeSet
    """Exactly the nodes that get the plugin."""
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


def plan_nccl_installer(args: NcclInstallerArgs, errors: ErrorList) -> NcclInstallerPlan | None:
    """All choices of ``NcclInstaller``. Returns ``None`` when an error was added."""
    registries = args.get("registries", {})
    check_registries(registries, errors.at("registries"))
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
