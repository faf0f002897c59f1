"""What each source of capacity means for a GKE pool: its size, its start, its run time and what is refused of it."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog.machine import Capacity
from rdma_cluster.gke.plan.calendar_requests import check_calendar_requests
from rdma_cluster.gke.plan.capacity import (
    GkeCapacity,
    PoolCapacity,
    has_begun,
    plan_capacity,
    scales_from_zero,
    why_no_nodes,
)

ZONE = "us-west8-c"


def planned(capacity: dict[str, Any], nodes: int = 2, min_nodes: int | None = None) -> tuple[PoolCapacity, list[str]]:
    """The capacity of a pool of two nodes, and what is refused of it."""
    errors = ErrorList()
    made = plan_capacity(GkeCapacity(**capacity), nodes, min_nodes, ZONE, errors)
    return made, [str(each) for each in errors.found()]


@pytest.mark.parametrize(
    ("capacity", "min_nodes", "expected"),
    [
        ({"reservation": {"name": "r", "zone": ZONE}}, None, PoolCapacity(Capacity.RESERVATION, "r", True, None, None)),
        ({"reservation": {"name": "r"}}, 0, PoolCapacity(Capacity.RESERVATION, "r", True, 0, None)),
        ({"calendar": {"name": "c"}}, 2, PoolCapacity(Capacity.CALENDAR, "c", True, 2, None)),
        ({"calendar": {"name": "c", "active": False}}, None, PoolCapacity(Capacity.CALENDAR, "c", False, None, None)),
        ({"spot": True}, None, PoolCapacity(Capacity.SPOT, None, True, None, None)),
        ({"spot": True}, 1, PoolCapacity(Capacity.SPOT, None, True, 1, None)),
        ({"on_demand": True}, None, PoolCapacity(Capacity.ON_DEMAND, None, True, None, None)),
        ({"flex_start": True}, None, PoolCapacity(Capacity.FLEX_START, None, True, 0, None)),
        ({"flex_start": True, "max_run_hours": 1}, 0, PoolCapacity(Capacity.FLEX_START, None, True, 0, 3_600)),
        ({"queued": True}, None, PoolCapacity(Capacity.QUEUED, None, True, 0, None)),
    ],
)
def test_each_source_is_planned(capacity: dict[str, Any], min_nodes: int | None, expected: PoolCapacity):
    """A fixed size unless the autoscaler is asked for; a pool that a job fills starts from 0 and has no fixed part."""
    assert planned(capacity, min_nodes=min_nodes) == (expected, [])


@pytest.mark.parametrize(
    ("capacity", "scales", "reason"),
    [
        ({"reservation": {"name": "r"}}, False, ""),
        ({"reservation": {"name": "r", "active": True}}, False, ""),
        ({"reservation": {"name": "r", "active": False}}, False, "the pool has no nodes until its reservation begins"),
        ({"calendar": {"name": "r", "active": False}}, False, "the pool has no nodes until its reservation begins"),
        ({"spot": True}, False, ""),
        ({"on_demand": True}, False, ""),
        ({"flex_start": True}, True, "a flex-start pool has no nodes until a job asks for them"),
        ({"queued": True}, True, "a queued pool has no nodes until a job asks for them"),
        ({"flex_start": False, "queued": True}, True, "a queued pool has no nodes until a job asks for them"),
        ({"queued": False, "spot": True}, False, ""),
    ],
)
def test_when_nodes_come(capacity: dict[str, Any], scales: bool, reason: str):
    """A job brings nodes of flex-start and of queues alone; a reservation brings its own once it has begun."""
    args = GkeCapacity(**capacity)

    assert (scales_from_zero(args), why_no_nodes(args)) == (scales, reason)
    assert has_begun(args) is (reason != "the pool has no nodes until its reservation begins")


@pytest.mark.parametrize(
    ("capacity", "paths"),
    [
        ({"reservation": {"name": "r", "sub_block": "a/b"}}, ["sub_block", "sub_block"]),
        ({"reservation": {"name": "r", "block": "R", "sub_block": "S"}}, ["block", "sub_block"]),
        ({"reservation": {"name": "r", "block": "b", "sub_block": "s"}}, []),
        ({"calendar": {"name": "r" * 63}}, []),
        ({"calendar": {"name": "r" * 64}}, ["name"]),
    ],
)
def test_each_part_of_a_reservation_is_checked(capacity: dict[str, Any], paths: list[str]):
    """A part that is left out hides no error of the next one."""
    (source,) = capacity
    _, told = planned(capacity)

    assert [each.partition(": ")[0] for each in told] == [f"capacity.{source}.{path}" for path in paths]


def test_a_run_time_beside_two_sources_is_no_second_error():
    """Nobody knows yet which source it is of."""
    _, told = planned({"spot": True, "flex_start": True, "max_run_hours": 5})

    assert told == ["capacity: got spot and flexStart; name exactly one capacity source"]


@pytest.mark.parametrize(("hours", "refused"), [(0, True), (1, False), (168, False), (169, True)])
def test_flex_start_runs_for_a_week_at_the_most(hours: int, refused: bool):
    """Google takes a node back after seven days at the latest."""
    _, told = planned({"flex_start": True, "max_run_hours": hours})

    assert told == (
        [f"capacity.max_run_hours: got {hours}; flex-start runs a node for 1 to 168 hours"] if refused else []
    )


@pytest.mark.parametrize(("nodes", "refused"), [(80, False), (81, True)])
def test_a_calendar_request_is_for_eighty_nodes(nodes: int, refused: bool):
    """A reservation of another kind may be larger."""
    assert bool(planned({"calendar": {"name": "r"}}, nodes)[1]) is refused
    assert planned({"reservation": {"name": "r"}}, nodes)[1] == []


_CALENDAR = {"calendar": {"name": "may"}}
_RACK = {"reservation": {"name": "r", "block": "b", "sub_block": "s"}}


def pool(nodes: int, capacity: dict[str, Any], machine: str = "a4-highgpu-8g") -> Any:
    """As a stack lists it."""
    return {"name": "x", "machine": machine, "nodes": nodes, "capacity": capacity}


def rack(nodes: int, **named: str) -> Any:
    """A pool of A4X, of which a rack has 18 nodes."""
    return pool(nodes, {"reservation": {**_RACK["reservation"], **named}}, "a4x-highgpu-4g")


@pytest.mark.parametrize(
    ("pools", "refused"),
    [
        ([pool(40, _CALENDAR), pool(40, _CALENDAR)], []),
        ([pool(40, _CALENDAR), pool(41, _CALENDAR)], [1]),
        ([pool(30, _CALENDAR), pool(2, {"spot": True}), pool(50, _CALENDAR), pool(1, _CALENDAR)], [3]),
        # More than one request has at all is an error of the pool alone.
        ([pool(81, _CALENDAR)], []),
        ([pool(40, _CALENDAR), pool(81, _CALENDAR)], []),
        ([pool(80, _CALENDAR), pool(80, {"calendar": {"name": "june"}})], []),
        ([pool(80, _CALENDAR), pool(80, {"calendar": {"name": "may", "project": "another"}})], []),
        ([pool(80, _CALENDAR), pool(80, {"reservation": {"name": "may"}})], []),
        ([rack(9), rack(9)], []),
        ([rack(9), rack(10)], [1]),
        ([rack(17), rack(18)], [1]),
        ([rack(18), rack(18, sub_block="t")], []),
        ([rack(18), rack(18, block="c")], []),
        ([rack(18), rack(18, name="q")], []),
        ([rack(18), rack(18, project="another")], []),
        ([rack(18), pool(18, _RACK)], []),
        ([pool(18, {"reservation": {"name": "r"}}, "a4x-highgpu-4g")] * 2, []),
        ([pool(18, {"spot": True}, "a4x-highgpu-4g")] * 2, []),
        ([pool(18, _RACK, "no-machine")] * 2, []),
    ],
)
def test_pools_of_one_request_or_rack_share_its_nodes(pools: list[Any], refused: list[int]):
    """A request in calendar mode has 80 nodes and a rack 18, whichever pools take them; of others each has its own."""
    errors = ErrorList()
    check_calendar_requests(pools, errors)

    assert [each.path for each in errors.found()] == [(i, "nodes") for i in refused]


def test_what_is_shared_is_told():
    """Of the pools before it a pool learns how many nodes they take, and of what."""
    errors = ErrorList()
    check_calendar_requests([pool(40, _CALENDAR), pool(41, _CALENDAR), rack(9), rack(10)], errors)

    assert [each.reason for each in errors.found()] == [
        "got 41 beside 40 of the same calendar may; one request in calendar mode is for 80 nodes at the most; name "
        "another in this pool's capacity",
        "got 10 beside 9 of the same sub-block s, which is one rack of 18 nodes; name another in this pool's capacity",
    ]
