"""Where the tests of a log begin and end, what their heads and footers hold, and which collective each is called by."""

import pytest
from nccl_verdict import reader
from nccl_verdict.header import Banner, parse_banner, parse_rank, text
from nccl_verdict.reader import NotReadableError, read_bytes
from nccl_verdict.run import Run
from tests.nccl import render
from tests.nccl.judging import LOG, gate_of, runs

KIB = 1 << 10
BANNER, HEAD, ROW = render.banner(), render.Table().head(), render.row(render.GIB, 300.0, 300.0, 16)
START, END = "# Collective test starting: all_gather_perf", "# Collective test concluded: all_gather_perf"
BOUNDS, AVERAGE = "# Out of bounds values : 0 OK", "# Avg bus bandwidth    : 300"
FAILURE = "node-1: Test NCCL failure common.cu:1 'unhandled system error'"


def runs_of(*lines: str) -> list[Run]:
    return runs([*lines])


@pytest.mark.parametrize(
    ("lines", "tests"),
    [
        ([BANNER, HEAD, ROW, BOUNDS, AVERAGE], 1),
        ([START, START], 2),
        ([BANNER, BANNER], 1),
        ([BANNER, FAILURE, BANNER], 2),
        ([START, BANNER, START], 2),
        ([HEAD, ROW, HEAD, ROW], 2),
        ([BANNER, BOUNDS, HEAD, ROW], 2),
        ([BANNER, BOUNDS, AVERAGE, BOUNDS, AVERAGE], 1),
        (["node-0:700:900 [0] NCCL INFO Using network IB"], 1),
        (["hello", "# Using devices"], 0),
    ],
)
def test_a_second_head_begins_another_test(lines: list[str], tests: int) -> None:
    """A banner or start does, and so does a table behind a row or a footer."""
    assert len(runs_of(*lines)) == tests


def test_rows_footer_and_announcements_belong_to_the_test_that_they_follow() -> None:
    first, second = runs_of(START, BANNER, HEAD, ROW, BOUNDS, AVERAGE, END, START, BANNER, HEAD, ROW, ROW)

    assert (first.started, first.total_rows, first.out_of_bounds_line, first.averages) == (1, 1, 5, {300.0: 6})
    assert (first.concluded, second.started, second.total_rows) == (7, 8, 2)
    assert (second.concluded, second.out_of_bounds, second.averages) == (None, None, {})


@pytest.mark.parametrize(("most", "extent"), [(2048, (1024, 2048)), (512, (512, 512)), (4096, (1024, 4096))])
def test_a_test_may_reduce_its_largest_size_for_lack_of_memory(most: int, extent: tuple[int, int]) -> None:
    """It never raises one."""
    (run,) = runs_of(render.banner(1024, 4096, 3, "bytes"), f"# Reducing maxBytes to {most} due to memory limitation")
    assert run.banner == Banner(1, *extent, 3, False)


def test_a_test_is_called_by_the_nearest_program_or_announcement() -> None:
    """The one before a banner counts, for every test until another is called, and also for rows without a banner."""
    named = runs_of(
        "+ mpirun alltoallv_perf",
        *(BANNER, ROW, BANNER, "+ broadcast_perf", ROW),
        "+ mpirun reduce_perf",
        *(BANNER, ROW),
        "# Collective test starting: all_gather_perf",
        *(BANNER, ROW, START.replace("all_gather_perf", "my_test"), BANNER, ROW),
        "+ mpirun scatter_perf",
        *(HEAD, ROW),
    )
    called = [(run.collective, run.collective_line) for run in named]
    assert called[:4] == [("alltoallv", 1), ("alltoallv", 1), ("reduce", 7), ("all_gather", 10)]
    assert called[4:] == [("reduce", 7), ("scatter", 16)]


@pytest.mark.parametrize(("source", "where"), [("a.log", "a.log: more"), ("", "more")])
def test_more_tests_than_are_kept_are_refused(monkeypatch: pytest.MonkeyPatch, source: str, where: str) -> None:
    """Each counts as 256 ranks and its own; the log is named where it has a name."""
    monkeypatch.setattr(reader, "_MOST_KEPT", 3 * 256 + 6)
    test = render.joined([BANNER, *render.ranks(["a", "b"], 1), ROW])

    assert [run.source for run in read_bytes(test * 3, source)] == [source] * 3
    with pytest.raises(NotReadableError, match=f"^{where} than 4 tests"):
        read_bytes(test * 4, source)


def test_a_banner_and_a_rank_are_read_with_every_column() -> None:
    """Older tests print no group, and the bus alone; 128 bytes of a model are kept."""
    line = "[1,0]<stdout>:#  Rank 13 Group  2 Pid   4711 on node-1 device  5 [0000:8f:00] NVIDIA H200 "
    rank = parse_rank(7, line.encode())
    old = parse_rank(7, line.replace("Group  2 ", "").replace("0000:8f:00", "0x8f").encode())
    long = parse_rank(7, line.replace("NVIDIA", "x" * 200).encode())

    assert rank == (7, 13, 2, 4711, "node-1", 5, "0000:8f:00", "NVIDIA H200")
    assert old is not None
    assert (old.group, old.bus_alone, rank.bus_alone) == (0, True, False)
    assert long is not None
    assert long.model == "x" * 128
    assert parse_rank(7, b"Rank of the matrix") is None
    for kind in ("factor", "bytes"):
        found = parse_banner(7, render.banner(KIB, 8 * KIB, 2, kind).encode())
        assert found == Banner(7, KIB, 8 * KIB, 2, kind == "factor")
    assert parse_banner(7, b"# nThread 1 nGpus 1 minBytes 8 maxBytes 64") is None
    assert text(b" a\xff\x1bb \r") == "a\ufffd\\u001bb"


@pytest.mark.parametrize(
    ("cycles", "seen"),
    [
        ([[256, 512, 1024, 2048]], None),
        ([[256, 512, 1024, 2048], [256, 512, 1024, 2048]], None),
        ([[256, 512, 1024, 2048, 2048]], "5 rows"),
        ([[256, 512, 2048, 2048]], "0 rows at 1048576"),
        ([[256, 256, 1024, 2048]], "2 rows at 262144"),
        ([[256, 1024, 512, 2048]], "524288 bytes on line 215"),
        ([[512, 256, 1024, 2048]], "262144 bytes on line 214"),
        ([[256, 512, 1024, 2048], [512, 256, 1024, 2048]], "524288 bytes on line 217"),
        ([[]], "0 rows for 4 sizes"),
    ],
)
def test_each_announced_size_rises_as_often_as_the_others(cycles: list[list[int]], seen: str | None) -> None:
    """The first size may follow a larger one only where a cycle begins."""
    rows = [render.row(size * KIB, 100.0, 100.0, 16) for sizes in cycles for size in sizes]
    lines = [render.banner(256 * KIB, 2048 * KIB), *LOG[1:-6], *rows, *render.footer([100.0])]
    found = gate_of("rows", lines)

    assert found.passed is (seen is None)
    assert (seen or "") in found.seen
