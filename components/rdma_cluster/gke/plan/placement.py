"""How near to each other Google puts the nodes of a GKE pool, and what a pool of racks must be.

What it refuses was read in the preconditions of cluster-toolkit v1.95.0 modules/compute/gke-node-pool/main.tf
(2026-06-25) and in docs.cloud.google.com/compute/docs/instances/reservations-single-project: a node uses a reservation
when all its properties are the reservation's, and a policy is one.

On racks a pool is one NVLink domain, comes from a reservation, and GKE itself runs the driver on bare metal:
docs.cloud.google.com/ai-hypercomputer/docs/create/gke-ai-hypercompute-custom-a4x and -a4x-max, 2026-04-06.
"""

from enum import Enum
from hashlib import sha256

from pulumi_offline.errors import ErrorList
from ...base.args import Link
from ...catalog.gke import GkeMachine
from ...catalog.machine import Capacity
from ...common.google.names import check_name
from ...fabrics import GpuAllocation
from .capacity import GkeCapacity

ACCELERATOR_TOPOLOGY = "1x72"
"""What puts the nodes of a pool into one NVLink domain."""
ARM_TAINT = {"kubernetes.io/arch": "arm64"}
"""GKE puts it on Arm nodes by itself."""

_LONGEST = 55
"""Longest name of a policy before Pulumi adds eight characters; Google takes 63."""


class GkePlacement(str, Enum):
    """How near the nodes of a pool are to each other."""

    COMPACT = "compact"
    """Side by side, by a policy of the pool's own."""
    NONE = "none"
    """Wherever there is room, or where the reservation is."""


def plan_placement(
    placement: GkePlacement | None,
    policy: Link | None,
    machine: GkeMachine | None,
    capacity: Capacity | None,
    errors: ErrorList,
) -> bool:
    """Whether the pool asks for compact placement, by ``policy`` where that is named.

    By default on-demand nodes do: a reservation is dense already, and no published deployment asks for it with spot or
    flex-start.
    """
    at = errors.at("placement" if policy is None else "placement_policy")
    if policy is not None:
        if isinstance(policy, str):
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


def policy_name(pool: str) -> str:
    """The resource name of a pool's policy: the pool's, or a cut of it and a digest where that is too long."""
    if len(pool) <= _LONGEST:
        return pool
    return f"{pool[: _LONGEST - 9].rstrip('-')}-{sha256(pool.encode()).hexdigest()[:8]}"


def check_rack(
    nodes: int, capacity: Capacity | None, allocation: GpuAllocation | None, machine: GkeMachine, errors: ErrorList
) -> None:
    """Refuses what a pool of racks cannot be; ``allocation`` is the user's choice."""
    if machine.max_nodes is not None and nodes > machine.max_nodes:
        errors.at("nodes").add(
            f"got {nodes}; a pool of {machine.name} is one NVLink rack of {machine.max_nodes} nodes at the most; "
            "list one pool a rack"
        )
    if capacity is not None and machine.is_rack and capacity not in machine.capacity:
        errors.at("capacity").add(
            f"got {capacity.value}; nodes of {machine.name} come from a reservation alone; name it"
        )
    if machine.plugged_alone and allocation == GpuAllocation.DRA:
        errors.at("gpu_allocation").add(
            f"got dra; no installer of the driver is published for {machine.name}, whose driver and device plugin GKE "
            "brings; leave it out"
        )


def rack_warnings(name: str, nodes: int, capacity: GkeCapacity, machine: GkeMachine) -> list[str]:
    """What a pool of racks may not get, or leaves idle."""
    if machine.max_nodes is None:
        return []
    warnings = []
    if nodes < machine.max_nodes:
        warnings.append(
            f"pool {name}: the whole rack of {machine.max_nodes} nodes is kept for the pool; the other "
            f"{machine.max_nodes - nodes} stay idle until the pool grows"
        )
    if "sub_block" not in capacity.get("reservation", {}):
        warnings.append(
            f"pool {name}: the reservation names no subBlock, so any rack of it may be taken; Google advises to name "
            "one, which is a rack"
        )
    if machine.metal:
        warnings.append(
            f"pool {name}: NCCL was seen to hang between two nodes of one rack where NVLink is off, as in the test of "
            "the NICs (yangwhale/gpu-tpu-pedia, 2026-07-14); if `up` ends with `did not finish`, set "
            "acceptance.enabled: false, and run the test over NVLink by hand"
        )
    return warnings
