"""A log that is still being written: how it ends, and that nothing waits for ever."""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from nccl_verdict.following import GRACE_SECONDS, POLL_SECONDS, Live, follow
from nccl_verdict.verdict import judge
from tests.nccl import render

FAILURE = b"node-1: Test NCCL failure common.cu:1 'unhandled system error'\n"


class Time:
    """A clock that only waiting moves; each wait plays the next thing that happens."""

    def __init__(self, *happens: Callable[[], None]) -> None:
        self.now = 0.0
        self.longest = 0.0
        self._happens = iter(happens)

    def clock(self) -> float:
        return self.now

    def wait(self, files: Sequence[int], seconds: float) -> bool:
        self.longest = max(self.longest, seconds)
        if event := next(self._happens, None):
            event()
            self.now += min(1.0, seconds)
            return bool(files)
        self.now += seconds
        return False


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe that takes more than a log without a reader."""
    read, write = os.pipe()
    yield read, write
    os.close(read)
    with contextlib.suppress(OSError):  # a test closed it
        os.close(write)


def watched(file: int, time: Time, silence: float = 60.0):
    runs, why = follow(Live(file, silence, wait=time.wait, clock=time.clock))
    return judge(runs, render.want()), why


def said(write: int, text: bytes) -> Callable[[], None]:
    return lambda: None if os.write(write, text) == len(text) else pytest.fail("the pipe is full")


def test_a_pipe_ends_by_itself(pipe: tuple[int, int]) -> None:
    """It may come in pieces, torn inside of lines; so may a log that is wrapped as JSON."""
    text = b"".join(b'{"log": "%s\\n"}\n' % line.encode() for line in render.log())
    pieces = [said(pipe[1], text[at : at + 777]) for at in range(0, len(text), 777)]
    verdict, why = watched(pipe[0], Time(*pieces, lambda: os.close(pipe[1])))
    assert (verdict.passed, why) == (True, "end")


def test_a_failure_ends_it_at_once(pipe: tuple[int, int]) -> None:
    later = Time(said(pipe[1], render.joined(render.log())), said(pipe[1], FAILURE), lambda: pytest.fail("read on"))
    verdict, why = watched(pipe[0], later)
    assert why == "failure"
    assert [gate.name for gate in verdict.reported] == ["finished"]
    assert later.now == 2.0


def interrupted() -> None:
    raise KeyboardInterrupt


def test_an_interrupt_shows_what_is_known(pipe: tuple[int, int]) -> None:
    verdict, why = watched(pipe[0], Time(said(pipe[1], render.joined(render.log()[:-3])), interrupted))
    assert why == "interrupt"
    assert verdict.reported[0].name == "finished"


def test_a_file_that_grows_is_read_beyond_its_footer(tmp_path: Path) -> None:
    """It is read to the footer and for some seconds behind it, because words of failure may follow."""
    lines, log = render.log(), tmp_path / "run.log"
    log.write_bytes(render.joined(lines[:20]))

    def more(text: bytes) -> Callable[[], None]:
        def write() -> None:
            with log.open("ab") as file:
                file.write(text)

        return write

    for behind, why, passed in ((b"", "end", True), (FAILURE, "failure", False)):
        log.write_bytes(render.joined(lines[:20]))
        time = Time(more(render.joined(lines[20:])), *([more(behind)] if behind else []))
        with log.open("rb") as file:
            verdict, ended = watched(file.fileno(), time)
        assert (ended, verdict.passed) == (why, passed)
        assert time.now < GRACE_SECONDS + 2
        assert time.longest == POLL_SECONDS  # nobody wakes us


@pytest.mark.parametrize(
    ("lines", "why", "passed"), [(render.log(), "end", True), (render.log()[:-3], "silence", False)]
)
def test_a_pipe_that_stays_open_is_waited_for_as_long_as_was_said(
    pipe: tuple[int, int], lines: list[str], why: str, passed: bool
) -> None:
    """A footer changes nothing of that; whether all was seen tells why it ended."""
    time = Time(said(pipe[1], render.joined(lines)))
    verdict, ended = watched(pipe[0], time, silence=45)
    assert (ended, verdict.passed, time.now, time.longest) == (why, passed, 46.0, 45)


@pytest.mark.parametrize(
    ("silence", "lines", "longest"), [(3, render.log(), 3), (60, render.log(), 10), (20, ["#"], 20)]
)
def test_a_file_may_be_silent_no_longer_than_was_said(
    tmp_path: Path, silence: float, lines: list[str], longest: float
) -> None:
    """Behind a footer it may be no longer than the grace."""
    log = tmp_path / "run.log"
    log.write_bytes(render.joined(lines))
    time = Time()
    with log.open("rb") as file:
        watched(file.fileno(), time, silence)
    assert time.now == longest


def test_a_pipe_is_waited_for_by_the_systems_own_clock(pipe: tuple[int, int]) -> None:
    """What is there is read, and the end of the pipe ends it."""
    os.write(pipe[1], b"some text")
    live = Live(pipe[0], 60.0)
    assert (live.read(4), live.read(0), live.why, live.done) == (b"some", b" text", "end", False)
    os.close(pipe[1])
    assert (live.read(), live.why) == (b"", "end")
    gone = Live(pipe[0], 0.0)
    assert (gone.read(), gone.why) == (b"", "silence")
