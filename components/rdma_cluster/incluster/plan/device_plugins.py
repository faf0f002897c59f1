"""Which device plugins are installed, on nodes whose GPUs and NICs are asked for as extended resources."""

from dataclasses import dataclass
from enum import Enum
from typing import NotRequired

from ...args import shape
from ...faults import Faults
from . import charts
from .dra_drivers import DriverChoice, Part
from .nodes import NodeSet

GPU_NAMESPACE = "nvidia-device-plugin"
NIC_NAMESPACE = "kube-system"


class NicPlugin(str, Enum):
    """Device plugins for NICs that this library installs."""

    EFA = "efa"
    """AWS's, for EFA: ``vpc.amazonaws.com/efa``."""


@shape
class DevicePluginsArgs(DriverChoice):
    """Device plugins for the GPUs and NICs of some pools; ``kernel`` is not theirs to bring."""

    nodes: NodeSet
    """Nodes whose GPUs and NICs the plugins hand out. No DRA driver may serve the same nodes."""
    nic_plugin: NicPlugin
    """The plugin of the machines' NICs."""
    nic_registry: NotRequired[str]
    """Registry of its image, where the nodes cannot reach the chart's own."""


@dataclass(frozen=True)
class DevicePluginsPlan:
    """What ``DevicePlugins`` installs; ``None`` where somebody else does."""

    gpu: charts.Settings | None
    nic: charts.Settings | None


_PARTS = ("gpu", "nic")
_NIC_CHARTS = {NicPlugin.EFA: charts.efa_device_plugin}


def decide_device_plugins(args: DevicePluginsArgs, faults: Faults) -> DevicePluginsPlan | None:
    """All choices of ``DevicePlugins``. Returns ``None`` when a fault was added."""
    nodes = args["nodes"]
    for part in _PARTS:
        if args.get(part) is Part.MANAGED:
            faults.at(part).add("got managed; the cloud brings no device plugin here; choose installed or existing")
    if faults:
        return None
    installs = {part: args.get(part, Part.INSTALLED) is Part.INSTALLED and bool(nodes["values"]) for part in _PARTS}
    return DevicePluginsPlan(
        gpu=charts.nvidia_device_plugin(nodes) if installs["gpu"] else None,
        nic=_NIC_CHARTS[args["nic_plugin"]](nodes, args.get("nic_registry")) if installs["nic"] else None,
    )
