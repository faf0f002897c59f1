"""A row of the table taken apart: its layouts, figures and columns, and rows whose second half stands further down."""

import pytest
from nccl_verdict.reader import LONGEST
from nccl_verdict.rows import WIDTHS, Cell, Row, cell, parse_row
from nccl_verdict.run import Run
from tests.nccl import render
from tests.nccl.judging import runs

HEAD, FIRST, SECOND = "1073741824 268435456 float sum", "4607.6 233.04 436.95 0", "4565.6 235.18 440.96 0"
PLAIN = f"{HEAD} -1 {FIRST} {SECOND}"
EACH = f"{HEAD} -1 {FIRST} 4500.1 4700.2 4699.0 1.2 {SECOND} 4400.1 4600.2 4599.0 1.3"
LAYOUTS = {
    "today's": PLAIN,
    "mpirun tag": f"[1,0]<stdout>: {PLAIN}",
    "mpirun tag without a space": f"[1,0]<stdout>:{PLAIN}",
    "srun label": f"0: {PLAIN}",
    "srun label inside": f"[0] {HEAD} -1[0] {FIRST}[0] {SECOND}",
    "pod name and time": f"nccl-launcher-x7 2026-02-16T10:00:02.000000000Z   {PLAIN}",
    "time with digits before": f"2026-02-16 10:00:02 17 {PLAIN}",
    "no root": PLAIN.replace(" -1", ""),
    "a root": PLAIN.replace(" -1", " 0"),
    "no reduction, no root": PLAIN.replace(" sum -1", ""),
    "old error column": PLAIN.replace("436.95 0", "436.95 4e-07").replace("440.96 0", "440.96 0e+00"),
    "not checked": PLAIN.replace("436.95 0", "436.95 N/A").replace("440.96 0", "440.96 N/A"),
    "-I 1": EACH,
    "-S 1": f"{PLAIN} 2026-07-09 16:03:21",
    "-I 1 -S 1": f"{EACH} 2026-07-09 16:03:21",
    "bfloat16": PLAIN.replace("float", "bfloat16").replace("268435456", "536870912"),
    "an INFO line behind it": f"{PLAIN} worker-0:12:34 [0] NCCL INFO Connected all trees",
}


def row_of(line: str) -> Row:
    """The row that a line holds."""
    found = parse_row(7, line.encode())
    assert found is not None
    return found[0]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_row_has_the_same_figures_in_every_layout(layout: str) -> None:
    row = row_of(LAYOUTS[layout])

    assert row.whole
    assert (row.line, row.size, row.count * row.width) == (7, 1 << 30, 1 << 30)
    assert (row.out_time, row.out_alg, row.out_bus) == (Cell(4607.6, 0.05), Cell(233.04, 0.005), Cell(436.95, 0.005))
    assert (row.in_time, row.in_alg, row.in_bus) == (Cell(4565.6, 0.05), Cell(235.18, 0.005), Cell(440.96, 0.005))
    assert row.redop == ("sum" if "sum" in LAYOUTS[layout] else None)


@pytest.mark.parametrize("cut", range(34, len(PLAIN) - 1))
def test_a_cut_row_is_not_whole(cut: int) -> None:
    """It ends too early, or its last figure is a count of errors that fails or is 0."""
    found = parse_row(1, PLAIN[:cut].encode())
    assert found is None or not found[0].whole
    assert found is None or found[0].out_bus is None or found[0].out_bus.value == 436.95


@pytest.mark.parametrize("behind", [f"{FIRST} {SECOND} 1 2", "2026-07-09 16:03:21", ""])
def test_columns_of_another_number_are_none(behind: str) -> None:
    row = row_of(f"{HEAD} {behind}")
    assert (row.whole, row.out_bus, row.in_wrong) == (False, None, None)


@pytest.mark.parametrize("token", ["", "N/A", "XXX.XX", "nan", "inf", "-0.01", "1_0", b"\xff1"])
def test_what_is_missing_masked_endless_or_below_zero_is_no_figure(token: str | bytes) -> None:
    assert cell(token) is None


@pytest.mark.parametrize("torn", ["4607.6", "4565.6"])
def test_time_and_bandwidth_of_each_column_are_of_one_message(torn: str) -> None:
    """A time without its first digit is none of that bandwidth."""
    whole, changed = Run(), Run()
    whole.add_row(row_of(PLAIN))
    changed.add_row(row_of(PLAIN.replace(torn, torn[1:])))

    assert (whole.contradictions, changed.contradictions) == ([], [7])


def only(*lines: str) -> Run:
    """The one test of a log whose first line is its banner."""
    (run,) = runs([render.banner(), *lines])
    return run


CUT, OTHERS = f"{HEAD} -1 {FIRST}", "node-1:708:908 [0] NCCL INFO Connected all rings"


@pytest.mark.parametrize(
    "lines",
    [
        (CUT, OTHERS, f"  {SECOND}"),
        (CUT, f"[1,0]<stdout>: {SECOND}"),
        (f"{HEAD} -1", f" {FIRST}", "times of nobody", f" {SECOND}", " 1 2 3 4 5 6 7 8"),
        (f"{HEAD} -1 4607.6", " 233.04 436.95 0", f"\t{SECOND} \r"),
        (CUT, f"node-1:708:908 [0] NCCL WARN: {SECOND}", f" {SECOND}"),
        (CUT, SECOND.rjust(LONGEST + 1), SECOND.rjust(LONGEST)),
    ],
)
def test_a_torn_row_is_mended(lines: tuple[str, ...]) -> None:
    """Its other half may stand behind lines of other processes, in pieces, and what follows it is not taken in."""
    (row,) = only(*lines).rows.values()
    assert (row.line, row.whole) == (2, True)
    assert (row.out_bus, row.in_bus) == (Cell(436.95, 0.005), Cell(440.96, 0.005))


def test_a_row_that_nothing_mends_is_masked() -> None:
    """It has all its columns, gets 21 figures of which nobody knows the row's, or meets the next row, test or end."""
    masked = PLAIN.replace("4565.6", "XXX")
    for lines in ((masked, f" {FIRST} {SECOND}"), (CUT, " 1" * 17), (CUT, PLAIN), (CUT,)):
        assert only(*lines).masked == [2]
    first, second = runs([render.banner(), CUT, render.banner(), f" {SECOND}"])
    assert (first.masked, second.masked) == ([2], [])


def test_a_type_has_the_width_that_nccl_gives_it() -> None:
    """`ncclTypeSize` counts it so."""
    assert {row_of(PLAIN.replace("float", kind)).width for kind in ("uint32", "int32", "int", "float")} == {4}
    assert {row_of(PLAIN.replace("float", kind)).width for kind in WIDTHS} == {1, 2, 4, 8}
