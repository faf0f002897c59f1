"""The judge as it runs inside the cluster: its files alone, in their own directory, by a bare interpreter."""

import ast
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rdma_agent.payload import payload
from tests.nccl import render


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    """What a ConfigMap looks like where it is mounted, with an expectation beside it."""
    for name, source in {**payload("nccl_verdict"), "run.py": payload("rdma_agent")["run.py"]}.items():
        (tmp_path / name).write_text(source)
    (tmp_path / "expect.json").write_text(render.want().to_json())
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-S", "-W", "error", "run.py", "judge", "--expect", "expect.json", *arguments]


def environment(shipped: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(shipped), "PATH": os.environ["PATH"]}


def run(shipped: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command(*arguments), cwd=shipped, env=environment(shipped), input=stdin, capture_output=True, timeout=60
    )


def test_good_log_from_a_pipe(shipped: Path) -> None:
    """Status 0, and the message says what was proved."""
    done = run(shipped, "--termination", "message", stdin=render.joined(render.log()))
    assert done.returncode == 0, done.stderr
    assert (shipped / "message").read_text().startswith("passed; all_gather on 2 x 8 GPUs of m; 325.72 GB/s")


def test_bad_log_leaves_its_first_failed_gate(shipped: Path) -> None:
    """Status 1, the first failed gate first, within 4096 bytes."""
    lines = [line.replace("gIB", "Socket") for line in render.log()]
    (shipped / "log").write_bytes(render.joined(lines))
    done = run(shipped, "log", "--termination", "message", "--plot", "plot.svg", "--json")
    message = (shipped / "message").read_bytes()
    assert done.returncode == 1
    assert message.startswith(
        b"socket: fell back to TCP sockets on node-0, node-1; wanted no process and no channel on NET"
    )
    assert len(message) <= 4096
    assert json.loads(done.stdout)["passed"] is False
    assert (shipped / "plot.svg").read_text().startswith("<svg ")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["no-such-log"], b"no-such-log: No such file"),
        (["--waive", "speed"], b"waive: speed is no gate"),
        (["--expect", "no-such-file"], b"no-such-file"),
        (["--expect", "bad.json"], b"unknown key color"),
    ],
)
def test_wrong_arguments(shipped: Path, arguments: list[str], word: bytes) -> None:
    """Status 2 and one line, no traceback."""
    (shipped / "bad.json").write_text('{"color": 1}')
    done = run(shipped, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: ")
    assert word in done.stderr
    assert b"Traceback" not in done.stderr


def test_nothing_from_nccl_tests_is_status_2(shipped: Path) -> None:
    """An empty pipe is not a log, and the message says so."""
    done = run(shipped, "--termination", "message")
    assert done.returncode == 2
    assert "not a log" in (shipped / "message").read_text()


def test_tee_passes_everything_on(shipped: Path) -> None:
    """The pod's own log keeps what the test printed, before the verdict."""
    raw = render.joined(render.log())
    assert run(shipped, "--tee", stdin=raw).stdout.startswith(raw)


def test_a_stuck_test_ends_at_the_deadline(shipped: Path) -> None:
    """The pipe stays open; the verdict comes all the same, and says that the test did not finish."""
    with subprocess.Popen(
        command("--deadline", "1", "--tee", "--termination", "message"),
        cwd=shipped, env=environment(shipped), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(render.joined(render.log()[:-3]))
        process.stdin.flush()
        assert process.wait(timeout=30) == 1
    assert (shipped / "message").read_text().startswith("finished: did not finish")


def test_a_pod_that_is_ended_still_tells(shipped: Path) -> None:
    """The signal of a pod's deletion gives the verdict over what was seen."""
    with subprocess.Popen(
        command("--deadline", "60", "--tee", "--termination", "message"),
        cwd=shipped, env=environment(shipped), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(render.joined(render.log()[:-3]))
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"# nThread")
        time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        assert process.returncode == 1
    assert (shipped / "message").read_text().startswith("finished: did not finish")


def test_shipped_files_stand_alone() -> None:
    """They fit a ConfigMap, are Python 3.10, and import the standard library and each other."""
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
