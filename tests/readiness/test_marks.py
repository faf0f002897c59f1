"""What is written onto a node, what a report says of it, and what `up`'s test writes by the same functions."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.readiness.in_pod import load
from tests.readiness.server import Server

proof, marks = load("proof"), load("mark_proofs")

GPU = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
UNPROVEN = {"key": proof.STARTUP_TAINT, "value": "unproven", "effect": "NoSchedule"}
SHOWN = proof.Proof(4, "prover", "b", "f00d", ("p",), 345.5, 330.0, ((1, 390.0),))
TRIED = proof.Attempts("b", "t", ("p",), 2, 1, 99, "why")


def node(*taints: dict[str, str], label: str | None = None, annotations: Any = None) -> dict[str, Any]:
    """A node as the API server has it."""
    metadata = {
        "name": "n",
        "resourceVersion": "7",
        "labels": {"pool": "a"} | ({proof.FABRIC_LABEL: label} if label else {}),
    }
    return {"metadata": metadata | ({"annotations": annotations} if annotations else {}), "spec": {"taints": [*taints]}}


def test_a_patch_says_all_that_is_ours_and_nothing_else():
    """Taints of others stay in their order; the version protects a list that was written meanwhile."""
    other = {"key": "x", "effect": "NoExecute"}
    patch = proof.failed(TRIED).patch(node(GPU, UNPROVEN, other))

    assert patch["spec"] == {"taints": [GPU, other, {**UNPROVEN, "value": "failed"}]}
    assert patch["metadata"]["resourceVersion"] == "7"
    assert patch["metadata"]["labels"] == {proof.FABRIC_LABEL: "failed"}
    assert patch["metadata"]["annotations"].keys() == {proof.ATTEMPTS}


def test_a_proof_takes_the_place_of_what_was_tried():
    """It clears both taints of ours: the one of nodes that are not held has the label's key."""
    patch = proof.proven(SHOWN, None).patch(node({**UNPROVEN, "key": proof.FABRIC_LABEL}, UNPROVEN, GPU))

    assert patch["spec"] == {"taints": [GPU]}
    assert patch["metadata"]["labels"] == {proof.FABRIC_LABEL: "f00d"}
    assert patch["metadata"]["annotations"][proof.ATTEMPTS] is None
    assert proof.proof_of(patch["metadata"]["annotations"]).history == ()


def test_a_node_that_carries_the_mark_is_not_written():
    """The order of its taints does not matter; any part that differs is written."""
    mark = proof.held(TRIED)
    written = mark.patch(node(GPU, UNPROVEN))["metadata"]["annotations"]

    assert mark.patch(node(GPU, UNPROVEN, annotations=written)) is None
    assert mark.patch(node(UNPROVEN, GPU, annotations=written)) is None
    assert mark.patch(node(GPU, annotations=written)) is not None
    assert mark.patch(node(GPU, UNPROVEN, label="f00d", annotations=written)) is not None
    assert mark.patch(node(GPU, UNPROVEN)) is not None
    assert mark.patch(node(GPU, dict(reversed(UNPROVEN.items())), annotations=written)) is None
    assert mark.patch(node(GPU, UNPROVEN, annotations=written | {proof.PROOF: "of before"})) is None


def test_an_annotation_reads_as_other_versions_write_it():
    """Provers of other versions and the command that lists proofs read it."""
    patch = proof.Mark(None, "f00d", SHOWN, TRIED).patch(node())

    assert patch["metadata"]["annotations"] == {
        "rdma-cluster/proof": (
            '{"at":4,"by":"prover","boot":"b","fingerprint":"f00d","beside":["p"],"busbw":345.5,"floor":330.0,'
            '"history":[[1,390.0]]}'
        ),
        "rdma-cluster/prover": ('{"boot":"b","last":"t","failed_with":["p"],"tests":2,"lost":1,"next":99,"why":"why"}'),
    }


def test_figures_by_size_stand_apart_so_that_readers_of_before_read_the_proof():
    """They are those of one proof: one that an older judge wrote later leaves them behind, and they are not shown."""
    mark = proof.proven(SHOWN, None, ((1 << 30, 322.2), (8 << 30, 345.5)))
    annotations = mark.patch(node())["metadata"]["annotations"]

    assert json.loads(annotations["rdma-cluster/proof"]).keys() == vars(SHOWN).keys()
    assert annotations["rdma-cluster/measured"] == '{"at":4,"busbw":[[1073741824,322.2],[8589934592,345.5]]}'
    assert proof.measured_of(annotations, SHOWN) == mark.measured
    later = proof.Proof(5, "up", "b", "f00d")
    assert proof.measured_of(annotations, later) == proof.measured_of({}, SHOWN) == ()
    assert (
        proof.proven(later, None).patch(node(annotations=annotations))["metadata"]["annotations"][
            "rdma-cluster/measured"
        ]
        is None
    )


def test_the_history_keeps_the_last_eight_proofs():
    shown = proof.Proof(0, "up", "b", "f", busbw=100.0)
    for at in range(1, 20):
        shown = proof.renewed(proof.Proof(at, "prover", "b", "f", busbw=100.0 + at), shown)

    assert shown.history == tuple((at, 100.0 + at) for at in range(11, 19))


NAMES = ("n0", "n1", "n2", "n3")


def report(*bad: tuple[int, int], suspects: tuple[int, ...] = ()) -> Any:
    """The report of a ring of four whose pairs are well but these; each pair has another figure."""
    edges = ((0, 1), (1, 2), (2, 3), (0, 3))
    pairs = tuple((*edge, 0.0 if edge in bad else 100.0 + i, edge not in bad) for i, edge in enumerate(edges))
    return proof.Report(NAMES, pairs, suspects, 90.0)


def run(*hosts: str, busbw: float | None = 100.0) -> Any:
    """A run as the judge's reader makes it of the log of a pair."""
    row = None if busbw is None else SimpleNamespace(out_bus=SimpleNamespace(value=busbw))
    half = None if busbw is None else SimpleNamespace(out_bus=SimpleNamespace(value=busbw / 2))
    return SimpleNamespace(hosts=hosts, largest=row, rows={1 << 30: half, 8 << 30: row} if row else {})


def test_a_report_has_a_pair_once_with_its_first_figure():
    """All runs of a pair must pass, and a log of one node alone tells nothing."""
    runs = [
        (run("b", "b", "a"), True),
        (run("a", "b", busbw=7.0), False),
        (run("c", "c"), True),
        (run("c", "a", busbw=None), True),
        (run("b", "c", busbw=55.56), True),
    ]
    found = marks.report_of(runs, ["c", "stranger"], 90.0)

    assert found.nodes == ("b", "a", "c")
    assert found.pairs == ((0, 1, 100.0, False), (0, 2, 55.6, True), (1, 2, 0.0, True))
    assert (found.suspects, found.floor) == ((2,), 90.0)
    assert (found.sizes, found.figures) == ((1 << 30, 8 << 30), ((50.0, 100.0), (27.8, 55.6), ()))
    assert found.measured("b") == ((1 << 30, 27.8), (8 << 30, 55.6))  # the bad pair does not count
    assert found.measured("a") == ()


def test_a_pair_that_broke_off_takes_no_size_from_the_others():
    broken = run("a", "c")
    del broken.rows[8 << 30]
    found = marks.report_of([(run("a", "b"), True), (broken, False)], [], 90.0)

    assert (found.sizes, found.figures) == ((1 << 30, 8 << 30), ((50.0, 100.0), ()))


def test_a_report_comes_back_from_the_termination_message():
    """Its line may stand anywhere; a broken one is no report, and the words around it stay."""
    found = report((0, 1), suspects=(1,))

    assert marks.read_report(f"before\n{marks.text_of(found)}\nafter") == (found, "before\nafter")
    named = replace(found, sizes=(1, 2), figures=((3.0, 4.0),) * 4)
    assert marks.read_report(marks.text_of(named)) == (named, "")
    assert marks.read_report(marks.text_of(replace(named, figures=((3.0,) * 500,) * 4)))[0] == found
    before = 'report {"nodes":["a","b"],"pairs":[[0,1,3.0,true]],"suspects":[],"floor":2.0}'
    assert marks.read_report(before)[0] == proof.Report(("a", "b"), ((0, 1, 3.0, True),), (), 2.0)
    for broken in ("{}", "[]", '{"pairs": [[1]], "suspects": [], "nodes": [], "floor": 0}', "{"):
        assert marks.read_report(f"report {broken}\nwords") == (None, "words")


@pytest.fixture
def up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, Server, str]]:
    """The judge's end of a test of `up` or of the prover, before a server with its nodes."""

    def ended(
        found: Any, fingerprint: str = "f00d", missing: str = "", words: str = "bandwidth: 3"
    ) -> tuple[int, Server, str]:
        server, termination = Server(), tmp_path / "log"
        for name in NAMES:
            info = {"nodeInfo": {"bootID": "boot"}}
            before = {proof.PROOF: json.dumps({"at": 1, "by": "up", "boot": "x", "fingerprint": "f", "busbw": 80.0})}
            if name != missing:
                parts = {"metadata": {"annotations": before}, "spec": {"taints": [UNPROVEN]}, "status": info}
                server.put("/api/v1/nodes", name, **parts)
        monkeypatch.setattr(marks, "Api", lambda *_: server)
        monkeypatch.setattr(marks, "_judged", lambda suspects, options: found)
        monkeypatch.setattr(marks.time, "time", lambda: 1234.5)
        monkeypatch.setattr(sys, "stdin", io.StringIO('{"suspects": []}'))
        monkeypatch.setenv("FINGERPRINT", fingerprint)
        termination.write_text(words)
        code = marks.main(["--termination", str(termination)])
        return code, server, termination.read_text()

    return ended


def test_up_marks_the_nodes_of_its_test(up: Any, capsys: pytest.CaptureFixture[str]):
    """Nodes of which nothing is known stay, and one that is gone keeps nobody from its mark."""
    code, server, _ = up(report((0, 1), (1, 2), suspects=(1,)))
    written = {name: server.node(name) for name in NAMES}

    assert code == 0
    labels = [written[name]["metadata"].get("labels", {}).get(proof.FABRIC_LABEL) for name in NAMES]
    assert labels == ["f00d", "failed", "f00d", "f00d"]
    assert [each["spec"]["taints"] for each in written.values()] == [[], [{**UNPROVEN, "value": "failed"}], [], []]
    shown = proof.proof_of(written["n0"]["metadata"]["annotations"])
    boot = proof.boot_of(written["n0"])
    assert shown == proof.Proof(1234, "up", boot, "f00d", ("n3",), 103.0, 90.0, ((1, 80.0),))
    tried = proof.attempts_of(written["n1"]["metadata"]["annotations"], proof.boot_of(written["n1"]))
    assert (tried.last, tried.failed_with, tried.tests, tried.why) == ("up", ("n0", "n2"), 1, "bandwidth: 3")
    assert [line.partition(": ")[0] for line in capsys.readouterr().out.splitlines()] == [
        f"node n{i}" for i in range(4)
    ]

    code, server, _ = up(report((0, 1)), missing="n2")
    assert (code, server.writes) == (1, ["PATCH /api/v1/nodes/n3"])


@pytest.mark.parametrize("words", ["bandwidth: 3", "x" * 5000])
def test_the_provers_own_test_leaves_a_report_before_the_judges_words(up: Any, words: str):
    """Kubernetes keeps what fits, and no server is asked."""
    code, server, message = up(report((0, 1)), fingerprint="", words=words)

    assert (code, server.writes) == (0, [])
    assert marks.read_report(message) == (report((0, 1)), words[: 4096 - len(message.splitlines()[0]) - 1])
    assert len(message) <= 4096
