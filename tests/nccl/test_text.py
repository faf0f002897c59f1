"""A verdict in words: tables, causes, the sentences at the end, the next step, and a pod's last message."""

from dataclasses import replace
from typing import Any

import pytest
from nccl_verdict.gate import Gate
from nccl_verdict.suspects import Suspect
from nccl_verdict.text import (
    cause_rows,
    closing,
    gate_rows,
    next_step,
    plain_text,
    size_rows,
    suspect_rows,
    termination_message,
)
from nccl_verdict.verdict import GATES, Point, Verdict
from tests.nccl.forms import NETWORKS
from tests.nccl.gate_messages import SHOWN, outcome
from tests.nccl.judging import LOG, thresholds, verdict, want

GOOD = verdict(LOG)
TCPX = want(network=NETWORKS["GPUDirect-TCPX"])
SUSPECTS = (
    Suspect("node", "b", "slow", 3, True),
    Suspect("pair", "d - e", "slow", 1),
    Suspect("node", "c", "slow", 2, True),
)
VERDICTS = [
    pytest.param(outcome(change, want), id=f"{number} {gate}") for number, (gate, change, want) in enumerate(SHOWN)
]


def failing(*names: str, **more: Any) -> Verdict:
    """A verdict of which these gates failed, each by itself, in a test of three nodes of four GPUs."""
    gates = tuple(Gate(name, False, f"{name} seen", f"{name} wanted", **more) for name in names)
    return replace(GOOD, passed=False, gates=gates, extent=(3, 4))


@pytest.mark.parametrize("gate", GATES)
def test_the_first_failed_gate_decides_the_next_step(gate: str) -> None:
    step = next_step(failing(gate))

    assert step
    assert "{" not in step
    assert next_step(failing(gate, *(name for name in GATES if name != gate))) == step


@pytest.mark.parametrize(
    ("verdict", "named"),
    [
        (failing("nodes"), "--nodes 3 --gpus-per-node 4"),
        (replace(failing("nodes"), extent=None), "run it again: mpirun"),
        (failing("rows"), "run it again: mpirun"),
        (failing("collective"), "--nodes 2 --collective all_gather"),
        (replace(failing("collective"), collective=None), "--collective all_gather"),
        (failing("data"), "NCCL_TESTS_SPLIT='MOD 8'"),
        (replace(failing("bandwidth"), expectation=want(thresholds={})), "--threshold all_gather:1G="),
        (replace(failing("bandwidth"), expectation=want(thresholds=thresholds(all_reduce=(1 << 30, 1.0)))), "SPLIT"),
        (failing("gdr"), "rdma-cluster claims m --whole --yaml | kubectl diff -f -, and in a pod of each node:"),
        (failing("gdr", host="node-7"), "in a pod on node-7:"),
        (failing("gdr", then="look at it"), "look at it"),
        (
            replace(failing("gdr"), expectation=TCPX),
            "env | grep NCCL and nvidia-smi topo -m in a container of each node",
        ),
    ],
)
def test_the_next_step_has_the_figures_of_the_test(verdict: Verdict, named: str) -> None:
    """A gate may name a host or its own step; without an extent, claims or thresholds another command helps."""
    assert named in next_step(verdict)


def test_a_suspected_node_is_drained_before_anything_else_is_run() -> None:
    suspected = replace(failing("bandwidth", then="look at it"), suspects=SUSPECTS)

    assert suspected.suspected_nodes == ("b", "c")
    assert next_step(suspected).startswith("drain b ")
    assert "b, c" in closing(suspected).splitlines()[0]


def test_the_closing_sentence_names_what_was_waived_or_what_failed_first() -> None:
    waived = replace(GOOD, gates=(*GOOD.gates, *(Gate(name, False, "", "", waived=True) for name in ("gdr", "rows"))))
    failed, then = closing(failing("rows", "data")).splitlines()

    assert "2 x m is proved." in closing(GOOD)
    assert "gdr and rows waived" in closing(waived)
    assert "2 x m is not proved: rows, rows seen." in failed
    assert then == f"Next: {next_step(failing('rows'))}"
    assert "2 x m" in closing(replace(GOOD, passed=False, is_log=False))
    assert "proved" not in closing(replace(GOOD, passed=False, is_log=False))


def test_a_gate_that_only_follows_says_so_in_the_table() -> None:
    """Unless it was waived itself, or its cause did not fail."""
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


def test_figures_end_below_each_other_and_words_begin_so() -> None:
    points = (Point(1 << 30, 9.5, 9.5, 257.0, 1), Point(1 << 31, 100.25, 100.25, 257.0, 2))
    noted = replace(failing("rows", "data", cause="why"), suspects=SUSPECTS[:1], expectation=want(notes=("n.", "m.")))
    paragraphs = plain_text(replace(noted, points=points)).split("\n\n")

    assert paragraphs[:-1] == [
        noted.headline.replace("325.72 GB/s out-of-place at 8 GiB", "100.25 GB/s out-of-place at 2 GiB"),
        " size  out-of-place  in-place  threshold\n"
        "1 GiB          9.50      9.50     257.00  FAIL\n"
        "2 GiB        100.25    100.25     257.00  FAIL",
        "FAIL  rows  rows seen  rows wanted\nFAIL  data  data seen  data wanted",
        "rows: why",
        "data: why",
        "node b: slow",
        "note: n.",
        "note: m.",
    ]
    assert paragraphs[-1] == closing(noted) + "\n"
    assert plain_text(replace(noted, points=())).split("\n\n")[1] == paragraphs[2]


def test_a_pods_last_message_fills_what_kubernetes_keeps() -> None:
    """4,096 bytes, and no half of a letter at their end: kubernetes.io, Determine the Reason for Pod Failure."""
    failed = failing("rows")
    for letter, kept in (("x", 4096), ("\u00e9", 4095)):
        gates = (replace(failed.gates[0], name="x", seen=letter * 5000),)
        assert len(termination_message(replace(failed, gates=gates)).encode()) == kept


@pytest.mark.parametrize("verdict", VERDICTS)
def test_words_and_data_say_the_same(verdict: Verdict) -> None:
    """What a person reads of gates, causes and sizes a program finds in the JSON."""
    data = verdict.to_json()
    gates = {gate["name"]: gate for gate in data["gates"]}

    assert len(data["rows"]) == len(size_rows(verdict))
    for said, name, seen, wanted, _ in gate_rows(verdict):
        gate = gates[name]
        assert gate["passed"] is (said in ("pass", "warn"))
        assert seen in (gate["seen"], f"follows from {gate['because']}")
        assert wanted == gate["wanted"]
    for name, cause in cause_rows(verdict):
        assert cause in (gates[name]["cause"], f"warning: {gates[name]['warning']}")
    assert [(each["kind"], each["name"], each["why"]) for each in data["suspects"]] == suspect_rows(verdict)
