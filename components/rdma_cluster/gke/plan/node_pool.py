"""One GPU node pool on GKE: what the machine, the capacity and the GPU allocation decide."""

from dataclasses import field
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base import versions
from ...base.args import Choice, Input, Link, Texts, args_schema, at_hand
from ...base.other_names import other_names
from ...catalog import releases
from ...catalog.gke import GkeMachine
from ...catalog.machine import Capacity
from ...common.fingerprint import NOT_DIGESTED
from ...common.google.names import Place, check_name, place_of
from ...common.google.subnets import MOST_NODES
from ...common.minimum_versions import check_node_version
from ...common.names import check_labels
from ...common.pools import PoolPlan, PoolUpgrade, capacity_warnings, check_nodes, create_minutes, plan_unavailable
from ...fabrics import Fabric, GpuAllocation
from .capacity import QUEUED_TAINT, GkeCapacity, PoolCapacity, plan_capacity
from .cluster import check_location
from .fabric import GkeNetworkMode, PoolFabric, check_mode, is_managed, names_networks, pool_fabric
from .machines import machine_for
from .network import GkeNodeNetwork
from .placement import GkePlacement, check_rack, plan_placement, rack_warnings

POOL_LABEL = "cloud.google.com/gke-nodepool"
OWN_LABEL = "rdma-cluster/pool"
"""For pools that need no other: the provider cannot take the last label of a pool away, and would find that change at
every preview (github.com/hashicorp/terraform-provider-google/issues/15848; so does pulumi-gcp 10.2.0, 2026-11-23)."""
BOOT_DISK_GB = 100  # cluster-toolkit v1.95 examples/gke-a4, gke-a3-ultragpu


@other_names(  # gcloud
    {
        "machine": "machine_type instance_type",
        "nodes": "num_nodes",
        "did you mean autoRepair: false?": "no_enable_autorepair",
        "did you mean rdma-cluster:zone, for all pools?": "node_locations",
        "leave it out: it follows from the machine": "accelerator network_profile additional_node_network "
        "gpudirect_strategy gpu_driver_version",
    }
)
@args_schema
class GkePool(TypedDict):
    """A GPU node pool as a stack lists it."""

    name: str
    """Name of the node pool. Example: ``a4``."""
    machine: str
    """Machine type. Example: ``a4-highgpu-8g``."""
    nodes: int
    """Nodes; with flex-start or ``min_nodes`` the most the pool may grow to."""
    capacity: GkeCapacity
    """Exactly one capacity source."""
    min_nodes: NotRequired[int]
    """Let the autoscaler take idle nodes away down to this number. Default: the pool has a fixed size."""
    placement: NotRequired[Choice[GkePlacement]]
    """Default: ``compact`` for on-demand nodes, ``none`` for all others."""
    placement_policy: NotRequired[Link]
    """Name of a placement or workload policy in the pool's region, such as the one a reservation was made with.
    Default: none, or with ``placement: compact`` a policy of the pool's own."""
    gpu_allocation: NotRequired[Choice[GpuAllocation]]
    """Default: ``dra``; ``device-plugin`` on A3 High and Mega, whose NICs no claim can name, and on racks."""
    auto_repair: NotRequired[bool]
    """Let GKE replace broken nodes. Default: true; with flex-start it must be off, and is."""
    labels: NotRequired[Texts]
    """Further node labels."""
    upgrade: NotRequired[PoolUpgrade]
    """How many nodes are made anew at once."""
    node_version: NotRequired[str]
    """GKE version of the nodes, in full. Another one makes them anew, by ``upgrade``. Default: the cluster's at
    the pool's creation. Example: ``1.36.1-gke.1842000``."""


@args_schema
class GkeGpuNodePoolArgs(GkePool):
    """A pool, and the cluster and networks that it joins."""

    project: str
    """Project id."""
    zone: str
    """Zone of the nodes."""
    cluster: Link
    """Name of the cluster."""
    location: str
    """The cluster's region or zone."""
    networks: Input[list[GkeNodeNetwork]]
    """Additional networks in NIC order: the gVNIC network where the machine has one, then one a rail in rail order.
    Empty where GKE makes them."""
    service_account: NotRequired[Link]
    """Service account of the nodes. Default: the project's compute account."""
    version: NotRequired[str]
    """The cluster's version, for checks. Default: ``1.35``."""
    mode: NotRequired[Choice[GkeNetworkMode]]
    """How pods get NICs. Default: the machine's usual mode."""


@frozen
class GkeNodePoolPlan(PoolPlan):
    """What ``GkeGpuNodePool`` builds."""

    machine: GkeMachine
    place: Place = field(metadata=NOT_DIGESTED)
    reservation: str | None
    """The reservation's path, as the node pool names it."""
    accelerator: str
    """GKE's name of the GPU."""
    local_ssds: int
    """Local SSDs given to ephemeral storage: all the machine has."""
    begun: bool
    """Whether there are nodes to take; else the pool starts with 0 nodes."""
    min_nodes: int | None
    """The least nodes that the autoscaler leaves; ``None`` is a fixed size."""
    run_seconds: int | None
    """How long a node lasts; ``None`` leaves it to Google."""
    compact: bool
    """Whether the pool has a compact placement policy."""
    placement_policy: Link | None
    """The policy's name where it is the user's."""
    gpu_driver: str
    """``INSTALLATION_DISABLED`` where our installer brings the driver, else which of its own GKE installs."""
    auto_networks: bool
    """Whether GKE makes the networks of the nodes' further NICs."""
    rack_region: str | None = None
    """Region of the workload policy that makes the pool one NVLink domain; ``None`` where it is none."""
    node_version: str | None = None
    """GKE version of the nodes; ``None`` leaves them as they were made."""


def plan_node_pool(args: GkeGpuNodePoolArgs, errors: ErrorList) -> GkeNodePoolPlan | None:
    """All choices of ``GkeGpuNodePool``. Returns ``None`` when an error was added."""
    place, fabric = place_of(args, errors), pool_fabric(args, args.get("mode"))
    check_location(args["location"], place, errors.at("location"))
    pool = plan_pool(args, fabric, place, args.get("version", releases.GKE.default), errors)
    networks = at_hand(args["networks"])
    if pool is None or networks is None:
        return pool
    if pool.auto_networks:
        if networks:
            errors.at("networks").add(f"got {len(networks)}; GKE makes them in mode managed-auto, list none")
    elif len(networks) != (wanted := pool.machine.node_networks):
        errors.at("networks").add(f"got {len(networks)}; {pool.machine.name} wants {wanted}: {_nics_of(pool.machine)}")
    return pool


def _nics_of(machine: GkeMachine) -> str:
    rails = f"{machine.nics} times the rails' one subnet" if machine.metal else f"{machine.nics} rails in order"
    if machine.gvnic_rails:
        return f"{rails}; a further gVNIC would take the place of a rail's NIC on the bus"
    return f"{machine.gvnic_networks} gVNIC, then {rails}"


def plan_pool(
    args: GkePool, of_pool: PoolFabric, place: Place, version: str, errors: ErrorList
) -> GkeNodePoolPlan | None:
    """Plan one GPU pool of a stack; every broken rule is added to ``errors``."""
    fabric, allocation = of_pool.fabric, of_pool.allocation
    check_name(args["name"], 40, errors.at("name"))
    machine = machine_for(args["machine"], errors.at("machine"))
    check_nodes(args["nodes"], errors.at("nodes"), MOST_NODES)
    capacity = plan_capacity(args["capacity"], args["nodes"], args.get("min_nodes"), place.zone, errors)
    compact = plan_placement(
        args.get("placement"), args.get("placement_policy"), machine=machine, capacity=capacity.source, errors=errors
    )
    if capacity.when_asked and args.get("auto_repair", False):
        errors.at("auto_repair").add(
            "got true; flex-start nodes cannot be repaired in place; set it to false or leave it out"
        )
    at_once = plan_unavailable(args, errors)
    if capacity.when_asked and capacity.source is not None and "upgrade" in args:
        errors.at("upgrade").add(
            f"not allowed with {capacity.source.value}, whose nodes GKE upgrades in a way of its own, as they come and "
            "go; remove it"
        )
    labels = {**_labels(allocation, fabric, capacity.source), **(machine.pool_labels if machine else {})}
    labels = labels or {OWN_LABEL: args["name"]}
    check_labels(args.get("labels", {}), [*labels, POOL_LABEL], errors.at("labels"))
    if "node_version" in args:
        _check_node_version(args["node_version"], version, errors.at("node_version"))
    if machine is not None:
        check_mode(of_pool, errors.at("machine"))
        _check_versions(machine, version, capacity.when_asked, fabric, errors.at("machine"))
        _check_machine(args, machine, capacity.source, of_pool, errors)
    if errors or machine is None or capacity.source is None or fabric is None:
        return None
    return GkeNodePoolPlan(
        max_unavailable=at_once,
        held=False,
        name=args["name"],
        machine=machine,
        place=place,
        accelerator=machine.accelerator or "",
        local_ssds=machine.local_ssds or 0,
        nodes=args["nodes"],
        fabric=fabric,
        gpu_allocation=allocation,
        capacity=capacity.source,
        reservation=capacity.reservation,
        begun=capacity.begun,
        min_nodes=capacity.min_nodes,
        run_seconds=capacity.run_seconds,
        compact=compact,
        placement_policy=args.get("placement_policy"),
        auto_repair=not capacity.when_asked and args.get("auto_repair", True),
        gpu_driver="INSTALLATION_DISABLED" if allocation == GpuAllocation.DRA else machine.gpu_driver,
        auto_networks=of_pool.mode is GkeNetworkMode.MANAGED_AUTO,
        rack_region=place.region if machine.is_rack and "placement_policy" not in args else None,
        labels={**labels, **args.get("labels", {})},
        create_minutes=create_minutes(args["nodes"]),
        warnings=_warnings(args, machine, capacity, of_pool),
        node_version=args.get("node_version"),
    )


def _check_machine(
    args: GkePool, machine: GkeMachine, capacity: Capacity | None, of_pool: PoolFabric, errors: ErrorList
) -> None:
    """Refuses the choices of a pool that its machine does not allow."""
    # A pod that names networks takes a full node, and gets its GPUs as in Google's guides.
    fabric = of_pool.fabric
    if of_pool.allocation == GpuAllocation.DRA and fabric is not None and names_networks(fabric):
        errors.at("gpu_allocation").add(
            f"got dra; pods on {machine.name} take all NICs of a node by naming networks, and no claim can pair a GPU "
            "with one; choose device-plugin or leave it out"
        )
    if "min_nodes" in args and machine.is_rack:
        errors.at("min_nodes").add(
            f"not allowed with {machine.name}; an autoscaler would take its NVLink domain apart; remove it"
        )
    check_rack(args["nodes"], capacity, args.get("gpu_allocation"), machine, errors)


def _labels(allocation: GpuAllocation, fabric: Fabric | None, capacity: Capacity | None) -> dict[str, str]:
    """Labels that must be on the pool at its creation: labels set by hand are lost when a node is replaced."""
    labels = {}
    if allocation == GpuAllocation.DRA:
        labels |= {
            "gke-no-default-nvidia-gpu-device-plugin": "true",
            "nvidia.com/gpu.present": "true",
            "cloud.google.com/gke-nvidia-gpu-dra-driver": "true",
        }
    if fabric is not None and is_managed(fabric):
        labels["cloud.google.com/gke-networking-dra-driver"] = "true"
    if capacity is Capacity.QUEUED:
        labels |= QUEUED_TAINT
    return labels


def _check_node_version(version: str, cluster: str, errors: ErrorList) -> None:
    """Refuse a version that is not written in full: it would be a difference at every preview."""
    if len(versions.parse(version) or ()) != 4:
        errors.add(f"got {version!r}; nodes are on one version alone: write it in full, e.g. 1.36.1-gke.1842000")
    else:
        check_node_version(version, cluster, "GKE", errors)


def _check_versions(
    machine: GkeMachine, version: str, when_asked: bool, fabric: Fabric | None, errors: ErrorList
) -> None:
    if (parts := versions.parse(version)) is None:
        return
    minimum_versions = {
        f"{machine.name} with {machine.transport.value}": machine.least_version(f"{parts[0]}.{parts[1]}")
    }
    if when_asked:
        minimum_versions["flex-start"] = machine.min_kubernetes.get("flex_start", releases.GKE.flex_start)
    if fabric is not None and is_managed(fabric):
        minimum_versions["managed DRANET"] = releases.GKE.managed_dranet
    for what, minimum_version in minimum_versions.items():
        if not versions.at_least(version, minimum_version):
            errors.add(
                f"{what} needs GKE {minimum_version} or later, the cluster is on {version}; raise kubernetes.version"
            )


def _warnings(args: GkePool, machine: GkeMachine, capacity: PoolCapacity, of_pool: PoolFabric) -> tuple[str, ...]:
    name, nodes = args["name"], args["nodes"]
    warnings = capacity_warnings(name, machine, capacity.source, nodes) if capacity.source else []
    if capacity.when_asked and of_pool.allocation == GpuAllocation.DRA:
        warnings.append(
            f"pool {name}: growing from 0 nodes for resource claims depends on the autoscaler knowing this machine's "
            "devices; not seen proven for GPU+NIC claims"
        )
    warnings += rack_warnings(name, nodes, args["capacity"], machine)
    if of_pool.mode is GkeNetworkMode.MANAGED_AUTO:
        warnings.append(
            f"pool {name}: deleting a pool of mode managed-auto was seen to hang and to block new ones (llm-d#2379); "
            "scale it to 0, or take mode managed, whose networks are yours"
        )
    return tuple(warnings)
