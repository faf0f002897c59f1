"""The networks of a stack: its own choice of addresses, or a network that is there already and what it must be."""

from ipaddress import IPv4Network
from typing import NotRequired

from ...args import shape
from ...clouds import addresses
from ...clouds.existing import OF_EXISTING_CLUSTER, check_addresses, check_ceiling, check_existing, check_most
from ...faults import Faults
from .cluster import OkeKubernetes
from .cni import OkeCniType, check_not_rdma, decide_services
from .network import (
    DEFAULT_MAX_PODS,
    RESERVED,
    SYSTEM_NODES,
    SYSTEM_PODS,
    NetworkPlan,
    OkeAddresses,
    OkeExistingNetwork,
    decide_subnets,
    own_block,
)
from .node_pool import OkePool
from .zones import check_ocid


@shape
class OkeNetworkChoice(OkeAddresses):
    """The addresses a stack may use, or the network it uses in place of a new one."""

    existing: NotRequired[OkeExistingNetwork]
    """Use this network and make none."""


def services_of(choice: OkeNetworkChoice, cni: OkeCniType, faults: Faults) -> tuple[str, str | None] | None:
    """Blocks of services and pods, apart from the VCN that is made or exists."""
    existing = choice.get("existing")
    return decide_services(choice, cni, own_block(choice) if existing is None else _blocks_of(existing), faults)


def _blocks_of(existing: OkeExistingNetwork) -> dict[str, IPv4Network]:
    """The blocks of an existing VCN, by what to call them."""
    cidrs = existing["cidrs"]
    blocks = {f"existing.cidrs[{i}]": addresses.parse(cidr, Faults()) for i, cidr in enumerate(cidrs)}
    return {name: block for name, block in blocks.items() if block is not None}


def decide_networks(
    cni: OkeCniType,
    *,
    choice: OkeNetworkChoice,
    kubernetes: OkeKubernetes,
    pools: list[OkePool],
    region: str,
    compartment: str,
    lustre: bool,
    faults: Faults,
) -> NetworkPlan | None:
    """The subnets to make; ``None`` where they exist, nothing starts in them, or a fault was added."""
    at = faults.at("network", "existing")
    if kubernetes.get("existing") is not None:
        for key in ("service_cidr", "pod_cidr"):
            if key in choice:
                faults.at("network", key).add(OF_EXISTING_CLUSTER)
        if not pools:
            return None  # labels alone need no subnet
    check_existing(kubernetes, choice, faults)
    if (existing := choice.get("existing")) is not None:
        check_addresses(choice, ("service_cidr", "pod_cidr"), faults.at("network"))
        _check_existing(existing, cni, at)
        check_most(pools, faults.at("pools"))
        if (cidr := existing.get("pod_subnet_cidr")) is not None and cni == OkeCniType.VCN_NATIVE:
            _check_pods(cidr, pools, at.at("pod_subnet_cidr"))
        return None
    check_ceiling(pools, choice, faults.at("pools"))
    ceiling = choice.get("max_pods", DEFAULT_MAX_PODS)
    for i, pool in enumerate(pools):
        if cni == OkeCniType.VCN_NATIVE:
            pods = pool.get("max_pods", 0)
            if pods > ceiling:
                faults.at("pools", i, "max_pods").add(
                    f"got {pods}, and the pods' subnet is cut for {ceiling} a node; set network.maxPods to {pods} or "
                    "more before the first up, since subnets cannot grow later"
                )
    return decide_subnets(
        choice,
        region=region,
        compartment=compartment,
        cni=cni,
        dual_stack=kubernetes.get("dual_stack", False),
        lustre=lustre,
        public_cidrs=kubernetes.get("public_cidrs", []),
        faults=faults.at("network"),
    )


def _check_existing(existing: OkeExistingNetwork, cni: OkeCniType, faults: Faults) -> None:
    """What a network that exists must have, and where it must not lie."""
    if cni == OkeCniType.VCN_NATIVE and "pod_subnet" not in existing:
        faults.at("pod_subnet").add("missing; vcn-native pods take their addresses from a subnet of their own")
    _check_cidrs(existing["cidrs"], faults.at("cidrs"))
    if cni == OkeCniType.VCN_NATIVE and "pod_subnet_cidr" in existing:
        # A subnet is within its VCN. A block without form is an error where it stands.
        block = addresses.parse(existing["pod_subnet_cidr"], Faults())
        vcn = [addresses.parse(each, Faults()) for each in existing["cidrs"]]
        if block is not None and vcn and None not in vcn and not any(each and block.subnet_of(each) for each in vcn):
            faults.at("pod_subnet_cidr").add(
                f"{block} is in none of the VCN's blocks, {', '.join(map(str, vcn))}; make the two agree"
            )
    check_ocid(existing["vcn"], ("vcn",), faults.at("vcn"))
    for key in ("api_subnet", "worker_subnet", "pod_subnet", "load_balancer_subnet"):
        if key in existing:
            check_ocid(existing[key], ("subnet",), faults.at(key))


def _check_cidrs(cidrs: list[str], faults: Faults) -> None:
    if not cidrs:
        faults.add("empty; name the blocks of the VCN, e.g. 10.0.0.0/16")
    for i, cidr in enumerate(cidrs):
        check_not_rdma(addresses.parse(cidr, faults.at(i)), faults.at(i))


def _check_pods(cidr: str, pools: list[OkePool], faults: Faults) -> None:
    """The pods' subnet holds the pods of all nodes."""
    wanted = sum(pool["nodes"] * pool.get("max_pods", DEFAULT_MAX_PODS) for pool in pools) + SYSTEM_NODES * SYSTEM_PODS
    block = addresses.parse(cidr, faults)
    if block is not None and (room := block.num_addresses - RESERVED) < wanted:
        faults.add(
            f"{block} has addresses for {room} pods, and the nodes may hold {wanted}; "
            f"take a /{addresses.prefix_for(wanted + RESERVED)} or larger, or lower maxPods of the pools"
        )
