"""The sizes that a test announces, and what is made of rows that were rounded, doubled or lost."""

import pytest
from nccl_verdict.header import Banner, last_word, parse_banner, parse_rank, text
from nccl_verdict.reader import read_bytes
from tests.nccl import render
from tests.nccl.test_gates_rows import told, want

KIB = 1 << 10


@pytest.mark.parametrize(
    ("low", "high", "step", "by_factor", "sizes"),
    [
        (8, 64, 2, True, [8, 16, 32, 64]),
        (8, 63, 2, True, [8, 16, 32]),
        (8, 64, 28, False, [8, 36, 64]),
        (64, 64, 2, True, [64]),
        (64, 8, 2, True, None),
        (64, 256, 1, True, [64]),
        (64, 256, 0, False, [64]),
        (0, 256, 2, True, [0]),
        (0, 4095, 1, False, [*range(4096)]),
        (0, 4096, 1, False, None),
    ],
)
def test_sizes(low: int, high: int, step: int, by_factor: bool, sizes: list[int] | None) -> None:
    """Both ends are among them; no list of them is endless, and none is longer than is kept."""
    assert Banner(1, low, high, step, by_factor).ladder() == sizes


@pytest.mark.parametrize("kind", ["factor", "bytes"])
def test_the_banner(kind: str) -> None:
    """As it is printed, its line beside it."""
    found = parse_banner(7, render.banner(KIB, 8 * KIB, 2, kind).encode())
    assert found == Banner(7, KIB, 8 * KIB, 2, kind == "factor")
    assert parse_banner(7, b"# nThread 1 nGpus 1 minBytes 8 maxBytes 64") is None


def test_a_rank() -> None:
    """Every column; older tests print no group, and the bus alone."""
    line = "[1,0]<stdout>:#  Rank 13 Group  2 Pid   4711 on node-1 device  5 [0000:8f:00] NVIDIA H200 "
    rank = parse_rank(7, line.encode())
    assert rank is not None and rank == (7, 13, 2, 4711, "node-1", 5, "0000:8f:00", "NVIDIA H200")
    old = parse_rank(7, line.replace("Group  2 ", "").replace("0000:8f:00", "0x8f").encode())
    assert old is not None and (old.group, old.bus_alone, rank.bus_alone) == (0, True, False)
    assert parse_rank(7, b"Rank of the matrix") is None


def test_a_long_model_is_cut() -> None:
    """128 bytes of it are kept; what is no UTF-8 is shown as such, and what a terminal acts on in JSON's form."""
    line = b"Rank 0 Pid 7 on node-0 device 0 [0000:8f:00] " + b"x" * 200
    rank = parse_rank(7, line)
    assert rank is not None and rank.model == "x" * 128
    assert text(b" a\xff\x1bb \r") == "a\ufffd\\u001bb"


def test_the_word_before() -> None:
    """Of a launcher's text and a host the host; no more than a name has."""
    assert last_word(b"[1,0]<stdout>: node-1.rack_2") == b"node-1.rack_2"
    assert last_word(b"node-1: ") == last_word(b"") == b""
    assert last_word(b"x" * 999) == b"x" * 255


def rounded(size: int, ranks: int) -> int:
    """As nccl-tests rounds it for all_gather: to a multiple of 16 bytes a rank."""
    return size // (16 * ranks) * 16 * ranks


def test_sizes_that_were_rounded_down() -> None:
    """24 ranks divide no power of two: 1 GiB less some bytes counts as 1 GiB, and is judged as that."""
    gibs = [render.GIB << power for power in range(4)]
    lines = [
        *render.log(render.hosts(3))[:-6],
        *(render.row(rounded(size, 24), 300.0, 300.0, 24) for size in gibs),
        *render.footer([300.0]),
    ]
    (run,) = read_bytes(render.joined(lines))
    assert [run.nominal(rounded(size, 24)) for size in gibs] == gibs
    assert [run.nominal(size - 16 * 24 + extra) == size for size in gibs for extra in (-1, 0)] == [False, True] * 4
    assert run.nominal(render.GIB + 1) == render.GIB + 1 and run.nominal(99 * render.GIB) == 99 * render.GIB
    assert told(lines, want(nodes=3)) == {}
    assert len(run.large_rows()) == 4


def cycles(*of: list[int]) -> list[str]:
    """A log of sizes in KiB, each row a hundred GB/s, that announces 256 KiB to 2 MiB."""
    rows = [render.row(size * KIB, 100.0, 100.0, 16) for sizes in of for size in sizes]
    return [render.banner(256 * KIB, 2048 * KIB), *render.log()[1:-6], *rows, *render.footer([100.0])]


@pytest.mark.parametrize(
    ("lines", "seen"),
    [
        (cycles([256, 512, 1024, 2048]), None),
        (cycles([256, 512, 1024, 2048], [256, 512, 1024, 2048]), None),
        (cycles([256, 512, 1024]), "3 rows for 4 sizes"),
        (cycles([256, 512, 1024, 2048, 2048]), "5 rows for 4 sizes"),
        (cycles([256, 512, 2048, 2048]), "0 rows at 1048576 bytes"),
        (cycles([256, 256, 1024, 2048]), "2 rows at 262144 bytes"),
        (cycles([256, 1024, 512, 2048]), "sizes fall to 524288 bytes on line 215, where they must rise"),
        (cycles([512, 256, 1024, 2048]), "sizes fall to 262144 bytes on line 214, where they must rise"),
        (cycles([256, 512, 1024, 2048], [512, 256, 1024, 2048]), "sizes fall to 524288 bytes on line 217"),
        (cycles([]), "0 rows for 4 sizes"),
    ],
)
def test_rows_that_were_announced(lines: list[str], seen: str | None) -> None:
    """Each size as often as the others, rising, and the first again only where a cycle begins."""
    (run,) = read_bytes(render.joined(lines))
    missing = run.missing_rows()
    assert missing == seen or (seen and missing and missing.startswith(seen))
