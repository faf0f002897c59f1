"""A test keeps few of many lines, each once; its rows are compared and counted; a report is its log's twin."""

from typing import Any

import pytest
from nccl_verdict.channels import LIMIT
from nccl_verdict.failures import Failure
from nccl_verdict.header import Banner, Rank
from nccl_verdict.rows import Cell, Row
from nccl_verdict.run import Run
from tests.nccl.render import GIB

MIB = 1 << 20


def rank(number: int, host: str = "node-0", line: int = 1, group: int = 0, pci: str = "0000:8f:00") -> Rank:
    """A rank whose GPU has the number that is left of it on a node of eight."""
    return Rank(line, number, group, 700 + number, host, number % 8, pci, "NVIDIA H200")


def row(line: int, size: int, out: float | None, into: float | None = None, half: float = 0.005) -> Row:
    """A row without times, with these bus bandwidths; the algorithm bandwidths are twice as much."""
    cells = [None if each is None else Cell(each, half) for each in (out, into)]
    twice = [None if each is None else Cell(2 * each, half) for each in (out, into)]
    made = Row(line, size, size // 4, 4, "none", out_alg=twice[0], out_bus=cells[0], in_alg=twice[1], in_bus=cells[1])
    made.whole, made.out_wrong, made.in_wrong = True, 0.0, 0.0
    return made


def of_rows(*rows: Row, banner: Banner | None = None, ranks: int = 0) -> Run:
    """A test with these rows, in this order."""
    run = Run(banner=banner, ranks={number: rank(number) for number in range(ranks)})
    for each in rows:
        run.add_row(each)
    return run


def test_a_rank_that_is_listed_with_another_process_or_gpu_is_a_conflict() -> None:
    """The first stays, and the first eight lines that contradict it are told."""
    run, first = Run(), rank(3)
    for line, again in enumerate((first, first, first._replace(group=1, device=5)), 1):
        run.add_rank(again._replace(line=line))
    assert run.conflicts == []

    others: tuple[dict[str, Any], ...] = ({"host": "node-1"}, {"pid": 1}, {"pci": "0x10"}, {"model": "A10"})
    for line in (*range(11, 22), 11):
        run.add_rank(first._replace(line=line, **others[line % 4]))
    assert (run.conflicts, run.ranks) == ([*range(11, 19)], {3: first})


def test_the_same_failure_of_a_rank_is_kept_once() -> None:
    """Whatever its line; 32 failures and eight warnings are kept."""
    run, first = Run(), Failure(1, "killed", "node-0", rank=1)
    different = [first, Failure(3, "hung", "node-0", rank=1), Failure(4, "killed", "node-1", rank=1)]
    for failure in (first, Failure(2, "killed", "node-0", pid=9, rank=1), *different):
        run.add_failure(failure)
    assert run.failures == different

    for line in range(10, 50):
        run.add_failure(Failure(line, f"failure {line}"))
        run.add_warning(f"warning {line // 2}")
    assert [failure.line for failure in run.failures] == [1, 3, 4, *range(10, 39)]
    assert run.warnings == [f"warning {number}" for number in range(5, 13)]


def test_the_slowest_row_of_a_size_is_kept() -> None:
    """Its out-of-place column decides, and a missing figure is slower than any; the fastest counts in either column."""
    slow, fast = row(1, GIB, 200.0, 390.0), row(2, GIB, 300.0, 300.0)
    assert of_rows(slow, fast).rows == of_rows(fast, slow).rows == {GIB: slow}
    assert of_rows(slow, fast).fastest == of_rows(fast, slow).fastest == slow
    assert of_rows(fast, row(3, GIB, None, 350.0), slow).rows[GIB].line == 3
    assert of_rows(fast, row(3, GIB, 300.0, 100.0)).rows[GIB] == fast


def test_a_log_of_endless_sizes_costs_no_more_memory() -> None:
    """The first row of a size beyond 4097 is told, and those that are kept go on to count; falls are bounded, too."""
    run = Run(counts=dict.fromkeys(range(4096), 1), falls=[row(1, 8, 1.0)] * (LIMIT - 1))
    for line, size in enumerate((4096, 5000, 4096, 0, 5001, 9, 8), 1):
        run.add_row(row(line, size, 1.0))

    assert run.overflow == 2
    assert (run.counts[4096], run.counts[0], len(run.counts)) == (2, 2, 4097)
    assert (len(run.falls), run.falls[-1].line) == (LIMIT, 4)


@pytest.mark.parametrize(
    ("out", "into", "old", "noted"),
    [
        (0.0, 0.0, False, {}),
        (None, 2.0, False, {"unchecked": [7], "wrong": [7], "wrong_total": 2}),
        (0.0, None, False, {"unchecked_in_place": [7]}),
        (3.0, 1.0, False, {"wrong": [7], "wrong_total": 4}),
        (1.5, 0.5, False, {"wrong": [7], "wrong_total": 1}),
        (0.5, 0.0, False, {"masked": [7]}),
        (0.0, 0.25, False, {"masked": [7]}),
        (0.5, 0.0, True, {}),
    ],
)
def test_wrong_elements_of_either_column_count(
    out: float | None, into: float | None, old: bool, noted: dict[str, object]
) -> None:
    """Half an element is none, unless the column holds rounding errors."""
    checked, run = row(7, GIB, 300.0, 300.0), Run(old_errors=old)
    checked.out_wrong, checked.in_wrong = out, into
    run.add_row(checked)

    empty = {"unchecked": [], "unchecked_in_place": [], "wrong": [], "wrong_total": 0, "masked": []}
    assert {name: getattr(run, name) for name in empty} == {**empty, **noted}


def test_the_average_of_the_footer_differs_by_no_more_than_rounding() -> None:
    """That is half a hundredth here, and 10 parts of a million of its own; every figure of both columns counts."""
    run = of_rows(row(1, GIB, 100.0, 200.0), row(2, GIB, 150.0, None))
    for average, differs in ((149.992, True), (149.994, False), (150.006, False), (150.008, True)):
        run.averages = {150.0: 8, average: 9}
        assert run.average_differs() == ((average, 150.0) if differs else None)
