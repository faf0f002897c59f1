"""Racks on GKE: a pool is one NVLink domain, comes from a reservation, and GKE itself runs the driver on bare metal.

docs.cloud.google.com/ai-hypercomputer/docs/create/gke-ai-hypercompute-custom-a4x and -a4x-max, 2026-04-06
"""

from hashlib import sha256

from ...catalog.gke import GkeMachine
from ...catalog.machine import Capacity
from ...fabrics import GpuAllocation
from ...faults import Faults
from .capacity import GkeCapacity

ACCELERATOR_TOPOLOGY = "1x72"
"""What puts the nodes of a pool into one NVLink domain."""
ARM_TAINT = {"kubernetes.io/arch": "arm64"}
"""GKE puts it on Arm nodes by itself."""

_LONGEST = 55
"""Longest name of a policy before Pulumi adds eight characters; Google takes 63."""


def policy_name(pool: str) -> str:
    """The resource name of a pool's policy: the pool's, or a cut of it and a digest where that is too long."""
    if len(pool) <= _LONGEST:
        return pool
    return f"{pool[: _LONGEST - 9].rstrip('-')}-{sha256(pool.encode()).hexdigest()[:8]}"


def check_rack(
    nodes: int, capacity: Capacity | None, allocation: GpuAllocation | None, machine: GkeMachine, faults: Faults
) -> None:
    """Refuses what a pool of racks cannot be; ``allocation`` is the user's choice."""
    if machine.max_nodes is not None and nodes > machine.max_nodes:
        faults.at("nodes").add(
            f"got {nodes}; a pool of {machine.name} is one NVLink rack of {machine.max_nodes} nodes at the most; "
            "list one pool a rack"
        )
    if capacity is not None and machine.is_rack and capacity not in machine.capacity:
        faults.at("capacity").add(
            f"got {capacity.value}; nodes of {machine.name} come from a reservation alone; name it"
        )
    if machine.plugged_alone and allocation == GpuAllocation.DRA:
        faults.at("gpu_allocation").add(
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
    return warnings
