"""Beside each refusal case stands the nearest that is let in: a rule that is one too strict refuses what works."""

import re
from pathlib import Path

import pytest
from pulumi_offline.errors import RULES_FOLLOW
from tests.refusals.case import Case, cases
from tests.refusals.neighbours import before_rules, limits, neighbour, refused
from tests.refusals.pairs import told

_CASES = [case for kind in ("stack", "command", "component") for case in cases(kind)]
_WITH = [case for case in _CASES if case.allowed is not None]


def test_every_case_has_a_neighbour():
    """Or says why not; what is refused for its form is right as any other stack is."""
    missing = [
        case.name for case in _CASES if case.allowed is None and not case.no_neighbour and not before_rules(case)
    ]
    both = [case.name for case in _CASES if case.allowed is not None and case.no_neighbour]

    assert not missing, f"no `allowed` in {missing}: say in it what makes the case right"
    assert not both


@pytest.mark.parametrize("case", _WITH, ids=lambda case: case.name)
def test_neighbour_is_let_in(case: Case, tmp_path: Path):
    other = neighbour(case)

    assert other is not None
    assert refused(other, tmp_path) == ""


def test_neighbours_of_limits_are_next_to_them():
    """The last number, the shortest block, the longest name, the first version: one further off would hide an error."""
    found = [(case.name, limit) for case in _WITH if (other := neighbour(case)) for limit in limits(case, other)]

    assert len(found) > 50
    assert [(name, limit) for name, limit in found if not limit.met] == []


def test_one_step_beyond_a_limit_is_refused():
    """Both neighbours of each limit of a stack: the cases themselves are often far beyond it."""
    for case in _WITH:
        other = neighbour(case)
        assert other is not None
        for limit in limits(case, other) if case.kind == "stack" and case.file is None else ():
            if not limit.beyond:
                continue
            beyond = limit.beyond if re.fullmatch(r"-?\d+", limit.beyond) else f"'{limit.beyond}'"
            lines = told(other.stack, [*other.set, f"{limit.path}={beyond}"])
            path = case.refused[0].partition(": ")[0]
            assert RULES_FOLLOW not in lines, (case.name, lines)
            assert any(line.startswith(f"{path}: ") for line in lines), (case.name, limit, lines)
