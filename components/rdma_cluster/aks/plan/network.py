"""The addresses of an AKS cluster: a virtual network with one subnet for all nodes, and overlay blocks beside it.

The rails need none of them: InfiniBand is switched on its own, and Azure numbers it by itself in 172.16.0.0/16.
"""

from collections.abc import Mapping
from enum import Enum
from ipaddress import IPv4Network
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Choice, Link, args_schema
from ...common import addresses
from ...common.pools import DEFAULT_MAX_NODES, MOST_NODES, SYSTEM_NODES
from .zones import check_location, check_resource

DEFAULT_CIDR = "10.224.0.0/16"  # inside of what AKS takes for a network of its own
DEFAULT_POD_CIDR = "10.244.0.0/14"  # begins where AKS's own does, and holds 1,024 nodes instead of 256
DEFAULT_SERVICE_CIDR = "10.0.0.0/16"  # AKS's own

_RESERVED = 5  # addresses that Azure keeps in every subnet
_FURTHER = 11  # the API's private endpoint, internal load balancers, a node that replaces a system node
# learn.microsoft.com/azure/azure-managed-lustre/amlfs-prerequisites, network size (2026-11): a /24 holds 196 TiB, a /23
# 400. A smaller file system needs less, and the API asks for a /24 at least (API version 2024-03-01, filesystemSubnet).
_LUSTRE_PREFIXES = {196: 24, 400: 23}
_POD_PREFIX = 24  # of a node in the overlay
_SERVICE_PREFIXES = range(13, 29)  # "smaller than /12", and room for the tenth address
_BLOCKS = {"cidr": "the virtual network's block", "pod_cidr": "the pods' block", "service_cidr": "the services' block"}
_TAKEN = {
    # github.com/MicrosoftDocs/azure-compute-docs, pages on RDMA sizes, 2026-11-21
    "172.16.0.0/16": "which Azure's RDMA network uses",
    # azure-aks-docs@fb060ab concepts-network-cni-overview.md, 2026-08-21
    "172.30.0.0/16": "which AKS keeps for itself",
    "172.31.0.0/16": "which AKS keeps for itself",
}


class AksOutbound(str, Enum):
    """How nodes reach the outside."""

    NAT_GATEWAY = "nat-gateway"
    """By a NAT gateway on their subnet."""
    LOAD_BALANCER = "load-balancer"
    """By a load balancer that AKS makes."""
    ROUTES = "routes"
    """By the subnet's own routes, e.g. through a firewall; for existing subnets."""


@args_schema
class AksAddresses(TypedDict):
    """The addresses a virtual network may use."""

    cidr: NotRequired[str]
    """Private block of the virtual network. Default: ``10.224.0.0/16``."""
    max_nodes: NotRequired[int]
    """GPU nodes the subnet must hold, over all pools. Default: 250. A subnet in use cannot grow later."""
    outbound: NotRequired[Choice[AksOutbound]]
    """Default: ``nat-gateway``."""


@args_schema
class AksOverlay(TypedDict):
    """Blocks that exist inside the cluster only."""

    pod_cidr: NotRequired[str]
    """Block for pods, a /24 a node. Default: ``10.244.0.0/14``."""
    service_cidr: NotRequired[str]
    """Block for services. Default: ``10.0.0.0/16``."""


@args_schema
class AksNetworkLinks(TypedDict):
    """What other resources bring to a network."""

    resource_group: Link
    """Name of the resource group that holds it."""


@args_schema
class AksHpcNetworkArgs(AksAddresses, AksNetworkLinks):
    """Where a network is, and the addresses it may use."""

    location: str
    """Location. Example: ``southcentralus``."""
    lustre_tib: NotRequired[int]
    """Size of a Lustre file system that gets a subnet of its own, TiB. Default: there is none."""


@args_schema
class AksExistingNetwork(TypedDict):
    """A subnet that exists already, in place of the one we would make."""

    subnet: Link
    """Id of the subnet for nodes; it holds every node, and its NSG lets nodes and pods talk among themselves."""
    cidrs: list[str]
    """Blocks of its virtual network and of those peered with it: pods and services keep clear of them."""
    outbound: AksOutbound
    """How it reaches the outside; ``nat-gateway`` when one is attached to it."""
    egress_cidrs: NotRequired[list[Link]]
    """Public blocks by which its nodes leave, those of its NAT gateway or firewall. A public endpoint needs them: it
    lets in nobody else but AKS's own load balancer. Example: ``["198.51.100.4/32"]``."""


@frozen
class AksNetworkPlan:
    """What ``AksHpcNetwork`` builds."""

    location: str
    max_nodes: int
    cidr: str
    nodes: str
    """CIDR of the subnet for all nodes."""
    outbound: AksOutbound
    lustre: str = ""
    """CIDR of the subnet for a Lustre file system; empty where there is none."""


@frozen
class OverlayPlan:
    """Addresses inside the cluster."""

    pods: str
    services: str
    dns: str
    """Address of the cluster's DNS service."""


def plan_network(args: AksHpcNetworkArgs, errors: ErrorList) -> AksNetworkPlan | None:
    """Do all arithmetic of ``AksHpcNetwork``. Returns ``None`` when an error was added."""
    check_location(args["location"], errors.at("location"))
    max_nodes = plan_max_nodes(args.get("max_nodes", DEFAULT_MAX_NODES), errors.at("max_nodes"))
    tib, most = args.get("lustre_tib", 0), max(_LUSTRE_PREFIXES)
    if tib < 0 or tib > most:
        errors.at("lustre_tib").add(f"got {tib}; must be up to {most}, for which Azure tells a subnet's size")
    return plan_subnets(args, location=args["location"], max_nodes=max_nodes, lustre_tib=max(0, tib), errors=errors)


def plan_subnets(
    args: AksAddresses, *, location: str, max_nodes: int | None, lustre_tib: int = 0, errors: ErrorList
) -> AksNetworkPlan | None:
    """Plan the subnets of a new network; the caller checks location, ceiling and file system."""
    block = _parse_block(args.get("cidr", DEFAULT_CIDR), DEFAULT_CIDR, errors.at("cidr"))
    outbound = args.get("outbound", AksOutbound.NAT_GATEWAY)
    if outbound == AksOutbound.ROUTES:
        errors.at("outbound").add(
            "got routes; the network that is made has none; choose nat-gateway or load-balancer, or pass an existing "
            "network"
        )
    if block is None or max_nodes is None:
        return None
    prefix = addresses.prefix_for(max_nodes + SYSTEM_NODES + _RESERVED + _FURTHER)
    # No subnet where there is no file system, or none so large.
    lustre = next((prefix for most, prefix in _LUSTRE_PREFIXES.items() if 0 < lustre_tib <= most), None)
    if lustre is not None and outbound == AksOutbound.LOAD_BALANCER:
        errors.at("outbound").add(
            "got load-balancer, by which a Lustre file system has no way out, and it asks Azure's services; choose "
            "nat-gateway, or take another storage"
        )
    if addresses.cut(block, {"nodes": prefix}, errors.at("cidr")) and lustre is not None:
        addresses.cut(block, {"nodes": prefix, "lustre": lustre}, errors.at("cidr"))
    if errors:
        return None
    # Nodes first, where they are without a file system: a subnet that moves takes the cluster along.
    nodes = IPv4Network((block.network_address, prefix))
    lustre_block = "" if lustre is None else str(IPv4Network((block.broadcast_address, lustre), strict=False))
    return AksNetworkPlan(location, max_nodes, str(block), str(nodes), outbound, lustre_block)


def plan_max_nodes(max_nodes: int, errors: ErrorList) -> int | None:
    """The ceiling of GPU nodes, or ``None`` with an error added."""
    if 1 <= max_nodes <= MOST_NODES - SYSTEM_NODES:
        return max_nodes
    errors.add(
        f"got {max_nodes}; must be 1 to {MOST_NODES - SYSTEM_NODES:,}: a cluster holds {MOST_NODES:,} nodes, "
        f"{SYSTEM_NODES} of them for the system"
    )
    return None


def plan_overlay(
    args: AksOverlay, *, networks: Mapping[str, IPv4Network], max_nodes: int | None, errors: ErrorList
) -> OverlayPlan | None:
    """Choose blocks for pods and services, clear of each other and of ``networks``, whose keys messages name."""
    pods = _parse_block(args.get("pod_cidr", DEFAULT_POD_CIDR), DEFAULT_POD_CIDR, errors.at("pod_cidr"))
    service_cidr = args.get("service_cidr", DEFAULT_SERVICE_CIDR)
    services = _parse_block(service_cidr, DEFAULT_SERVICE_CIDR, errors.at("service_cidr"))
    if pods is not None and max_nodes is not None:
        # A block for each node.
        prefix = _POD_PREFIX - (max_nodes + SYSTEM_NODES - 1).bit_length()
        if pods.prefixlen > prefix:
            errors.at("pod_cidr").add(
                f"{pods} is too small for {max_nodes + SYSTEM_NODES} nodes of a /{_POD_PREFIX} each; take a /{prefix} "
                "or larger"
            )
    if services is not None and services.prefixlen not in _SERVICE_PREFIXES:
        least, most = _SERVICE_PREFIXES.start, _SERVICE_PREFIXES.stop - 1
        errors.at("service_cidr").add(f"got {services}; AKS takes a /{least} to a /{most}")
    for key, block in (("pod_cidr", pods), ("service_cidr", services)):
        for name, network in networks.items():
            if block is not None and block.overlaps(network):
                errors.at(key).add(f"{block} overlaps {name}, {network}; take disjoint blocks")
    if pods is not None and services is not None and pods.overlaps(services):
        errors.at("service_cidr").add(f"{services} overlaps {_BLOCKS['pod_cidr']}, {pods}; take disjoint blocks")
    if errors.at("pod_cidr") or errors.at("service_cidr") or pods is None or services is None or max_nodes is None:
        return None
    return OverlayPlan(str(pods), str(services), str(services[10]))


def plan_existing(args: AksExistingNetwork, errors: ErrorList) -> dict[str, IPv4Network]:
    """The blocks of an existing network, by their names in messages; adds an error where InfiniBand nodes cannot be."""
    check_resource(args["subnet"], "Microsoft.Network/virtualNetworks/subnets", errors.at("subnet"))
    if not args["cidrs"]:
        errors.at("cidrs").add("empty; list the blocks of its virtual network, e.g. 10.224.0.0/16")
    return known_blocks(args["cidrs"], errors.at("cidrs"))


def known_blocks(cidrs: list[str], errors: ErrorList) -> dict[str, IPv4Network]:
    """Blocks of existing networks, by their names in messages."""
    blocks = [_parse_block(text, None, errors.at(i)) for i, text in enumerate(cidrs)]
    return {f"{_BLOCKS['cidr']} [{i}]": block for i, block in enumerate(blocks) if block is not None}


def own_block(args: AksAddresses) -> dict[str, IPv4Network]:
    """The block of a new network, by its name in messages; ``plan_subnets`` adds its errors."""
    block = _parse_block(args.get("cidr", DEFAULT_CIDR), None, ErrorList())
    return {_BLOCKS["cidr"]: block} if block is not None else {}


def _parse_block(text: str, default: str | None, errors: ErrorList) -> IPv4Network | None:
    """``text`` as a private block that neither Azure's RDMA network nor AKS uses, or ``None`` with an error added.

    ``default`` is the block that the message proposes; an existing network has none.
    """
    remedy = "GPU nodes cannot be in or beside it; name another network"
    if default is not None:
        remedy = f"take another block, e.g. {default}"
    block = addresses.parse(text, errors)
    for taken, why in _TAKEN.items():
        if block is not None and block.overlaps(IPv4Network(taken)):
            errors.add(f"got {block}, which overlaps {taken}, {why}; {remedy}")
            return None
    return block
