"""Pools have this in common on every cloud: how long they take, where their nodes come from, and how many may be."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog import Capacity
from rdma_cluster.common.minimum_versions import (
    MinimumVersion,
    check_minimum_versions,
    check_node_version,
    check_offered,
    unseen,
)
from rdma_cluster.common.pools import (
    capacity_warnings,
    check_nodes,
    create_minutes,
    held_until_proven,
    one_source,
    taints_of,
)
from tests.aks.plans import pool_plan
from tests.machines import known_machine

SOURCES = {"reservation": Capacity.RESERVATION, "spot": Capacity.SPOT, "on_demand": Capacity.ON_DEMAND}


def refused(ask: Any, *words: Any) -> list[str]:
    errors = ErrorList()
    ask(*words, errors)
    return [str(each) for each in errors.found()]


@pytest.mark.parametrize(("nodes", "minutes"), [(1, 60), (2, 61), (119, 119), (120, 120), (5000, 120)])
def test_a_large_pool_has_longer_to_come(nodes: int, minutes: int):
    """Reserved pools were seen to take over half an hour; two hours are enough for any."""
    assert create_minutes(nodes) == minutes


@pytest.mark.parametrize(
    ("args", "source", "errors"),
    [
        ({"spot": True, "on_demand": False, "reservation": None}, Capacity.SPOT, []),
        ({"reservation": {"name": "r"}}, Capacity.RESERVATION, []),
        ({"spot": False}, None, ["empty"]),
        ({"spot": True, "on_demand": True}, None, ["got spot and onDemand"]),
        ({"reservation": {}, "spot": True}, None, ["reservation: not allowed with spot"]),
        (
            {"reservation": {}, "spot": True, "on_demand": True},
            None,
            ["reservation: not allowed with spot", "got spot and onDemand"],
        ),
    ],
)
def test_nodes_come_from_one_source(args: dict[str, Any], source: Capacity | None, errors: list[str]):
    found = ErrorList()

    assert one_source(args, SOURCES, found) == source
    assert [any(map(str(each).startswith, errors)) for each in found.found()] == [True] * len(errors)


@pytest.mark.parametrize(
    ("capacity", "nodes", "words"),
    [
        (Capacity.SPOT, 1, []),
        (Capacity.SPOT, 2, ["one preempted spot node"]),
        (Capacity.ON_DEMAND, 2, []),
        (Capacity.CALENDAR, 1, ["calendar may find no capacity"]),
    ],
)
def test_a_plan_warns_of_a_source_that_may_fail(capacity: Capacity, nodes: int, words: list[str]):
    """A machine may not be sold by it, and a job may span spot nodes."""
    machine = known_machine("p5.48xlarge")
    warnings = capacity_warnings("p", machine, capacity, nodes)

    assert len(warnings) == len(words) and all(word in text for word, text in zip(words, warnings, strict=True))


@pytest.mark.parametrize(("nodes", "fits"), [(0, False), (1, True), (5000, True), (5001, False)])
def test_a_pool_has_a_node_and_no_more_than_kubernetes_is_made_for(nodes: int, fits: bool):
    assert bool(refused(check_nodes, nodes)) is not fits


@pytest.mark.parametrize(
    ("version", "is_refused", "warned"),
    [("1.33", True, False), ("1.34.2", False, False), ("1.36", False, False), ("1.37", False, True)],
)
def test_a_minor_that_a_cloud_no_longer_offers_is_refused_and_a_new_one_is_not(
    version: str, is_refused: bool, warned: bool
):
    assert bool(refused(check_offered, version, ("1.34", "1.36"), "Cloud")) is is_refused
    assert bool(unseen(version, ("1.34", "1.36"), "Cloud")) is warned


@pytest.mark.parametrize(
    ("cluster", "nodes", "words"),
    [
        ("1.36.2", "1.36.2", ""),
        ("1.36.2", "1.33.0", ""),
        ("1.36.2", "1.32.9", "take one of 1.33 to 1.36.2"),
        ("1.36.2", "1.36.3", "newer than the control plane's 1.36.2"),
        ("1.36.2", "1.37.0", "newer than the control plane's 1.36.2"),
        # A control plane whose version is none is refused elsewhere.
        ("newest", "1.36.3", ""),
        ("newest", "v1", "Cloud writes"),
    ],
)
def test_nodes_are_as_new_as_their_control_plane_or_three_minors_older(cluster: str, nodes: str, words: str):
    """https://kubernetes.io/releases/version-skew-policy/."""
    errors = refused(check_node_version, nodes, cluster, "Cloud")

    assert len(errors) == bool(words) and all(words in each for each in errors)


@pytest.mark.parametrize(("version", "needs"), [("1.35", []), ("1.34.2", ["b"]), ("1.34.1", ["a", "b"])])
def test_each_part_needs_a_version_of_its_own(version: str, needs: list[str]):
    minimum = [MinimumVersion("a needs", "1.34.2", "x"), MinimumVersion("b needs", "1.35", "y")]
    errors = refused(check_minimum_versions, version, minimum, "Cloud")

    assert [each for each in "ab" if any(f"{each} needs" in error for error in errors)] == needs


def test_only_nodes_that_are_to_be_proven_register_with_a_start_up_taint():
    pools = held_until_proven([pool_plan(name=name) for name in ("a", "b", "c")], {"b", "d"})
    gpu = ("nvidia.com/gpu", "present", "NO_SCHEDULE")
    startup = ("startup-taint.cluster-autoscaler.kubernetes.io/rdma-fabric", "unproven", "NO_SCHEDULE")

    assert [(pool.name, pool.held) for pool in pools] == [("a", False), ("b", True), ("c", False)]
    assert [taints_of(pool) for pool in pools] == [[gpu], [gpu, startup], [gpu]]
