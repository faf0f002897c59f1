"""The addresses of an EKS fabric: one VPC, a subnet in the GPUs' zone, and two or more zones for the control plane."""

from collections.abc import Mapping
from ipaddress import IPv4Network
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...catalog.eks import EksMachine
from ...common import addresses
from ...common.pools import DEFAULT_MAX_NODES, SYSTEM_NODES
from .interfaces import addresses_of
from .machines import machine_for
from .zones import check_region, check_zone, is_local, region_of

DEFAULT_CIDR = "10.0.0.0/16"
DEFAULT_SERVICE_CIDR = "172.20.0.0/16"  # one of the two that EKS itself takes

_VPC_PREFIXES = range(16, 29)  # what EC2 allows
_SERVICE_PREFIXES = range(12, 25)  # what EKS allows
_RESERVED = 5  # addresses that AWS keeps in every subnet
_SYSTEM_ADDRESSES = 60  # a node of 4 interfaces with 15 addresses each: m7i.xlarge
_PUBLIC_PREFIX = 28  # a NAT gateway in the smallest subnet there is
_CLUSTER_PREFIX = addresses.prefix_for(SYSTEM_NODES * _SYSTEM_ADDRESSES + _RESERVED)  # a zone's system nodes


@args_schema
class EksAddresses(TypedDict):
    """The addresses and zones a fabric may use."""

    cidr: NotRequired[str]
    """Private block of the VPC, a /16 at the most. Default: ``10.0.0.0/16``. Pods take their addresses from it, too."""
    max_nodes: NotRequired[int]
    """GPU nodes the subnet must hold, over all pools. Default: 250. A subnet cannot grow later."""
    service_cidr: NotRequired[str]
    """Block for services, outside of ``cidr``. Default: ``172.20.0.0/16``."""
    control_plane_zones: NotRequired[list[str]]
    """Further zones of the region, for the control plane and the system nodes: EKS wants two in all, none of them a
    local zone. Which ones an account has cannot be known here. Example: ``["us-east-2b"]``."""


@args_schema
class EksHpcNetworkArgs(EksAddresses):
    """What a fabric must serve, and the addresses it may use."""

    region: str
    """Region. Example: ``us-east-2``."""
    zone: str
    """Zone of the GPU nodes. Example: ``us-east-2a``."""
    machines: list[str]
    """Machine types that will attach. Example: ``["p5.48xlarge"]``."""


@args_schema
class EksSubnet(TypedDict):
    """A private subnet."""

    subnet: Link
    """Its id."""
    zone: Link
    """Its zone."""


@args_schema
class EksFabric(TypedDict):
    """The network that a cluster and its GPU nodes live in."""

    cluster_subnets: list[EksSubnet]
    """Private subnets in two zones or more, for the control plane and the system nodes."""
    system_subnets: NotRequired[list[EksSubnet]]
    """Subnets of the system nodes. Default: ``cluster_subnets``."""
    gpu_subnets: list[EksSubnet]
    """Private subnets of the GPUs' zone."""
    security_group: Link
    """Id of a security group that lets in all traffic from itself and lets out all traffic to itself."""


@args_schema
class EksExistingNetwork(EksFabric):
    """A network that exists already, in place of the one we would make."""

    dns: bool
    """Whether the VPC has DNS support and DNS hostnames on: a node joins by its name."""


@frozen
class EksNetworkPlan:
    """Every subnet of the VPC; all blocks are disjoint."""

    region: str
    zone: str
    cidr: str
    gpu: str
    """CIDR of the GPU nodes' subnet."""
    cluster: Mapping[str, str]
    """CIDR of the subnet for control plane and system nodes, by zone."""
    public: str
    """CIDR of the NAT gateway's subnet."""
    public_zone: str
    node_addresses: int
    """Addresses that one GPU node takes of its subnet."""


def plan_network(args: EksHpcNetworkArgs, errors: ErrorList) -> EksNetworkPlan | None:
    """Do all arithmetic of ``EksHpcNetwork``. Returns ``None`` when an error was added."""
    check_region(args["region"], errors.at("region"))
    check_zone(args["zone"], region=args["region"], errors=errors.at("zone"))
    machines = [machine_for(name, errors.at("machines", i)) for i, name in enumerate(args["machines"])]
    if not machines:
        errors.at("machines").add("empty; name at least one machine type, e.g. p5.48xlarge")
    buildable = [machine for machine in machines if machine is not None]
    return plan_subnets(args, buildable, region=args["region"], zone=args["zone"], errors=errors)


def plan_subnets(
    args: EksAddresses, machines: list[EksMachine], *, region: str, zone: str, errors: ErrorList
) -> EksNetworkPlan | None:
    """Plan the subnets of a new network; the caller has checked machines, region and zone."""
    max_nodes = args.get("max_nodes", DEFAULT_MAX_NODES)
    if max_nodes < 1:
        errors.at("max_nodes").add(f"got {max_nodes}; must be 1 or more")
    further, at = args.get("control_plane_zones", []), errors.at("control_plane_zones")
    zones = _cluster_zones(further, region=region, zone=zone, errors=at)
    node_addresses = max(map(addresses_of, machines), default=0)
    block = _vpc(args.get("cidr", DEFAULT_CIDR), errors.at("cidr"))
    gpu_prefix = _gpu_prefix(max_nodes, node_addresses, errors.at("max_nodes")) if max_nodes > 0 else None
    cuts = {}
    if block is not None and zones is not None and gpu_prefix is not None:
        cuts = _cuts(block, gpu_prefix, zones, errors.at("cidr"))
    services = parse_services(args.get("service_cidr"), errors.at("service_cidr"))
    if block and services and block.overlaps(services):
        errors.at("service_cidr").add(f"{services} overlaps the VPC's block, {block}; take disjoint blocks")
    if errors or not machines or block is None or zones is None:
        return None
    return EksNetworkPlan(
        region=region,
        zone=zone,
        cidr=str(block),
        gpu=str(cuts["gpu"]),
        cluster={at: str(cuts[at]) for at in zones},
        public=str(cuts["public"]),
        # Beside the GPUs, which pull the most: traffic between zones is paid for.
        public_zone=zone if zone in zones else zones[0],
        node_addresses=node_addresses,
    )


def _gpu_prefix(max_nodes: int, each: int, errors: ErrorList) -> int | None:
    """The prefix of the GPU nodes' subnet: half of the VPC's block at the most."""
    prefix = addresses.prefix_for(max_nodes * each + _RESERVED)
    if prefix < _VPC_PREFIXES.start + 1:
        most = (2 ** (31 - _VPC_PREFIXES.start) - _RESERVED) // each
        errors.add(
            f"{max_nodes} nodes of {each} addresses each need a /{prefix}, and a VPC's block is a "
            f"/{_VPC_PREFIXES.start} at the most, half of it for GPUs; take {most} or fewer, or an existing network"
        )
        return None
    return prefix


def _cuts(block: IPv4Network, gpu_prefix: int, zones: list[str], errors: ErrorList) -> dict[str, IPv4Network]:
    """Cut the GPUs' subnet from the front, and slots of one size from the end of the VPC's block.

    The last slot holds the NAT gateway's subnet, and each slot before it belongs to one letter of a zone. So a zone
    that is added, or another number of GPU nodes, moves no other subnet.
    """
    slot = 1 << (32 - _CLUSTER_PREFIX)
    wanted = max((_slot(zone) for zone in zones), default=0) + 1
    needed = (1 << (32 - gpu_prefix)) + wanted * slot
    if needed > block.num_addresses:
        errors.add(
            f"{block} holds {block.num_addresses} addresses and {needed} are needed (gpu /{gpu_prefix}, and {wanted} "
            f"times a /{_CLUSTER_PREFIX} for zones up to {max(zones)} and the way out); "
            f"take a /{addresses.prefix_for(needed)} or larger"
        )
        return {}
    end = int(block.broadcast_address) + 1
    return {
        "gpu": IPv4Network((int(block.network_address), gpu_prefix)),
        "public": IPv4Network((end - (1 << (32 - _PUBLIC_PREFIX)), _PUBLIC_PREFIX)),
        **{zone: IPv4Network((end - (_slot(zone) + 1) * slot, _CLUSTER_PREFIX)) for zone in zones},
    }


def _slot(zone: str) -> int:
    """The number of a zone's letter: 1 for a, 2 for b."""
    return ord(zone[-1]) - ord("a") + 1


def parse_services(cidr: str | None, errors: ErrorList) -> IPv4Network | None:
    """The block for services, or ``None`` with an error added."""
    # botocore eks KubernetesNetworkConfigRequest.serviceIpv4Cidr (2026-11-21); a VPC may be in other private ranges.
    block = addresses.parse(DEFAULT_SERVICE_CIDR if cidr is None else cidr, errors, addresses.RFC_1918)
    if block is not None and block.prefixlen not in _SERVICE_PREFIXES:
        errors.add(f"got {block}; EKS takes a /{_SERVICE_PREFIXES.start} to a /{_SERVICE_PREFIXES.stop - 1}")
    return block


def _vpc(cidr: str, errors: ErrorList) -> IPv4Network | None:
    block = addresses.parse(cidr, errors)
    if block is not None and block.prefixlen not in _VPC_PREFIXES:
        errors.add(f"got {block}; a VPC takes a /{_VPC_PREFIXES.start} to a /{_VPC_PREFIXES.stop - 1}")
        return None
    return block


def _cluster_zones(further: list[str], *, region: str, zone: str, errors: ErrorList) -> list[str] | None:
    """Zones of the control plane: the GPUs' own unless it is a local one, then the ``further`` ones."""
    for i, each in enumerate(further):
        at = errors.at(i)
        check_zone(each, region=region, errors=at)
        if is_local(each):
            at.add(f"got {each}, a local zone; the control plane is in zones of the region itself")
        elif each in [zone, *further[:i]]:
            at.add(f"{each} is there already; name each further zone once")
    zones = [*([] if is_local(zone) else [zone]), *further]
    if len(zones) < 2:
        others = [f"{region}{letter}" for letter in "abc" if f"{region}{letter}" not in zones][: 2 - len(zones)]
        errors.add(
            f"got {len(further)}; EKS wants its control plane in two zones of the region, so name "
            f"{2 - len(zones)} beside {', '.join(zones) or zone} that your account has, e.g. {' and '.join(others)}"
        )
    return zones if all(map(region_of, zones)) else None
