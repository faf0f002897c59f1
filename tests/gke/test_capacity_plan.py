"""What each source of capacity means for a GKE pool: its size, its place, its repair, and who shares it."""

from typing import Any

import pytest
from rdma_cluster.common.fingerprint import fingerprint
from tests.gke.plans import A4, MEGA, ONE_RACK, RACK, RESERVED, pool, pool_plan, refused, stack_plan

FUTURE = {"reservation": {"name": "r", "active": False}}
PARTS = {"reservation": {"name": "r", "project": "my-project", "block": "b", "sub_block": "s"}}


@pytest.mark.parametrize(
    ("capacity", "path"),
    [
        (RESERVED, "r"),
        (ONE_RACK, "r/reservationBlocks/b/reservationSubBlocks/s"),
        (PARTS, "projects/my-project/reservations/r/reservationBlocks/b/reservationSubBlocks/s"),
        ({"calendar": {"name": "may"}}, "may"),
        ({"spot": True}, None),
    ],
    ids=["whole", "part", "shared part", "calendar", "spot"],
)
def test_gke_resolves_a_reservation_by_its_path(capacity: dict[str, Any], path: str | None):
    assert pool_plan(capacity=capacity).reservation == path


def test_the_autoscaler_keeps_the_least_nodes_that_a_user_names():
    """The nodes are the same ones, so the proof of the fabric stands."""
    scaled = pool_plan(min_nodes=1)

    assert (scaled.min_nodes, scaled.nodes) == (1, 2)
    assert fingerprint(scaled, {}) == fingerprint(pool_plan(), {})


def test_a_future_reservation_changes_nothing_of_its_nodes():
    future = pool_plan(capacity=FUTURE)

    assert (future.begun, future.nodes, pool_plan().begun) == (False, 2, True)
    assert fingerprint(future, {}) == fingerprint(pool_plan(), {})


def test_flex_start_nodes_run_as_long_as_the_user_says():
    hours = [pool_plan(capacity={"flex_start": True, "max_run_hours": hours}).run_seconds for hours in (1, 168)]

    assert hours == [3_600, 604_800]
    assert pool_plan(capacity={"flex_start": True}).run_seconds is None
    assert refused(pool_plan, capacity={"flex_start": True, "max_run_hours": 0}) == ["capacity.max_run_hours"]


def test_a_run_time_beside_two_sources_is_no_second_error():
    two = {"spot": True, "flex_start": True, "max_run_hours": 5}

    assert refused(pool_plan, capacity=two) == ["capacity"]


def test_in_cluster_parts_know_which_nodes_come_later():
    """A test waits for no node that a reservation or a job still has to bring."""
    listed = (
        pool(name="now"),
        pool("a3-ultragpu-8g", "spot", capacity={"spot": True}),
        pool(name="later", capacity=FUTURE),
        pool(name="flex", capacity={"flex_start": True}),
        pool(name="asked", capacity={"queued": True}),
    )
    made = {each.name: each for each in stack_plan(*listed).in_cluster.pools}

    assert [name for name, each in made.items() if each.comes_later] == ["later", "flex", "asked"]
    assert [name for name, each in made.items() if each.skip_reason] == ["later", "flex", "asked"]
    assert [name for name, each in made.items() if each.scales_from_zero] == ["flex", "asked"]
    assert [name for name, each in made.items() if each.provisioning] == ["asked"]
    assert [name for name, each in made.items() if each.levels] == ["now", "later"]
    assert "reservation begins" in made["later"].skip_reason and "a job asks" in made["asked"].skip_reason


def test_pods_may_use_all_local_disks():
    (a4,), (mega,) = stack_plan().in_cluster.pools, stack_plan(MEGA).in_cluster.pools

    assert (a4.disk_gb, mega.disk_gb) == (32 * 375, 16 * 375)


def calendar(nodes: int, **named: str) -> dict[str, Any]:
    """A pool of a request in calendar mode."""
    return {**A4, "nodes": nodes, "capacity": {"calendar": {"name": "may", **named}}}


def rack(nodes: int, **named: str) -> dict[str, Any]:
    """A pool of a part of a rack."""
    return {**RACK, "nodes": nodes, "capacity": {"reservation": {**ONE_RACK["reservation"], **named}}}


@pytest.mark.parametrize(
    ("pools", "paths"),
    [
        ([calendar(40), calendar(40)], []),
        ([calendar(40), calendar(41)], ["pools[1].nodes"]),
        ([calendar(30), {**A4, "capacity": {"spot": True}}, calendar(50), calendar(1)], ["pools[3].nodes"]),
        ([calendar(1), calendar(81)], ["pools[1].nodes"]),
        ([calendar(80), calendar(80, name="june")], []),
        ([calendar(80), calendar(80, project="another")], []),
        ([calendar(80), {**A4, "nodes": 80, "capacity": {"reservation": {"name": "may"}}}], []),
        ([rack(9), rack(9)], []),
        ([rack(9), rack(10)], ["pools[1].nodes"]),
        ([rack(18), rack(18, sub_block="t"), rack(18, block="c"), rack(18, name="q"), rack(18, project="other-1")], []),
        ([{**RACK, "capacity": RESERVED}] * 2, []),
    ],
)
def test_pools_of_one_request_or_rack_share_its_nodes(pools: list[Any], paths: list[str]):
    """A request in calendar mode has 80 nodes and a rack 18, whichever pools take them."""
    listed = [{**each, "name": f"p{i}"} for i, each in enumerate(pools)]

    assert refused(stack_plan, *listed, network={"max_nodes": 250}) == paths
