"""A snapshot held against its plan: version, counts, daemons, objects and marks, each at its edge."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.claims import Target
from rdma_cluster.conform.expected import ExpectedDaemon
from rdma_cluster.conform.judge import unseen
from rdma_cluster.conform.snapshot import FORM
from tests.conform.pools import NODE, POOL, TAINT, judged, machine, promised, told


@pytest.mark.parametrize(
    ("planned", "seen", "kind"),
    [
        ("1.35", "v1.34.9-gke.100", "kubernetes"),
        ("1.35", "v1.35.0", None),
        ("1.10", "1.9.30", "kubernetes"),
        ("1.35", "2.0", "kubernetes newer"),
        ("1.35", "unknown", None),
    ],
)
def test_versions_are_compared_by_their_minor_numbers(planned: str, seen: str, kind: str | None):
    """An older one breaks a promise; what nobody can read is not judged."""
    found = judged(promised(kubernetes=planned), kubernetes=seen)

    assert [(each.kind, each.breaks) for each in found] == ([] if kind is None else [(kind, kind == "kubernetes")])


def daemon(name: str, version: str = "", pools: tuple[int, ...] = (0,)) -> ExpectedDaemon:
    """A daemon that must run."""
    return ExpectedDaemon(name, version, f"the work of {name}", pools)


def seen(name: str, wanted: int, ready: int, **version: str) -> dict[str, Any]:
    """A daemon that runs."""
    return {"name": name, "wanted": wanted, "ready": ready, **version}


@pytest.mark.parametrize(
    ("nodes", "daemons", "expected"),
    [
        (3, [seen("d", 3, 3)], []),
        (3, [seen("d", 2, 2)], [("daemon too few", "d", "3 nodes", "2")]),
        (2, [seen("d", 2, 2)], []),  # the third node is missing, and told as that
        (3, [seen("d", 3, 2)], [("daemon not ready", "d", "3", "2")]),
        (3, [seen("d", 3, 3), seen("d", 1, 0)], [("daemon not ready", "d", "1", "0")]),
        (3, [seen("other", 3, 3)], [("daemon missing", "d", "a DaemonSet", "none")]),
        (3, None, []),  # nobody looked
    ],
)
def test_a_daemon_runs_on_the_planned_nodes_that_are_there(nodes: int, daemons: Any, expected: list[Any]):
    for absent in ((), (daemon("absent"),)) if daemons else ((),):
        of = promised(replace(POOL, nodes=3), daemons=(*absent, daemon("d")))
        found = judged(of, {**NODE, "count": nodes}, **({} if daemons is None else {"daemons": daemons}))

        assert [each for each in told(found) if each[0].startswith("daemon")][len(absent) :] == expected


@pytest.mark.parametrize(
    ("planned", "versions", "differs"),
    [
        ("v1.4.0", ["1.4.0"], False),
        ("1.4.0", ["v1.4.0"], False),
        ("1.4.0", ["1.4.1"], True),
        ("1.4.0", ["1.3.0", "1.4.0"], False),
        ("", ["1.4.1"], False),
    ],
)
def test_either_spelling_of_a_daemons_version_is_one(planned: str, versions: list[str | None], differs: bool):
    daemons = [seen("d", 1, 1, **({} if each is None else {"version": each})) for each in versions]
    found = judged(promised(daemons=(daemon("d", planned),)), daemons=daemons)

    assert told(found) == ([("daemon version", "d", planned, "1.4.1")] if differs else [])


@pytest.mark.parametrize(
    ("shown", "kind"),
    [
        ({"ready": False}, "not ready"),
        ({"architecture": "arm64"}, "architecture"),
        ({"architecture": "amd64", "ready": True, "cpus": 224, "driver": "570.0"}, None),
        ({"cpus": 112}, "cpus"),
        ({"cpus": 0}, None),
        ({"driver": "569.99"}, "driver"),
        ({"driver": "unreadable"}, "driver"),
        ({"machine": "n2-standard-8", "ready": False, "driver": "1.0"}, "machine"),  # nothing else is promised of it
    ],
)
def test_what_a_node_is_differs_by_itself(shown: dict[str, Any], kind: str | None):
    found = judged(promised(), {**NODE, **shown})

    assert [(each.kind, each.where) for each in found] == ([] if kind is None else [(kind, (0, 0))])


def taint(key: str, effect: str = "NoSchedule", **value: str) -> dict[str, str]:
    """A taint of a node."""
    return {"key": key, "effect": effect, **value}


OWN = taint(TAINT, value="present")


@pytest.mark.parametrize(
    ("taints", "expected"),
    [
        ([OWN, taint("kubernetes.io/arch")], []),
        ([taint("kubernetes.io/arch")], [("taint missing", TAINT, f"{TAINT}=present", "none")]),
        ([taint("other", "NoExecute"), OWN], [("taint", "taint other", "none", "NoExecute")]),
        ([taint("other", "PreferNoSchedule"), OWN], []),
        ([OWN, taint("rdma-cluster/fabric", value="suspect")], [
            ("taint of ours", "rdma-cluster/fabric", "none", "suspect")]),
        ([OWN, taint("rdma-cluster/readiness", "PreferNoSchedule")], [
            ("taint of ours", "rdma-cluster/readiness", "none", "PreferNoSchedule")]),
    ],
)  # fmt: skip
def test_a_taint_differs_where_pods_do_not_tolerate_it(taints: list[dict[str, str]], expected: list[Any]):
    """The first promised one is on every node."""
    assert told(judged(promised(), {**NODE, "taints": taints})) == expected


LOOKED = {**NODE, "nics": [{"rdma": "mlx5_0", "mtu_bytes": 8896}], "devices": []}
"""A node that a pod saw, and of which drivers publish nothing."""


@pytest.mark.parametrize(
    ("claims", "nodes", "expected"),
    [
        (False, [NODE], ["PCI tree", "MTU"]),
        (False, [NODE, LOOKED], []),
        (False, [{**NODE, "nics": [{"rdma": "mlx5_0"}]}], ["MTU"]),
        (True, [LOOKED], []),
        (True, [LOOKED, NODE], ["what drivers publish"]),
        (True, [NODE], ["PCI tree", "what drivers publish", "MTU"]),
    ],
)
def test_one_node_that_a_pod_saw_stands_for_its_pool(claims: bool, nodes: list[Any], expected: list[str]):
    """Claims are judged on each node; an MTU is missed only where one is published."""
    pool = replace(POOL, target=Target() if claims else None)
    whole: Any = {"form": FORM, "nodes": nodes, "kubernetes": "1.35", "daemons": [], "templates": []}

    found = [each.removeprefix("pool a: ") for each in unseen(whole, promised(pool))]
    assert all(each.startswith(of) for each, of in zip(found, expected, strict=True))
    without = promised(replace(pool, machine=machine("p5.48xlarge")))
    assert len(unseen(whole, without)) == len([each for each in expected if each != "MTU"])


def test_lists_that_nobody_read_are_told_by_their_names():
    bare: Any = {"form": FORM, "nodes": []}

    assert [each.split()[0] for each in unseen(bare, promised())] == ["kubernetes", "daemons", "templates"]
