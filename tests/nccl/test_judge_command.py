"""The judge's command: its statuses, what it prints and leaves, how it ends a live pipe, and how it ships to a pod."""

import ast
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from nccl_verdict.__main__ import main
from nccl_verdict.plot import write_svg
from nccl_verdict.reader import read_bytes
from nccl_verdict.text import plain_text, termination_message
from nccl_verdict.verdict import Verdict, judge
from rdma_agent.payload import payload
from tests.nccl import render

GOOD = render.log()
SLOW = render.log(busbw=(100.0, 101.0))
Piped = Callable[[bytes], None]


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
def piped(monkeypatch: pytest.MonkeyPatch) -> Piped:
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
def test_the_words_are_printed_and_message_and_picture_left(
    capsys: pytest.CaptureFixture[str], arguments: list[str], status: int, lines: list[str], waived: list[str]
) -> None:
    """Status 0 is proved and 1 is not; JSON says what the text says."""
    told = verdict(lines, *waived, source=arguments[0])

    assert run(*arguments, "--termination", "message", "--plot", "plot.svg") == status
    assert capsys.readouterr().out == plain_text(told) + "\n"
    assert Path("message").read_text() == termination_message(told)
    assert Path("plot.svg").read_text() == write_svg(told)
    assert run(*arguments, "--json") == status
    assert json.loads(capsys.readouterr().out) == told.to_json()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("log", "status", "good"), [("good", 0, ["node-0", "node-1"]), ("slow", 1, [])])
def test_blame_prints_suspected_and_good_nodes_alone(
    capsys: pytest.CaptureFixture[str], log: str, status: int, good: list[str]
) -> None:
    assert run(log, "--blame", "--termination", "message") == status
    assert json.loads(capsys.readouterr().out) == {"suspects": [], "good": good}
    assert not Path("message").exists()


@pytest.mark.usefixtures("here")
def test_several_logs_are_judged_together_and_a_dash_is_the_pipe(
    capsys: pytest.CaptureFixture[str], piped: Piped
) -> None:
    """Without any log the pipe is read as well."""
    piped(render.joined(SLOW))
    assert run("good", "-", "--json") == 1
    assert json.loads(capsys.readouterr().out)["judged"] == 2
    piped(render.joined(GOOD))
    assert run() == 0
    assert capsys.readouterr().out == plain_text(verdict(GOOD)) + "\n"
    piped(b"")
    assert run("--termination", "message") == 2
    assert Path("message").read_text() == termination_message(verdict([]))


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "nothing: "),
        (["good", "--waive", "speed"], "waive: speed "),
        (["good", "--expect", "good"], "expectation: "),
        (["good", "--expect", "none.json"], "expectation: none.json: "),
        (["good", "--expect", "bytes"], "expectation: bytes: "),
        (["no\x1b[2Jthing"], "no\\u001b[2Jthing: "),
        (["x" * 5000], "x" * 4096),
    ],
)
def test_a_wrong_argument_is_one_line_that_moves_no_cursor(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    """Status 2, and the same as the pod's message, of which Kubernetes keeps 4096 bytes."""
    Path("bytes").write_bytes(b"\xff")

    assert run(*arguments, "--termination", "message") == 2
    out, error = capsys.readouterr()
    assert (out, error[:7], error.count("\n")) == ("", "error: ", 1)
    assert error[7:].startswith(words)
    assert Path("message").read_text() == error[7:-1][:4096]


@pytest.mark.usefixtures("here")
def test_what_is_followed_is_passed_on_with_tee_alone(capsysbinary: pytest.CaptureFixture[bytes], piped: Piped) -> None:
    """Then the log stands before the verdict; a deadline leaves no alarm and no handler behind."""
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
def shipped(here: Path) -> Path:
    """What a ConfigMap looks like where it is mounted."""
    for name, source in {**payload("nccl_verdict"), "run.py": payload("rdma_agent")["run.py"]}.items():
        (here / name).write_text(source)
    return here


@pytest.mark.parametrize("seconds", [1, 600], ids=["at the deadline", "when the pod is ended"])
def test_the_shipped_files_judge_a_stuck_test_by_a_bare_interpreter(shipped: Path, seconds: int) -> None:
    """The pipe stays open; the log is passed on, and the verdict over what came is given all the same."""
    raw = render.joined(GOOD[:-3])
    judge_it = [sys.executable, "-S", "-W", "error", "run.py", "judge", "--expect", "expect.json"]
    with subprocess.Popen(
        [*judge_it, "--deadline", str(seconds), "--tee", "--termination", "message"],
        cwd=shipped,
        env={"PYTHONPATH": str(shipped), "PATH": os.environ["PATH"]},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(raw)
        process.stdin.flush()
        assert process.stdout.read(len(raw)) == raw
        if seconds > 1:
            process.send_signal(signal.SIGTERM)
        assert b"not proved" in process.stdout.read()
        assert process.wait(timeout=30) == 1
    assert (shipped / "message").read_text().startswith("finished: ")


def test_the_shipped_files_import_the_standard_library_and_each_other() -> None:
    """They fit a ConfigMap and are Python 3.10."""
    sources = payload("nccl_verdict")
    assert sum(len(source.encode()) for source in sources.values()) < 900 * 1024
    for name, source in sources.items():
        for node in ast.walk(ast.parse(source, name, feature_version=(3, 10))):
            if isinstance(node, ast.ImportFrom) and node.level:
                assert node.level == 1
                assert f"nccl_verdict.{node.module}.py" in sources or node.module is None, (name, node.module)
            elif isinstance(node, ast.ImportFrom):
                assert str(node.module).partition(".")[0] in sys.stdlib_module_names
            elif isinstance(node, ast.Import):
                assert {alias.name.partition(".")[0] for alias in node.names} <= sys.stdlib_module_names
