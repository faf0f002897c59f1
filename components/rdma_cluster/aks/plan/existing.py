"""The network of a stack: its own choice of addresses, or a subnet that is there already and what it must be."""

from typing import NotRequired

from ...args import shape
from ...clouds.existing import OF_EXISTING_CLUSTER, check_addresses, check_ceiling, check_most
from ...clouds.pools import DEFAULT_MAX_NODES, MOST_NODES, SYSTEM_NODES
from ...faults import Faults
from .cluster import AksKubernetes
from .network import (
    AksAddresses,
    AksExistingNetwork,
    AksOverlay,
    NetworkPlan,
    OverlayPlan,
    decide_existing,
    decide_max_nodes,
    decide_overlay,
    decide_subnets,
    own_block,
)
from .node_pool import AksPool


@shape
class AksNetworkChoice(AksAddresses, AksOverlay):
    """The addresses a stack may use, or the network it uses in place of a new one."""

    existing: NotRequired[AksExistingNetwork]
    """Use this subnet and make none."""


def decide_networks(
    *,
    choice: AksNetworkChoice,
    kubernetes: AksKubernetes,
    pools: list[AksPool],
    location: str,
    lustre_tib: int,
    faults: Faults,
) -> tuple[NetworkPlan | None, OverlayPlan | None]:
    """The subnet to make, or ``None`` where it exists; and the addresses inside a cluster that is made."""
    at, new = faults.at("network"), "existing" not in kubernetes
    if not new:
        for key in ("pod_cidr", "service_cidr"):
            if key in choice:
                at.at(key).add(OF_EXISTING_CLUSTER)
    max_nodes = decide_max_nodes(choice.get("max_nodes", DEFAULT_MAX_NODES), at.at("max_nodes"))
    network = None
    if (existing := choice.get("existing")) is not None:
        check_addresses(choice, ("pod_cidr", "service_cidr", "max_nodes"), at)
        check_most(pools, faults.at("pools"), MOST_NODES - SYSTEM_NODES)
        if new:
            # The pods' block holds the nodes of all pools.
            total = sum(pool["nodes"] for pool in pools)
            if max_nodes is not None and total > max_nodes:
                faults.at("pools").add(
                    f"{total} nodes in all, and the pods' block is to hold {max_nodes}; set network.maxNodes to "
                    f"{total} or more before the first up, since the block cannot grow later"
                )
        blocks = decide_existing(existing, at.at("existing"))
    else:
        network = decide_subnets(choice, location=location, max_nodes=max_nodes, lustre_tib=lustre_tib, faults=at)
        check_ceiling(pools, choice, faults.at("pools"))
        blocks = own_block(choice)
    return network, decide_overlay(choice, networks=blocks, max_nodes=max_nodes, faults=at) if new else None
