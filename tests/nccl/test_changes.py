"""One named change of a healthy log fails the gate that is meant for it, and is told once, with evidence and node."""

import re
import tomllib
from pathlib import Path

import pytest
from nccl_verdict.verdict import GATES, UnknownGateError, judge
from tests.nccl import render
from tests.nccl.forms import FABRICS, PREFIXES
from tests.nccl.judging import FIRST, LOG, holding, verdict, want
from tests.nccl.log_changes import CHANGES

OF_FORMS = pytest.mark.parametrize(
    "forms",
    [
        pytest.param(FIRST, id="one of each"),
        pytest.param([form for form in FABRICS if form not in FIRST], id="others", marks=pytest.mark.thorough),
    ],
)
DEALT = {prefix: list(CHANGES)[number :: len(PREFIXES)] for number, prefix in enumerate(PREFIXES)}
"""Each change behind one prefix; `make thorough` asks the others."""
"""What each gate tells of a healthy log, and what the lines hold that are its evidence."""


TOLD = tomllib.loads((Path(__file__).parent / "told.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_told_once(name: str) -> None:
    """No more gates are told and no fewer; whatever else fails has the told gate that it follows from."""
    change, fails = CHANGES[name]
    lines = change(LOG, "gIB")
    outcome = verdict(lines)

    assert fails <= {gate.name for gate in outcome.failed}
    assert [gate.name for gate in outcome.reported] == [gate for gate in GATES if gate in TOLD[name]]
    assert {gate.because for gate in outcome.failed if gate.name not in TOLD[name]} <= {
        gate.name for gate in outcome.failed
    }
    for gate in outcome.reported:
        seen, words, host = TOLD[name][gate.name]
        assert seen in gate.seen
        assert not words or gate.lines == holding(words, lines), gate.name
        assert gate.host == host, gate.name
        assert gate.cause
        assert gate.wanted


@OF_FORMS
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_fails_its_gate_on_every_fabric(name: str, forms: list[str]) -> None:
    change, gates = CHANGES[name]
    for form in forms:
        healthy = render.log(form=form)
        changed = change(healthy, FABRICS[form].network)
        outcome = verdict(changed, want=want(form, collective="all_gather"))

        assert changed != healthy
        assert not outcome.passed, form
        assert gates <= {gate.name for gate in outcome.failed}, form
        assert outcome.exit_code in (1, 2)


@pytest.mark.parametrize("dealt", [True, pytest.param(False, marks=pytest.mark.thorough)], ids=["dealt", "others"])
@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_prefix_hides_no_change(prefix: str, dealt: bool) -> None:
    for name, (change, gates) in CHANGES.items():
        if (name in DEALT[prefix]) is not dealt:
            continue
        lines = [PREFIXES[prefix](number, line) for number, line in enumerate(change(LOG, "gIB"))]
        outcome = verdict(lines, want=want(collective="all_gather"))

        assert gates <= {gate.name for gate in outcome.failed}, name


def test_the_first_unknown_gate_by_name_is_told() -> None:
    """The same command has the same answer, however Python orders a set."""
    with pytest.raises(UnknownGateError, match=re.escape("waive: a is no gate")):
        judge([], render.want(), waive="zyxwvutsrqponmlkjihgfedcba")
