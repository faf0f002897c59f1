"""Suspected nodes are tainted and labelled, good ones cleared; nobody else's taint is touched."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline import Graph, Resource, preview
from rdma_agent.acceptance import mark_nodes
from rdma_agent.names import FABRIC_LABEL
from rdma_cluster.fabrics import Launcher
from rdma_cluster.incluster.plan.acceptance.marker_policy import MARKER, TOLERATION
from tests.acceptance.bench import Bench
from tests.acceptance.plans import args, containers, efa, only
from tests.nccl.render import joined, log
from tests.readiness.server import Server

GPU = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
OURS = {"key": "rdma-cluster/fabric", "value": "failed", "effect": "NoSchedule"}


class Nodes(Server):
    """An API server's nodes; somebody else writes a node before each of the next writes while ``conflicts`` lasts."""

    conflicts = 0

    def add(self, name: str, *taints: dict[str, str], **labels: str) -> None:
        """A node with these taints and labels."""
        self.put("/api/v1/nodes", name, metadata={"labels": labels}, spec={"taints": [*taints]} if taints else {})

    def open(self, path: str, method: str = "GET", body: Any = None, kind: str = "application/json") -> Any:
        if method == "PATCH" and self.conflicts:
            self.conflicts -= 1
            self.node(path.rpartition("/")[2])["metadata"]["resourceVersion"] += "1"
        return super().open(path, method, body, kind)

    def marks(self, name: str) -> tuple[Any, dict[str, str]]:
        """Taints and labels of a node."""
        node = self.node(name)
        return node["spec"].get("taints", []), node["metadata"]["labels"]


@pytest.fixture
def nodes() -> Nodes:
    return Nodes()


@pytest.fixture
def mark(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Runs the marker with the words of a judge."""

    def run(suspected_nodes: tuple[str, ...] = (), good: tuple[str, ...] = ()) -> int:
        monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps({"suspects": suspected_nodes, "good": good})))
        monkeypatch.setattr(mark_nodes, "Api", lambda *_: nodes)
        return mark_nodes.main([])

    return run


LABEL = {FABRIC_LABEL: "failed"}


def test_a_suspect_is_tainted_beside_the_taints_that_it_has(nodes: Nodes, mark: Callable[..., int]) -> None:
    """A node that is marked already is left alone."""
    nodes.add("bad", GPU)

    assert mark(suspected_nodes=("bad",)) == mark(suspected_nodes=("bad",)) == 0
    assert nodes.marks("bad") == ([GPU, OURS], LABEL)
    assert nodes.writes == ["PATCH /api/v1/nodes/bad"]


def test_a_good_node_is_cleared_of_our_taint_alone(nodes: Nodes, mark: Callable[..., int]) -> None:
    """A node that has none is only looked at."""
    nodes.add("good", GPU, OURS, **LABEL, pool="a")
    nodes.add("clean", GPU, pool="a")

    assert mark(good=("good", "clean")) == 0
    assert nodes.marks("good") == ([GPU], {"pool": "a"})
    assert nodes.writes == ["PATCH /api/v1/nodes/good"]


def test_a_node_that_somebody_else_writes_meanwhile_is_read_again(nodes: Nodes, mark: Callable[..., int]) -> None:
    nodes.add("bad")
    nodes.conflicts = 2

    assert mark(suspected_nodes=("bad",)) == 0
    assert nodes.marks("bad") == ([OURS], LABEL)


def test_a_line_is_printed_for_each_node_that_was_written_or_could_not_be(
    nodes: Nodes, mark: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    """A node that is gone keeps nobody else from its mark."""
    nodes.add("bad")
    nodes.add("good", OURS, **LABEL)
    nodes.add("clean")

    assert mark(suspected_nodes=("bad",), good=("gone", "good", "clean")) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["node bad", "node gone", "node good"]
    assert ["404" in line for line in lines] == [False, True, False]


def test_a_label_or_a_taint_alone_is_made_whole(nodes: Nodes, mark: Callable[..., int]) -> None:
    """Somebody may have taken one of the two away."""
    nodes.add("labelled", **LABEL)
    nodes.add("tainted", OURS)
    nodes.add("cleared", **LABEL)

    assert mark(suspected_nodes=("labelled", "tainted"), good=("cleared",)) == 0
    assert nodes.marks("labelled") == nodes.marks("tainted") == ([OURS], LABEL)
    assert nodes.marks("cleared") == ([], {})


def blamed(made: Bench) -> dict[str, list[str]] | None:
    """The words that the verdict's container hands to the marker."""
    made.sandbox.program(
        "opt/rdma-cluster/rdma_agent.acceptance.mark_nodes.py",
        f"open({str(made.sandbox.root / 'blame')!r}, 'w').write(input())\n",
    )
    for one, two in ((0, 1), (1, 2)):
        members = [made.members[one], made.members[two]]
        made.sandbox.log(*members, joined(log(members, busbw=[40.0] * 4)).decode())
    ended = made.run()

    assert ended.code == 1
    assert "\nnode node-1: 40 of 325.72 GB/s with node-0, 40 of 325.72 GB/s with node-2" in ended.message
    told = made.sandbox.lines("blame")
    return json.loads(told[0]) if told else None


@pytest.mark.parametrize("launcher", Launcher)
def test_the_node_that_both_its_neighbours_blame_is_a_suspect(tmp_path: Path, launcher: Launcher) -> None:
    """A node that had a bad test is not called good."""
    made = Bench(tmp_path, 4, launcher, [], taint_suspects=True)

    assert blamed(made) == {"suspects": ["node-1"], "good": ["node-3"]}


def test_nobody_is_marked_unless_asked_for(tmp_path: Path) -> None:
    assert blamed(Bench(tmp_path, 4, Launcher.INDEXED_JOB, [])) is None


def test_only_the_judge_has_credentials() -> None:
    """The pod's account goes to the container that judges, and there is none where nobody is marked."""
    for given in (args(taint_suspects=True), efa(taint_suspects=True)):
        held = containers(only(given))

        assert "credentials" in {mount["name"] for mount in held["verdict"]["volumeMounts"]}
        assert "credentials" not in {mount["name"] for mount in held["test"]["volumeMounts"]}
    off = only(args()).test["spec"]["template"]["spec"]
    on = only(args(taint_suspects=True)).test["spec"]["template"]["spec"]
    assert "serviceAccountName" not in off
    assert TOLERATION in off["tolerations"], "nothing would ever clear a marked node"
    assert (on["serviceAccountName"], on["automountServiceAccountToken"]) == (MARKER, False)


def acceptance(given: dict[str, Any]) -> Graph:
    """The component alone."""

    def program() -> None:
        from rdma_cluster.incluster import NcclAcceptance

        NcclAcceptance("t", given, None)  # ty: ignore[invalid-argument-type]

    return preview(program)


def named(graph: Graph, type_: str, name: str) -> Resource:
    """The object of a type that has this name."""
    return next(each for each in graph.of_type(type_) if each.inputs["metadata"]["name"] == name)


def test_rights_are_bound_after_what_narrows_them() -> None:
    """A policy for the marker's own account denies all but its own key."""
    graph = acceptance(args(taint_suspects=True))
    admission = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"
    policy, binding = (
        named(graph, admission, "rdma-acceptance-marker").inputs,
        named(graph, f"{admission}Binding", "rdma-acceptance-marker"),
    )

    assert "'system:serviceaccount:rdma-acceptance:nccl-marker'" in policy["spec"]["matchConditions"][0]["expression"]
    assert binding.inputs["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}
    rights = named(graph, "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding", "nccl-marker")
    assert binding.urn in rights.dependencies
