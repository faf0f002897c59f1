"""Which DRA drivers are installed, with what settings."""

from dataclasses import dataclass
from enum import Enum
from typing import NotRequired

from typing_extensions import TypedDict

from ...args import shape
from ...catalog.hosts import HOSTS, HostOs
from ...claims import NicDriver
from ...faults import Faults
from . import charts
from .nodes import WAVES_SECONDS, NodeSet, chart_affinity

GPU_NAMESPACE = "dra-driver-nvidia-gpu"
NIC_NAMESPACE = "dranet"


class Part(str, Enum):
    """Who brings a driver. One owner each, never two."""

    INSTALLED = "installed"
    """This library."""
    MANAGED = "managed"
    """The cloud."""
    EXISTING = "existing"
    """Somebody else, already."""


@shape
class DriverChoice(TypedDict):
    """Who brings which driver."""

    gpu: NotRequired[Part]
    """NVIDIA's DRA driver. Default: ``installed``."""
    nic: NotRequired[Part]
    """The DRA driver of the NICs. Default: ``installed``."""
    kernel: NotRequired[Part]
    """The NVIDIA kernel driver, where the node image lacks one. Default: ``installed``."""


@shape
class DraDriversArgs(DriverChoice):
    """Drivers for the GPU and NIC claims of some pools."""

    host: str
    """Operating system of the nodes. Known: ``cos``, ``al2023``."""
    gpu_nodes: NodeSet
    """Nodes whose GPUs are handed out by claims; no values where there are none."""
    nic_nodes: NodeSet
    """Nodes whose NICs are handed out by claims."""
    nic_driver: NotRequired[NicDriver]
    """The driver that ``nic: installed`` stands for: ``dranet`` or ``aws-dranet``. Default: ``dranet``."""
    nic_registry: NotRequired[str]
    """Registry of its image, where the nodes cannot reach the chart's own. For ``aws-dranet``."""
    compute_domains: NotRequired[bool]
    """Hand out IMEX channels, which NVLink between nodes needs (GB200). Default: false."""


@dataclass(frozen=True)
class DraDriversPlan:
    """What ``DraDrivers`` installs."""

    host: HostOs
    gpu: bool
    nic: bool
    kernel: bool
    quota_pods: int
    """Critical pods that the GPU driver's namespace may hold: two a node and the controller."""
    own_class: bool
    """Whether a DeviceClass for NICs must be made, since the NIC driver's chart brings none."""
    gpu_values: dict
    """Values of the GPU driver's chart."""
    gpu_timeout_seconds: int
    nic_settings: charts.Settings
    """Chart of the NIC driver."""


_NIC_CHARTS = {NicDriver.DRANET: charts.dranet, NicDriver.AWS_DRANET: charts.aws_dranet}


def decide_dra_drivers(args: DraDriversArgs, faults: Faults) -> DraDriversPlan | None:
    """All choices of ``DraDrivers``. Returns ``None`` when a fault was added."""
    host = HOSTS.get(args["host"])
    if host is None:
        faults.at("host").add(f"got {args['host']!r}; known are {', '.join(HOSTS)}")
    if args.get("gpu") is Part.MANAGED:
        faults.at("gpu").add("got managed; no cloud manages a GPU DRA driver yet; choose installed or existing")
    if args.get("kernel") is Part.MANAGED:
        faults.at("kernel").add(
            "got managed; a platform that installs the kernel driver turns its device plugin on as well; "
            "choose installed or existing"
        )
    driver = args.get("nic_driver", NicDriver.DRANET)
    if driver not in _NIC_CHARTS:
        known = ", ".join(each.value for each in _NIC_CHARTS)
        faults.at("nic_driver").add(f"got {driver.value}, which its cloud brings; choose one of {known}")
    if faults or host is None:
        return None
    gpu_nodes, nic_nodes = args["gpu_nodes"], args["nic_nodes"]
    installs = {part: args.get(part, Part.INSTALLED) is Part.INSTALLED for part in ("gpu", "nic", "kernel")}
    nic = installs["nic"] and bool(nic_nodes["values"])
    return DraDriversPlan(
        host=host,
        gpu=installs["gpu"] and bool(gpu_nodes["values"]),
        nic=nic,
        kernel=installs["kernel"] and host.driver_installer is not None and bool(gpu_nodes["values"]),
        quota_pods=2 * gpu_nodes["nodes"] + 1,
        own_class=nic and driver is NicDriver.DRANET,
        gpu_values={
            "nvidiaDriverRoot": host.driver_root,
            # The chart refuses to hand out GPUs unless told so: no device plugin may serve the same node.
            "gpuResourcesEnabledOverride": True,
            # IMEX channels are for multi-node NVLink, which most machines lack.
            "resources": {
                "gpus": {"enabled": True},
                "computeDomains": {"enabled": args.get("compute_domains", False)},
            },
            "resourceApiVersion": "resource.k8s.io/v1",
            "kubeletPlugin": {"affinity": chart_affinity(gpu_nodes)},
        },
        # This chart's kubelet plugin rolls all nodes at once; it waits for the kernel driver's own four waves.
        gpu_timeout_seconds=2 * WAVES_SECONDS,
        nic_settings=_NIC_CHARTS[driver](host, nic_nodes, args.get("nic_registry")),
    )
