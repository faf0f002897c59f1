"""How near to each other Google puts the nodes of a GKE pool.

What it refuses was read in the preconditions of cluster-toolkit v1.95.0 modules/compute/gke-node-pool/main.tf
(2026-06-25) and in docs.cloud.google.com/compute/docs/instances/reservations-single-project: a node uses a reservation
when all its properties are the reservation's, and a policy is one.
"""

from enum import Enum

from ...catalog.gke import GkeMachine
from ...catalog.machine import Capacity
from ...clouds.google.names import check_name
from ...faults import Faults


class GkePlacement(str, Enum):
    """How near the nodes of a pool are to each other."""

    COMPACT = "compact"
    """Side by side, by a policy of the pool's own."""
    NONE = "none"
    """Wherever there is room, or where the reservation is."""


def place(
    placement: GkePlacement | None,
    policy: str | None,
    machine: GkeMachine | None,
    capacity: Capacity | None,
    faults: Faults,
) -> bool:
    """Whether the pool asks for compact placement, by ``policy`` where that is named.

    By default on-demand nodes do: a reservation is dense already, and no published deployment asks for it with spot or
    flex-start.
    """
    at = faults.at("placement" if policy is None else "placement_policy")
    if policy is not None:
        check_name(policy, 63, at)
        if placement is GkePlacement.NONE:
            at.add("not allowed with placement: none; remove one of the two")
    elif placement is None:
        return capacity is Capacity.ON_DEMAND
    elif machine is not None and machine.is_rack:
        at.add(
            f"not allowed with {machine.name}, whose pool is one NVLink domain by its workload policy; remove it, or "
            "name a policy of your own in placementPolicy"
        )
        return False
    elif placement is GkePlacement.NONE:
        return False
    elif capacity in (Capacity.RESERVATION, Capacity.CALENDAR):
        at.add(
            "got compact; a reservation is used by nodes of the policy it was made with, never of a new one; name that "
            "policy in placementPolicy, or leave this out: reserved blocks are dense already"
        )
    if capacity is Capacity.QUEUED:
        at.add("not allowed with queued, whose nodes Google places by itself; remove it")
    elif capacity is Capacity.FLEX_START and machine is not None and not machine.compact_flex_start:
        at.add(f"not allowed with flexStart on {machine.name}; Google places its nodes by itself; remove it")
    return True
