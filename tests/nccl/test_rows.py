"""A row taken apart: figures, types and columns; and rows of which the second half stands further down."""

import pytest
from nccl_verdict import reader
from nccl_verdict.reader import LONGEST, read_bytes
from nccl_verdict.rows import Cell, cell, fill, parse_row
from nccl_verdict.run import Run
from tests.nccl import render
from tests.nccl.test_reader import PLAIN

FIGURES = [Cell(4607.6, 0.05), Cell(233.04, 0.005), Cell(436.95, 0.005)]
IN_PLACE = [Cell(4565.6, 0.05), Cell(235.18, 0.005), Cell(440.96, 0.005)]
HEAD = "1073741824 268435456 float none -1"
FIRST, SECOND = "4607.6 233.04 436.95 0", "4565.6 235.18 440.96 0"


@pytest.mark.parametrize(
    ("token", "value", "half"),
    [
        ("233.04", 233.04, 0.005),
        (b"4607", 4607.0, 0.5),
        ("0", 0.0, 0.5),
        ("4e-07", 4e-07, 5e-08),
        ("1.25E+3", 1250.0, 5.0),
        ("1e30", 1e30, 5e14),
        ("1e-30", 1e-30, 5e-16),
    ],
)
def test_a_figure(token: str | bytes, value: float, half: float) -> None:
    """Its value, and half of its last printed place, between 16 places on either side of the point."""
    found = cell(token)
    assert found is not None and found == (value, pytest.approx(half))


@pytest.mark.parametrize("token", ["", "N/A", "XXX.XX", "nan", "inf", "-inf", "-1", "-0.01", "1_0", b"\xff1", "1e5_0"])
def test_no_figure(token: str | bytes) -> None:
    """What is missing, masked, endless or below zero is none, also where Python would read a number."""
    assert cell(token) is None


WIDTHS = {
    1: "int8 char uint8 f8e4m3 f8e5m2 fp8_e4m3 fp8_e5m2", 2: "half bfloat16", 4: "int32 int uint32 float",
    8: "int64 uint64 double",
}  # fmt: skip
"""Bytes of an element of each type (NCCL's ncclTypeSize)."""


@pytest.mark.parametrize(("kind", "width"), [(kind, width) for width, of in WIDTHS.items() for kind in of.split()])
def test_the_width_of_each_type(kind: str, width: int) -> None:
    """As NCCL counts it."""
    found = parse_row(7, PLAIN.replace("float", kind).encode())
    assert found is not None and (found[0].width, found[0].line) == (width, 7)


@pytest.mark.parametrize(
    ("op", "redop"), [(op, op) for op in ("sum", "prod", "max", "min", "avg", "none", "mulsum")] + [("", None)]
)
def test_reductions(op: str, redop: str | None) -> None:
    """Each is told; a column less is none."""
    found = parse_row(1, PLAIN.replace("sum", op).encode())
    assert found is not None and (found[0].redop, found[0].whole) == (redop, True)


@pytest.mark.parametrize(
    ("rest", "figures", "whole"),
    [
        (f"{FIRST} {SECOND}", True, True),
        (f"-1 {FIRST} {SECOND}", True, True),
        (f"0 {FIRST} {SECOND}", True, True),
        (f"{FIRST} {SECOND} 2026-07-09 16:03:21", True, True),
        (f"-1 {FIRST} {SECOND} 2026-07-09 16:03:21", True, True),
        (f"{FIRST} 1 2 3 4 {SECOND} 1 2 3 4", True, True),
        (f"-1 {FIRST} {SECOND[:-2]}", False, False),
        (f"{FIRST} {SECOND[:-2]}", False, False),
        (f"{FIRST} {SECOND} 1 2", False, False),
        ("2026-07-09 16:03:21", False, False),
        ("", False, False),
    ],
)
def test_columns(rest: str, figures: bool, whole: bool) -> None:
    """Found by their number: with a root before them, a time of day behind them, and figures of each iteration."""
    found = parse_row(1, f"{HEAD[:-3]} {rest}".encode())
    assert found is not None
    row, tokens = found
    assert (tokens, row.whole) == (rest.encode().split(), whole)
    assert ([row.out_time, row.out_alg, row.out_bus] == FIGURES) is figures
    assert ([row.in_time, row.in_alg, row.in_bus] == IN_PLACE) is figures
    assert (row.out_wrong, row.in_wrong) == ((0.0, 0.0) if figures else (None, None))


@pytest.mark.parametrize("masked", ["4607.6", "4565.6"])
def test_a_row_is_whole_with_both_times(masked: str) -> None:
    """A time that is no number may hide what was cut; a masked bandwidth hides nothing else."""
    for of, whole in ((masked, False), ("233.04", True)):
        found = parse_row(1, PLAIN.replace(of, "XXX").encode())
        assert found is not None and found[0].whole is whole


def test_columns_are_put_in_once_they_are_all_there() -> None:
    """Seven tell nothing, eight tell all."""
    found = parse_row(1, HEAD.encode())
    assert found is not None
    row, tokens = found
    columns = f"{FIRST} {SECOND}".encode().split()
    assert not fill(row, tokens[1:] + columns[:7]) and row.out_bus is None
    assert fill(row, tokens[1:] + columns) and (row.out_bus, row.in_bus) == (FIGURES[2], IN_PLACE[2])


def only(*lines: str) -> Run:
    """The one test of a log whose first line is its banner."""
    (run,) = read_bytes(render.joined([render.banner(), *lines]))
    return run


OTHERS = "node-1:708:908 [0] NCCL INFO Connected all rings"


@pytest.mark.parametrize(
    "lines",
    [
        (f"{HEAD} {FIRST}", OTHERS, f"  {SECOND}"),
        (f"{HEAD} {FIRST}", f"[1,0]<stdout>: {SECOND}"),
        (HEAD, f" {FIRST}", "times of nobody", f" {SECOND}"),
        (HEAD, f" {FIRST} {SECOND}", " 1 2 3 4 5 6 7 8"),
        (f"{HEAD} 4607.6", " 233.04 436.95 0", f"\t{SECOND} \r"),
        (f"{HEAD} {FIRST}", f"node-1:708:908 [0] NCCL WARN: {SECOND}", f" {SECOND}"),
        (f"{HEAD} {FIRST}", SECOND.rjust(LONGEST + 1), SECOND.rjust(LONGEST)),
    ],
)
def test_a_torn_row_is_mended(lines: tuple[str, ...]) -> None:
    """Its other half may stand behind lines of other processes, in pieces, and what follows it is not taken in."""
    (row,) = only(*lines).rows.values()
    assert (row.line, row.whole) == (2, True)
    assert (row.out_bus, row.in_bus) == (FIGURES[2], IN_PLACE[2])


@pytest.mark.parametrize("plain", [PLAIN, PLAIN.replace(" -1", "")])
def test_a_masked_row_is_not_mended(plain: str) -> None:
    """It has all its columns, with a root or without: figures on a later line are of something else."""
    run = only(plain.replace("4565.6", "XXX"), f" {FIRST} {SECOND}")
    assert run.masked == [2] and [row.whole for row in run.rows.values()] == [False]


def test_more_than_a_row_holds_mends_none() -> None:
    """Of 21 figures in all nobody knows which are the row's; it stays what it was, and the next row is read."""
    run = only(f"{HEAD} {FIRST}", " 1" * 17, PLAIN.replace("1073741824", "2147483648"))
    assert run.masked == [2] and [row.whole for row in run.rows.values()] == [False, True]


@pytest.mark.parametrize(("lines", "mended"), [(3, True), (4, False)])
def test_how_far_a_row_is_torn(monkeypatch: pytest.MonkeyPatch, lines: int, mended: bool) -> None:
    """A half that comes too many lines behind the other is not its half."""
    monkeypatch.setattr(reader, "_APART", 3)
    between = ["node-0:700:900 [0] NCCL INFO Using network IB"] * lines
    run = only(f"{HEAD} {FIRST}", *between, f" {SECOND}", "the end", OTHERS)
    assert [row.whole for row in run.rows.values()] == [mended]


def test_a_row_that_nobody_mends_is_kept() -> None:
    """At the next row, at the next test, and at the end of the log."""
    cut = f"{HEAD} {FIRST}"
    assert only(cut, PLAIN).masked == [2]
    assert only(cut).masked == [2]
    first, second = read_bytes(render.joined([render.banner(), cut, render.banner(), f" {SECOND}"]))
    assert (first.masked, second.masked) == ([2], [])
