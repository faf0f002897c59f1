"""Text and JSON say the same: what a person reads of gates and suspects, a program finds in the data."""

import pytest
from rdma_cluster.nccl.text import cause_rows, gate_rows, plain_text, size_rows, suspect_rows
from rdma_cluster.nccl.verdict import Verdict, judge

from tests.nccl import render
from tests.nccl.gate_messages import SHOWN, outcome
from tests.nccl.test_suspects import pair

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


def test_suspects_of_many_runs():
    """Who is suspected, with its reason, in words and as data."""
    runs = [*pair("a", "b", 90.0), *pair("c", "d"), *pair("a", "c"), *pair("b", "d", 95.0)]
    verdict = judge(runs, render.want(nodes=4))
    ((kind, name, why),) = suspect_rows(verdict)

    assert (kind, name) == ("node", "b") and f"node b: {why}" in plain_text(verdict) and len(why) > 10
    assert [(each["kind"], each["name"], each["why"]) for each in verdict.to_json()["suspects"]] == [(kind, name, why)]
