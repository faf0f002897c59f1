"""Queues take the last value that is allowed and refuse the first that is not, under its key."""

import json
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.addons.queues.plan import plan_queues_on
from tests.incluster.plans import paths
from tests.incluster.pools import BARE, GIB, NAMED

TARGET: dict[str, Any] = {
    "clusters": [{"name": "c", "cluster": {"server": "https://k.example"}}],
    "users": [{"name": "c", "user": {"token": "t"}}],
}
SENT: dict[str, Any] = {"manager": "lab", "clusters": [{"name": "c", "stack": "a/b/c"}], "queues": {"train": ["c"]}}
WEEK = 7 * 24 * 60


def told(**args: Any) -> list[str]:
    """Return what is refused of queues of two pools."""
    errors, options = ErrorList(), dict[str, Any](args)
    made = plan_queues_on(options, [GIB, NAMED], BARE, ["default"], errors, new=False)  # ty: ignore[invalid-argument-type]
    assert (made is None) == bool(errors)
    return [str(error) for error in errors.found()]


def clusters(count: int, **more: Any) -> dict[str, Any]:
    """Return the choice of a manager with so many clusters, which all have a queue."""
    names = [f"c{i}" for i in range(count)]
    return {"clusters": [{"name": name, "stack": "s", **more} for name in names], "queues": {"train": names}}


@pytest.mark.parametrize(
    ("fine", "wrong", "path"),
    [
        ({"ready_minutes": 1}, {"ready_minutes": 0}, "ready_minutes"),
        ({"ready_minutes": WEEK}, {"ready_minutes": WEEK + 1}, "ready_minutes"),
        ({"priorities": {"a": -(2**31)}}, {"priorities": {"a": -(2**31) - 1}}, "priorities.a"),
        ({"priorities": {"a": 1_000_000_000}}, {"priorities": {"a": 1_000_000_001}}, "priorities.a"),
        ({"priorities": {"a" * 63: 1}}, {"priorities": {"a" * 64: 1}}, f"priorities.{'a' * 64}"),
        ({"priorities": {"systems": 1}}, {"priorities": {"system-x": 1}}, "priorities.system-x"),
        (
            {"topology": {"gib": [f"l/{i}" for i in range(15)]}},
            {"topology": {"gib": [f"l/{i}" for i in range(16)]}},
            "topology.gib",
        ),
        ({"topology": {"named": []}}, {"topology": {"other": []}}, "topology.other"),
        ({"topology": {"gib": ["a", "b"]}}, {"topology": {"gib": ["a", "b", "a"]}}, "topology.gib[2]"),
        ({}, {"topology": {"gib": ["kubernetes.io/hostname"]}}, "topology.gib[0]"),
        ({"worker": {"queues": {"gib": "gib"}}}, {"worker": {"queues": {"gib": "named"}}}, "worker.queues.gib"),
        ({"worker": {"queues": {"a" * 63: "gib"}}}, {"worker": {"queues": {}}}, "worker.queues"),
        ({}, {"worker": {"queues": {"train": "gib"}, "kinds": []}}, "worker.kinds"),
    ],
)
def test_a_queue_of_a_cluster_keeps_to_the_limits_of_kueue(fine: dict[str, Any], wrong: dict[str, Any], path: str):
    assert told(**fine) == []
    assert paths(told(**wrong)) == [path]


@pytest.mark.parametrize(
    ("fine", "wrong", "path"),
    [
        ({"lost_minutes": WEEK}, {"lost_minutes": WEEK + 1}, "lost_minutes"),
        # A queue must not have the name of a pool's own, and Kueue sends its jobs to 20 clusters at the most.
        ({}, {"queues": {"gib": ["c"]}}, "queues.gib"),
        (clusters(20), clusters(21), "queues.train"),
        (clusters(1, stack="a" * 100), clusters(1, stack="a" * 101), "clusters[0].stack"),
        (clusters(1, stack="a/b/c"), clusters(1, stack="a/b/c/d"), "clusters[0].stack"),
    ],
)
def test_a_manager_keeps_to_the_limits_of_kueue(fine: dict[str, Any], wrong: dict[str, Any], path: str):
    assert told(dispatch={**SENT, **fine}) == []
    assert paths(told(dispatch={**SENT, **wrong})) == [f"dispatch.{path}"]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({}, ""),
        ({"users": [{"user": {"exec": {}}}, {"user": {}}]}, "plugin"),
        ({"users": [{"user": {}}, {"user": {"auth-provider": {}}}]}, "plugin"),
        ({"users": [{"user": {"client-key": "/hunter2"}}, {"user": {}}]}, "files"),
        ({"users": [{"user": {"tokenFile": "/k"}}]}, "files"),
        ({"clusters": [{"cluster": {"server": "https://k", "certificate-authority": "/c"}}]}, "files"),
        ({"clusters": [{"cluster": {"server": "http://k"}}, {"cluster": {"server": "https://k"}}]}, "server"),
        ({"clusters": [{"cluster": {}}]}, "is not what"),
        ({"users": [{}]}, "is not what"),
    ],
)
def test_a_kubeconfig_that_kueue_cannot_use_is_refused_and_not_shown(config: dict[str, Any], words: str):
    """One user or cluster that Kueue cannot use is enough."""
    dispatch = json.dumps({"kubeconfig": json.dumps({**TARGET, **config}), "gpus": {"train": 1}})
    found = told(dispatch={**SENT, "clusters": [{"name": "c", "dispatch": dispatch}]})

    assert paths(found) == ["dispatch.clusters[0].dispatch"] * bool(words)
    assert all(words in each and "hunter2" not in each for each in found)
