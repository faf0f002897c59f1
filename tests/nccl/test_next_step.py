"""What a person is told to run next, by the first gate that failed; and the sentences that close a verdict."""

from dataclasses import replace
from typing import Any

import pytest
from nccl_verdict.expectation import SizeThreshold
from nccl_verdict.gate import Gate
from nccl_verdict.reader import read_bytes
from nccl_verdict.suspects import Suspect
from nccl_verdict.text import closing, gate_rows, next_step, plain_text, size_rows, termination_message
from nccl_verdict.verdict import GATES, Point, Verdict, judge
from tests.nccl import render
from tests.nccl.forms import NETWORKS

GOOD = judge(read_bytes(render.joined(render.log())), render.want())
WHOLE = "run it again: mpirun ... all_gather_perf -b 1G -e 8G -f 2 -g 1 -c 1 2>&1 | tee run.log"
CLAIMS = "rdma-cluster claims m --whole --yaml | kubectl diff -f -, and in a pod of each node: nvidia-smi topo -m"
PAIRS = "run pairs of nodes (or NCCL_TESTS_SPLIT='MOD 8' for rails), and give all logs: rdma-cluster verdict *.log"
EXTENT = "rdma-cluster verdict LOG --machine m --nodes 3 --gpus-per-node 4"
NEXT = {
    "ran": WHOLE,
    "finished": WHOLE,
    "nodes": EXTENT,
    "ranks": EXTENT,
    "gpus": "nvidia-smi -L in a container of each node",
    "collective": "rdma-cluster verdict LOG --machine m --nodes 2 --collective all_gather",
    "implied_ranks": WHOLE,
    "socket": CLAIMS,
    "transport": CLAIMS,
    "nics": CLAIMS,
    "gdr": CLAIMS,
    "affinity": CLAIMS,
    "rows": WHOLE,
    "data": PAIRS,
    "bandwidth": PAIRS,
}


def failing(*names: str, **more: Any) -> Verdict:
    """A verdict of which these gates failed, each by itself."""
    gates = tuple(Gate(name, False, f"{name} seen", f"{name} wanted", **more) for name in names)
    return replace(GOOD, passed=False, gates=gates, extent=(3, 4))


@pytest.mark.parametrize("gate", GATES)
def test_every_gate_has_a_next_step(gate: str) -> None:
    """Whatever fails first, its own command is told, with the figures of the pool, or of the test where they differ."""
    assert next_step(failing(gate)) == NEXT[gate]
    assert next_step(failing(gate, *(name for name in GATES if name != gate))) == NEXT[gate]


@pytest.mark.parametrize(
    ("verdict", "step"),
    [
        (replace(failing("nodes"), extent=None), WHOLE),
        (replace(failing("ranks"), extent=None), WHOLE),
        (replace(failing("data"), extent=None), PAIRS),
        (failing("gdr", host="node-7"), CLAIMS.replace("of each node", "on node-7")),
        (failing("gdr", then="look at it"), "look at it"),
        (replace(failing("collective"), collective=None), NEXT["collective"].replace("all_gather", "all_reduce")),
        (
            replace(failing("gdr"), expectation=replace(render.want(), network=NETWORKS["GPUDirect-TCPX"])),
            "env | grep NCCL and nvidia-smi topo -m in a container of each node, beside the stack's output workloads",
        ),
        (
            replace(failing("rows"), expectation=replace(render.want(), network=NETWORKS["GPUDirect-TCPX"])), WHOLE,
        ),
        (
            replace(failing("bandwidth"), expectation=replace(render.want(), thresholds={})),
            "rdma-cluster verdict LOG ... --threshold all_gather:1G=GBPS",
        ),
        (replace(failing("data"), expectation=replace(render.want(), thresholds={})), PAIRS),
    ],
)  # fmt: skip
def test_steps_that_know_more(verdict: Verdict, step: str) -> None:
    """A gate may name a host or its own step; without extent, claims or thresholds another command helps."""
    assert next_step(verdict) == step


SUSPECTS = (
    Suspect("node", "b", "slow", 3, True), Suspect("pair", "d - e", "slow", 1), Suspect("node", "c", "slow", 2, True),
)  # fmt: skip


def test_a_suspected_node_is_drained_first() -> None:
    """Before anything else is run."""
    verdict = replace(failing("bandwidth", then="look at it"), suspects=SUSPECTS)
    assert verdict.suspected_nodes == ("b", "c")
    assert next_step(verdict) == "drain b and prove the rest; run the node against a good one by itself"
    assert closing(verdict).splitlines() == [
        "The fabric of 2 x m is not proved: bandwidth, bandwidth seen; suspect: b, c.",
        "Next: drain b and prove the rest; run the node against a good one by itself",
    ]


def test_sentences_that_close() -> None:
    """What is proved, with what waived; what is not, and why; and what is no log at all."""
    waived = replace(GOOD, gates=(*GOOD.gates, *(Gate(name, False, "", "", waived=True) for name in ("gdr", "rows"))))
    assert closing(GOOD) == "The fabric of 2 x m is proved."
    assert closing(waived) == "The fabric of 2 x m is proved, with gdr and rows waived."
    assert closing(replace(GOOD, passed=False, is_log=False)) == (
        "Nothing here comes from nccl-tests, so nothing is known of 2 x m."
    )
    assert closing(failing("rows", "data")) == f"The fabric of 2 x m is not proved: rows, rows seen.\nNext: {WHOLE}"


def test_gates_in_a_table() -> None:
    """What passed, warned, was waived or failed; what only follows from another says so, unless it is waived itself."""
    gates = (
        Gate("ran", True, "4 rows", "rows", (3,)),
        Gate("socket", False, "seen", "none", (5, 6), because="transport"),
        Gate("transport", False, "UCX", "gIB", (5,), source="a.log"),
        Gate("nics", False, "7", "8", because="transport", waived=True),
        Gate("affinity", True, "far", "near", warning="far"),
        Gate("gdr", False, "0", "all", because="nics"),
    )
    assert gate_rows(replace(GOOD, gates=gates)) == [
        ("pass", "ran", "4 rows", "rows", "line 3"),
        ("FAIL", "socket", "follows from transport", "none", ""),
        ("FAIL", "transport", "UCX", "gIB", "a.log:5"),
        ("waived", "nics", "7", "8", ""),
        ("warn", "affinity", "far", "near", ""),
        ("FAIL", "gdr", "0", "all", ""),
    ]


def test_sizes_in_a_table() -> None:
    """A figure that is missing is a dash, and fails where there is a threshold."""
    points = (Point(1 << 20, 1.0, None, None, 1), Point(1 << 30, None, 2.005, 3.0, 2), Point(1 << 31, 3.0, 1.0, 3.0, 3))
    assert size_rows(replace(GOOD, points=points)) == [
        ("1 MiB", "1.00", "-", "-", ""),
        ("1 GiB", "-", "2.00", "3.00", "FAIL"),
        ("2 GiB", "3.00", "1.00", "3.00", "pass"),
    ]  # fmt: skip


def test_a_verdict_without_rows_has_no_table_of_sizes() -> None:
    """The gates follow the headline at once, and causes, suspects and notes follow them."""
    noted = replace(render.want(), notes=("first.", "second."))
    verdict = replace(failing("rows", "data", cause="why"), points=(), expectation=noted, suspects=SUSPECTS[:1])
    assert plain_text(verdict).split("\n\n")[1:] == [
        "FAIL  rows  rows seen  rows wanted\nFAIL  data  data seen  data wanted", "rows: why", "data: why",
        "node b: slow", "note: first.", "note: second.", closing(verdict) + "\n",
    ]  # fmt: skip


def test_the_likeliest_cause_alone_is_in_a_pods_last_message() -> None:
    """Failed gates with their evidence, suspects, the headline, and the first cause."""
    verdict = replace(failing("rows", "data", cause="why"), suspects=SUSPECTS[:1])
    gates = (replace(verdict.gates[0], lines=(7,)), *verdict.gates[1:])
    assert termination_message(replace(verdict, gates=gates)).splitlines() == [
        "rows: rows seen; wanted rows wanted (line 7)", "data: data seen; wanted data wanted", "node b: slow",
        verdict.headline, "likely: why",
    ]  # fmt: skip


def test_a_pods_last_message_fills_what_kubernetes_keeps() -> None:
    """4,096 bytes, and no half of a letter at their end: kubernetes.io, Determine the Reason for Pod Failure."""
    verdict = failing("rows")
    for letter, kept in (("x", 4096), ("\u00e9", 4095)):
        gates = (replace(verdict.gates[0], name="x", seen=letter * 5000),)
        assert len(termination_message(replace(verdict, gates=gates)).encode()) == kept


def test_thresholds_of_several_collectives() -> None:
    """The figures of another collective do not stand in for those of the one that was run."""
    other = replace(render.want(), thresholds={"all_reduce": (SizeThreshold(1 << 30, 1.0),)})
    assert next_step(replace(failing("bandwidth"), expectation=other)) == PAIRS
