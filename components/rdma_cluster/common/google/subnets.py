"""How Google's subnets are cut: for how many nodes, and how long the prefix of a rail is."""

from pulumi_offline.errors import ErrorList
from .. import addresses

MOST_NODES = 15_000
"""Machines of one VPC (docs.cloud.google.com/vpc/docs/quota), and nodes of a GKE cluster without special
arrangement."""
RESERVED = 4
"""Addresses that Google keeps in every subnet's primary range."""


def most_nodes(max_nodes: int, errors: ErrorList) -> int | None:
    """The ceiling that the subnets are cut for, or an error."""
    if not 1 <= max_nodes <= MOST_NODES:
        errors.add(f"got {max_nodes}; must be 1 to {MOST_NODES:,}")
        return None
    return max_nodes


def rail_prefix(nodes: int) -> int:
    """The longest prefix of a subnet in which each of ``nodes`` has one address.

    No subnet is smaller than a /29 (docs.cloud.google.com/vpc/docs/subnets).
    """
    return min(29, addresses.prefix_for(nodes + RESERVED))
