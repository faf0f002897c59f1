"""A snapshot held against its plan, by hand: version, counts, daemons, objects and marks, each at its edge."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.conform.expected import ExpectedDaemon
from tests.conform.pools import A4, NODE, POOL, TAINT, judged, promised, told


@pytest.mark.parametrize(
    ("planned", "seen", "kind"),
    [
        ("1.35", "v1.34.9-gke.100", "kubernetes"),
        ("1.35", "v1.35.0", None),
        ("1.35.2", "1.35", None),
        ("1.35", "v1.36.0", "kubernetes newer"),
        ("1.10", "1.9.30", "kubernetes"),
        ("1.35", "2.0", "kubernetes newer"),
        ("1.35", "unknown", None),
        ("", "1.2", None),
    ],
)
def test_the_version_is_compared_by_its_minor(planned: str, seen: str, kind: str | None):
    """Number by number; what nobody can read is not judged."""
    found = judged(promised(kubernetes=planned), kubernetes=seen)

    assert told(found) == ([] if kind is None else [(kind, "Kubernetes", planned, seen)])
    assert all(each.where == () and each.breaks == (kind == "kubernetes") for each in found)


@pytest.mark.parametrize(("count", "kind"), [(2, "nodes missing"), (3, None), (4, "nodes beyond")])
def test_nodes_are_counted_by_pool(count: int, kind: str | None):
    """Several that show the same count as many as they are; those of another pool do not count."""
    of = promised(replace(POOL, nodes=3), replace(POOL, name="b", nodes=1))
    own = [{**NODE, "count": count - 1}, NODE]

    found = judged(of, own[0], {**NODE, "pool": 1}, own[1])

    assert told(found) == ([] if kind is None else [(kind, "nodes", "3", str(count))])
    assert [each.where for each in found] == ([] if kind is None else [(0,)])


def daemon(name: str, version: str = "", pools: tuple[int, ...] = (0,)) -> ExpectedDaemon:
    """One that must run."""
    return ExpectedDaemon(name, version, f"the work of {name}", pools)


def seen(name: str, wanted: int, ready: int, **version: str) -> dict[str, Any]:
    """One that runs."""
    return {"name": name, "wanted": wanted, "ready": ready, **version}


@pytest.mark.parametrize(
    ("nodes", "daemons", "expected"),
    [
        (3, [seen("d", 3, 3)], []),
        (3, [seen("d", 2, 2)], [("daemon too few", "d", "3 nodes", "2")]),
        (3, [seen("d", 9, 9)], []),
        (2, [seen("d", 2, 2)], []),  # the third node is missing, and told as that
        (4, [seen("d", 3, 3)], []),  # nor need it run on a node that nobody planned
        (3, [seen("d", 3, 2)], [("daemon not ready", "d", "3", "2")]),
        (3, [seen("d", 3, 3), seen("d", 1, 0)], [("daemon not ready", "d", "1", "0")]),
        (3, [seen("d", 1, 1), seen("d", 3, 3)], []),
        (3, [seen("other", 3, 3)], [("daemon missing", "d", "a DaemonSet", "none")]),
        (3, [], [("daemon missing", "d", "a DaemonSet", "none")]),
        (3, None, []),  # nobody looked
    ],
)
def test_daemons_run_on_the_nodes_that_are_there(nodes: int, daemons: Any, expected: list[Any]):
    """As many as the pool has and was planned with, and the largest where several have the name."""
    of = promised(replace(POOL, nodes=3), daemons=(daemon("d"),))
    others = {} if daemons is None else {"daemons": daemons}

    found = judged(of, {**NODE, "count": nodes}, **others)

    assert [each for each in told(found) if each[0].startswith("daemon")] == expected


def test_each_daemon_is_told_by_itself():
    """One that is missing hides no other, nor need it run on nodes that are; each says what its nodes lack."""
    of = promised(POOL, replace(POOL, name="b", nodes=3), daemons=(daemon("gone"), daemon("late", pools=(1,))))

    found = judged(of, NODE, {**NODE, "pool": 1, "count": 2}, daemons=[seen("late", 2, 1)])[:-1]  # a node is missing

    assert told(found) == [("daemon missing", "gone", "a DaemonSet", "none"), ("daemon not ready", "late", "2", "1")]
    assert [each.follows for each in found] == [
        "the nodes of its pools lack the work of gone",
        "nodes lack the work of late",
    ]
    assert found[1].remedy == "look at its pods: kubectl -n NAMESPACE describe pods"


@pytest.mark.parametrize(
    ("planned", "versions", "differs"),
    [
        ("1.4.0", ["1.4.0"], False),
        ("v1.4.0", ["1.4.0"], False),
        ("1.4.0", ["v1.4.0"], False),
        ("1.4.0", ["1.4.1"], True),
        ("1.4.0", ["1.3.0", "1.4.0"], False),
        ("1.4.0", [None, "1.4.1"], True),
        ("1.4.0", [None], False),
        ("", ["1.4.1"], False),
    ],
)
def test_versions_of_daemons(planned: str, versions: list[str | None], differs: bool):
    """Either spelling is one version; where nobody names one nothing is judged."""
    daemons = [seen("d", 1, 1, **({} if each is None else {"version": each})) for each in versions]

    found = judged(promised(daemons=(daemon("d", planned),)), daemons=daemons)

    assert told(found) == ([("daemon version", "d", planned, "1.4.1")] if differs else [])


def test_objects_that_are_missing():
    """Each by its name; of what nobody listed nothing is said."""
    of = promised(templates=("t1", "t2"), classes=("c1", "c2"))

    assert told(judged(of, templates=["t2", "more"], classes=["c1"])) == [
        ("template missing", "t1", "a template", "none"),
        ("class missing", "c2", "a class", "none"),
    ]
    assert told(judged(of, templates=["t1", "t2"])) == []
    assert told(judged(of, classes=["c1", "c2"])) == []


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ({}, []),
        ({"ready": True}, []),
        ({"ready": False}, [("not ready", "Ready", "true", "false")]),
        ({"architecture": "amd64"}, []),
        ({"architecture": "arm64"}, [("architecture", "processor", "amd64", "arm64")]),
        ({"cpus": 224}, []),
        ({"cpus": 112}, [("cpus", "processors", "224", "112")]),
        ({"cpus": 225}, [("cpus", "processors", "224", "225")]),
        ({"cpus": 0}, []),
        ({"driver": "570.0"}, []),
        ({"driver": "580.126.20"}, []),
        ({"driver": "569.99"}, [("driver", "GPU driver", ">=570", "569.99")]),
        ({"driver": "unreadable"}, [("driver", "GPU driver", ">=570", "unreadable")]),
        (
            {"machine": "n2-standard-8", "ready": False, "driver": "1.0"},  # no promise is about such a machine
            [("machine", "machine", "a4-highgpu-8g", "n2-standard-8")],
        ),
    ],
)
def test_what_a_node_is(shown: dict[str, Any], expected: list[Any]):
    """Machine, readiness, processor, driver: each differs by itself, and what is not told does not."""
    found = judged(promised(), {**NODE, **shown})

    assert told(found) == expected
    assert all(each.where == (0, 0) for each in found)


@pytest.mark.parametrize(
    ("rule", "driver", "differs"),
    [
        ("580", "579.1", True),
        ("580", "580.0", False),
        ("580", "590.1", False),
        (None, "1.0", False),
        ("R580", "1", False),
    ],
)
def test_a_later_driver_serves_as_well(rule: str | None, driver: str, differs: bool):
    """Whether the row names an image's own branch or the least one; a rule of another form is not judged."""
    of = promised(replace(POOL, machine=replace(A4, driver=rule)))

    assert [each.kind for each in judged(of, {**NODE, "driver": driver})] == (["driver"] if differs else [])


def taint(key: str, effect: str = "NoSchedule", **value: str) -> dict[str, str]:
    """As a node has it."""
    return {"key": key, "effect": effect, **value}


OWN = taint(TAINT, value="present")


@pytest.mark.parametrize(
    ("taints", "expected"),
    [
        ([OWN], []),
        ([OWN, taint("kubernetes.io/arch")], []),
        ([taint("kubernetes.io/arch")], [("taint missing", TAINT, f"{TAINT}=present", "none")]),
        ([], [("taint missing", TAINT, f"{TAINT}=present", "none")]),
        ([taint("other"), OWN], [("taint", "taint other", "none", "NoSchedule")]),
        ([taint("other", "PreferNoSchedule"), OWN], []),
        ([OWN, taint("other", "NoExecute")], [("taint", "taint other", "none", "NoExecute")]),
        (
            [OWN, taint("rdma-cluster/fabric", value="suspect")],
            [("taint of ours", "rdma-cluster/fabric", "none", "suspect")],
        ),
        (
            [OWN, taint("rdma-cluster/readiness", "PreferNoSchedule")],
            [("taint of ours", "rdma-cluster/readiness", "none", "PreferNoSchedule")],
        ),
    ],
)
def test_taints(taints: list[dict[str, str]], expected: list[Any]):
    """The first that is promised is on every node; of others those that pods do not tolerate are told."""
    assert told(judged(promised(), {**NODE, "taints": taints})) == expected


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"nvidia.com/gpu.present": "true"}, []),
        ({"nvidia.com/gpu.present": "false"}, [("label missing", "label nvidia.com/gpu.present", "true", "false")]),
        ({}, [("label missing", "label nvidia.com/gpu.present", "true", "none")]),
        (None, []),
    ],
)
def test_labels_that_are_switches(labels: dict[str, str] | None, expected: list[Any]):
    """No other label is judged: neither one with a value of its own nor one that no snapshot holds."""
    switches = {"nvidia.com/gpu.present": "true", "vpc.amazonaws.com/efa.present": "p5", "own.example/on": "true"}
    of = promised(replace(POOL, labels=switches))

    assert told(judged(of, {**NODE, **({} if labels is None else {"labels": labels})})) == expected
