"""A log as it comes in the wild: lines that ran into each other, odd sizes, live pipes, and what is no log at all."""

import io

import pytest
from nccl_verdict.files import read_stream
from nccl_verdict.prefilter import WORDS, telling
from nccl_verdict.reader import BLOCK, LONGEST, blocks, read_bytes
from nccl_verdict.verdict import judge
from tests.nccl import render
from tests.nccl.forms import FABRICS
from tests.nccl.judging import LOG, runs, verdict


@pytest.mark.parametrize("form", FABRICS)
def test_lines_that_ran_into_one_are_read_each(form: str) -> None:
    """Processes that write at once may lose the line's end between two of NCCL's lines, or three."""
    for many in (2, 3):
        lines = render.log(form=form)
        info = [line for line in lines if "NCCL INFO" in line]
        first = lines.index(info[0])
        glued = ["".join(info[at : at + many]) for at in range(0, len(info), many)]
        lines = [*lines[:first], *glued, *lines[first + len(info) :]]
        bad = [line.replace("/GDRDMA", "", 1) for line in lines]

        assert verdict(lines, want=render.want(form)).passed
        assert [gate.name for gate in verdict(bad, want=render.want(form)).reported] == ["gdr"]


def test_what_ran_into_a_row_counts() -> None:
    """The only line in which a process says its network stands behind the figures of another."""
    lines = [*LOG]
    said = next(line for line in lines if line.startswith("node-1:708:") and "Using network" in line)
    lines.remove(said)
    place = next(number for number, line in enumerate(lines) if line.startswith("  1073741824 "))

    assert [gate.name for gate in verdict(lines).failed] == ["transport"]
    lines[place] += f"  {said}"
    assert verdict(lines).passed


def test_sizes_that_the_ranks_do_not_divide_count_as_what_was_asked_for() -> None:
    """24 ranks divide no power of two: 1 GiB less some bytes is judged as 1 GiB."""
    gibs = [render.GIB << power for power in range(4)]
    down = [size // (16 * 24) * 16 * 24 for size in gibs]
    head = render.log(render.hosts(3))[:-6]
    lines = [*head, *(render.row(size, 300.0, 300.0, 24) for size in down), *render.footer([300.0])]
    (run,) = runs(lines)

    assert [run.nominal(size) for size in down] == gibs
    assert [run.nominal(size - 16 * 24 + extra) == size for size in gibs for extra in (-1, 0)] == [False, True] * 4
    assert run.nominal(render.GIB + 1) == render.GIB + 1
    assert verdict(lines, want=render.want(nodes=3)).failed == ()


@pytest.mark.parametrize(("length", "told"), [(LONGEST, False), (LONGEST + 1, True)])
def test_a_line_beyond_the_longest_is_told_by_its_number(length: int, told: bool) -> None:
    lines = [*LOG, render.row(render.GIB, 1.0, 1.0, 16).rjust(length)]
    (run,) = runs(lines)

    assert run.overflow == (len(lines) if told else None)


def test_a_line_without_end_is_not_kept_and_the_log_is_not_judged_as_whole() -> None:
    raw = render.joined([*LOG, LOG[-3]]) + b"#" * (3 * BLOCK) + b"\n" + render.joined([LOG[-3]])
    (run,) = read_bytes(raw)

    assert (run.overflow, run.total_rows) == (len(LOG) + 2, 6)
    assert "finished" in {gate.name for gate in judge([run], render.want()).failed}


class Drip(io.RawIOBase):
    """A log that is still written: a few bytes come at a time, and whole blocks only at its end."""

    def __init__(self, raw: bytes) -> None:
        self._rest = io.BytesIO(raw)

    def read(self, size: int = -1) -> bytes:
        raise AssertionError(f"waits for {size} bytes")

    def read1(self, size: int = -1) -> bytes:
        return self._rest.read(7)


def test_a_log_that_is_still_written_is_read_as_it_comes() -> None:
    assert next(blocks(Drip(b"one\ntwo\nthree"))) == b"one"
    assert judge(read_stream(Drip(render.joined(LOG))), render.want()).passed


@pytest.mark.parametrize("raw", [b"", b"\n\n", b"hello", b"\x00\xff" * 999, b"{}", b"# \n" * 9, b"{" * 200000])
def test_no_gate_passes_what_is_no_log(raw: bytes) -> None:
    outcome = judge(read_stream(io.BytesIO(raw)), render.want())

    assert outcome.exit_code == 2
    assert not outcome.passed
    assert not any(gate.passed for gate in outcome.gates)


def test_channels_that_are_said_again_count_once() -> None:
    """Every communicator of a test prints its channels; one that differs from the first time still counts."""
    place = next(number for number, line in enumerate(LOG) if "[send]" in line)
    again = [*LOG[: place + 1], *[LOG[place]] * 50, *LOG[place + 1 :]]
    bad = [*again[:90], LOG[place].replace("/GDRDMA", ""), *again[90:]]

    assert verdict(again).passed
    assert [(gate.name, gate.lines) for gate in verdict(bad).failed] == [("gdr", (91,))]


@pytest.mark.parametrize("word", WORDS)
def test_a_line_is_looked_at_once_for_each_telling_word(word: bytes) -> None:
    """Where the word begins or ends it, alone, twice, and between lines that tell nothing."""
    lines = [b"nothing", word, b"a" + word, b"", word + b"b", b"nothing", word + b" " + word, b"x" + word * 3 + b"y"]
    block = b"\n".join(lines)

    assert [block[start:end] for start, end, _ in telling(block)] == [line for line in lines if word in line]
    if not any(each in word[1:] for each in WORDS):
        assert list(telling(word[1:])) == []
