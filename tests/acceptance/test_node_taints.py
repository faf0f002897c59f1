"""Suspected nodes are tainted and labelled, good ones cleared; nobody else's taint is touched."""

import io
import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline import Graph, preview
from rdma_agent.acceptance import mark_nodes
from rdma_agent.names import FABRIC_LABEL
from rdma_cluster.fabrics import Launcher
from rdma_cluster.incluster.plan.acceptance.marker_policy import MARKER, MARKER_RULES, TOLERATION
from tests.acceptance.bench import Bench
from tests.acceptance.plans import args, containers, efa, only, plan
from tests.nccl.render import joined, log

GPU = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
OURS = {"key": "rdma-cluster/fabric", "value": "failed", "effect": "NoSchedule"}


class Nodes:
    """The API's nodes, with the rules of a merge patch and of versions."""

    def __init__(self) -> None:
        self.held: dict[str, Any] = {}
        self.asked: list[tuple[str, str]] = []
        self.conflicts = 0
        nodes = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(*nodes.get(self.path.rpartition("/")[2]))

            def do_PATCH(self) -> None:
                assert self.headers["Content-Type"] == "application/merge-patch+json"
                patch = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self._answer(*nodes.patch(self.path.rpartition("/")[2], patch))

            def _answer(self, code: int, body: Any) -> None:
                assert self.headers["Authorization"] == "Bearer of-the-pod"
                nodes.asked.append((self.command, self.path))
                raw = json.dumps(body).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def add(self, name: str, *taints: dict[str, str], **labels: str) -> None:
        spec = {"taints": list(taints)} if taints else {}
        self.held[name] = {"metadata": {"name": name, "labels": labels, "resourceVersion": "1"}, "spec": spec}

    def get(self, name: str) -> tuple[int, Any]:
        return (200, self.held[name]) if name in self.held else (404, {"reason": "NotFound"})

    def patch(self, name: str, patch: Any) -> tuple[int, Any]:
        node = self.held[name]
        if self.conflicts:
            self.conflicts -= 1
            return 409, {"reason": "Conflict"}
        assert patch["metadata"].pop("resourceVersion") == node["metadata"]["resourceVersion"]
        for label, value in patch["metadata"]["labels"].items():
            node["metadata"]["labels"].pop(label, None)
            node["metadata"]["labels"] |= {} if value is None else {label: value}
        node["spec"]["taints"] = patch["spec"]["taints"]
        return 200, node


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    made = Nodes()
    yield made
    made.server.shutdown()
    made.thread.join()
    made.server.server_close()


@pytest.fixture
def mark(nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    (tmp_path / "token").write_text("of-the-pod\n")

    def run(suspected_nodes: tuple[str, ...] = (), good: tuple[str, ...] = ()) -> int:
        monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps({"suspects": suspected_nodes, "good": good})))
        address = f"http://127.0.0.1:{nodes.server.server_address[1]}"
        return mark_nodes.main(["--server", address, "--credentials", str(tmp_path)])

    return run


def test_suspect_is_tainted(nodes: Nodes, mark: Callable[..., int]) -> None:
    """Beside the taints that it has."""
    nodes.add("bad", GPU)

    assert mark(suspected_nodes=("bad",)) == 0
    assert nodes.held["bad"]["spec"]["taints"] == [GPU, OURS]
    assert nodes.held["bad"]["metadata"]["labels"] == {"rdma-cluster/fabric": "failed"}


def test_good_node_is_cleared(nodes: Nodes, mark: Callable[..., int]) -> None:
    """Of ours alone; a node that has none is only looked at."""
    nodes.add("good", GPU, OURS, **{"rdma-cluster/fabric": "failed", "pool": "a"})
    nodes.add("clean", GPU, pool="a")

    assert mark(good=("good", "clean")) == 0
    assert nodes.held["good"]["spec"]["taints"] == [GPU]
    assert nodes.held["good"]["metadata"]["labels"] == {"pool": "a"}
    assert [verb for verb, path in nodes.asked if path.endswith("/clean")] == ["GET"]


def test_twice_is_once(nodes: Nodes, mark: Callable[..., int]) -> None:
    """A node that is marked is left alone."""
    nodes.add("bad")

    assert mark(suspected_nodes=("bad",)) == mark(suspected_nodes=("bad",)) == 0
    assert [verb for verb, _ in nodes.asked] == ["GET", "PATCH", "GET"]


def test_somebody_else_writes_meanwhile(nodes: Nodes, mark: Callable[..., int]) -> None:
    """Read again, and written again."""
    nodes.add("bad")
    nodes.conflicts = 2

    assert mark(suspected_nodes=("bad",)) == 0
    assert nodes.held["bad"]["spec"]["taints"] == [OURS]


def test_a_node_that_is_gone(nodes: Nodes, mark: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    """It is said, and the next one is marked."""
    nodes.add("bad")

    assert mark(suspected_nodes=("gone", "bad")) == 1
    assert "node gone: could not be tainted: HTTP Error 404" in capsys.readouterr().out
    assert nodes.held["bad"]["spec"]["taints"] == [OURS]


def test_what_is_said(nodes: Nodes, mark: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each node that was written or could not be; none for one that was as it should be."""
    nodes.add("bad")
    nodes.add("good", OURS, **{"rdma-cluster/fabric": "failed"})
    nodes.add("clean")

    assert mark(suspected_nodes=("bad",), good=("gone", "good", "clean")) == 1
    assert capsys.readouterr().out.splitlines() == [
        "node bad: tainted with rdma-cluster/fabric=failed:NoSchedule",
        "node gone: could not be cleared: HTTP Error 404: Not Found",
        "node good: cleared of rdma-cluster/fabric=failed:NoSchedule",
    ]


def test_a_label_or_a_taint_alone_is_made_whole(nodes: Nodes, mark: Callable[..., int]) -> None:
    """Whoever took one of the two away."""
    nodes.add("labelled", **{"rdma-cluster/fabric": "failed"})
    nodes.add("tainted", OURS)
    nodes.add("cleared", **{"rdma-cluster/fabric": "failed"})

    assert mark(suspected_nodes=("labelled", "tainted"), good=("cleared",)) == 0
    for name in ("labelled", "tainted"):
        assert nodes.held[name]["spec"]["taints"] == [OURS]
        assert nodes.held[name]["metadata"]["labels"] == {"rdma-cluster/fabric": "failed"}
    assert nodes.held["cleared"]["metadata"]["labels"] == {}


def test_asks_for_no_more_than_its_role_gives(nodes: Nodes, mark: Callable[..., int]) -> None:
    """Nodes by name, read and patched."""
    nodes.add("bad")
    mark(suspected_nodes=("bad",))

    assert set(nodes.asked) == {("GET", "/api/v1/nodes/bad"), ("PATCH", "/api/v1/nodes/bad")}
    assert MARKER_RULES == [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "patch"]}]


def blamed(made: Bench) -> dict[str, list[str]] | None:
    """What the verdict's container hands to the marker."""
    made.sandbox.program(
        "opt/rdma-cluster/rdma_agent.acceptance.mark_nodes.py",
        f"open({str(made.sandbox.root / 'blame')!r}, 'w').write(input())\n",
    )
    for one, two in ((0, 1), (1, 2)):
        members = [made.members[one], made.members[two]]
        made.sandbox.log(*members, joined(log(members, busbw=[40.0] * 4)).decode())
    ended = made.run()

    assert ended.code == 1
    assert ended.message.startswith("bandwidth: 40 GB/s out-of-place at 1 GiB, 4 of 4 rows below, in the test of node-")
    assert "(2 of 4 tests)" in ended.message.splitlines()[0]
    assert "2 of 4 tests failed" in ended.message
    assert (
        "\nnode node-1: 40 of 325.72 GB/s with node-0, 40 of 325.72 GB/s with node-2; explains 2 of 2 bad pairs"
        in ended.message
    )
    told = made.sandbox.lines("blame")
    return json.loads(told[0]) if told else None


@pytest.mark.parametrize("launcher", Launcher)
def test_who_is_blamed(tmp_path: Path, launcher: Launcher) -> None:
    """The node that both its neighbours blame; whoever had a bad test is not called good."""
    made = Bench(tmp_path, 4, launcher, [], taint_suspects=True)

    assert blamed(made) == {"suspects": ["node-1"], "good": ["node-3"]}


def test_nobody_is_marked_unless_asked_for(tmp_path: Path) -> None:
    """Off by default."""
    assert blamed(Bench(tmp_path, 4, Launcher.INDEXED_JOB, [])) is None


def test_only_the_judge_has_credentials() -> None:
    """The pod's account goes to the container that judges, and there is none where nobody is marked."""
    for given in (args(taint_suspects=True), efa(taint_suspects=True)):
        held = containers(only(given))

        assert "credentials" in {mount["name"] for mount in held["verdict"]["volumeMounts"]}
        assert "credentials" not in {mount["name"] for mount in held["test"]["volumeMounts"]}
    off = only(args()).job["spec"]["template"]["spec"]
    on = only(args(taint_suspects=True)).job["spec"]["template"]["spec"]
    assert "serviceAccountName" not in off
    assert (on["serviceAccountName"], on["automountServiceAccountToken"]) == (MARKER, False)


def test_a_marked_node_is_tested_again() -> None:
    """Or nothing would ever clear it."""
    assert TOLERATION in only(args()).job["spec"]["template"]["spec"]["tolerations"]


def acceptance(given: dict[str, Any]) -> Graph:
    """The component alone."""

    def program() -> None:
        from rdma_cluster.incluster import NcclAcceptance

        NcclAcceptance("t", given, None)  # ty: ignore[invalid-argument-type]

    return preview(program)


def test_rights_are_there_when_asked_for() -> None:
    """One role with two verbs, bound to the account that the test's namespace has."""
    token = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole"

    assert acceptance(args(taint_suspects=True)).one(token).inputs["rules"] == MARKER_RULES
    assert not acceptance(args()).of_type(token)
    assert plan(args(taint_suspects=True)).marks_nodes


def test_rights_are_bound_after_what_narrows_them() -> None:
    """A policy for the marker's own name in the test's namespace, of the marker's own key; and it denies."""
    graph = acceptance(args(taint_suspects=True))
    admission = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"
    policy, binding = graph.one(admission).inputs, graph.one(f"{admission}Binding")

    assert "'system:serviceaccount:rdma-acceptance:nccl-marker'" in policy["spec"]["matchConditions"][0]["expression"]
    assert FABRIC_LABEL == mark_nodes.FABRIC_LABEL
    assert binding.inputs["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}
    rights = graph.one("kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding")
    assert binding.urn in rights.dependencies
