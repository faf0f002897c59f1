"""Text and JSON say the same: what a person reads of gates and suspects, a program finds in the data."""

from dataclasses import replace

import pytest
from nccl_verdict.expectation import SizeThreshold
from nccl_verdict.reader import read_bytes
from nccl_verdict.text import cause_rows, closing, gate_rows, plain_text, size_rows, suspect_rows, termination_message
from nccl_verdict.verdict import Verdict, judge
from tests.nccl import render
from tests.nccl.gate_messages import SHOWN, outcome
from tests.nccl.test_affinity import known, mirrored
from tests.nccl.test_suspects import pair

BUSBW = (256.9, 257.0, 300.0)

VERDICTS = [
    pytest.param(outcome(change, want), id=f"{number} {gate}") for number, (gate, change, want) in enumerate(SHOWN)
]


@pytest.mark.parametrize("verdict", VERDICTS)
def test_gates(verdict: Verdict):
    """Their outcome, what was seen and wanted, and the likely cause."""
    gates = {gate["name"]: gate for gate in verdict.to_json()["gates"]}

    for said, name, seen, wanted, _ in gate_rows(verdict):
        gate = gates[name]
        assert gate["passed"] is (said in ("pass", "warn")) or gate["waived"] is (said == "waived")
        assert seen in (gate["seen"], f"follows from {gate.get('because')}") and wanted == gate["wanted"]
    for name, cause in cause_rows(verdict):
        assert cause in (gates[name].get("cause"), f"warning: {gates[name].get('warning')}")
    assert {name for name, gate in gates.items() if gate.get("cause")} >= {
        name for name, cause in cause_rows(verdict) if not cause.startswith("warning: ")
    }


@pytest.mark.parametrize("verdict", VERDICTS)
def test_sizes(verdict: Verdict):
    """Each size that the table has."""
    assert len(verdict.to_json()["rows"]) == len(size_rows(verdict))


def test_rows_for_tables():
    """Outcome and evidence of each gate, and each size against its threshold."""
    lines = [line.replace("gIB", "UCX") if "Using network" in line else line for line in render.log(busbw=BUSBW)]
    lines = [*lines[:-2], *render.footer(BUSBW)]
    want = replace(known(), expected={"all_gather": (SizeThreshold(render.GIB, 400.0),)}, expected_from="yours")
    waived, failed = (judge(read_bytes(render.joined(mirrored(lines))), want, each) for each in (["transport"], []))
    outcomes = [{row[1]: row[0] for row in gate_rows(verdict)} for verdict in (waived, failed)]
    assert [each.pop("transport") for each in outcomes] == ["waived", "FAIL"]
    assert outcomes[0] == outcomes[1]
    assert {name for name, outcome in outcomes[0].items() if outcome != "pass"} == {"affinity", "bandwidth"}
    assert (outcomes[0]["affinity"], outcomes[0]["bandwidth"]) == ("warn", "FAIL")
    evidence = {row[1]: row[4] for row in gate_rows(failed)}
    assert (evidence["ran"], evidence["socket"], evidence["bandwidth"]) == ("line 1", "", "line 213")

    assert size_rows(failed) == [
        ("1 GiB", "256.90", "256.90", "257.00", "FAIL"), ("2 GiB", "257.00", "257.00", "257.00", "pass"),
        ("4 GiB", "300.00", "300.00", "257.00", "pass"),
    ]  # fmt: skip
    small = replace(want, thresholds={"all_gather": (SizeThreshold(2 * render.GIB, 257.0),)})
    assert size_rows(judge(read_bytes(render.joined(lines)), small))[0] == ("1 GiB", "256.90", "256.90", "-", "")


def test_a_table_on_paper():
    """Figures end below each other, words begin so, and what is failed is told below it, with what comes next."""
    verdict = judge(read_bytes(render.joined(render.log(busbw=[9.5, 100.25]))), replace(render.want(), notes=("n.",)))
    paragraphs = plain_text(verdict).split("\n\n")

    assert paragraphs[0] == verdict.headline
    assert paragraphs[1].splitlines() == [
        " size  out-of-place  in-place  threshold",
        "1 GiB          9.50      9.50     257.00  FAIL",
        "2 GiB        100.25    100.25     257.00  FAIL",
    ]
    gates = paragraphs[2].splitlines()
    assert len({line.rindex(gate.wanted) for line, gate in zip(gates, verdict.gates, strict=True)}) == 1
    assert gates[0].startswith("pass  ran            2 rows")
    assert paragraphs[3].startswith("bandwidth: some rails do not carry")
    assert paragraphs[4:] == ["note: n.", closing(verdict) + "\n"]


def test_the_last_message_of_a_pod():
    """Failed gates with their lines, suspects, the headline and the likeliest cause; as much as Kubernetes keeps."""
    runs = [*pair("a", "b", 90.0), *pair("c", "d"), *pair("a", "c"), *pair("b", "d", 95.0)]
    verdict = judge(runs, render.want(nodes=4))
    told = termination_message(verdict).splitlines()

    assert told[0].startswith("ran: only 4 runs over pairs or rails; wanted a test over 4 nodes")
    assert told[1].startswith("bandwidth: 90 GB/s, in the test of pair a and b (2 of 4 tests); wanted 80% of the best")
    assert told[1].endswith(" (line 214)")
    assert [line.partition(": ")[0] for line in told[2:]] == ["node b", verdict.headline.partition(": ")[0], "likely"]
    many = replace(verdict, gates=tuple(replace(gate, passed=False, seen="ä" * 999) for gate in verdict.gates))
    assert len(termination_message(many).encode()) in (4095, 4096)


def test_suspects_of_many_runs():
    """Who is suspected, with its reason, in words and as data."""
    runs = [*pair("a", "b", 90.0), *pair("c", "d"), *pair("a", "c"), *pair("b", "d", 95.0)]
    verdict = judge(runs, render.want(nodes=4))
    ((kind, name, why),) = suspect_rows(verdict)

    assert (kind, name) == ("node", "b") and f"node b: {why}" in plain_text(verdict) and len(why) > 10
    assert [(each["kind"], each["name"], each["why"]) for each in verdict.to_json()["suspects"]] == [(kind, name, why)]
