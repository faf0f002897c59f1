"""What hands out GPUs and NICs: which DRA drivers and which device plugins are installed, with what settings."""

from enum import Enum
from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Choice, args_schema
from ...base.other_names import other_names
from ...catalog.artifact import mirrored
from ...catalog.charts import NVIDIA_DRA_DRIVER
from ...catalog.clouds import HOSTS
from ...catalog.hosts import HostOs, KernelInstaller
from ...catalog.images import PAUSE
from ...fabrics import NIC_DRIVERS, NIC_PLUGINS, Claims, Install, nic_charts_on
from ...fabrics.nic_attachment import DriverChart
from ...fabrics.rollout import ANY_VALUE, GPU_TOLERATION, IN_WAVES, WAVES_SECONDS, chart_affinity, tolerations
from . import charts
from .images import check_registries, check_registry
from .node_sets import device_plugins_of, drivers_of, from_pools
from .pool import FromNodePools, FromPools, NodeSet
from .resolve import check_host

GPU_NAMESPACE = "dra-driver-nvidia-gpu"


class ManagedBy(str, Enum):
    """Who brings a driver. One owner each, never two."""

    INSTALLED = "installed"
    """This library."""
    MANAGED = "managed"
    """The cloud."""
    EXISTING = "existing"
    """Somebody else, already."""


class InstalledBy(str, Enum):
    """Who brings a part that no cloud has."""

    INSTALLED = "installed"
    """This library."""
    EXISTING = "existing"
    """Somebody else, already."""


_BY_CLAIMS = "leave it out: it is set where claims hand out the GPUs (pools[].gpuAllocation: dra)"


@other_names({_BY_CLAIMS: "gpuResourcesEnabledOverride", "kernel": "gpu_driver_version"})
@args_schema
class DriverOptions(TypedDict):
    """Who brings which driver."""

    gpu: NotRequired[Choice[InstalledBy]]
    """NVIDIA's DRA driver. Default: ``installed``."""
    nic: NotRequired[Choice[ManagedBy]]
    """The DRA driver of the NICs. Default: ``installed``."""
    kernel: NotRequired[Choice[InstalledBy]]
    """The NVIDIA kernel driver, where the node image lacks one. Default: ``installed``."""


def refuse_managed(choice: DriverOptions, brings: str, errors: ErrorList) -> DriverOptions:
    """The choice without a driver of NICs that the cloud is asked to bring and does not; ``brings`` says what it
    does."""
    kept = DriverOptions(**choice)
    if choice.get("nic") == ManagedBy.MANAGED:
        errors.at("nic").add(f"got managed; {brings}; choose installed or existing")
        del kept["nic"]
    return kept


@args_schema
class DraDriversArgs(DriverOptions, FromPools):
    """Drivers for the GPU and NIC claims of some pools."""

    host: str
    """Operating system of the nodes: ``cos``, ``al2023``, ``ubuntu-aks``, ``ubuntu-operator`` or ``ubuntu-oke``."""
    gpu_nodes: NotRequired[NodeSet]
    """Nodes whose GPUs are handed out by claims; no values where there are none. Default: as ``pools`` have it."""
    nic_nodes: NotRequired[NodeSet]
    """Nodes whose NICs are handed out by claims. Default: as ``pools`` have it."""
    nic_driver: NotRequired[str]
    """The driver that ``nic: installed`` stands for. Default: the usual one of the host's machines, ``aws-dranet`` on
    ``al2023``, ``dranet-infiniband`` on AKS's Ubuntu, ``dranet`` elsewhere."""
    nic_registry: NotRequired[str]
    """Registry of its image, where the nodes cannot reach the chart's own."""
    other_taints: NotRequired[dict[str, str]]
    """Values by key of taints that some of the nodes have beside the GPU taint. Default: none."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold what is fetched, by prefix of its reference: ``{"registry.k8s.io": "mirror.example/k8s"}``."""
    compute_domains: NotRequired[bool]
    """Hand out IMEX channels, which NVLink between nodes needs (GB200). Default: false."""
    channels_alone: NotRequired[bool]
    """Hand out these and no GPU, for which the nodes have a device plugin. Default: false."""


@frozen
class DraDriversPlan:
    """What ``DraDrivers`` installs."""

    gpu_nodes: NodeSet
    """Nodes whose GPUs are handed out by claims."""
    nic_nodes: NodeSet
    """Nodes whose NICs are handed out by claims."""
    compute_domains: bool
    """Whether IMEX channels are handed out."""
    gpu: charts.Settings | None
    """Chart of NVIDIA's driver; ``None`` where somebody else installs it, or no GPU is claimed."""
    quota_pods: int
    """Critical pods that the GPU driver's namespace may hold, two a node and the controller; 0 where none count."""
    nic: charts.Settings | None
    """Chart of the NIC driver; ``None`` where somebody else installs it, or no NIC is claimed."""
    nic_driver: str
    """The driver of that chart."""
    own_class: Claims | None
    """The NIC driver whose DeviceClass must be made, since its chart brings none."""
    kernel: KernelInstaller | None
    pause: str
    """Image that an installer leaves running; empty where there is none."""


def plan_dra_drivers(args: DraDriversArgs, errors: ErrorList) -> DraDriversPlan | None:
    """All choices of ``DraDrivers``. Returns ``None`` when an error was added."""
    if (read := from_pools(args, ("gpu_nodes", "nic_nodes"), drivers_of, errors)) is None:
        return None
    args = read
    host, registries = HOSTS.get(args["host"]), args.get("registries", {})
    check_host(args["host"], errors.at("host"))
    _check_places(args, errors)
    driver = _nic_driver(host, args.get("nic_driver"), errors.at("nic_driver"))
    if errors or host is None or driver is None or driver.chart is None:
        return None
    gpu_nodes, nic_nodes = args["gpu_nodes"], args["nic_nodes"]
    installs = {part: args.get(part, ManagedBy.INSTALLED) == ManagedBy.INSTALLED for part in ("gpu", "nic", "kernel")}
    nic = installs["nic"] and bool(nic_nodes["values"])
    install = Install(nic_nodes, host.cloud_provider_hint, args.get("nic_registry", ""))
    # Where a device plugin hands out the GPUs, who brought that brought the driver.
    kernel = installs["kernel"] and gpu_nodes["values"] and not args.get("channels_alone", False)
    installer = host.kernel_installer if kernel else None
    return DraDriversPlan(
        gpu_nodes=gpu_nodes,
        nic_nodes=nic_nodes,
        compute_domains=args.get("compute_domains", False),
        gpu=_gpu(host, args).mirrored(registries) if installs["gpu"] and gpu_nodes["values"] else None,
        quota_pods=2 * gpu_nodes["nodes"] + 1 if host.critical_pods_need_quota else 0,
        nic=_nic(driver.chart, install, args).mirrored(registries) if nic else None,
        nic_driver=driver.driver,
        own_class=driver if nic and driver.makes_class else None,
        kernel=installer,
        pause=mirrored(PAUSE.image, registries) if installer else "",
    )


def _nic_driver(host: HostOs | None, name: str | None, errors: ErrorList) -> Claims | None:
    """The driver of a name, or the usual one of the host's machines; ``None`` where an error was added."""
    installable = (
        [each for each, row in NIC_DRIVERS.items() if row.chart] if host is None else nic_charts_on(host.cloud)
    )
    if name is None:
        return NIC_DRIVERS[installable[0]]
    driver = NIC_DRIVERS.get(name)
    if name in installable:
        return driver
    got = f"got {name!r}" if driver is None else f"got {name}, which its cloud brings"
    if driver is not None and driver.chart is not None and host is not None:
        got = f"got {name}, which hands out no NICs of machines that run {host.name}"
    errors.add(f"{got}; choose one of {', '.join(installable)}")
    return None


def _nic(chart: DriverChart, install: Install, args: DraDriversArgs) -> charts.Settings:
    """The NIC driver; a chart that is told of no toleration has its own for every taint."""
    settings = charts.of_nics(chart, install)
    held = {key: value for key, value in args.get("other_taints", {}).items() if value == ANY_VALUE}
    return settings.tolerating(held) if "tolerations" in settings.values else settings


def _gpu(host: HostOs, args: DraDriversArgs) -> charts.Settings:
    """NVIDIA's DRA driver, which tolerates the GPU taint by itself."""
    # By the chart's own default a driver that fails would be on all nodes at once.
    plugin: dict[str, Any] = {"affinity": chart_affinity(args["gpu_nodes"]), "updateStrategy": IN_WAVES}
    if other_taints := args.get("other_taints"):
        plugin["tolerations"] = [GPU_TOLERATION, *tolerations(other_taints)]
    hands_out = not args.get("channels_alone", False)
    values = {
        "nvidiaDriverRoot": host.driver_root,
        # The chart hands out GPUs only with this: no device plugin may serve the same node.
        "gpuResourcesEnabledOverride": hands_out,
        # IMEX channels are for multi-node NVLink, which most machines lack.
        "resources": {
            "gpus": {"enabled": hands_out},
            "computeDomains": {"enabled": args.get("compute_domains", False)},
        },
        "resourceApiVersion": "resource.k8s.io/v1",
        "kubeletPlugin": plugin,
    }
    # Its kubelet plugin waits for the kernel driver's own four waves.
    return charts.Settings(NVIDIA_DRA_DRIVER, GPU_NAMESPACE, values, 2 * WAVES_SECONDS)


PLUGIN_NAMESPACE = "nvidia-device-plugin"


@args_schema
class DevicePluginsArgs(DriverOptions, FromNodePools):
    """Device plugins for the GPUs and NICs of some pools; they bring no ``kernel`` driver."""

    nodes: NotRequired[NodeSet]
    """Nodes whose GPUs and NICs the plugins hand out. No DRA driver may serve the same nodes. Default: as ``pools``
    have it."""
    nic_plugin: NotRequired[str]
    """The plugin of the machines' NICs. Example: ``efa``. Default: as ``pools`` have it."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold what is fetched, by prefix of its reference: ``{"registry.k8s.io": "mirror.example/k8s"}``."""
    nic_registry: NotRequired[str]
    """Registry of its image, where the nodes cannot reach the chart's own."""
    other_taints: NotRequired[dict[str, str]]
    """Values by key of taints that the nodes have besides the GPU taint; ``*`` is any. Default: none."""


@frozen
class DevicePluginsPlan:
    """What ``DevicePlugins`` installs."""

    nodes: NodeSet
    """Nodes whose GPUs and NICs the plugins hand out."""
    gpu: charts.Settings | None
    """Chart of NVIDIA's plugin; ``None`` where somebody else installs it."""
    nic: charts.Settings | None
    """Chart of the NICs' plugin; ``None`` where somebody else installs it."""


def plan_device_plugins(args: DevicePluginsArgs, errors: ErrorList) -> DevicePluginsPlan | None:
    """All choices of ``DevicePlugins``. Returns ``None`` when an error was added."""
    if (read := from_pools(args, ("nodes", "nic_plugin"), device_plugins_of, errors)) is None:
        return None
    if "nodes" not in (args := read):
        errors.at("pools").add("no device plugin of ours hands out the NICs of any; leave the component out")
        return None
    nodes, parts, registries = args["nodes"], ("gpu", "nic"), args.get("registries", {})
    if args.get("nic") == ManagedBy.MANAGED:
        errors.at("nic").add("got managed; the cloud brings no device plugin here; choose installed or existing")
    _check_places(args, errors)
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
    gpu = charts.nvidia_device_plugin(nodes, PLUGIN_NAMESPACE) if installs["gpu"] else None
    nic = charts.of_nics(plugin.chart, install) if installs["nic"] else None
    return DevicePluginsPlan(
        nodes=nodes,
        gpu=gpu and gpu.tolerating(taints).mirrored(registries),
        nic=nic and nic.tolerating(taints).mirrored(registries),
    )


def _check_places(args: DraDriversArgs | DevicePluginsArgs, errors: ErrorList) -> None:
    """Check where charts and images come from."""
    check_registries(args.get("registries", {}), errors.at("registries"))
    if "nic_registry" in args:
        check_registry(args["nic_registry"], errors.at("nic_registry"))
