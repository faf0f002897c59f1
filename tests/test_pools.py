"""What pools have in common on every cloud: how long they take, where their nodes come from, and how many may be."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog import Capacity, find
from rdma_cluster.catalog.quotas import EKS_NODE_GROUPS
from rdma_cluster.common.google.subnets import most_nodes, rail_prefix
from rdma_cluster.common.minimum_versions import (
    MinimumVersion,
    check_minimum_versions,
    check_node_version,
    check_offered,
    check_skew,
    unseen,
)
from rdma_cluster.common.pools import (
    capacity_warnings,
    check_nodes,
    create_minutes,
    held_until_proven,
    one_source,
    over,
    taints_of,
    update_minutes,
)
from tests.aks.plans import pool_plan

SOURCES = {"reservation": Capacity.RESERVATION, "spot": Capacity.SPOT, "on_demand": Capacity.ON_DEMAND}


def told(ask: Any, *words: Any) -> list[str]:
    """What is refused."""
    errors = ErrorList()
    ask(*words, errors)
    return [str(each) for each in errors.found()]


@pytest.mark.parametrize(("nodes", "minutes"), [(1, 60), (2, 61), (119, 119), (120, 120), (5000, 120)])
def test_a_large_pool_has_longer_to_come(nodes: int, minutes: int):
    """Reserved pools were seen to take over half an hour; two hours are enough for any."""
    assert create_minutes(nodes) == minutes


@pytest.mark.parametrize(("nodes", "minutes"), [(0, 60), (1, 60), (2, 120), (64, 3840)])
def test_nodes_are_made_anew_one_after_the_other(nodes: int, minutes: int):
    """An hour for each, and for a pool that has none now."""
    assert update_minutes(nodes) == minutes


@pytest.mark.parametrize(
    ("args", "source", "errors"),
    [
        ({"spot": True}, Capacity.SPOT, []),
        ({"spot": True, "on_demand": False, "reservation": None}, Capacity.SPOT, []),
        ({"reservation": {"name": "r"}}, Capacity.RESERVATION, []),
        ({}, None, ["empty; name exactly one of reservation, spot and onDemand"]),
        ({"spot": False}, None, ["empty; name exactly one of reservation, spot and onDemand"]),
        ({"spot": True, "on_demand": True}, None, ["got spot and onDemand; name exactly one capacity source"]),
        (
            {"reservation": {}, "spot": True},
            None,
            ["reservation: not allowed with spot: a spot node never uses a reservation; remove one of the two"],
        ),
        (
            {"reservation": {}, "spot": True, "on_demand": True},
            None,
            [
                "reservation: not allowed with spot: a spot node never uses a reservation; remove one of the two",
                "got spot and onDemand; name exactly one capacity source",
            ],
        ),
    ],
)
def test_nodes_come_from_one_source(args: dict[str, Any], source: Capacity | None, errors: list[str]):
    """Whichever is switched on; each error once, and none of what is off."""
    found = ErrorList()

    assert (one_source(args, SOURCES, found), [str(each) for each in found.found()]) == (source, errors)


@pytest.mark.parametrize(
    ("capacity", "nodes", "words"),
    [
        (Capacity.SPOT, 1, []),
        (Capacity.SPOT, 2, ["one preempted spot node stops every job"]),
        (Capacity.ON_DEMAND, 2, []),
        (Capacity.CALENDAR, 1, ["is published as sold by"]),
    ],
)
def test_what_may_go_wrong_with_a_source(capacity: Capacity, nodes: int, words: list[str]):
    """What a machine is not sold by, and jobs that span spot nodes."""
    machine = find("p5.48xlarge")
    assert machine is not None
    warnings = capacity_warnings("p", machine, capacity, nodes)

    assert len(warnings) == len(words) and all(word in text for word, text in zip(words, warnings, strict=True))


@pytest.mark.parametrize(("nodes", "fits"), [(0, False), (1, True), (5000, True), (5001, False)])
def test_nodes_of_a_pool(nodes: int, fits: bool):
    """One, and no more than Kubernetes is made for."""
    assert bool(told(check_nodes, nodes)) is not fits


@pytest.mark.parametrize(("nodes", "prefix"), [(1, 29), (4, 29), (5, 28), (12, 28), (13, 27), (252, 24), (253, 23)])
def test_a_rail_s_subnet_is_the_smallest_that_holds_its_nodes(nodes: int, prefix: int):
    """Google keeps four addresses of each, and has none below a /29."""
    assert rail_prefix(nodes) == prefix


@pytest.mark.parametrize(("nodes", "fits"), [(0, False), (1, True), (15_000, True), (15_001, False)])
def test_nodes_of_a_vpc(nodes: int, fits: bool):
    """As many as Google's quota of one network."""
    errors = ErrorList()

    assert (most_nodes(nodes, errors), bool(errors)) == ((nodes, False) if fits else (None, True))


@pytest.mark.parametrize(
    ("minor", "control_plane", "fits"),
    [("1.36", "1.36", True), ("1.33", "1.36", True), ("1.32", "1.36", False), ("1.37", "1.36", False)],
)
def test_a_node_is_as_new_as_its_control_plane_or_three_minors_older(minor: str, control_plane: str, fits: bool):
    """https://kubernetes.io/releases/version-skew-policy/."""
    assert bool(told(check_skew, "nodes", minor, control_plane)) is not fits


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ("1.36.1", ""),
        ("1.36.3", "raise kubernetes.version first"),
        ("1.37.0", "raise kubernetes.version first"),
        ("1.32.9", "take one of 1.33 to"),
        ("v1.36", "Cloud writes"),
    ],
)
def test_nodes_follow_their_control_plane(nodes: str, words: str):
    """First it, then they."""
    errors = told(check_node_version, nodes, "1.36.2", "Cloud")

    assert len(errors) == bool(words) and all(words in each for each in errors)


@pytest.mark.parametrize(
    ("version", "refused", "warned"),
    [("1.33", True, False), ("1.34.2", False, False), ("1.36", False, False), ("1.37", False, True)],
)
def test_minors_that_a_cloud_offers(version: str, refused: bool, warned: bool):
    """An older one is gone; of a newer one we only have not heard."""
    assert bool(told(check_offered, version, ("1.34", "1.36"), "Cloud")) is refused
    assert bool(unseen(version, ("1.34", "1.36"), "Cloud")) is warned


def test_a_quota_is_told_where_it_is_exceeded():
    """With where it stands; as many as it has are well."""
    most = EKS_NODE_GROUPS.default
    (told_,) = over(EKS_NODE_GROUPS, most + 1, "the stack has many")

    assert over(EKS_NODE_GROUPS, most, "the stack has many") == []
    assert (
        told_.startswith("the stack has many, and an account has ") and EKS_NODE_GROUPS.source.ref.split()[0] in told_
    )


@pytest.mark.parametrize(
    ("cluster", "nodes", "errors"),
    [
        ("1.36.2", "1.36.2", []),
        ("1.36.2", "1.33.0", []),
        ("1.36.2", "1.32.9", ["got nodes of 1.32, the control plane is 1.36.2; take one of 1.33 to 1.36.2"]),
        ("1.36.2", "1.36.3", ["got 1.36.3, newer than the control plane's 1.36.2; raise kubernetes.version first"]),
        # A control plane whose version is none is told elsewhere.
        ("newest", "1.36.3", []),
        ("newest", "v1", ["got 'v1'; Cloud writes 1.36 or 1.36.2"]),
    ],
)
def test_why_nodes_do_not_fit_their_control_plane(cluster: str, nodes: str, errors: list[str]):
    """In the cloud's own words, and one reason each."""
    assert told(check_node_version, nodes, cluster, "Cloud") == errors


@pytest.mark.parametrize(
    ("version", "errors"),
    [
        ("1.35", []),
        ("1.34.2", ["got 1.34.2; b needs Cloud 1.35 or later; y"]),
        ("1.34.1", ["got 1.34.1; a needs Cloud 1.34.2 or later; x", "got 1.34.1; b needs Cloud 1.35 or later; y"]),
    ],
)
def test_each_need_of_a_version(version: str, errors: list[str]):
    """From its own floor on."""
    needs = [MinimumVersion("a needs", "1.34.2", "x"), MinimumVersion("b needs", "1.35", "y")]

    assert told(check_minimum_versions, version, needs, "Cloud") == errors


def test_words_about_minors():
    """What is offered, and what has not been heard of."""
    assert told(check_offered, "1.33", ("1.34", "1.36"), "Cloud") == [
        "got 1.33; Cloud offers 1.34 to 1.36; choose one of these"
    ]
    assert unseen("1.37.1", ("1.34", "1.36"), "Cloud") == [
        "kubernetes.version: 1.37.1 is newer than 1.36, the newest that Cloud was seen to offer; "
        "where it is not offered `up` fails at the cluster, and nothing here was compared with it"
    ]


def test_words_about_sources():
    """By what a machine is sold, and both reasons where both are so."""
    machine = find("p5.48xlarge")
    assert machine is not None
    sold = ", ".join(each.value for each in machine.capacity)

    assert capacity_warnings("p", replace(machine, capacity=(Capacity.ON_DEMAND,)), Capacity.SPOT, 2) == [
        "pool p: p5.48xlarge is published as sold by on-demand; spot may find no capacity",
        "pool p: one preempted spot node stops every job that spans it",
    ]
    assert capacity_warnings("p", machine, Capacity.CALENDAR, 1) == [
        f"pool p: p5.48xlarge is published as sold by {sold}; calendar may find no capacity"
    ]


def test_nodes_that_are_held():
    """Only pools that are to be proven; their nodes register with the start-up taint beside the GPU's."""
    pools = held_until_proven([pool_plan(name=name) for name in ("a", "b", "c")], {"b", "d"})
    gpu = ("nvidia.com/gpu", "present", "NO_SCHEDULE")
    startup = ("startup-taint.cluster-autoscaler.kubernetes.io/rdma-fabric", "unproven", "NO_SCHEDULE")

    assert [(pool.name, pool.held) for pool in pools] == [("a", False), ("b", True), ("c", False)]
    assert [taints_of(pool) for pool in pools] == [[gpu], [gpu, startup], [gpu]]


def test_racks_of_a_pool():
    """One that is a rack has all its nodes in it; the others have none."""
    assert pool_plan(nodes=4).racks == ()
    assert pool_plan(machine="Standard_ND128isr_GB300_v6", nodes=4).racks == (4,)
