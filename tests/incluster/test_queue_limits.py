"""Queues take the last value that is allowed and refuse the first that is not, under its key."""

import json
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.addons.queues.args import DispatchKind
from rdma_cluster.incluster.addons.queues.plan import plan_queues, plan_queues_on
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


def target(gpus: int = 8, **config: Any) -> str:
    """Return the output ``dispatch`` of a cluster."""
    return json.dumps({"kubeconfig": json.dumps({**TARGET, **config}), "gpus": {"train": gpus, "more": 8}})


def clusters(*names: str, **more: Any) -> list[dict[str, Any]]:
    """Return clusters of a manager, by their stacks."""
    return [{"name": name, "stack": "s", **more} for name in names]


@pytest.mark.parametrize(
    ("args", "path"),
    [
        ({"ready_minutes": 1}, ""),
        ({"ready_minutes": 0}, "ready_minutes"),
        ({"ready_minutes": WEEK}, ""),
        ({"ready_minutes": WEEK + 1}, "ready_minutes"),
        ({"priorities": {"a": -(2**31), "b": 1_000_000_000, "c": 0, "systems": 1}}, ""),
        ({"priorities": {"a": -(2**31) - 1}}, "priorities.a"),
        ({"priorities": {"a": 1_000_000_001}}, "priorities.a"),
        ({"priorities": {"a" * 63: 1}}, ""),
        ({"priorities": {"a" * 64: 1}}, f"priorities.{'a' * 64}"),
        ({"priorities": {"A": 1}}, "priorities.A"),
        ({"priorities": {"system-x": 1}}, "priorities.system-x"),
        ({"topology": {"gib": [f"l/{i}" for i in range(15)]}}, ""),
        ({"topology": {"gib": [f"l/{i}" for i in range(16)]}}, "topology.gib"),
        ({"topology": {"named": []}}, ""),
        ({"topology": {"other": []}}, "topology.other"),
        ({"topology": {"gib": ["a", "b", "a"]}}, "topology.gib[2]"),
        ({"topology": {"gib": ["a", "a b"]}}, "topology.gib[1]"),
        ({"topology": {"gib": ["kubernetes.io/hostname"]}}, "topology.gib[0]"),
        # A queue that a manager shares leads to a pool, and has the name of no other pool's queue.
        ({"worker": {"queues": {"train": "gib", "named": "named"}}}, ""),
        ({"worker": {"queues": {"gib": "named"}}}, "worker.queues.gib"),
        ({"worker": {"queues": {"train": "other"}}}, "worker.queues.train"),
        ({"worker": {"queues": {}}}, "worker.queues"),
        ({"worker": {"queues": {"a" * 63: "gib"}}}, ""),
        ({"worker": {"queues": {"a" * 64: "gib"}}}, f"worker.queues.{'a' * 64}"),
        ({"worker": {"queues": {"train": "gib"}, "kinds": []}}, "worker.kinds"),
    ],
    ids=str,
)
def test_a_queue_of_a_cluster_keeps_to_the_limits_of_kueue(args: dict[str, Any], path: str):
    assert paths(told(**args)) == [path] * bool(path)


NAMES = [f"c{i}" for i in range(21)]


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({}, ""),
        ({"manager": ""}, "manager"),
        ({"lost_minutes": 1}, ""),
        ({"lost_minutes": 0}, "lost_minutes"),
        ({"lost_minutes": WEEK}, ""),
        ({"lost_minutes": WEEK + 1}, "lost_minutes"),
        ({"kinds": []}, "kinds"),
        ({"kinds": [DispatchKind.JOB, DispatchKind.JOBSET, DispatchKind.JOB]}, "kinds[2]"),
        ({"queues": {"gib": ["c"]}}, "queues.gib"),
        ({"queues": {"train": ["c"], "none": []}}, "queues.none"),
        ({"queues": {"train": ["c", "c"]}}, "queues.train[1]"),
        ({"queues": {"train": ["c", "d"]}}, "queues.train[1]"),
        # Kueue sends the jobs of a queue to 20 clusters at the most.
        ({"clusters": clusters(*NAMES[:20]), "queues": {"train": NAMES[:20]}}, ""),
        ({"clusters": clusters(*NAMES), "queues": {"train": NAMES}}, "queues.train"),
        ({"clusters": clusters("c", "d")}, "clusters[1].name"),
        ({"clusters": clusters("c", dispatch=target())}, "clusters[0].dispatch"),
        ({"clusters": [{"name": "c"}]}, "clusters[0].stack"),
        ({"clusters": clusters("c", stack="a/b/c/d")}, "clusters[0].stack"),
        ({"clusters": clusters("c", stack="a" * 100)}, ""),
        ({"clusters": clusters("c", stack="a" * 101)}, "clusters[0].stack"),
        ({"clusters": [{"name": "c", "dispatch": target(1)}]}, ""),
        ({"clusters": [{"name": "c", "dispatch": target(0)}]}, "clusters[0].dispatch"),
        ({"clusters": [{"name": "c", "dispatch": target()}], "queues": {"other": ["c"]}}, "queues.other[0]"),
    ],
)
def test_a_manager_knows_its_clusters_and_each_has_a_queue(more: dict[str, Any], path: str):
    assert paths(told(dispatch={**SENT, **more})) == [f"dispatch.{path}"] * bool(path)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({}, ""),
        ({"users": [{"user": {"exec": {}}}, {"user": {}}]}, "plugin"),
        ({"users": [{"user": {}}, {"user": {"auth-provider": {}}}]}, "plugin"),
        ({"users": [{"user": {"client-key": "/hunter2"}}, {"user": {}}]}, "files"),
        ({"users": [{"user": {"client-certificate": "/k"}}]}, "files"),
        ({"users": [{"user": {"tokenFile": "/k"}}]}, "files"),
        ({"clusters": [{"cluster": {"server": "https://k", "certificate-authority": "/c"}}]}, "files"),
        ({"clusters": [{"cluster": {"server": "http://k"}}, {"cluster": {"server": "https://k"}}]}, "server"),
        ({"clusters": [{"cluster": {}}]}, "is not what"),
        ({"users": [{}]}, "is not what"),
        (None, "is not what"),
    ],
)
def test_a_kubeconfig_that_kueue_cannot_use_is_refused_and_not_shown(config: dict[str, Any] | None, words: str):
    """One user or cluster that Kueue cannot use is enough."""
    dispatch = "hunter2" if config is None else target(**config)
    found = told(dispatch={**SENT, "clusters": [{"name": "c", "dispatch": dispatch}]})

    assert paths(found) == ["dispatch.clusters[0].dispatch"] * bool(words)
    assert all(words in each and "hunter2" not in each for each in found)


POOL = {"name": "a", "machine": "a4-highgpu-8g", "nodes": 1}


@pytest.mark.parametrize(
    ("args", "path"),
    [
        ({}, ""),
        ({"pools": [{**POOL, "nodes": 0}]}, "pools[0].nodes"),
        ({"pool_label": None}, "pool_label"),
        ({"pool_label": "a b"}, "pool_label"),
        ({"pools": []}, "pools"),
        # A component without pools sends jobs at least, and needs no label.
        ({"pools": [], "pool_label": None, "dispatch": SENT}, ""),
        ({"pool_label": None, "dispatch": SENT}, "pool_label"),
        ({"namespaces": ["default", "kube-public"]}, ""),
        ({"namespaces": ["default", "kube-system"]}, "namespaces[1]"),
        ({"namespaces": ["kueue-system"]}, "namespaces[0]"),
        ({"namespaces": []}, "namespaces"),
        ({"taint": {"key": "a b", "value": "c"}}, "taint.key"),
        ({"registries": {"a b": "c"}}, "registries.a b"),
        ({"worker": {"queues": {"train": "a"}}}, "kubeconfig"),
        ({"worker": {"queues": {"train": "a"}}, "kubeconfig": '{"users": []}'}, ""),
        ({"worker": {"queues": {"train": "a"}}, "kubeconfig": "users: []"}, "kubeconfig"),
    ],
)
def test_a_component_of_its_own_says_where_its_pools_are(args: Any, path: str):
    given = {"pool_label": "pool", "pools": [POOL], **args}
    errors = ErrorList()
    made = plan_queues({key: value for key, value in given.items() if value is not None}, errors)  # ty: ignore[invalid-argument-type]

    assert (made is None) == bool(path)
    assert paths([str(each) for each in errors.found()]) == [path] * bool(path)
