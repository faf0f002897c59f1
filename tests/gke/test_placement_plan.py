"""How near to each other the nodes of a GKE pool are, and what a pool of racks cannot be."""

from hashlib import sha256
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog.machine import Capacity
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.gke.plan.capacity import GkeCapacity
from rdma_cluster.gke.plan.machines import BUILDABLE
from rdma_cluster.gke.plan.placement import GkePlacement, check_rack, plan_placement, policy_name, rack_warnings

A4, A3_MEGA, RACK, METAL = (
    BUILDABLE[name] for name in ("a4-highgpu-8g", "a3-megagpu-8g", "a4x-highgpu-4g", "a4x-maxgpu-4g-metal")
)
COMPACT, NONE = GkePlacement.COMPACT, GkePlacement.NONE
REFUSED = None


@pytest.mark.parametrize(
    ("machine", "capacity", "placement", "policy", "compact"),
    [
        # Nobody asks: on-demand nodes alone are placed.
        (A4, Capacity.ON_DEMAND, None, None, True),
        (A4, Capacity.RESERVATION, None, None, False),
        (A4, Capacity.SPOT, None, None, False),
        (A4, Capacity.QUEUED, None, None, False),
        (RACK, Capacity.RESERVATION, None, None, False),
        (None, Capacity.ON_DEMAND, None, None, True),
        (A4, None, None, None, False),
        (A4, Capacity.ON_DEMAND, NONE, None, False),
        (A4, Capacity.QUEUED, NONE, None, False),
        # By a policy of the pool's own.
        (A4, Capacity.ON_DEMAND, COMPACT, None, True),
        (A4, Capacity.SPOT, COMPACT, None, True),
        (A4, Capacity.RESERVATION, COMPACT, None, REFUSED),
        (A4, Capacity.CALENDAR, COMPACT, None, REFUSED),
        (A4, Capacity.QUEUED, COMPACT, None, REFUSED),
        (A4, Capacity.FLEX_START, COMPACT, None, True),
        (A3_MEGA, Capacity.FLEX_START, COMPACT, None, REFUSED),
        (None, Capacity.FLEX_START, COMPACT, None, True),
        (A3_MEGA, Capacity.SPOT, COMPACT, None, True),
        (RACK, Capacity.RESERVATION, COMPACT, None, REFUSED),
        (RACK, Capacity.RESERVATION, NONE, None, REFUSED),
        # By the user's policy.
        (A4, Capacity.RESERVATION, None, "dense", True),
        (A4, Capacity.RESERVATION, COMPACT, "dense", True),
        (A4, Capacity.RESERVATION, NONE, "dense", REFUSED),
        (A4, Capacity.RESERVATION, None, "Dense", REFUSED),
        (A4, Capacity.QUEUED, None, "dense", REFUSED),
        (A4, Capacity.FLEX_START, None, "dense", True),
        (A3_MEGA, Capacity.FLEX_START, None, "dense", REFUSED),
        (RACK, Capacity.RESERVATION, None, "dense", True),
        (RACK, Capacity.RESERVATION, COMPACT, "dense", True),
    ],
)
def test_placement(
    machine: Any, capacity: Capacity | None, placement: GkePlacement | None, policy: str | None, compact: bool | None
):
    """What is asked for where Google grants it; else one error, at the key that asks."""
    errors = ErrorList()
    made = plan_placement(placement, policy, machine, capacity, errors)

    if compact is REFUSED:
        (told,) = errors.found()
        assert told.path == ("placement" if policy is None else "placement_policy",)
    else:
        assert not errors and made is compact


@pytest.mark.parametrize(("length", "allowed"), [(63, True), (64, False)])
def test_names_of_policies(length: int, allowed: bool):
    """Google takes 63 characters."""
    errors = ErrorList()
    plan_placement(None, "p" * length, A4, Capacity.RESERVATION, errors)

    assert bool(errors) is not allowed


@pytest.mark.parametrize(
    ("pool", "name"),
    [
        ("gke-rack", "gke-rack"),
        ("a" * 55, "a" * 55),
        ("a" * 56, f"{'a' * 46}-{sha256(b'a' * 56).hexdigest()[:8]}"),
        (f"{'a' * 45}-{'b' * 20}", f"{'a' * 45}-{sha256(b'a' * 45 + b'-' + b'b' * 20).hexdigest()[:8]}"),
    ],
)
def test_name_of_a_racks_policy(pool: str, name: str):
    """The pool's name as long as Pulumi's eight characters fit behind it; a longer one is cut, with a digest."""
    assert policy_name(pool) == name


@pytest.mark.parametrize(
    ("machine", "nodes", "capacity", "allocation", "paths"),
    [
        (RACK, 18, Capacity.RESERVATION, None, []),
        (RACK, 19, Capacity.RESERVATION, None, ["nodes"]),
        (RACK, 18, Capacity.SPOT, None, ["capacity"]),
        (RACK, 18, Capacity.CALENDAR, None, ["capacity"]),
        (RACK, 18, None, None, []),
        (RACK, 18, Capacity.RESERVATION, GpuAllocation.DRA, []),
        (METAL, 18, Capacity.RESERVATION, None, []),
        (METAL, 18, Capacity.RESERVATION, GpuAllocation.DEVICE_PLUGIN, []),
        (METAL, 18, Capacity.RESERVATION, GpuAllocation.DRA, ["gpu_allocation"]),
        (METAL, 19, Capacity.SPOT, GpuAllocation.DRA, ["nodes", "capacity", "gpu_allocation"]),
        (A4, 1000, Capacity.ON_DEMAND, GpuAllocation.DRA, []),
    ],
)
def test_what_a_pool_of_racks_cannot_be(
    machine: Any, nodes: int, capacity: Capacity | None, allocation: GpuAllocation | None, paths: list[str]
):
    """One rack of a reservation; bare metal by the device plugin alone; of other machines none of it is asked."""
    errors = ErrorList()
    check_rack(nodes, capacity, allocation, machine, errors)

    assert [each.path for each in errors.found()] == [(path,) for path in paths]


_OPEN = (
    "pool x: the reservation names no subBlock, so any rack of it may be taken; Google advises to name one, which is a "
    "rack"
)


@pytest.mark.parametrize(
    ("machine", "nodes", "capacity", "warnings"),
    [
        (RACK, 18, {"reservation": {"name": "r", "block": "b", "sub_block": "s"}}, []),
        (RACK, 18, {"reservation": {"name": "r", "block": "b"}}, [_OPEN]),
        (
            RACK,
            16,
            {"reservation": {"name": "r", "block": "b", "sub_block": "s"}},
            ["pool x: the whole rack of 18 nodes is kept for the pool; the other 2 stay idle until the pool grows"],
        ),
        (RACK, 18, {"spot": True}, [_OPEN]),
        (A4, 2, {"reservation": {"name": "r"}}, []),
    ],
)
def test_what_a_rack_leaves_idle_or_open(machine: Any, nodes: int, capacity: dict[str, Any], warnings: list[str]):
    """A part of a rack leaves the rest idle, and a reservation without a sub-block may take any rack."""
    assert rack_warnings("x", nodes, GkeCapacity(**capacity), machine) == warnings
