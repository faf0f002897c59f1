"""GKE for SkyPilot: what would leave its pods on TCP is refused, and what it must be told is told."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.common.google.names import Place
from rdma_cluster.gke.plan.fabric import GkeNetworkMode, pool_fabric
from rdma_cluster.gke.plan.node_pool import GkeNodePoolPlan, plan_pool
from rdma_cluster.gke.plan.skypilot import check_skypilot, mode_with, sky_configuration, skypilot_warnings

BY_NAME = GkeNetworkMode.POD_NETWORKS


def pool(name: str, machine: str = "a3-ultragpu-8g", **capacity: Any) -> Any:
    """As a stack lists it, of a reservation unless another source is given."""
    source = capacity or {"reservation": {"name": "r"}}
    return {"name": name, "machine": machine, "nodes": 2, "capacity": source}


def plan(*args: Any, **capacity: Any) -> GkeNodePoolPlan:
    """The plan of the same pool."""
    listed, place = pool(*args, **capacity), Place("p", "us-west8-c", "us-west8")
    made = plan_pool(listed, pool_fabric(listed, BY_NAME), place, "1.35", ErrorList())
    assert made is not None
    return made


def test_mode():
    """Networks by name where nobody chose, and for SkyPilot alone."""
    asked = [mode_with(skypilot, mode) for mode in (None, GkeNetworkMode.MANAGED) for skypilot in (True, False)]

    assert asked == [BY_NAME, None, GkeNetworkMode.MANAGED, GkeNetworkMode.MANAGED]


@pytest.mark.parametrize(
    ("mode", "pools", "paths"),
    [
        (BY_NAME, [pool("a"), pool("b")], []),
        (GkeNetworkMode.DRANET, [pool("a")], ["network.mode: got dranet"]),
        (None, [pool("a")], ["network.mode: got none"]),
        (BY_NAME, [pool("a"), pool("b", "a4-highgpu-8g")], ["pools[1].machine: got a4-highgpu-8g beside"]),
        (
            BY_NAME,
            [pool("a", "a4x-highgpu-4g"), pool("b", "a4x-highgpu-4g")],
            ["pools[0].machine: got a4x-highgpu-4g", "pools[1].machine: got a4x-highgpu-4g"],
        ),
    ],
)
def test_what_would_run_on_tcp_is_refused(mode: GkeNetworkMode | None, pools: list[Any], paths: list[str]):
    """Another mode, a second machine, a rack; without SkyPilot all of it is allowed."""
    errors, without = ErrorList(), ErrorList()
    check_skypilot(True, mode, pools, errors)
    check_skypilot(False, mode, pools, without)

    told = [str(each) for each in errors.found()]
    assert [line.startswith(path) for line, path in zip(told, paths, strict=True)] == [True] * len(paths)
    assert not without


def test_what_skypilot_must_be_told():
    """Of pools whose nodes come when a job asks, each by its name; a task of a queued one waits in the pool's queue."""
    pools = [plan("now"), plan("flex", flex_start=True), plan("later", queued=True), plan("spot", spot=True)]

    assert sky_configuration(pools) == {
        "context": {"autoscaler": "gke"},
        "tasks": {
            "flex": {"kubernetes": {"dws": {"enabled": True}}},
            "later": {"kubernetes": {"dws": {"enabled": True}, "kueue": {"local_queue_name": "later"}}},
        },
    }
    assert sky_configuration([plan("now"), plan("spot", spot=True)]) == {}


_UNSEEN = "SkyPilot sees no network while there is no node"
_NO_QUEUE = "nobody makes the queue"
_DAEMON = "SkyPilot 0.14.1 brings daemon"


@pytest.mark.parametrize(
    ("made", "queues", "words"),
    [
        (plan("a"), False, []),
        (plan("a", spot=True), False, []),
        (plan("a", flex_start=True), False, [_UNSEEN]),
        (plan("a", queued=True), False, [_UNSEEN, _NO_QUEUE]),
        (plan("a", queued=True), True, [_UNSEEN]),
        (plan("a", "a3-megagpu-8g"), True, [_DAEMON]),
        (plan("a", "a3-highgpu-8g", queued=True), False, [_UNSEEN, _NO_QUEUE, _DAEMON]),
    ],
)
def test_what_works_only_with_help(made: GkeNodePoolPlan, queues: bool, words: list[str]):
    """Each with the pool's name; a stack that is not for SkyPilot hears none of it."""
    warnings = skypilot_warnings(True, [made], queues)

    assert [warning.startswith(f"pool a: {word}") for warning, word in zip(warnings, words, strict=True)] == [
        True
    ] * len(words)
    assert skypilot_warnings(False, [made], queues) == []


@pytest.mark.parametrize(
    ("machine", "told"),
    [
        ("a3-highgpu-8g", "brings daemon v2.0.11 beside plugin v3.1.12, which Google publishes with v2.0.15"),
        ("a3-megagpu-8g", "brings daemon v1.0.17 beside plugin v1.0.15, which Google publishes with v1.0.21"),
    ],
)
def test_other_versions_than_googles_are_told(machine: str, told: str):
    """SkyPilot 0.14.1 starts a daemon of its own beside our plugin."""
    assert skypilot_warnings(True, [plan("a", machine)], False) == [f"pool a: SkyPilot 0.14.1 {told}"]
