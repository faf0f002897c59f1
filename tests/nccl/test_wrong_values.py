"""Wrong values are seen in either column, and halves of a row that do not fit each other."""

import pytest
from nccl_verdict.rows import Row, parse_row
from nccl_verdict.run import Run, _fits
from tests.nccl.test_reader import PLAIN


def row_of(out: str = "0", in_: str = "0", torn: str = "") -> Row:
    """A row of nccl-tests, with these counts of wrong values, and one time without its first digit."""
    text = PLAIN.replace("436.95 0", f"436.95 {out}").replace("440.96 0", f"440.96 {in_}")
    found = parse_row(1, text.replace(torn, torn[1:]).encode())
    assert found is not None
    return found[0]


@pytest.mark.parametrize(
    ("out", "in_", "wrong"), [("0", "0", False), ("3", "0", True), ("0", "3", True), ("1", "2", True)]
)
def test_one_column_is_enough(out: str, in_: str, wrong: bool) -> None:
    """The other one may be right."""
    run = Run("log")
    run._check(row_of(out, in_))

    assert bool(run.wrong) is wrong
    assert run.wrong_total == (int(out) + int(in_) if wrong else 0)


@pytest.mark.parametrize(("out", "in_"), [("0.5", "0"), ("0", "0.5")])
def test_half_a_wrong_value_is_no_count(out: str, in_: str) -> None:
    """A number of elements is whole: something else stands in the column."""
    run = Run("log")
    run._check(row_of(out, in_))

    assert run.masked and not run.wrong


@pytest.mark.parametrize("torn", ["4607.6", "4565.6"])
def test_time_and_bandwidth_of_each_column_are_of_one_message(torn: str) -> None:
    """A time without its first digit is none of that bandwidth."""
    assert _fits(row_of())
    assert not _fits(row_of(torn=torn))
