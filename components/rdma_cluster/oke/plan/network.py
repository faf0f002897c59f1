"""The addresses of an OKE fabric: one VCN with subnets for the API, nodes, pods, load balancers and operators."""

from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Choice, Input, Link, args_schema
from ...common import addresses
from ...common.pools import DEFAULT_MAX_NODES, check_nodes
from ...incluster.plan.host_ports import TO_HOSTS
from .cni import OkeCniType, check_dual_stack, check_not_rdma, parse_block, plan_services
from .security_rules import KUBELET_PORT, NODE_PORTS, Group, SecurityRule, rules_of
from .zones import check_compartment, check_region

DEFAULT_CIDR = "10.140.0.0/16"
DEFAULT_MAX_PODS = 64
SYSTEM_NODES = 3
SYSTEM_PODS = 93  # (4 OCPUs - 1) x 31: what OKE allows a flexible shape of VCN-native pods

_MOST_HOST_PORTS = 30
_VCN_PREFIXES = range(16, 31)  # what OCI allows
RESERVED = 3  # first two addresses and the last of every subnet
# As Oracle's stack cuts them: three API servers and their health checks; load balancers; a host or a bastion session.
_PUBLIC_LOAD_BALANCERS = "public-load-balancers"
_SMALL = {"api": 29, "load-balancers": 27, "operators": 29, _PUBLIC_LOAD_BALANCERS: 27}
_SMALL_PREFIX = 24
"""What the small subnets share, at the end of the VCN: the cluster stays when those of nodes and pods move."""
_LUSTRE_PREFIX = 23
"""Prefix of Lustre's subnet, as in Oracle's stack; 832 TB need no more: 60 addresses for each 100 TB
(docs.oracle.com/en/solutions/deploy-lustre-file-systems, Configure Lustre Connectivity)."""
_END_WITH_LUSTRE = 22
"""What Lustre's subnet and the small ones share at the end of the VCN: Lustre's stays, too, and comes first."""

_DEFAULT_IPV6_CIDR = "fd00:10:140::/56"
# Private IPv6, which pods of a live OKE cluster were shown with (blog.pratiknborkar.com, oracle-kubernetes-engine-oke-
# dual-stack-ipv4-ipv6-pod-networking): a name with public addresses of both families is then reached over IPv4
# (RFC 6724), which NAT serves, while OCI's NAT gateway takes no IPv6 (docs.oracle.com/iaas Network/Concepts/ipv6.htm).
_PRIVATE_IPV6 = IPv6Network("fc00::/7")
_IPV6_PREFIX = 56
_IPV6_SUBNETS = ("api", "load-balancers", "operators", "workers", "pods")
"""Each has a /64, all that OCI takes, at its place here: none moves when another comes or goes."""


@args_schema
class OkeAddresses(TypedDict):
    """The addresses a cluster may use, and who reaches it."""

    cidr: NotRequired[str]
    """Private block of the VCN, a /16 at the most. Default: ``10.140.0.0/16``. The blocks that Oracle uses on RDMA
    ports are refused: 10.224.0.0/12 and 192.168.0.0/16."""
    service_cidr: NotRequired[str]
    """Block for services, outside of ``cidr``. Default: ``10.96.0.0/16``."""
    pod_cidr: NotRequired[str]
    """Block for pods with flannel, outside of ``cidr``. Default: ``10.240.0.0/12``."""
    max_nodes: NotRequired[int]
    """GPU nodes the subnets must hold, over all pools. Default: 250. A subnet cannot grow later."""
    max_pods: NotRequired[int]
    """Pods of one GPU node that the pods' subnet must hold. Default: 64."""
    stateless_rules: NotRequired[bool]
    """Let traffic inside the VCN pass by stateless rules, for which no host tracks connections. Default: false."""
    public_load_balancers: NotRequired[bool]
    """Make a public subnet for load balancers, too; of IPv4 alone. Default: false."""
    host_ports: NotRequired[list[int]]
    """Further TCP ports of nodes that pods may reach from other nodes, such as a node exporter's 9100. Open always are
    node ports, kubelet's 10250, and 2222, 8000 and 19100, where pods of this library listen in the host's network.
    Default: none."""
    ipv6_cidr: NotRequired[str]
    """Private IPv6 block of the VCN with dual stack, a /56 of fc00::/7. Default: ``fd00:10:140::/56``."""


@args_schema
class OkeHpcNetworkArgs(OkeAddresses):
    """Where the network is, and what it must serve."""

    region: str
    """Region. Example: ``eu-frankfurt-1``."""
    compartment: Link
    """OCID of the compartment."""
    cni: NotRequired[Choice[OkeCniType]]
    """Default: ``vcn-native``."""
    dual_stack: NotRequired[bool]
    """Give subnets IPv6 addresses, too. Default: false."""
    lustre: NotRequired[bool]
    """Make a subnet and a group for File Storage with Lustre. Default: false."""
    public_cidrs: NotRequired[list[str]]
    """Blocks that reach a public API. Default: none, and a private API."""


@args_schema
class OkeClusterNetwork(TypedDict):
    """The network that a cluster and its nodes live in."""

    vcn: Link
    """OCID of the VCN."""
    api_subnet: Link
    """OCID of the subnet of the Kubernetes API."""
    worker_subnet: Link
    """OCID of the nodes' private subnet."""
    pod_subnet: NotRequired[Link]
    """OCID of the pods' private subnet; needed with VCN-native pods."""
    load_balancer_subnet: Link
    """OCID of the subnet that services of type LoadBalancer take."""
    api_groups: NotRequired[Input[list[Link]]]
    """OCIDs of network security groups of the API. Default: none."""
    worker_groups: NotRequired[Input[list[Link]]]
    """OCIDs of network security groups of nodes. Default: none."""
    pod_groups: NotRequired[Input[list[Link]]]
    """OCIDs of network security groups of pods. Default: none."""


@args_schema
class OkeExistingNetwork(OkeClusterNetwork):
    """A network that exists already, in place of the one we would make."""

    cidrs: list[str]
    """Blocks of the VCN, for checks. Example: ``["10.0.0.0/16"]``."""
    pod_subnet_cidr: NotRequired[str]
    """Block of the pods' subnet, for checks."""


@frozen
class OkeNetworkPlan:
    """Every subnet of the VCN; all blocks are disjoint."""

    args: OkeHpcNetworkArgs
    """What was planned."""
    cidr: str
    cuts: Mapping[str, str]
    """CIDR of each subnet by its name: ``api``, ``load-balancers``, ``operators``, ``workers``, ``pods`` where
    VCN-native, ``public-load-balancers`` and ``lustre`` where wanted."""
    ipv6_cidr: str | None
    """``None`` without dual stack."""
    ipv6_cuts: Mapping[str, str]
    """IPv6 block of each subnet by its name; empty without dual stack."""
    public: tuple[str, ...]
    """Names of the subnets that the internet reaches."""
    groups: tuple[Group, ...]
    rules: tuple[SecurityRule, ...]


def plan_network(args: OkeHpcNetworkArgs, errors: ErrorList) -> OkeNetworkPlan | None:
    """All arithmetic of ``OkeHpcNetwork``. Returns ``None`` when an error was added."""
    check_region(args["region"], errors.at("region"))
    check_compartment(args["compartment"], errors.at("compartment"))
    for i, cidr in enumerate(args.get("public_cidrs", [])):
        addresses.check_outside(cidr, errors.at("public_cidrs", i))
    cni = args.get("cni", OkeCniType.VCN_NATIVE)
    plan_services(args, cni, own_block(args), errors)
    check_dual_stack(args.get("dual_stack", False), cni, errors.at("dual_stack"))
    return plan_subnets(args, errors)


def plan_subnets(args: OkeHpcNetworkArgs, errors: ErrorList) -> OkeNetworkPlan | None:
    """Plan the subnets for a caller that has checked region, compartment, public blocks and blocks of the cluster.

    A stack has checked them: it takes them from keys of other names. Returns ``None`` when an error was added.
    """
    vcn_native = args.get("cni", OkeCniType.VCN_NATIVE) == OkeCniType.VCN_NATIVE
    dual_stack, lustre, callers = args.get("dual_stack", False), args.get("lustre", False), args.get("public_cidrs", [])
    max_nodes, max_pods = args.get("max_nodes", DEFAULT_MAX_NODES), args.get("max_pods", DEFAULT_MAX_PODS)
    check_nodes(max_nodes, errors.at("max_nodes"))
    _check_host_ports(args.get("host_ports", []), vcn_native, errors.at("host_ports"))
    if max_pods < 1:
        errors.at("max_pods").add(f"got {max_pods}; must be 1 or more")
    block = _vcn_block(args, errors.at("cidr"))
    ipv6_block = _ipv6_block(args, dual_stack, errors.at("ipv6_cidr"))
    if errors or block is None:
        return None
    prefixes = {"workers": addresses.prefix_for(max_nodes + SYSTEM_NODES + RESERVED)}
    if vcn_native:
        pods = max_nodes * max_pods + SYSTEM_NODES * SYSTEM_PODS
        prefixes["pods"] = addresses.prefix_for(pods + RESERVED)
    end = {"Lustre and all others": _END_WITH_LUSTRE} if lustre else {"all others": _SMALL_PREFIX}
    _check_fits(args, {**prefixes, **end}, errors)
    if errors or not addresses.cut(block, {**prefixes, **end}, errors.at("cidr")):
        return None
    (*_, last) = block.subnets(new_prefix=_SMALL_PREFIX)
    cuts = addresses.cut(block, prefixes, ErrorList()) | addresses.cut(last, _SMALL, ErrorList())
    if lustre:
        (*_, end_block) = block.subnets(new_prefix=_END_WITH_LUSTRE)
        cuts["lustre"] = next(end_block.subnets(new_prefix=_LUSTRE_PREFIX))
    public = [_PUBLIC_LOAD_BALANCERS] if args.get("public_load_balancers", False) else []
    if not public:
        del cuts[_PUBLIC_LOAD_BALANCERS]
    ipv6_blocks = zip(_IPV6_SUBNETS, ipv6_block.subnets(new_prefix=64), strict=False) if ipv6_block else ()
    absent = {*(() if vcn_native else (Group.PODS,)), *(() if lustre else (Group.LUSTRE,))}
    return OkeNetworkPlan(
        args=args,
        cidr=str(block),
        cuts={name: str(cut) for name, cut in cuts.items()},
        ipv6_cidr=None if ipv6_block is None else str(ipv6_block),
        ipv6_cuts={name: str(subnet) for name, subnet in ipv6_blocks if name in cuts},
        public=(*(["api"] if callers else []), *public),
        groups=tuple(group for group in Group if group not in absent),
        rules=rules_of(
            vcn_native=vcn_native,
            stateless=args.get("stateless_rules", False),
            dual_stack=dual_stack,
            lustre=lustre,
            callers=callers,
            host_ports=args.get("host_ports", []),
        ),
    )


def _check_fits(args: OkeHpcNetworkArgs, prefixes: Mapping[str, int], errors: ErrorList) -> None:
    """The largest VCN there is holds all subnets; an error names the key that asks for too much, and what fits."""
    room = 1 << (32 - _VCN_PREFIXES.start)
    needed = sum(1 << (32 - prefix) for prefix in prefixes.values())
    if needed <= room:
        return
    # Pods have one subnet, so half of the VCN at the most.
    pods = (1 << (31 - _VCN_PREFIXES.start)) - RESERVED - SYSTEM_NODES * SYSTEM_PODS
    nodes, max_pods = args.get("max_nodes", DEFAULT_MAX_NODES), args.get("max_pods", DEFAULT_MAX_PODS)
    key, got, noun, fit = ("max_nodes", nodes, "nodes", pods // max_pods)
    if "max_nodes" not in args or fit < 1:
        key, got, noun, fit = ("max_pods", max_pods, "pods", pods // nodes)
    errors.at(key).add(
        f"got {got}; {nodes} nodes of {max_pods} pods each need a /{addresses.prefix_for(needed)}, and a VCN is a "
        f"/{_VCN_PREFIXES.start} at the most: take {fit} {noun} or fewer, or cni: flannel, whose pods have no "
        "addresses of the VCN"
    )


def _check_host_ports(ports: list[int], vcn_native: bool, errors: ErrorList) -> None:
    """Ports that are not open already, few enough for a group of rules."""
    if ports and not vcn_native:
        errors.add("not allowed with flannel, whose pods reach nodes by their node's own address; remove it")
        return
    if len(ports) > _MOST_HOST_PORTS:
        errors.add(f"got {len(ports)}; list {_MOST_HOST_PORTS} at the most: OCI takes 120 rules a group")
    for i, port in enumerate(ports):
        if not 1 <= port <= 65535:
            errors.at(i).add(f"got {port}; a port is 1 to 65535")
        elif port in (KUBELET_PORT, *TO_HOSTS) or NODE_PORTS[0] <= port <= NODE_PORTS[1]:
            errors.at(i).add(f"got {port}, which is open to pods already; remove it")
        elif port in ports[:i]:
            errors.at(i).add(f"{port} is listed twice; list each once")


def own_block(args: OkeAddresses) -> dict[str, IPv4Network]:
    """The block of the VCN to make, under the name for messages; ``plan_subnets`` adds the errors of it."""
    block = parse_block(args.get("cidr", DEFAULT_CIDR), ErrorList())
    return {} if block is None else {"cidr": block}


def _vcn_block(args: OkeAddresses, errors: ErrorList) -> IPv4Network | None:
    block = parse_block(args.get("cidr", DEFAULT_CIDR), errors)
    if block is not None and block.prefixlen not in _VCN_PREFIXES:
        errors.add(f"got {block}; a VCN takes a /{_VCN_PREFIXES.start} to a /{_VCN_PREFIXES.stop - 1}")
        return None
    check_not_rdma(block, errors)
    return block


def _ipv6_block(args: OkeAddresses, dual_stack: bool, errors: ErrorList) -> IPv6Network | None:
    """The VCN's block of IPv6, where it has one."""
    text = args.get("ipv6_cidr", _DEFAULT_IPV6_CIDR)
    if not dual_stack:
        if "ipv6_cidr" in args:
            errors.add("not allowed without dual stack; remove it, or set dualStack: true")
        return None
    try:
        block = IPv6Network(text)
    except ValueError:
        block = None
    if block is None or block.prefixlen != _IPV6_PREFIX or not block.subnet_of(_PRIVATE_IPV6):
        errors.add(f"got {text!r}; write a private IPv6 /{_IPV6_PREFIX} of {_PRIVATE_IPV6}, e.g. {_DEFAULT_IPV6_CIDR}")
        return None
    return block
