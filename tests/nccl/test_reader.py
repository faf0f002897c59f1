"""nccl-tests output as it comes in the wild."""

import io

import pytest
from nccl_verdict import reader
from nccl_verdict.files import read_stream
from nccl_verdict.prefilter import WORDS, telling
from nccl_verdict.reader import BLOCK, LONGEST, NotReadableError, blocks, read_bytes
from nccl_verdict.rows import WIDTHS, parse_row
from nccl_verdict.run import Run
from nccl_verdict.verdict import judge
from tests.nccl import render
from tests.nccl.forms import FABRICS

PLAIN = "1073741824 268435456 float sum -1 4607.6 233.04 436.95 0 4565.6 235.18 440.96 0"

LAYOUTS = {
    "today's": PLAIN,
    "mpirun tag": f"[1,0]<stdout>: {PLAIN}",
    "mpirun tag without a space": f"[1,0]<stdout>:{PLAIN}",
    "srun label": f"0: {PLAIN}",
    "srun label inside": "[0] 1073741824 268435456 float sum -1[0] 4607.6 233.04 436.95 0[0] 4565.6 235.18 440.96 0",
    "skypilot": f"(head, rank=0, pid=3808) [1,0]<stdout>: {PLAIN}",
    "pod name and time": f"nccl-launcher-x7 2026-02-16T10:00:02.000000000Z   {PLAIN}",
    "time with digits before": f"2026-02-16 10:00:02 17 {PLAIN}",
    "no root": PLAIN.replace(" -1", ""),
    "no reduction, no root": PLAIN.replace(" sum -1", ""),
    "old error column": PLAIN.replace("436.95 0", "436.95 4e-07").replace("440.96 0", "440.96 0e+00"),
    "not checked": PLAIN.replace("436.95 0", "436.95 N/A").replace("440.96 0", "440.96 N/A"),
    "-I 1": (
        "1073741824 268435456 float sum -1 4607.6 233.04 436.95 0 4500.1 4700.2 4699.0 1.2 "
        "4565.6 235.18 440.96 0 4400.1 4600.2 4599.0 1.3"
    ),
    "-S 1": f"{PLAIN} 2026-07-09 16:03:21",
    "-I 1 -S 1": (
        "1073741824 268435456 float sum -1 4607.6 233.04 436.95 0 4500.1 4700.2 4699.0 1.2 "
        "4565.6 235.18 440.96 0 4400.1 4600.2 4599.0 1.3 2026-07-09 16:03:21"
    ),
    "bfloat16": PLAIN.replace("float", "bfloat16").replace("268435456", "536870912"),
    "an INFO line behind it": f"{PLAIN} worker-0:12:34 [0] NCCL INFO Connected all trees",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_row_layouts(layout: str) -> None:
    """Every layout gives the same figures."""
    found = parse_row(1, LAYOUTS[layout].encode())
    assert found is not None
    row = found[0]
    assert row.whole
    assert (row.size, row.count * row.width) == (1 << 30, 1 << 30)
    assert [cell and cell.value for cell in (row.out_alg, row.out_bus, row.in_alg, row.in_bus)] == [
        233.04,
        436.95,
        235.18,
        440.96,
    ]


@pytest.mark.parametrize("cut", range(34, len(PLAIN) - 1))
def test_cut_rows_are_not_whole(cut: int) -> None:
    """A row that ends too early is missing something, or its last figure is a count of errors that fails or is 0."""
    found = parse_row(1, PLAIN[:cut].encode())
    assert found is None or not found[0].whole
    assert found is None or found[0].out_bus is None or found[0].out_bus.value == 436.95


def test_rounding_error_column_is_no_wrong_data() -> None:
    """Old tests print the largest rounding error where new ones print the number of wrong elements."""
    lines = [line.replace("      0", "  4e-07") if "float" in line else line for line in render.log()]
    assert "4e-07" in lines[-3]
    assert not judge(read_bytes(render.joined(lines)), render.want()).passed

    old = [line.replace("#wrong", "error") for line in lines]
    assert judge(read_bytes(render.joined(old)), render.want()).passed


@pytest.mark.parametrize("form", FABRICS)
def test_lines_that_ran_into_one(form: str) -> None:
    """Processes that write at once may lose the line's end between two of NCCL's lines, or three."""
    for many in (2, 3):
        lines = render.log(form=form)
        info = [line for line in lines if "NCCL INFO" in line]
        first = lines.index(info[0])
        glued = ["".join(info[at : at + many]) for at in range(0, len(info), many)]
        lines = [*lines[:first], *glued, *lines[first + len(info) :]]

        assert judge(read_bytes(render.joined(lines)), render.want(form)).passed
        bad = [line.replace("/GDRDMA", "", 1) for line in lines]
        outcome = judge(read_bytes(render.joined(bad)), render.want(form))
        assert [gate.name for gate in outcome.reported] == ["gdr"]


def test_what_ran_into_a_row_counts() -> None:
    """The only line in which a process says its network stands behind the figures of another: both are read."""
    lines = render.log()
    said = next(line for line in lines if line.startswith("node-1:708:") and "Using network" in line)
    lines.remove(said)
    assert [gate.name for gate in judge(read_bytes(render.joined(lines)), render.want()).failed] == ["transport"]

    place = next(number for number, line in enumerate(lines) if line.startswith("  1073741824 "))
    lines[place] += f"  {said}"
    assert judge(read_bytes(render.joined(lines)), render.want()).passed


@pytest.mark.parametrize("prefix", ["", "[1,0]<stdout>:", "0: ", "[0] "])
def test_row_torn_by_another_process(prefix: str) -> None:
    """A row whose second half follows behind other lines, as happens when ranks connect at the first message."""
    lines = [prefix + line for line in render.log()]
    place = next(number for number, line in enumerate(lines) if line.removeprefix(prefix).startswith("  1073741824 "))
    cut = len(prefix) + 52
    head, tail = lines[place][:cut], prefix + lines[place][cut:]
    info = "node-1:708:908 [0] NCCL INFO Connected all rings, use ring PXN 0 GDR 1"
    figures = "times: 1 2 3 4 5 6 7 8"  # of somebody else, behind a row that is whole again
    other = "node-0:700:900 [0] NCCL INFO Using network gIB"
    torn = [*lines[:place], head + info, info, tail, other, figures, *lines[place + 1 :]]
    assert judge(read_bytes(render.joined(torn)), render.want()).passed
    lost = [*lines[:place], head + info, info, *lines[place + 1 :]]
    assert "rows" in {gate.name for gate in judge(read_bytes(render.joined(lost)), render.want()).failed}


@pytest.mark.parametrize(
    "prefix", ["[1,0]<stdout>:", "(head, rank=0, pid=7) ", "2026-02-16T10:00:02Z ", "\x1b[36mpod-0\x1b[0m "]
)
def test_prefixes_over_a_whole_log(prefix: str) -> None:
    """Prefixes, colours included, change nothing."""
    lines = [prefix + line for line in render.log()]
    assert judge(read_bytes(render.joined(lines)), render.want()).passed


def test_carriage_returns() -> None:
    """Logs that went through a terminal end their lines with both characters."""
    raw = render.joined(render.log()).replace(b"\n", b"\r\n")
    assert judge(read_bytes(raw), render.want()).passed


def test_zero_sized_rows_of_all_gather() -> None:
    """Small sizes that round down to nothing are rows too, and are not judged."""
    figures = [0.0, 322.23]
    lines = [
        line
        for line in render.log(busbw=[322.23])
        if "float" not in line and not line.startswith(("# O", "# A", "# n"))
    ]
    zero = "           0             0     float    none      -1" + "     0.06    0.00    0.00      0" * 2
    lines = [
        "# nThread 1 nGpus 1 minBytes 64 maxBytes 1073741824 step: 16777216(factor) warmup iters: 5 iters: 20",
        *lines,
        zero,
        render.row(1 << 30, 322.23, 322.23, 16),
        *render.footer(figures),
    ]
    assert judge(read_bytes(render.joined(lines)), render.want()).passed


def test_several_tests_in_one_log() -> None:
    """All of them must pass, and the failing one is told."""
    slow = render.log(busbw=(100.0, 101.0))
    outcome = judge(read_bytes(render.joined(render.log() + slow)), render.want())
    assert outcome.tests == 2
    assert [gate.name for gate in outcome.failed] == ["bandwidth"]
    assert outcome.largest is not None
    assert outcome.largest.out_of_place == 101.0


def test_a_line_without_end_is_not_kept() -> None:
    """A line beyond every bound is dropped, and the log is no longer judged as whole."""
    raw = render.joined(render.log()) + b"# " + b"x" * (3 * BLOCK)
    outcome = judge(read_bytes(raw), render.want())
    assert [gate.name for gate in outcome.failed] == ["finished"]
    assert LONGEST < BLOCK


@pytest.mark.parametrize(("length", "told"), [(LONGEST, False), (LONGEST + 1, True)])
def test_the_longest_line_that_is_read(length: int, told: bool) -> None:
    """One byte more, and its number says where the log is not whole."""
    lines = [*render.log(), render.row(render.GIB, 1.0, 1.0, 16).rjust(length)]
    (run,) = read_bytes(render.joined(lines))

    assert run.overflow == (len(lines) if told else None)


def test_line_numbers_across_blocks() -> None:
    """Evidence has the right line also when the log is read in many blocks."""
    noise = ["node-0:700:900 [0] NCCL INFO Trees [0] 1/-1/-1->0->8"] * 9000
    lines = [*noise, *render.log(), *noise]
    slow = render.row(render.GIB, 1.0, 1.0, 16)
    lines = [slow if line.lstrip().startswith("1073741824 ") else line for line in lines]
    gate = next(
        gate for gate in judge(read_bytes(render.joined(lines)), render.want()).gates if gate.name == "bandwidth"
    )
    assert gate.lines == (lines.index(slow) + 1,)


class Drip(io.RawIOBase):
    """A pipe that gives a few bytes at a time."""

    def __init__(self, raw: bytes) -> None:
        self._rest = io.BytesIO(raw)

    def read(self, size: int = -1) -> bytes:
        return self._rest.read(7)


def test_a_slow_pipe_gives_the_same() -> None:
    """How the bytes arrive does not matter."""
    assert judge(read_stream(Drip(render.joined(render.log()))), render.want()).passed


class Live(Drip):
    """A log that is still written: whole blocks of it would only be there at its end."""

    def read(self, size: int = -1) -> bytes:
        raise AssertionError(f"waits for {size} bytes")

    def read1(self, size: int = -1) -> bytes:
        return super().read(size)


def test_a_log_that_is_still_written_is_read_as_it_comes() -> None:
    """No line waits until a whole block of them is there."""
    assert next(blocks(Live(b"one\ntwo\nthree"))) == b"one"


def test_the_program_that_was_called_is_the_collective() -> None:
    """Where the test does not announce itself: the one before its banner, not what stands between that and the rows."""
    lines = render.log()
    place = next(number for number, line in enumerate(lines) if "nThread" in line)
    called = ["+ mpirun all_gather_perf -b 1G -e 8G", *lines[: place + 1], "+ alltoall_perf", *lines[place + 1 :]]
    for log, told in ((called, ("all_gather", 1)), (called[1:], (None, None))):
        (run,) = read_bytes(render.joined(log))
        assert (run.collective, run.collective_line) == told


def test_the_first_row_of_more_sizes_than_are_kept_is_told() -> None:
    """No log of nccl-tests has thousands of sizes: where they begin to be too many is evidence."""
    run = Run(counts=dict.fromkeys(range(4097), 1))
    for number in (7, 9):
        (row, _) = parse_row(number, PLAIN.encode()) or pytest.fail(PLAIN)
        run.add_row(row)

    assert run.overflow == 7


@pytest.mark.parametrize("raw", [b"", b"\n\n", b"hello", b"\x00\xff" * 999, b"{}", b"# \n" * 9, b"{" * 200000])
def test_what_is_no_log_is_said_to_be_none(raw: bytes) -> None:
    """Nothing of nccl-tests in it: status 2, and no gate passes."""
    outcome = judge(read_stream(io.BytesIO(raw)), render.want())
    assert outcome.exit_code == 2
    assert not outcome.passed
    assert not any(gate.passed for gate in outcome.gates)


def test_many_telling_lines_before_a_channel() -> None:
    """A block full of comments costs no depth and no memory."""
    lines = [*["#"] * 100_000, *render.log(), *["#"] * 100_000]
    assert judge(read_bytes(render.joined(lines)), render.want()).passed


def test_channels_that_are_said_again_count_once() -> None:
    """Every communicator of a test prints its channels; one that differs from the first time still counts."""
    lines = render.log()
    place = next(number for number, line in enumerate(lines) if "[send]" in line)
    again = [*lines[: place + 1], *[lines[place]] * 50, *lines[place + 1 :]]
    assert judge(read_bytes(render.joined(again)), render.want()).passed
    bad = [*again[:90], lines[place].replace("/GDRDMA", ""), *again[90:]]
    outcome = judge(read_bytes(render.joined(bad)), render.want())
    assert [(gate.name, gate.lines) for gate in outcome.failed] == [("gdr", (91,))]


@pytest.mark.parametrize("word", WORDS)
def test_every_telling_word_is_found(word: bytes) -> None:
    """Alone, at a line's start and end, and beside others."""
    block = b"\n".join([b"nothing", word, b"a" + word, word + b"b", b"nothing", word + word, b"x" + word * 3 + b"y"])
    lines = [block[start:end] for start, end, _ in telling(block)]
    assert lines == [line for line in block.split(b"\n") if word in line]


@pytest.mark.parametrize("kind", WIDTHS)
def test_every_type_makes_a_row(kind: str) -> None:
    """Whatever blanks stand before it."""
    for blanks in (" ", "      ", "\t"):
        block = f"# x\n1024{blanks}256{blanks}{kind}{blanks}none -1 1 2 3 0 1 2 3 0\nfloat 3.1".encode()
        assert [block[start:end].split()[2].decode() for start, end, is_row in telling(block) if is_row] == [kind]


def test_more_tests_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are refused, with what to do, and not forgotten."""
    monkeypatch.setattr(reader, "_MOST_KEPT", 5 * 256)
    lines = render.log(gpus=1)
    assert len(read_bytes(render.joined(lines * 4))) == 4
    with pytest.raises(NotReadableError, match="more than 5 tests: split it, and give a folder of the pieces"):
        read_bytes(render.joined(lines * 9))


def test_a_settled_test_is_small() -> None:
    """Ends of channels that have their other end are not kept; one that is lost still shows."""
    (run,) = read_bytes(render.joined(render.log()))
    assert run.evidence.channels.total == 32
    assert run.evidence.channels.ends == (set(), set())
    lines = render.log()
    lines.remove(next(line for line in lines if "[send]" in line))
    (run,) = read_bytes(render.joined(lines))
    assert run.evidence.channels.lost() == 1
