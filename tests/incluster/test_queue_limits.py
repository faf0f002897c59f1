"""What queues may be called and how large they may be: the last value that is taken, and the first that is not."""

import json
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.addons.queues.args import DispatchKind
from rdma_cluster.incluster.addons.queues.plan import plan_queues, plan_queues_on
from tests.incluster.pools import BARE, GIB, NAMED

TARGET: dict[str, Any] = {
    "clusters": [{"name": "c", "cluster": {"server": "https://k.example"}}],
    "users": [{"name": "c", "user": {"token": "t"}}],
}
SENT: dict[str, Any] = {"manager": "lab", "clusters": [{"name": "c", "stack": "a/b/c"}], "queues": {"train": ["c"]}}


def told(**args: Any) -> list[str]:
    """What is refused of queues of two pools."""
    errors = ErrorList()
    options: Any = args
    made = plan_queues_on(options, [GIB, NAMED], BARE, ["default"], errors, new=False)
    assert (made is None) == bool(errors)
    return [str(error) for error in errors.found()]


def target(gpus: int = 8, **config: Any) -> str:
    """The output `dispatch` of a cluster."""
    return json.dumps({"kubeconfig": json.dumps({**TARGET, **config}), "gpus": {"train": gpus}})


def sent(**more: Any) -> list[str]:
    """What is refused of a cluster that sends jobs."""
    return [each.removeprefix("dispatch.") for each in told(dispatch={**SENT, **more})]


@pytest.mark.parametrize(
    ("args", "path"),
    [
        ({"ready_minutes": 1}, ""),
        ({"ready_minutes": 0}, "ready_minutes"),
        ({"ready_minutes": 7 * 24 * 60}, ""),
        ({"ready_minutes": 7 * 24 * 60 + 1}, "ready_minutes"),
        ({"priorities": {"a": -(2**31), "b": 1_000_000_000, "c": 0}}, ""),
        ({"priorities": {"a": -(2**31) - 1}}, "priorities.a"),
        ({"priorities": {"a": 1_000_000_001}}, "priorities.a"),
        ({"priorities": {"a" * 63: 1}}, ""),
        ({"priorities": {"a" * 64: 1}}, f"priorities.{'a' * 64}"),
        ({"priorities": {"A": 1}}, "priorities.A"),
        ({"priorities": {"systems": 1}}, ""),
        ({"priorities": {"system-x": 1}}, "priorities.system-x"),
        ({"topology": {"gib": [f"l/{i}" for i in range(15)]}}, ""),
        ({"topology": {"gib": [f"l/{i}" for i in range(16)]}}, "topology.gib"),
        ({"topology": {"named": []}}, ""),
        ({"topology": {"other": []}}, "topology.other"),
        ({"topology": {"gib": ["a", "b", "a"]}}, "topology.gib[2]"),
        ({"topology": {"gib": ["a", "a b"]}}, "topology.gib[1]"),
        # Twice the same wrong label is wrong twice, and not listed twice.
        ({"topology": {"gib": ["kubernetes.io/hostname"]}}, "topology.gib[0]"),
    ],
)
def test_queues_of_a_cluster(args: dict[str, Any], path: str):
    """Minutes, priorities and levels of the network."""
    assert [each.partition(": ")[0] for each in told(**args)] == [path] * bool(path)


@pytest.mark.parametrize(
    ("worker", "path"),
    [
        ({"queues": {"train": "gib"}}, ""),
        ({"queues": {"gib": "gib"}}, ""),
        ({"queues": {"gib": "named"}}, "queues.gib"),
        ({"queues": {"train": "other"}}, "queues.train"),
        ({"queues": {}}, "queues"),
        ({"queues": {"a" * 63: "gib"}}, ""),
        ({"queues": {"a" * 64: "gib"}}, f"queues.{'a' * 64}"),
        ({"queues": {"A": "gib"}}, "queues.A"),
        ({"queues": {"train": "gib"}, "kinds": []}, "kinds"),
    ],
)
def test_queues_that_a_manager_shares(worker: dict[str, Any], path: str):
    """Each leads to a pool, and has the name of no other pool's queue."""
    found = told(worker=worker)

    assert [each.partition(": ")[0] for each in found] == [f"worker.{path}"] * bool(path)


NAMES = [f"c{i}" for i in range(21)]


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({}, ""),
        ({"manager": ""}, "manager"),
        ({"lost_minutes": 1}, ""),
        ({"lost_minutes": 0}, "lost_minutes"),
        ({"lost_minutes": 7 * 24 * 60}, ""),
        ({"lost_minutes": 7 * 24 * 60 + 1}, "lost_minutes"),
        ({"queues": {"gib": ["c"]}}, "queues.gib"),
        ({"queues": {"train": ["c"], "none": []}}, "queues.none"),
        ({"queues": {"train": ["c", "c"]}}, "queues.train[1]"),
        ({"queues": {"train": ["c", "d"]}}, "queues.train[1]"),
        ({"clusters": [{"name": each, "stack": "s"} for each in NAMES[:20]], "queues": {"train": NAMES[:20]}}, ""),
        ({"clusters": [{"name": each, "stack": "s"} for each in NAMES], "queues": {"train": NAMES}}, "queues.train"),
        ({"clusters": [*SENT["clusters"], {"name": "d", "stack": "s"}]}, "clusters[1].name"),
        ({"clusters": [{"name": "c", "stack": "s", "dispatch": target()}]}, "clusters[0].dispatch"),
        ({"clusters": [{"name": "c"}]}, "clusters[0].stack"),
        ({"clusters": [{"name": "c", "stack": "a/b/c/d"}]}, "clusters[0].stack"),
        ({"clusters": [{"name": "c", "stack": "a" * 100}]}, ""),
        ({"clusters": [{"name": "c", "stack": "a" * 101}]}, "clusters[0].stack"),
        ({"clusters": [{"name": "c", "dispatch": target()}]}, ""),
        ({"clusters": [{"name": "c", "dispatch": target(1)}]}, ""),
        ({"clusters": [{"name": "c", "dispatch": target(0)}]}, "clusters[0].dispatch"),
        ({"clusters": [{"name": "c", "dispatch": target()}], "queues": {"other": ["c"]}}, "queues.other[0]"),
        ({"clusters": [{"name": "c", "dispatch": "hunter2"}]}, "clusters[0].dispatch"),
    ],
)
def test_queues_whose_jobs_go_elsewhere(more: dict[str, Any], path: str):
    """Each to 20 clusters at the most, all of which are known, and each of which has a queue."""
    assert [each.partition(": ")[0] for each in sent(**more)] == [path] * bool(path)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({}, ""),
        ({"users": [{"user": {"exec": {}}}, {"user": {}}]}, "asks a plugin"),
        ({"users": [{"user": {}}, {"user": {"auth-provider": {}}}]}, "asks a plugin"),
        ({"users": [{"user": {"client-key": "/k"}}, {"user": {}}]}, "names files"),
        ({"users": [{"user": {"client-certificate": "/k"}}]}, "names files"),
        ({"users": [{"user": {"tokenFile": "/k"}}]}, "names files"),
        ({"clusters": [{"cluster": {"server": "https://k", "certificate-authority": "/c"}}]}, "names files"),
        ({"clusters": [{"cluster": {"server": "http://k"}}, {"cluster": {"server": "https://k"}}]}, "has a server"),
        ({"clusters": [{"cluster": {}}]}, "is not what"),
        ({"users": [{}]}, "is not what"),
    ],
)
def test_a_kubeconfig_that_kueue_reads(config: dict[str, Any], words: str):
    """One user or cluster that it cannot use is enough; none of it is shown."""
    found = sent(clusters=[{"name": "c", "dispatch": target(**config)}])

    assert len(found) == bool(words)
    assert all(each.startswith(f"clusters[0].dispatch: {words}") for each in found)


def test_a_queue_of_no_gpus_among_others():
    """Is told, whatever the others have."""
    text = json.dumps({"kubeconfig": json.dumps(TARGET), "gpus": {"train": 8, "infer": 0}})

    assert sent(clusters=[{"name": "c", "dispatch": text}]) == [
        "clusters[0].dispatch: has a queue of no GPUs; write 1 or more, or leave the queue out"
    ]


def test_kinds_of_jobs():
    """At least one, each once; in the middle as at the end."""
    job, jobset, mpijob = DispatchKind.JOB, DispatchKind.JOBSET, DispatchKind.MPIJOB

    assert sent(kinds=[job, mpijob]) == []
    assert sent(kinds=[]) == ["kinds: empty; name at least one kind, or leave the key out"]
    assert sent(kinds=[job, jobset, job, mpijob]) == ["kinds[2]: job is listed twice; list each kind once"]


ALONE: dict[str, Any] = {"pool_label": "pool", "pools": [{"name": "a", "machine": "a4-highgpu-8g", "nodes": 1}]}


@pytest.mark.parametrize(
    ("args", "path"),
    [
        ({"pool_label": "pool", "pools": [{"name": "a", "machine": "a4-highgpu-8g", "nodes": 1}]}, ""),
        ({"pool_label": "pool", "pools": [{"name": "a", "machine": "a4-highgpu-8g", "nodes": 0}]}, "pools[0].nodes"),
        ({"pools": [{"name": "a", "machine": "a4-highgpu-8g", "nodes": 1}]}, "pool_label"),
        ({"pools": [], "dispatch": SENT}, ""),
        ({"pools": [], "pool_label": "pool"}, "pools"),
        ({**ALONE}, ""),
        ({**ALONE, "pool_label": "a b"}, "pool_label"),
        ({**ALONE, "namespaces": ["default", "kube-public"]}, ""),
        ({**ALONE, "namespaces": ["default", "kube-system"]}, "namespaces[1]"),
        ({**ALONE, "namespaces": ["kueue-system"]}, "namespaces[0]"),
        ({**ALONE, "namespaces": []}, "namespaces"),
        ({**ALONE, "taint": {"key": "a b", "value": "c"}}, "taint.key"),
        ({**ALONE, "registries": {"a b": "c"}}, "registries.a b"),
        ({**ALONE, "worker": {"queues": {"train": "a"}}}, "kubeconfig"),
        ({**ALONE, "worker": {"queues": {"train": "a"}}, "kubeconfig": '{"users": []}'}, ""),
        ({**ALONE, "worker": {"queues": {"train": "a"}}, "kubeconfig": "users: []"}, "kubeconfig"),
        # Who has pools besides needs their label.
        ({"pools": [{"name": "a", "machine": "a4-highgpu-8g", "nodes": 1}], "dispatch": SENT}, "pool_label"),
    ],
)
def test_a_component_of_its_own(args: Any, path: str):
    """Each of its pools has a node; without pools it sends jobs at least."""
    errors = ErrorList()
    made = plan_queues(args, errors)

    assert (made is None) == bool(path)
    assert [str(each).partition(": ")[0] for each in errors.found()] == [path] * bool(path)
