"""Which device plugins are installed, on nodes whose GPUs and NICs are asked for as extended resources."""

from typing import NotRequired

from ...args import args_schema
from ...errors import ErrorList
from ...fabrics import NIC_PLUGINS, Install
from ...frozen import frozen
from . import charts
from .dra_drivers import DriverOptions, ManagedBy
from .images import check_registries, check_registry
from .nodes import NodeSet

GPU_NAMESPACE = "nvidia-device-plugin"


@args_schema
class DevicePluginsArgs(DriverOptions):
    """Device plugins for the GPUs and NICs of some pools; they bring no ``kernel`` driver."""

    nodes: NodeSet
    """Nodes whose GPUs and NICs the plugins hand out. No DRA driver may serve the same nodes."""
    nic_plugin: str
    """The plugin of the machines' NICs. Example: ``efa``."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold what is fetched, by prefix of its reference: ``{"registry.k8s.io": "mirror.example/k8s"}``."""
    nic_registry: NotRequired[str]
    """Registry of its image, where the nodes cannot reach the chart's own."""
    other_taints: NotRequired[dict[str, str]]
    """Values by key of taints that the nodes have besides the GPU taint; ``*`` is any. Default: none."""


@frozen
class DevicePluginsPlan:
    """What ``DevicePlugins`` installs; ``None`` where somebody else does."""

    gpu: charts.Settings | None
    nic: charts.Settings | None


def plan_device_plugins(args: DevicePluginsArgs, errors: ErrorList) -> DevicePluginsPlan | None:
    """All choices of ``DevicePlugins``. Returns ``None`` when an error was added."""
    nodes, parts, registries = args["nodes"], ("gpu", "nic"), args.get("registries", {})
    if args.get("nic") == ManagedBy.MANAGED:
        errors.at("nic").add("got managed; the cloud brings no device plugin here; choose installed or existing")
    check_registries(registries, errors.at("registries"))
    if "nic_registry" in args:
        check_registry(args["nic_registry"], errors.at("nic_registry"))
    plugin = NIC_PLUGINS.get(args["nic_plugin"])
    if plugin is None or plugin.chart is None:
        known = ", ".join(name for name, row in NIC_PLUGINS.items() if row.chart)
        errors.at("nic_plugin").add(f"got {args['nic_plugin']!r}; choose one of {known}")
    if errors or plugin is None or plugin.chart is None:
        return None
    installs = {
        part: args.get(part, ManagedBy.INSTALLED) == ManagedBy.INSTALLED and bool(nodes["values"]) for part in parts
    }
    install, taints = Install(nodes, "", args.get("nic_registry", "")), args.get("other_taints", {})
    gpu = charts.nvidia_device_plugin(nodes, GPU_NAMESPACE) if installs["gpu"] else None
    nic = charts.of_nics(plugin.chart, install) if installs["nic"] else None
    return DevicePluginsPlan(
        gpu=gpu and gpu.tolerating(taints).mirrored(registries), nic=nic and nic.tolerating(taints).mirrored(registries)
    )
