"""Where a log's lines, blocks and tests begin and end, and which collective each test is called by."""

import io

import pytest
from nccl_verdict import reader
from nccl_verdict.reader import BLOCK, NotReadableError, Reader, blocks, read_bytes
from nccl_verdict.run import Run
from tests.nccl import render

BANNER = render.banner()
HEAD = render.Table().head()
ROW = render.row(render.GIB, 300.0, 300.0, 16)
START, END = "# Collective test starting: all_gather_perf", "# Collective test concluded: all_gather_perf"
BOUNDS, AVERAGE = "# Out of bounds values : 0 OK", "# Avg bus bandwidth    : 300"
FAILURE = "node-1: Test NCCL failure common.cu:1 'unhandled system error'"


def runs_of(*lines: str) -> list[Run]:
    """The tests of a log."""
    return read_bytes(render.joined(lines))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"", []),
        (b"one\ntwo\n", [b"one\ntwo"]),
        (b"one\ntwo", [b"one", b"two"]),
        (b"\n", [b""]),
        (b"x" * BLOCK + b"end\n", [b"x" * BLOCK + b"end"]),
        (b"x" * (BLOCK + 3) + b"\nend", [b"x" * (BLOCK + 3), b"end"]),
        (b"x" * (2 * BLOCK) + b"y\nend\n", [b"x" * (2 * BLOCK), b"y\nend"]),
        (b"x" * (2 * BLOCK + 1), [b"x" * (2 * BLOCK), b"x"]),
    ],
)
def test_blocks(text: bytes, found: list[bytes]) -> None:
    """Lines are whole, their ends left out; only a line of more than a block is cut, and nothing is lost."""
    assert list(blocks(io.BytesIO(text))) == found


def test_the_line_where_a_log_is_cut_is_told() -> None:
    """A line beyond every bound is told by its number, the first of them, with nothing read from its pieces."""
    log = render.joined([BANNER, ROW]) + b"#" * (3 * BLOCK) + b"\n" + render.joined([ROW]) + b"#" * (3 * BLOCK)
    (run,) = read_bytes(log)
    assert (run.overflow, run.total_rows) == (3, 2)


def test_a_long_line_is_read() -> None:
    """One of 12,000 bytes holds a row like any other; one of 20,000 is too much."""
    runs = [runs_of(BANNER, ROW, ROW.rjust(length)) for length in (12_000, 20_000)]
    assert [(run.total_rows, run.overflow) for (run,) in runs] == [(2, None), (1, 3)]


@pytest.mark.parametrize(
    ("lines", "tests"),
    [
        ([BANNER, HEAD, ROW, BOUNDS, AVERAGE], 1),
        ([START, BANNER, HEAD, ROW, BOUNDS, AVERAGE, END], 1),
        ([START, START], 2),
        ([BANNER, BANNER], 2),
        ([START, BANNER, START], 2),
        ([HEAD, HEAD], 0),
        ([HEAD, ROW, HEAD, ROW], 2),
        ([HEAD, ROW, ROW], 1),
        ([BANNER, AVERAGE, BANNER], 2),
        ([BANNER, AVERAGE, HEAD, ROW], 2),
        ([BANNER, BOUNDS, HEAD, ROW], 2),
        ([BANNER, BOUNDS, AVERAGE, BOUNDS, AVERAGE], 1),
        ([BANNER, HEAD, ROW, AVERAGE, START], 2),
        (["node-0:700:900 [0] NCCL INFO Using network IB"], 1),
        (["hello", "# Using devices"], 0),
    ],
)
def test_where_a_test_begins(lines: list[str], tests: int) -> None:
    """A second banner or start begins another test, and so does a table behind a row or a footer."""
    assert len(runs_of(*lines)) == tests


def test_each_test_has_its_own_lines() -> None:
    """Rows, footer and announcements belong to the test that they follow."""
    first, second = runs_of(START, BANNER, HEAD, ROW, BOUNDS, AVERAGE, END, START, BANNER, HEAD, ROW, ROW)

    assert (first.started, first.total_rows, first.out_of_bounds_line, first.averages) == (1, 1, 5, {300.0: 6})
    assert (first.concluded, second.started, second.total_rows) == (7, 8, 2)
    assert not first.is_json and not second.is_json
    assert (second.concluded, second.out_of_bounds, second.out_of_bounds_line, second.averages) == (
        None,
        None,
        None,
        {},
    )


@pytest.mark.parametrize(
    ("head", "old"),
    [
        (render.Table(old_errors=True).head(), True),
        (HEAD, False),
        (f"{HEAD} error", False),
        ("# size count type time algbw busbw", False),
    ],
)
def test_what_the_last_column_holds(head: str, old: bool) -> None:
    """Rounding errors where the head says ``error`` and not ``#wrong``; a head of another kind of line says nothing."""
    assert runs_of(BANNER, head, ROW)[0].old_errors is old
    assert not runs_of(BANNER, "an error of the busbw", ROW)[0].old_errors


@pytest.mark.parametrize(
    ("lines", "worst", "last", "refused"),
    [
        (["# Out of bounds values : 3 FAILED", BOUNDS], 3, 3, [2]),
        ([BOUNDS, "# Out of bounds values : 3 FAILED"], 3, 3, [3]),
        ([BOUNDS, AVERAGE], 0, 2, []),
        ([BOUNDS, f"{AVERAGE} OK"], 0, 2, []),
        ([BOUNDS, f"{AVERAGE} FAILED"], 0, 2, [3]),
    ],
)
def test_footers(lines: list[str], worst: int, last: int, refused: list[int]) -> None:
    """The most values out of bounds count, and each footer that says FAILED is told by its line."""
    (run,) = runs_of(BANNER, *lines)
    assert (run.out_of_bounds, run.out_of_bounds_line, run.refused) == (worst, last, refused)


def test_averages() -> None:
    """Each figure is kept once with its first line, and no more than eight; what is no number is none."""
    figures = ["1.5", "1.5", "1.2.3", *map(str, range(2, 12))]
    (run,) = runs_of(BANNER, *(f"# Avg bus bandwidth    : {figure}" for figure in figures))
    assert run.averages == {1.5: 2, **{float(figure): figure + 3 for figure in range(2, 9)}}


@pytest.mark.parametrize(("most", "extent"), [(2048, (1024, 2048)), (512, (512, 512)), (4096, (1024, 4096))])
def test_less_memory_than_was_asked_for(most: int, extent: tuple[int, int]) -> None:
    """nccl-tests says to which size it reduces the largest one; it never raises one, and needs a banner for it."""
    reducing = f"#\n# Reducing maxBytes to {most} due to memory limitation"
    (run,) = runs_of(render.banner(1024, 4096, 3, "bytes"), reducing)
    assert run.banner is not None
    assert (run.banner.line, run.banner.min_bytes, run.banner.max_bytes) == (1, *extent)
    assert (run.banner.step, run.banner.by_factor) == (3, False)
    assert runs_of(reducing) == []


def test_the_program_names_the_tests_behind_it() -> None:
    """The one before a banner counts, for every test until another is called; an announcement is nearer than it."""
    runs = runs_of(
        "+ mpirun alltoallv_perf", BANNER, ROW, BANNER, ROW, "+ mpirun reduce_perf", BANNER, ROW,
        "# Collective test starting: all_gather_perf", BANNER, ROW, START.replace("all_gather_perf", "my_test"), BANNER,
    )  # fmt: skip
    named = [(run.collective, run.collective_line) for run in runs]
    assert named == [("alltoallv", 1), ("alltoallv", 1), ("reduce", 6), ("all_gather", 9), ("reduce", 6)]


def test_a_program_behind_rows_names_another_test() -> None:
    """Also where the rows have no banner."""
    first, second = runs_of("+ mpirun all_gather_perf", HEAD, ROW, "+ mpirun reduce_perf", HEAD, ROW)
    assert (first.collective, second.collective) == ("all_gather", "reduce")


@pytest.mark.parametrize(
    ("lines", "done", "failed"),
    [
        ([BANNER, ROW], False, False),
        ([BANNER, ROW, AVERAGE], True, False),
        ([START, BANNER, ROW, AVERAGE], False, False),
        ([START, BANNER, ROW, AVERAGE, END], True, False),
        ([BANNER, ROW, FAILURE], False, True),
        ([BANNER, ROW, FAILURE, BANNER, ROW, BANNER, ROW, AVERAGE], True, True),
    ],
)
def test_what_is_known_while_a_log_is_written(lines: list[str], done: bool, failed: bool) -> None:
    """It is done with the average of the last test, or with the announced end; a failure of any test stays."""
    live = Reader()
    for line in lines:
        live.feed(line.encode())
    assert (live.done, live.failed, live.lines) == (done, failed, len(lines))


@pytest.mark.parametrize(("source", "where"), [("a.log", "a.log: more"), ("", "more")])
def test_too_many_tests(monkeypatch: pytest.MonkeyPatch, source: str, where: str) -> None:
    """Each counts as 256 ranks and its own; the log is named where it has a name."""
    monkeypatch.setattr(reader, "_MOST_KEPT", 3 * 256 + 6)
    test = render.joined([BANNER, *render.ranks(["a", "b"], 1), ROW])

    assert [run.source for run in read_bytes(test * 3, source)] == [source] * 3
    with pytest.raises(NotReadableError, match=f"^{where} than 4 tests: split it") as refused:
        read_bytes(test * 4, source)
    assert str(refused.value).endswith("and give a folder of the pieces")
