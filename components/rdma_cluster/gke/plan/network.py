"""The networks of a GKE fabric: a primary VPC, and the VPCs of its machines' further NICs, with their addresses."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from ipaddress import IPv4Network
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Choice, Link, args_schema
from ...base.other_names import other_names
from ...catalog import gke
from ...catalog.gke import GkeMachine
from ...common import addresses
from ...common.fingerprint import NOT_DIGESTED
from ...common.google.names import Place, place_of
from ...common.google.subnets import RESERVED, most_nodes, rail_prefix
from ...common.pools import DEFAULT_MAX_NODES, SYSTEM_NODES
from .fabric import GkeNetworkMode, check_one_mode, modes_of
from .machines import BUILDABLE, machine_for

DEFAULT_CIDR = "10.0.0.0/13"

_POD_PREFIX = 24  # a node's pod block at GKE's default of 110 pods
_SERVICE_PREFIX = 20  # 4,096 services, as in cluster-toolkit v1.95
_OWN = {"pod_cidr": "pods", "service_cidr": "services"}  # subnets that may have a block of their own
_BLOCKS = {"cidr": "the block of the other subnets", "pod_cidr": "the pods' block"}


@other_names({"cidr": "range", "leave it out: each network lets its own block in": "source_ranges"})  # gcloud
@args_schema
class GkeAddresses(TypedDict):
    """The addresses a fabric may use."""

    cidr: NotRequired[str]
    """Private block that all subnets are cut from. Default: ``10.0.0.0/13``."""
    max_nodes: NotRequired[int]
    """GPU nodes the subnets must hold, over all pools. Default: 250. Rails cannot grow later."""
    pod_cidr: NotRequired[str]
    """Block for pods that is not a part of ``cidr``. Default: cut from ``cidr``. Example: ``100.64.0.0/15``."""
    service_cidr: NotRequired[str]
    """Block for services that is not a part of ``cidr``. Default: cut from ``cidr``."""


@args_schema
class GkeHpcNetworkArgs(GkeAddresses):
    """What a fabric must serve, and the addresses it may use."""

    project: str
    """Project id that owns the networks."""
    zone: str
    """Zone of the GPU nodes: a RoCE network profile is zonal. Example: ``us-west8-c``."""
    machines: list[str]
    """Machine types that will attach. Example: ``["a4-highgpu-8g"]``."""
    mode: NotRequired[Choice[GkeNetworkMode]]
    """With ``managed-auto`` GKE makes the networks of further NICs, and this is the primary VPC alone."""


@args_schema
class GkeNodeNetwork(TypedDict):
    """One additional network of a node: one more NIC."""

    network: Link
    """Name of the VPC."""
    subnetwork: Link
    """Name of its subnet."""


@args_schema
class GkePrimaryNetwork(TypedDict):
    """The network that a cluster lives in, by names."""

    network: Link
    """Name of the primary VPC."""
    subnetwork: Link
    """Name of its subnet for nodes."""
    pod_range: Link
    """Name of that subnet's secondary range for pods."""
    service_range: Link
    """Name of that subnet's secondary range for services."""


@args_schema
class GkeExistingNetwork(GkePrimaryNetwork):
    """Networks that exist already, in place of the ones we would make."""

    rails: list[GkeNodeNetwork]
    """One network a rail, in rail order: subnets of the RoCE VPC, or a plain VPC each on A3 High and Mega; on A4X Max
    the RoCE VPC's one subnet, once; none in mode ``managed-auto``."""
    gvnic: NotRequired[GkeNodeNetwork]
    """The plain VPC of the second NIC that is no rail, on machines with a RoCE VPC; A3 High and Mega have none."""


@frozen
class SubnetPlan:
    """A subnet of one VPC."""

    name: str
    """Example: ``rail-0``."""
    cidr: str | None
    """``None`` is the one subnet, of IPv6, that Google makes with a VPC of bare metal: all of its NICs are in it."""


@frozen
class VpcPlan:
    """A VPC that nodes attach to besides the primary one, by one NIC a subnet."""

    name: str
    """Example: ``rails``."""
    subnets: tuple[SubnetPlan, ...]
    mtu_bytes: int | None = None
    """MTU of the VPC; ``None`` leaves Google's default."""
    profile: str | None = None
    """Its network profile, ``projects/P/global/networkProfiles/ZONE-vpc-roce``; ``None`` for a plain VPC."""


@frozen
class GkeNetworkPlan:
    """Every subnet of the fabric; all blocks are disjoint."""

    region: str
    max_nodes: int
    mtu_bytes: int | None
    """MTU of the primary VPC; ``None`` leaves Google's default."""
    nodes: str
    """CIDR of the nodes' primary addresses."""
    pods: str
    services: str
    vpcs: tuple[VpcPlan, ...]
    """The VPCs of further NICs, in the order of a node's NICs."""
    project: str = field(metadata=NOT_DIGESTED)


def plan_network(args: GkeHpcNetworkArgs, errors: ErrorList) -> GkeNetworkPlan | None:
    """All arithmetic of ``GkeHpcNetwork``. Returns ``None`` when an error was added."""
    place = place_of(args, errors)
    names = args["machines"]
    machines = [machine_for(name, errors.at("machines", i)) for i, name in enumerate(names)]
    if not names:
        errors.at("machines").add("empty; name at least one machine type, e.g. a4-highgpu-8g")
    check_one_network([(name, errors.at("machines", i)) for i, name in enumerate(names)], mode=args.get("mode"))
    return plan_subnets(args, [machine for machine in machines if machine is not None], args.get("mode"), place, errors)


def check_one_network(machines: Sequence[tuple[str, ErrorList]], *, mode: GkeNetworkMode | None) -> None:
    """Refuse machines whose networks differ: all attach to the same ones, since profile and MTU are a network's.

    A machine attaches to as many rails as it has, the first ones. Networks that GKE makes are each pool's own.

    ``machines`` are names, each with the path of its errors; names that the catalogue lacks are skipped.
    """
    if mode is GkeNetworkMode.MANAGED_AUTO:
        return
    rows = {row.name: row for row in gke.MACHINES}
    known = [(rows[name], at) for name, at in machines if name in rows]
    alike = []
    for machine, at in known:
        if _networks_of(machine) == _networks_of(first := known[0][0]):
            alike.append((machine, at))
            continue
        by_gke = all(
            GkeNetworkMode.MANAGED_AUTO in modes_of(each) for each in (machine, first) if each.name in BUILDABLE
        )
        instead = ", or set network.mode to managed-auto: GKE then makes each pool's networks" if by_gke else ""
        at.add(
            f"got {machine.name}, whose networks ({_networks_of(machine)}) are not those of {first.name} "
            f"({_networks_of(first)}); put it into a stack of its own{instead}"
        )
    if mode is None:
        check_one_mode([(machine, at) for machine, at in alike if machine.name in BUILDABLE])


def _networks_of(machine: GkeMachine) -> str:
    """What a machine needs of the networks that all nodes attach to."""
    if machine.gvnic_rails:
        return f"{machine.nics} gVNIC rails with MTU {machine.rail_mtu_bytes}"
    second = f"{machine.gvnic_networks} {'IDPF' if machine.metal else 'gVNIC'}"
    return f"{second}, rails {machine.network_profile} with MTU {machine.rail_mtu_bytes}"


def existing_networks(existing: GkeExistingNetwork, machines: Sequence[GkeMachine]) -> list[GkeNodeNetwork]:
    """What nodes attach of networks that exist, in NIC order; each takes the first that it has NICs for."""
    rails = existing["rails"]
    shared = next((machine.nics for machine in machines if machine.metal), 1)
    return [*([existing["gvnic"]] if "gvnic" in existing else []), *rails * shared]


def plan_subnets(
    args: GkeAddresses, machines: list[GkeMachine], mode: GkeNetworkMode | None, place: Place, errors: ErrorList
) -> GkeNetworkPlan | None:
    """Cut the subnets of a network for ``machines``; the caller reports errors of the machines and the place."""
    blocks = {
        key: addresses.parse(text, errors.at(key))
        for key, text in (("cidr", args.get("cidr", DEFAULT_CIDR)), *((key, args.get(key)) for key in _OWN))
        if text is not None
    }
    max_nodes = most_nodes(args.get("max_nodes", DEFAULT_MAX_NODES), errors.at("max_nodes"))
    further = [] if mode is GkeNetworkMode.MANAGED_AUTO else _node_subnets(machines)
    cuts = _cut(blocks, max_nodes, further, errors) if max_nodes is not None else {}
    for one, other in addresses.overlap({key: block for key, block in blocks.items() if block is not None}):
        errors.at(other).add(f"{blocks[other]} overlaps {_BLOCKS[one]}, {blocks[one]}; take disjoint blocks")
    if errors or max_nodes is None or not machines:
        return None
    machine = machines[0]
    return GkeNetworkPlan(
        region=place.region,
        max_nodes=max_nodes,
        # As the toolkit has it: with gVNIC rails, packets of one size on all NICs.
        mtu_bytes=machine.rail_mtu_bytes if machine.gvnic_rails else None,
        nodes=cuts["nodes"],
        pods=cuts["pods"],
        services=cuts["services"],
        project=place.project,
        vpcs=_vpcs(machine, {name: SubnetPlan(name, cuts[name]) for name in further}, place) if further else (),
    )


def _vpcs(machine: GkeMachine, subnets: Mapping[str, SubnetPlan], place: Place) -> tuple[VpcPlan, ...]:
    """The VPCs of a machine's further NICs."""
    if machine.gvnic_rails:
        return tuple(VpcPlan(name, (subnet,), machine.rail_mtu_bytes) for name, subnet in subnets.items())
    gvnic, *rails = subnets.values()
    # No resource or data source exists for network profiles: the relative path is the only handle.
    # https://docs.cloud.google.com/vpc/docs/network-profiles
    profile = f"projects/{place.project}/global/networkProfiles/{place.zone}-{machine.network_profile}"
    # Google's guides for racks name the size; elsewhere it is left as it was.
    second = VpcPlan(gvnic.name, (gvnic,), machine.rail_mtu_bytes if machine.is_rack else None)
    if machine.metal:
        rails = [SubnetPlan("default-subnet-1", None)] * machine.nics
    return (second, VpcPlan("rails", tuple(rails), machine.rail_mtu_bytes, profile))


def _node_subnets(machines: list[GkeMachine]) -> list[str]:
    """The subnets of the further NICs, in their order; the machines' networks are alike."""
    cut = [machine.nics for machine in machines if not machine.metal]
    rails = [f"rail-{i}" for i in range(max(cut, default=0))]
    return rails if any(machine.gvnic_rails for machine in machines) else ["gvnic", *rails]


def _cut(
    blocks: Mapping[str, IPv4Network | None], max_nodes: int, further: list[str], errors: ErrorList
) -> dict[str, str]:
    """The CIDR of every subnet, from the blocks that could be read."""
    all_nodes = max_nodes + SYSTEM_NODES
    prefixes = {
        "pods": _POD_PREFIX - (all_nodes - 1).bit_length(),
        "services": _SERVICE_PREFIX,
        "nodes": addresses.prefix_for(all_nodes + RESERVED),
        **dict.fromkeys(further, rail_prefix(max_nodes)),
    }
    own = {}
    for key, name in [(key, name) for key, name in _OWN.items() if key in blocks]:
        prefix = prefixes.pop(name)
        own[name] = blocks[key]
        if (block := blocks[key]) is not None and block.prefixlen > prefix:
            errors.at(key).add(f"{block} is too small for {all_nodes} nodes; take a /{prefix} or larger")
    cuts = addresses.cut(blocks["cidr"], prefixes, errors.at("cidr")) if blocks["cidr"] else {}
    return {name: str(block) for name, block in {**cuts, **own}.items()}
