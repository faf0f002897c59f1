"""The judge's own command called in this process: statuses, what it prints and leaves, and how it ends a live pipe."""

import contextlib
import io
import json
import locale
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from nccl_verdict.__main__ import main
from nccl_verdict.plot import write_svg
from nccl_verdict.reader import read_bytes
from nccl_verdict.text import plain_text, termination_message
from nccl_verdict.verdict import Verdict, judge
from tests.nccl import render

GOOD = render.log()
SLOW = render.log(busbw=(100.0, 101.0))


def verdict(lines: list[str], *waive: str, source: str = "") -> Verdict:
    """What the judge says of a log."""
    return judge(read_bytes(render.joined(lines), source), render.want(), waive)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an expectation and two logs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "expect.json").write_text(render.want().to_json())
    (tmp_path / "good").write_bytes(render.joined(GOOD))
    (tmp_path / "slow").write_bytes(render.joined(SLOW))
    return tmp_path


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Puts bytes on standard input."""
    return lambda raw: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))


def run(*arguments: str) -> int:
    """The status."""
    return main(["--expect", "expect.json", *arguments])


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "status", "lines", "waived"),
    [
        (["good"], 0, GOOD, []),
        (["slow"], 1, SLOW, []),
        (["slow", "--waive", "bandwidth", "--waive", "rows"], 0, SLOW, ["bandwidth", "rows"]),
    ],
)
def test_a_verdict_in_words(
    capsys: pytest.CaptureFixture[str], arguments: list[str], status: int, lines: list[str], waived: list[str]
) -> None:
    """0 is proved and 1 is not; the text is printed, message and picture are left where they are asked."""
    assert run(*arguments, "--termination", "message", "--plot", "plot.svg") == status
    told = verdict(lines, *waived, source=arguments[0])
    assert capsys.readouterr().out == plain_text(told) + "\n"
    assert Path("message").read_text() == termination_message(told)
    assert Path("plot.svg").read_text() == write_svg(told)


def test_nothing_is_left_unasked(here: Path) -> None:
    """Without the options no file is written."""
    assert run("good") == 0
    assert sorted(each.name for each in here.iterdir()) == ["expect.json", "good", "slow"]


@pytest.mark.usefixtures("here")
def test_a_verdict_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON over several lines, that says what the text says."""
    assert run("slow", "--json") == 1
    printed = capsys.readouterr().out
    assert json.loads(printed) == verdict(SLOW, source="slow").to_json()
    assert printed.startswith('{\n  "passed": false')


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("log", "status", "good"), [("good", 0, ["node-0", "node-1"]), ("slow", 1, [])])
def test_whom_to_blame(capsys: pytest.CaptureFixture[str], log: str, status: int, good: list[str]) -> None:
    """Suspected and good nodes alone, and no message of the pod."""
    assert run(log, "--blame", "--termination", "message") == status
    assert json.loads(capsys.readouterr().out) == {"suspects": [], "good": good}
    assert not Path("message").exists()


@pytest.mark.usefixtures("here")
def test_several_logs_and_a_pipe(capsys: pytest.CaptureFixture[str], piped: Callable[[bytes], None]) -> None:
    """All are judged together; a dash, or no log at all, is standard input."""
    piped(render.joined(SLOW))
    assert run("good", "-", "--json") == 1
    assert json.loads(capsys.readouterr().out)["judged"] == 2
    piped(render.joined(GOOD))
    assert run() == 0
    assert capsys.readouterr().out == plain_text(verdict(GOOD)) + "\n"
    piped(b'{"version": 1}')
    assert run() == 1


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "nothing: No such file or directory"),
        (["good", "--waive", "speed"], "waive: speed is no gate"),
        (["good", "--expect", "good"], "expectation: "),
        (["good", "--expect", "none.json"], "expectation: none.json: No such file or directory"),
        (["good", "--expect", "bytes"], "expectation: bytes: 'utf-8' codec can't decode"),
        (["no\x1b[2Jthing"], "no\\u001b[2Jthing: No such file"),
    ],
)
def test_wrong_arguments(capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    """Status 2, one line on standard error that moves no cursor, and the same as the pod's message."""
    Path("bytes").write_bytes(b"\xff")
    assert run(*arguments, "--termination", "message") == 2
    out, error = capsys.readouterr()
    assert (out, error[:7], error.count("\n")) == ("", "error: ", 1)
    assert error[7:].startswith(words) and Path("message").read_text() == error[7:-1]


@pytest.mark.usefixtures("here")
def test_an_expectation_must_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    """Without one there is nothing to judge by."""
    with pytest.raises(SystemExit) as ended:
        main(["good"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith("error: the following arguments are required: --expect\n")


@pytest.mark.usefixtures("here")
def test_a_long_message_is_cut() -> None:
    """Kubernetes keeps 4096 bytes of it."""
    assert run("x" * 5000, "--termination", "message") == 2
    assert len(Path("message").read_bytes()) == 4096


@pytest.mark.usefixtures("here")
def test_what_is_followed_is_passed_on(capsysbinary: pytest.CaptureFixture[bytes], piped: Callable[[bytes], None]):
    """With ``--tee`` alone, the log stands before the verdict; with a deadline alone, the verdict."""
    raw, told = render.joined(GOOD), plain_text(verdict(GOOD)).encode() + b"\n"
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGALRM)
    for arguments, out in (
        (["--tee"], raw + told),
        (["--deadline", "60"], told),
        (["--tee", "--deadline", "60"], raw + told),
    ):
        piped(raw)
        assert run(*arguments) == 0
        assert capsysbinary.readouterr() == (out, b"")
        assert signal.alarm(0) == 0
        assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGALRM)) == before


@pytest.fixture
def no_letters_but_ascii() -> Iterator[None]:
    """The locale of a bare container."""
    before = locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C")
    yield
    locale.setlocale(locale.LC_CTYPE, before)


@pytest.mark.usefixtures("no_letters_but_ascii")
def test_files_are_utf8_in_every_locale(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The expectation is read so, and the picture written."""
    expect = render.want().to_json().replace('"machine": "m"', '"machine": "größer"')
    (here / "expect.json").write_bytes(expect.encode())
    assert run("good", "--plot", "plot.svg") == 0
    assert "The fabric of 2 x größer is proved." in capsys.readouterr().out
    assert "GPUs of größer<".encode() in (here / "plot.svg").read_bytes()


class Stuck(io.RawIOBase):
    """A pipe that gives what it has, and then is told that its time is over; it notes how much was left."""

    def __init__(self, raw: bytes, number: int) -> None:
        self._raw, self._number = raw, number
        self.left = 0.0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        chunk, self._raw = self._raw[: len(buffer)], self._raw[len(buffer) :]
        buffer[: len(chunk)] = chunk
        if not chunk:
            self.left = signal.getitimer(signal.ITIMER_REAL)[0]
            os.kill(os.getpid(), self._number)
        return len(chunk)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGALRM])
def test_what_was_seen_until_the_end_is_judged(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """A deadline or the pod's deletion ends the reading, and the verdict is over what came by then."""
    lines = GOOD[:-3]
    pipe = Stuck(render.joined(lines), number)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(pipe)))
    with contextlib.ExitStack() as stack:
        stack.callback(signal.signal, number, signal.getsignal(number))
        assert run("--deadline", "600") == 1
    assert 500 < pipe.left <= 600
    out, error = capsys.readouterr()
    assert out == plain_text(verdict(lines)) + "\n"
    assert error == "error: the test did not end in time\n"
