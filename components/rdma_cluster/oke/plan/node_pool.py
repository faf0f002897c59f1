"""The plan of one GPU pool on OKE, from its shape, its mode and its capacity."""

from dataclasses import field
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Choice, Input, Link, Texts, args_schema
from ...catalog import oke_releases
from ...catalog.machine import Capacity
from ...catalog.oke import OkeMachine
from ...common.fingerprint import NOT_DIGESTED
from ...common.names import check_labels
from ...common.pools import PoolPlan, PoolUpgrade, capacity_warnings, check_nodes, one_source, plan_unavailable
from ...fabrics import GpuAllocation
from ...fabrics.roce import ROCE_HOST
from . import blueprints
from .capacity import SOURCES, SPREADS, OkeCapacity, OkePlacement, check_placement, check_reservation
from .capacity_modes import (
    OkeMemoryFabric,
    OkePoolMode,
    check_mode,
    check_racks,
    check_routes,
    check_sold,
    default_mode,
    mode_warnings,
)
from .cloud_init import FirstBoot, check_arguments, check_ssh_key, digest, user_data
from .cluster import ClusterSettings, check_pool_name, check_version
from .cni import OkeCniType, check_dual_stack
from .images import (
    DEFAULT_GB,
    DEFAULT_VPUS_PER_GB,
    ImagePlan,
    OkeBootVolume,
    OkeNodeImage,
    check_volume,
    image_warnings,
    plan_image,
)
from .machines import machine_for
from .network import DEFAULT_MAX_PODS
from .zones import OkePlace, check_region, check_tenancy, check_zone, place_of

POOL_LABEL = "rdma-cluster/pool"  # our own, so that nodes of others can be given it, too
NO_OKE_PLUGIN = "oci.oraclecloud.com/disable-gpu-device-plugin"

_MAX_PODS = range(12, 111)  # system pods and three of a job; OKE's ceiling


@blueprints.for_pool
@args_schema
class OkePool(TypedDict):
    """A GPU pool as a stack lists it."""

    name: str
    """Name of the pool. Example: ``h100``."""
    machine: str
    """Shape. Example: ``BM.GPU.H100.8``."""
    nodes: int
    """Nodes, two or more: RDMA is between nodes."""
    capacity: OkeCapacity
    """Exactly one capacity source."""
    mode: NotRequired[Choice[OkePoolMode]]
    """Default: ``managed``; ``gpu-memory-cluster`` for shapes that are sold no other way."""
    image: NotRequired[OkeNodeImage]
    """Default: the newest of Oracle's list that names the shape."""
    gpu_allocation: NotRequired[Choice[GpuAllocation]]
    """Who hands out the GPUs. Default: ``device-plugin``."""
    labels: NotRequired[Texts]
    """Further node labels."""
    placement: NotRequired[OkePlacement]
    """Where in the fabric. Default: left to Oracle."""
    boot_volume: NotRequired[OkeBootVolume]
    """The boot volume of a node."""
    upgrade: NotRequired[PoolUpgrade]
    """Let OKE make the nodes of a managed pool anew when their version or image changes, so many at once. Default: a
    change is for new nodes alone."""
    max_pods: NotRequired[int]
    """Pods a node may hold. Default: 64."""
    kubelet_args: NotRequired[list[str]]
    """Further arguments of kubelet. Example: ``["--topology-manager-policy=restricted"]``."""
    hosts: NotRequired[list[str]]
    """Names of the nodes, with ``instances``: one left out goes, a new one comes. Default: ``0``, ``1``, ..."""
    memory_fabrics: NotRequired[list[OkeMemoryFabric]]
    """The racks, with ``gpu-memory-cluster``."""
    single_node: NotRequired[bool]
    """Make a pool of one node all the same. Default: false."""


@args_schema
class OkePoolLinks(TypedDict):
    """What other resources bring to a pool."""

    cluster: Link
    """OCID of the cluster."""
    api_host: Link
    """Private address of the Kubernetes API, without port."""
    ca_certificate: Link
    """Base64 CA certificate of the cluster."""
    subnet: Link
    """OCID of the nodes' subnet."""
    pod_subnet: NotRequired[Link]
    """OCID of the pods' subnet, with VCN-native pods."""
    groups: NotRequired[Input[list[Link]]]
    """OCIDs of the nodes' network security groups."""
    pod_groups: NotRequired[Input[list[Link]]]
    """OCIDs of the pods' network security groups."""
    image_id: NotRequired[Link]
    """OCID of an image that was imported for several pools, in the place of one of its own."""


@args_schema
class OkeGpuNodePoolArgs(OkePool, OkePlace, OkePoolLinks):
    """A pool, and the cluster and network that it joins."""

    version: NotRequired[str]
    """The cluster's Kubernetes version. Default: ``1.36.1``."""
    cni: NotRequired[Choice[OkeCniType]]
    """Default: ``vcn-native``."""
    dual_stack: NotRequired[bool]
    """Whether the cluster has IPv6, too. Default: false."""
    ssh_public_key: NotRequired[Link]
    """Key for ssh to the nodes. Default: none."""
    own_gpu_plugin: NotRequired[bool]
    """Whether something else than OKE's own plugin hands out the GPUs. Default: with claims alone."""


@frozen
class OkeNodePoolPlan(PoolPlan):
    """What ``OkeGpuNodePool`` builds."""

    machine: OkeMachine
    mode: OkePoolMode
    image: ImagePlan
    zone: str
    version: str
    """Kubernetes version without the ``v``."""
    cni: OkeCniType
    dual_stack: bool
    hpc_island: Link | None
    network_blocks: tuple[Link, ...]
    spread: str | None
    """Oracle's name of how near to each other the nodes are; ``None`` is left to Oracle."""
    host_group: Link | None
    boot_volume_gb: int
    vpus_per_gb: int | None
    """``None`` where the mode has no such setting."""
    max_pods: int
    hosts: tuple[str, ...]
    memory_fabrics: tuple[tuple[str, int], ...]
    """OCID of each rack and the number of its hosts."""
    user_data: str
    """Base64 of the gzipped cloud-config."""
    boot_digest: str
    cycled: bool = field(metadata=NOT_DIGESTED)
    """Whether OKE makes nodes anew when what they are made of changes; else a change is for new nodes alone."""
    tenancy: Link = field(metadata=NOT_DIGESTED)
    compartment: Link = field(metadata=NOT_DIGESTED)
    reservation_id: Link | None = field(metadata=NOT_DIGESTED)
    """OCID of the reservation, also where another resource brings it."""
    ssh_public_key: Link | None = field(metadata=NOT_DIGESTED)

    @property
    def racks(self) -> tuple[int, ...]:
        """Hosts of each GPU memory fabric."""
        return tuple(nodes for _, nodes in self.memory_fabrics)

    @property
    def compute_cluster(self) -> bool:
        """Whether the nodes are in a compute cluster."""
        return self.mode != OkePoolMode.CLUSTER_NETWORK


def plan_node_pool(args: OkeGpuNodePoolArgs, errors: ErrorList) -> OkeNodePoolPlan | None:
    """All choices of ``OkeGpuNodePool``. Returns ``None`` when an error was added."""
    check_region(args["region"], errors.at("region"))
    check_zone(args["zone"], region=args["region"], errors=errors.at("zone"))
    check_tenancy(args["tenancy"], args["compartment"], errors)
    cni = args.get("cni", OkeCniType.VCN_NATIVE)
    dual_stack = args.get("dual_stack", False)
    check_dual_stack(dual_stack, cni, errors.at("dual_stack"))
    if "pod_subnet" not in args and cni == OkeCniType.VCN_NATIVE:
        errors.at("pod_subnet").add("missing; vcn-native pods take their addresses from a subnet of their own")
    version, key = args.get("version", oke_releases.VERSIONS.default), args.get("ssh_public_key")
    check_version(version, errors.at("version"))
    if key is not None:
        check_ssh_key(key, errors.at("ssh_public_key"))
    own_gpu_plugin = args.get("own_gpu_plugin", False)
    cluster = ClusterSettings(place_of(args), version, cni, dual_stack, ROCE_HOST, key, own_gpu_plugin)
    return plan_pool(args, cluster, errors)


def allocation_of(pool: OkePool) -> GpuAllocation:
    """Who hands out the pool's GPUs: a device plugin unless claims are asked for."""
    return pool.get("gpu_allocation", GpuAllocation.DEVICE_PLUGIN)


def plan_pool(args: OkePool, cluster: ClusterSettings, errors: ErrorList) -> OkeNodePoolPlan | None:
    """Plan one GPU pool of a stack; adds every broken rule to ``errors``."""
    check_pool_name(args["name"], errors.at("name"))
    machine = machine_for(args["machine"], errors.at("machine"))
    check_nodes(args["nodes"], errors.at("nodes"))
    if args["nodes"] == 1 and not args.get("single_node", False):
        errors.at("nodes").add(
            "got 1; RDMA is between nodes: take 2 or more, or set singleNode: true; the pool is made with RDMA all "
            "the same and can grow, while a pool that is made without RDMA cannot become one with it"
        )
    capacity = one_source(args["capacity"], SOURCES, errors.at("capacity"))
    check_reservation(args["capacity"], zone=cluster.place.zone, errors=errors.at("capacity"))
    plan_unavailable(args, errors)
    check_labels(args.get("labels", {}), [POOL_LABEL, NO_OKE_PLUGIN], errors.at("labels"))
    check_arguments(args.get("kubelet_args", []), errors.at("kubelet_args"))
    check_volume(args.get("boot_volume", {}), errors.at("boot_volume"))
    if (max_pods := args.get("max_pods", DEFAULT_MAX_PODS)) not in _MAX_PODS:
        errors.at("max_pods").add(
            f"got {max_pods}; take {_MAX_PODS.start} to {_MAX_PODS.stop - 1}: a GPU node runs up to "
            f"{_MAX_PODS.start - 3} pods of the system itself, and OKE ends at {_MAX_PODS.stop - 1}"
        )
    mode = args.get("mode") or (default_mode(machine) if machine else None)
    if mode is not None:
        check_mode(args, mode=mode, errors=errors)
    check_placement(args.get("placement", {}), errors.at("placement"))
    if machine is None or mode is None:
        return None
    check_sold(machine, mode, errors.at("mode"))
    check_routes(machine, cluster.dual_stack, errors.at("machine"))
    check_racks(args.get("memory_fabrics", []), machine, errors.at("memory_fabrics"))
    image = plan_image(args.get("image", {}), machine, errors.at("image"))
    if errors or capacity is None or image is None:
        return None
    return _pool_plan(args, machine, mode, capacity, image, cluster)


def _pool_plan(
    args: OkePool,
    machine: OkeMachine,
    mode: OkePoolMode,
    capacity: Capacity,
    image: ImagePlan,
    cluster: ClusterSettings,
) -> OkeNodePoolPlan:
    name, nodes, allocation = args["name"], args["nodes"], allocation_of(args)
    volume, placement = args.get("boot_volume", {}), args.get("placement", {})
    boot = FirstBoot(cluster.version, mask_imex=machine.is_rack, kubelet_args=tuple(args.get("kubelet_args", ())))
    reservation = args["capacity"].get("reservation", {}).get("id")
    no_oke_plugin = cluster.own_gpu_plugin or allocation == GpuAllocation.DRA
    spread = placement.get("spread")
    warnings = capacity_warnings(name, machine, capacity, nodes) + image_warnings(image, machine, name)
    warnings += mode_warnings(name, mode)
    return OkeNodePoolPlan(
        max_unavailable=args.get("upgrade", {}).get("max_unavailable", 1),
        cycled="upgrade" in args,
        held=False,
        name=name,
        machine=machine,
        mode=mode,
        nodes=nodes,
        fabric=cluster.fabric,
        capacity=capacity,
        reservation=reservation if isinstance(reservation, str) else None,  # a Pulumi output is not known yet
        # OKE replaces nodes of managed pools only on request, and other nodes never.
        auto_repair=False,
        gpu_allocation=allocation,
        image=image,
        zone=cluster.place.zone,
        version=cluster.version,
        cni=cluster.cni,
        dual_stack=cluster.dual_stack,
        labels={POOL_LABEL: name, NO_OKE_PLUGIN: str(no_oke_plugin).lower(), **args.get("labels", {})},
        hpc_island=placement.get("hpc_island"),
        network_blocks=tuple(placement.get("network_blocks", ())),
        spread=SPREADS[spread] if spread else None,
        host_group=placement.get("host_group"),
        boot_volume_gb=volume.get("gb", DEFAULT_GB),
        vpus_per_gb=None if mode == OkePoolMode.MANAGED else volume.get("vpus_per_gb", DEFAULT_VPUS_PER_GB),
        max_pods=args.get("max_pods", DEFAULT_MAX_PODS),
        hosts=tuple(args.get("hosts", map(str, range(nodes)))) if mode == OkePoolMode.INSTANCES else (),
        memory_fabrics=tuple((each["id"], each["nodes"]) for each in args.get("memory_fabrics", ())),
        user_data=user_data(boot),
        boot_digest=digest(boot),
        tenancy=cluster.place.tenancy,
        compartment=cluster.place.compartment,
        reservation_id=reservation,
        ssh_public_key=cluster.ssh_public_key,
        # A bare-metal host tests its hardware for most of an hour, and 65 minutes for a cluster network were seen
        # (oci-hpc#6); Oracle's module waits two hours, whatever the size.
        create_minutes=min(360, 120 + nodes),
        warnings=tuple(warnings),
    )
