"""The network of a stack: its own choice of addresses, or a subnet that is there already and what it must be."""

from typing import NotRequired

from pulumi_offline.errors import ErrorList
from ...base.args import args_schema
from ...common.existing import OF_EXISTING_CLUSTER, check_addresses, check_ceiling, check_most
from ...common.pools import DEFAULT_MAX_NODES, MOST_NODES, SYSTEM_NODES
from .access import check_egress, check_ranges
from .cluster import AksKubernetes
from .network import (
    AksAddresses,
    AksExistingNetwork,
    AksNetworkPlan,
    AksOutbound,
    AksOverlay,
    OverlayPlan,
    own_block,
    plan_existing,
    plan_max_nodes,
    plan_overlay,
    plan_subnets,
)
from .node_pool import AksPool


@args_schema
class AksNetworkOptions(AksAddresses, AksOverlay):
    """The addresses a stack may use, or the network it uses in place of a new one."""

    existing: NotRequired[AksExistingNetwork]
    """Use this subnet and make none."""


def plan_networks(
    *,
    choice: AksNetworkOptions,
    kubernetes: AksKubernetes,
    pools: list[AksPool],
    location: str,
    lustre_tib: int,
    errors: ErrorList,
) -> tuple[AksNetworkPlan | None, OverlayPlan | None]:
    """The subnet to make, or ``None`` where it exists; and the addresses inside a cluster that is made."""
    at, new = errors.at("network"), "existing" not in kubernetes
    if new:
        _check_egress(choice, kubernetes, errors)
    else:
        for key in ("pod_cidr", "service_cidr"):
            if key in choice:
                at.at(key).add(OF_EXISTING_CLUSTER)
        if "egress_cidrs" in choice.get("existing", {}):
            at.at("existing", "egress_cidrs").add(OF_EXISTING_CLUSTER)
    max_nodes = plan_max_nodes(choice.get("max_nodes", DEFAULT_MAX_NODES), at.at("max_nodes"))
    network = None
    if (existing := choice.get("existing")) is not None:
        check_addresses(choice, ("pod_cidr", "service_cidr", "max_nodes"), at)
        check_most(pools, errors.at("pools"), MOST_NODES - SYSTEM_NODES)
        if new:
            # The pods' block holds the nodes of all pools.
            total = sum(pool["nodes"] for pool in pools)
            if max_nodes is not None and total > max_nodes:
                errors.at("pools").add(
                    f"{total} nodes in all, and the pods' block is to hold {max_nodes}; set network.maxNodes to "
                    f"{total} or more before the first up, since the block cannot grow later"
                )
        blocks = plan_existing(existing, at.at("existing"))
    else:
        network = plan_subnets(choice, location=location, max_nodes=max_nodes, lustre_tib=lustre_tib, errors=at)
        check_ceiling(pools, choice, errors.at("pools"))
        blocks = own_block(choice)
    return network, plan_overlay(choice, networks=blocks, max_nodes=max_nodes, errors=at) if new else None


def outbound_of(choice: AksNetworkOptions) -> AksOutbound:
    """The way out of the stack's network, existing or new."""
    return choice["existing"]["outbound"] if "existing" in choice else choice.get("outbound", AksOutbound.NAT_GATEWAY)


def _check_egress(choice: AksNetworkOptions, kubernetes: AksKubernetes, errors: ErrorList) -> None:
    """A public endpoint lets the nodes in, by our NAT gateway's address or by those that the user names."""
    if (existing := choice.get("existing")) is not None:
        egress = existing.get("egress_cidrs", [])
        check_egress(kubernetes, existing["outbound"], egress, errors.at("network", "existing", "egress_cidrs"))
        ways = len(egress)
    else:
        ways = 1 if outbound_of(choice) == AksOutbound.NAT_GATEWAY else 0
    check_ranges(kubernetes, ways, errors.at("kubernetes", "public_cidrs"))
