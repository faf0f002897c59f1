"""Rows as a test keeps them: the slowest of each size, what they lack or add up to, and the order they must have."""

import pytest
from nccl_verdict.channels import LIMIT
from nccl_verdict.header import Banner, Rank
from nccl_verdict.rows import Cell, Row
from nccl_verdict.run import Run

GIB = 1 << 30
MIB = 1 << 20


def row(line: int, size: int, out: float | None, into: float | None = None, half: float = 0.005) -> Row:
    """A row without times, with these bus bandwidths; the algorithm bandwidths are twice as much."""
    cells = [None if each is None else Cell(each, half) for each in (out, into)]
    twice = [None if each is None else Cell(2 * each, half) for each in (out, into)]
    return Row(
        line, size, size // 4, 4, "none", out_alg=twice[0], out_bus=cells[0], out_wrong=0.0, in_alg=twice[1],
        in_bus=cells[1], in_wrong=0.0, whole=True,
    )  # fmt: skip


def of_rows(*rows: Row, banner: Banner | None = None, ranks: int = 0) -> Run:
    """A test with these rows, in this order."""
    run = Run(
        banner=banner, ranks={number: Rank(1, number, 0, 700, "node-0", number, "", "") for number in range(ranks)}
    )
    for each in rows:
        run.add_row(each)
    return run


def test_the_slowest_row_of_a_size_is_kept() -> None:
    """By its out-of-place column; one without a figure is slower than any. The fastest counts in either column."""
    slow, fast = row(1, GIB, 200.0, 390.0), row(2, GIB, 300.0, 300.0)
    assert of_rows(slow, fast).rows == of_rows(fast, slow).rows == {GIB: slow}
    assert of_rows(slow, fast).fastest == of_rows(fast, slow).fastest == slow
    assert of_rows(fast, row(3, GIB, None, 350.0), slow).rows[GIB].line == 3
    assert of_rows(fast, row(3, GIB, 300.0, 100.0)).rows[GIB] == fast
    largest = of_rows(row(4, 2 * GIB, 250.0), fast, row(5, MIB, 1.0)).largest
    assert largest is not None and largest.line == 4


def test_what_rows_add_up_to() -> None:
    """Every figure of both columns counts for the average, with the half of its last place; each size is counted."""
    run = of_rows(row(1, GIB, 100.0, 200.0), row(2, GIB, 300.0, None), row(3, 2 * GIB, 400.0, 500.0, half=0.5))

    assert (run.bus_sum, run.bus_cells, run.bus_slack) == (1500.0, 5, pytest.approx(1.015))
    assert (run.counts, run.total_rows) == ({GIB: 2, 2 * GIB: 1}, 3)


def test_rows_that_fall() -> None:
    """A smaller size than that of the row before is a fall; the same size again is none."""
    run = of_rows(*(row(line, size, 1.0) for line, size in enumerate((8, 8, 16, 4, 8, 2), 1)))
    assert [each.line for each in run.falls] == [4, 6]


def test_what_a_row_lacks() -> None:
    """A row with any figure missing is masked, and so is one without its times; a whole one is not."""
    missing = [row(line, GIB, 300.0, 300.0) for line in range(1, 6)]
    for each, name in zip(missing, ("out_alg", "out_bus", "in_alg", "in_bus"), strict=False):
        setattr(each, name, None)
    missing[4].whole = False

    assert of_rows(*missing, row(9, GIB, 300.0, 300.0)).masked == [1, 2, 3, 4, 5]


def test_a_time_of_another_message() -> None:
    """1 GiB at 100 GB/s takes 10,737.4 us; what has no size, no time or no figure contradicts nothing."""

    def timed(line: int, size: int, micros: float | None, into: float = 10737.4) -> Row:
        made = row(line, size, 50.0, 50.0)
        made.out_time = None if micros is None else Cell(micros, 0.05)
        made.in_time = Cell(into, 0.05)
        return made

    rows = [
        timed(1, GIB, 10737.4), timed(2, GIB, 1073.7), timed(3, GIB, 10737.4, 1073.7), timed(4, 0, 1.0, 1.0),
        timed(5, GIB, None),
    ]  # fmt: skip
    assert of_rows(*rows).contradictions == [2, 3]


def test_large_rows() -> None:
    """Of 1 GiB and above, by size; those with figures are 1 MiB and above with both of the out-of-place column."""
    small, below, bare = row(1, MIB - 1, 1.0), row(2, GIB - 1, 2.0), row(6, 2 * MIB, None)
    half = row(7, 4 * MIB, 1.0)
    half.out_alg = None
    large = [row(line, size * GIB, 300.0) for line, size in ((3, 1), (4, 2), (5, 8))]
    run = of_rows(large[2], small, large[0], bare, below, large[1], row(8, MIB, 1.0), half)

    assert run.large_rows() == large
    assert [each.line for each in run.rows_with_figures()] == [5, 3, 2, 4, 8]


def test_small_sizes_are_rounded_into_each_other() -> None:
    """16 ranks round to 256 bytes: 64 and 128 print as 0, 256 and 512 as they are; those above are counted."""
    banner = Banner(1, 64, 2048, 2, True)
    printed = [0, 0, 256, 512, 1024, 2048]
    whole = [row(line, size, 1.0) for line, size in enumerate(printed, 2)]

    assert of_rows(*whole, banner=banner, ranks=16).missing_rows() is None
    twice = [row(line, size, 1.0) for line, size in enumerate([0, 0, 256, 512, 1024, 1024], 2)]
    assert of_rows(*twice, banner=banner, ranks=16).missing_rows() == "2 rows at 1024 bytes"


@pytest.mark.parametrize(
    ("averages", "differs"),
    [
        ({}, None),
        ({150.006: 9}, None),
        ({149.994: 9}, None),
        ({150.008: 9}, 150.008),
        ({149.992: 9}, 149.992),
        ({150.0: 9, 200.0: 10}, 200.0),
    ],
)
def test_the_average_of_the_footer(averages: dict[float, int], differs: float | None) -> None:
    """It may differ by what rounding explains, half a hundredth here, and 10 parts of a million of its own rounding."""
    run = of_rows(row(1, GIB, 100.0, 200.0))
    run.averages = averages

    assert run.average_differs() == (None if differs is None else (differs, 150.0))
    assert Run(averages=averages).average_differs() is None


def test_more_sizes_than_are_kept() -> None:
    """The first row of a size beyond them is told, and those that are kept go on to count."""
    run = Run(counts=dict.fromkeys(range(4096), 1))
    for line, size in enumerate((4096, 5000, 4096, 0, 5001), 1):
        run.add_row(row(line, size, 1.0))

    assert run.overflow == 2
    assert (run.counts[4096], run.counts[0], len(run.counts), run.total_rows) == (2, 2, 4097, 4099)


def test_more_falls_than_are_kept() -> None:
    """A log that goes up and down without end costs no more memory than others."""
    run = Run(falls=[row(1, 8, 1.0)] * (LIMIT - 1))
    for line, size in enumerate((16, 8, 16, 8), 1):
        run.add_row(row(line, size, 1.0))
    assert [each.line for each in run.falls[-2:]] == [1, 2] and len(run.falls) == LIMIT


def checked(line: int, out: float | None, into: float | None) -> Row:
    """A row with these numbers of wrong elements; none where it was not checked."""
    made = row(line, GIB, 300.0, 300.0)
    made.out_wrong, made.in_wrong = out, into
    return made


@pytest.mark.parametrize(("old", "masked"), [(False, [7, 8]), (True, [])])
def test_wrong_elements(old: bool, masked: list[int]) -> None:
    """What was not checked, what is wrong, and what is no whole number, unless the column holds rounding errors."""
    numbers = [
        (0.0, 0.0), (None, None), (None, 2.0), (0.0, None), (3.0, 1.0), (1.0, None), (0.5, 0.0), (None, 0.25),
        (1.5, 0.5),
    ]  # fmt: skip
    run = Run(old_errors=old)
    for line, (out, into) in enumerate(numbers, 1):
        run.add_row(checked(line, out, into))

    assert (run.unchecked, run.unchecked_in_place) == ([2, 3, 8], [4, 6])
    assert (run.wrong, run.wrong_total, run.masked) == ([3, 5, 6, 9], 2 + 4 + 1 + 1, masked)
