"""Public reports, put to this project: each is answered right, or marked as still wrong."""

from pathlib import Path

import pytest
from tests.outside.case import Case, cases


def _parameter(case: Case) -> object:
    """A case with its marks. A wrong answer that turns right fails, so that its mark goes with the mend."""
    marks = [pytest.mark.variant] if case.heavy else []
    if case.expected == "fails":
        marks.append(pytest.mark.xfail(reason=case.kind, strict=True, raises=AssertionError))
    return pytest.param(case, id=case.name, marks=marks)


@pytest.mark.parametrize("case", [_parameter(case) for case in cases()])
def test_report_is_answered_right(case: Case, tmp_path: Path):
    answer = case.answer(tmp_path)
    assert not case.faults(answer), f"{case.pointer}\n{case.story}\n{answer.text[-2000:]}"


def test_each_report_names_where_it_was_settled():
    """A pointer and an address that a reader can open; the story is short."""
    for case in cases():
        assert case.settled.startswith("https://"), case.name
        assert "#" in case.pointer or case.pointer.startswith("https://"), case.name
        assert 1 <= case.story.count(". ") + case.story.strip().count(".\n") + 1 <= 3, case.name
