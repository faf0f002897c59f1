"""A failed gate that only follows from another one names it, and all that fails is either told or has such a reason."""

import re

import pytest
from nccl_verdict.expectation import Expectation
from nccl_verdict.verdict import GATES
from tests.nccl import render
from tests.nccl.judging import LOG, Lines, known, verdict, want
from tests.nccl.log_changes import CHANGES, mirrored, rail, swapped, without

FAILURE = "node-1: Test NCCL failure common.cu:958 'internal error'"
ROWLESS = without(" float ")(LOG)[:-2]
_TABLE = {"collective", "implied_ranks", "rows", "data", "bandwidth"}
_FABRIC = {"nics", "gdr"}


def masked(figures: str, lines: Lines) -> Lines:
    """Some figures of each row are no numbers, and the footer's average is as it was."""
    return [re.sub(figures, "XXX.XX", line) if " float " in line else line for line in lines]


def refused(lines: Lines) -> Lines:
    """The test found its average too low by itself."""
    return [f"{line} FAILED" if "Avg bus" in line else line for line in lines]


FOLLOWING: dict[str, tuple[Lines, Expectation, dict[str, set[str]], set[str]]] = {
    # The lines, what is wanted, what follows from which gate, and what else is told.
    "no row": (ROWLESS, render.want(), {"ran": {"finished", *_TABLE}}, set()),
    "no row, for it failed": ([*ROWLESS, FAILURE], render.want(), {"finished": {"ran", *_TABLE}}, set()),
    "no row that was read": (
        [*ROWLESS, "Out of bounds " + "x" * 20_000], render.want(), {"finished": {"ran", *_TABLE}}, set()),
    "cut behind wrong data": (CHANGES["wrong data"][0](LOG, "gIB")[:-2], render.want(), {}, {"finished", "data"}),
    "cut, with an earlier row masked": (
        swapped("323.18", "XXX.XX")(LOG)[:-2], render.want(), {"finished": {"data"}}, {"rows", "bandwidth"}),
    "cut, with the last row masked": (
        swapped("325.72", "XXX.XX")(LOG)[:-2], render.want(), {"finished": {"rows", "data", "bandwidth"}}, set()),
    "cut, with the last row not checked": (
        swapped("    0 ", "  N/A ", only="8589934592  ")(LOG)[:-2], render.want(), {"finished": {"data"}}, set()),
    "neither devices nor NCCL": (
        without("NCCL INFO")(without("#  Rank")(LOG)), render.want(),
        {"nodes": {"ranks", "gpus"}, "transport": {"socket", *_FABRIC}}, set()),
    "eight nodes wanted": (LOG, render.want(nodes=8), {"nodes": {"ranks", "implied_ranks"}}, set()),
    "eight GPUs a node wanted": (
        rail(0), render.want(), {"ranks": {"gpus", "implied_ranks", "nics", "bandwidth"}}, set()),
    "eight GPUs a node wanted, and its own least average": (
        refused(rail(0)), render.want(), {"ranks": {"gpus", "implied_ranks", "nics"}}, {"bandwidth"}),
    "one node": (
        without("via NET")(render.log(["node-0"])), render.want(), {"nodes": {"ranks", "implied_ranks", *_FABRIC}},
        set()),
    "one node of four GPUs": (
        without("via NET")(render.log(["node-0"], gpus=4)), render.want(),
        {"nodes": {"ranks", "gpus", "implied_ranks", *_FABRIC}}, set()),
    "no channel": (without("via NET")(LOG), render.want(), {"gdr": {"nics"}}, set()),
    "eight nodes wanted, and rails apart": (
        render.log(split=8, busbw=[300.0], collective="broadcast"), render.want(nodes=8, collective="broadcast"),
        {"nodes": {"ranks"}}, set()),
    "one NIC over sockets": (
        [re.sub(r"NET/gIB/\d/GDRDMA", "NET/Socket/0", line) for line in LOG], render.want(),
        {"socket": {"transport", *_FABRIC}}, set()),
    "another plugin, and NICs of other GPUs": (
        swapped("NET/gIB/", "NET/UCX/")(mirrored(LOG)), known(sure=True), {"transport": {"affinity"}}, set()),
    "no busbw": (masked(r"32\d\.\d\d", LOG), render.want(), {"rows": {"bandwidth"}}, {"implied_ranks"}),
    "no algbw": (masked(r"34\d\.\d\d", LOG), render.want(), {"rows": {"implied_ranks"}}, set()),
    "one row without algbw, and another of fewer ranks": (
        [re.sub(r"34\d\.\d\d", "XXX.XX", line) if "1073741824  " in line else line
         for line in CHANGES["one node posing as two"][0](LOG, "gIB")], render.want(), {}, {"rows", "implied_ranks"}),
    "no figure": (masked(r"\d+\.\d\d", LOG), render.want(), {"rows": {"implied_ranks", "bandwidth"}}, set()),
}  # fmt: skip


def causes_of(lines: Lines, wanted: Expectation) -> dict[str, str]:
    """Each gate that failed, with the one that it follows from."""
    return {gate.name: gate.because for gate in verdict(lines, want=wanted).gates if not gate.passed}


@pytest.mark.parametrize("name", FOLLOWING)
def test_a_gate_that_only_follows_names_its_cause(name: str) -> None:
    lines, wanted, follow, told = FOLLOWING[name]
    causes = dict.fromkeys({*follow, *told} - {gate for gates in follow.values() for gate in gates}, "")

    assert causes_of(lines, wanted) == {**causes, **{gate: cause for cause, gates in follow.items() for gate in gates}}


def test_no_gate_passes_a_log_that_is_none() -> None:
    gates = verdict(want=want(thresholds={})).gates

    assert [gate.name for gate in gates] == list(GATES)
    assert not any(gate.passed for gate in gates)
    assert all(gate.seen and gate.wanted for gate in gates)
