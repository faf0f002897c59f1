"""The network of a stack: addresses for a new one, or an existing network and what it must have."""

from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList
from ...base.args import args_schema, at_hand
from ...common import addresses
from ...common.existing import OF_EXISTING_CLUSTER, check_addresses, check_ceiling, check_existing, check_most
from .cluster import OkeKubernetes
from .cni import OkeCniType, check_not_rdma, parse_block, plan_services
from .network import (
    DEFAULT_MAX_PODS,
    RESERVED,
    SYSTEM_NODES,
    SYSTEM_PODS,
    OkeAddresses,
    OkeExistingNetwork,
    OkeHpcNetworkArgs,
    OkeNetworkPlan,
    own_block,
    plan_subnets,
)
from .node_pool import OkePool
from .zones import Place, check_ocid


@args_schema
class OkeNetworkOptions(OkeAddresses):
    """The addresses a stack may use, or the network it uses in place of a new one."""

    existing: NotRequired[OkeExistingNetwork]
    """Use this network and make none."""


def services_of(choice: OkeNetworkOptions, kubernetes: OkeKubernetes, errors: ErrorList) -> tuple[str, str | None]:
    """Blocks of services and pods, apart from the VCN that is made or exists."""
    if (existing := choice.get("existing")) is None:
        vcn = own_block(choice)
    else:
        blocks = {f"existing.cidrs[{i}]": parse_block(cidr, ErrorList()) for i, cidr in enumerate(existing["cidrs"])}
        vcn = {name: block for name, block in blocks.items() if block is not None}
    return plan_services(choice, kubernetes.get("cni", OkeCniType.VCN_NATIVE), vcn, errors)


def plan_networks(
    choice: OkeNetworkOptions,
    kubernetes: OkeKubernetes,
    pools: list[OkePool],
    *,
    place: Place,
    lustre: bool,
    errors: ErrorList,
) -> OkeNetworkPlan | None:
    """The subnets to make; ``None`` where they exist, no node starts in them, or an error was added."""
    if "existing" in kubernetes:
        for key in ("service_cidr", "pod_cidr"):
            if key in choice:
                errors.at("network", key).add(OF_EXISTING_CLUSTER)
        if not pools:
            return None  # labels alone need no subnet
    check_existing(kubernetes, choice, errors)
    cni = kubernetes.get("cni", OkeCniType.VCN_NATIVE)
    if (existing := choice.get("existing")) is not None:
        off = [key for key in ("stateless_rules", "public_load_balancers") if not choice.get(key)]
        check_addresses(choice, ("service_cidr", "pod_cidr", *off), errors.at("network"))
        at = errors.at("network", "existing")
        _check_existing(existing, cni, at)
        check_most(pools, errors.at("pools"))
        if "pod_subnet_cidr" in existing and cni == OkeCniType.VCN_NATIVE:
            _check_pods(existing["pod_subnet_cidr"], pools, at.at("pod_subnet_cidr"))
        return None
    check_ceiling(pools, choice, errors.at("pools"))
    if cni == OkeCniType.VCN_NATIVE:
        ceiling = choice.get("max_pods", DEFAULT_MAX_PODS)
        for i, pool in enumerate(pools):
            if (pods := pool.get("max_pods", 0)) > ceiling:
                errors.at("pools", i, "max_pods").add(
                    f"got {pods}, and the pods' subnet is cut for {ceiling} a node; set network.maxPods to {pods} or "
                    "more before the first up, since subnets cannot grow later"
                )
    own_addresses: Any = choice
    args = OkeHpcNetworkArgs(
        **own_addresses,
        region=place.region,
        compartment=place.compartment,
        cni=cni,
        dual_stack=kubernetes.get("dual_stack", False),
        public_cidrs=kubernetes.get("public_cidrs", []),
    )
    if lustre:
        args["lustre"] = True
    return plan_subnets(args, errors.at("network"))


def _check_existing(existing: OkeExistingNetwork, cni: OkeCniType, errors: ErrorList) -> None:
    """An existing network has the subnets that the cluster needs, and no block of the RDMA ports."""
    if cni == OkeCniType.VCN_NATIVE and "pod_subnet" not in existing:
        errors.at("pod_subnet").add("missing; vcn-native pods take their addresses from a subnet of their own")
    if not existing["cidrs"]:
        errors.at("cidrs").add("empty; name the blocks of the VCN, e.g. 10.0.0.0/16")
    vcn = []
    for i, cidr in enumerate(existing["cidrs"]):
        vcn.append(parse_block(cidr, errors.at("cidrs", i)))
        check_not_rdma(vcn[-1], errors.at("cidrs", i))
    if cni == OkeCniType.VCN_NATIVE and "pod_subnet_cidr" in existing:
        # A subnet is within its VCN. ``_check_pods`` adds the error of a block that has no block's form.
        block = parse_block(existing["pod_subnet_cidr"], ErrorList())
        if block is not None and vcn and None not in vcn and not any(each and block.subnet_of(each) for each in vcn):
            errors.at("pod_subnet_cidr").add(
                f"{block} is in none of the VCN's blocks, {', '.join(map(str, vcn))}; make the two agree"
            )
    check_ocid(existing["vcn"], ("vcn",), errors.at("vcn"))
    for key in ("api_subnet", "worker_subnet", "pod_subnet", "load_balancer_subnet"):
        if key in existing:
            check_ocid(existing[key], ("subnet",), errors.at(key))
    for key in ("api_groups", "worker_groups", "pod_groups"):  # a node's own script reads those of its pods
        for i, group in enumerate(at_hand(existing.get(key, [])) or []):
            check_ocid(group, ("networksecuritygroup",), errors.at(key, i))


def _check_pods(cidr: str, pools: list[OkePool], errors: ErrorList) -> None:
    """The pods' subnet holds the pods of all nodes."""
    pods = sum(pool["nodes"] * pool.get("max_pods", DEFAULT_MAX_PODS) for pool in pools) + SYSTEM_NODES * SYSTEM_PODS
    block = parse_block(cidr, errors)
    if block is not None and (room := block.num_addresses - RESERVED) < pods:
        errors.add(
            f"{block} has addresses for {room} pods, and the nodes may hold {pods}; "
            f"take a /{addresses.prefix_for(pods + RESERVED)} or larger, or lower maxPods of the pools"
        )
