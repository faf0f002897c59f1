"""Servers end with the run that started them, however it ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PROBE = Path(__file__).with_name("lifecycle_probe.py")
SERVERS = {"server", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}
SECONDS = 60.0

pytestmark = pytest.mark.skipif("KUBECONFIG_E2E" in os.environ, reason="the cluster is not ours to end")


@contextmanager
def probe(test: str, folder: Path) -> Generator[subprocess.Popen]:
    """A test run with its temporary files in `folder`, which stands in every server's command line."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--basetemp={folder}", f"{PROBE}::{test}"]
    environment = os.environ | {"PROBE_WAITS": str(waits(folder))}
    with subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=subprocess.DEVNULL) as run:
        try:
            yield run
        finally:
            run.kill()


def waits(folder: Path) -> Path:
    """The file by which the probe tells that it waits; beside its folder, which pytest empties."""
    return folder.with_suffix(".waits")


def programs(folder: Path) -> set[str]:
    """The programs that run with something of `folder` in their arguments."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            arguments = path.read_bytes().decode().split("\0")
        except OSError:  # it ended while we looked
            continue
        if any(f"{folder}/" in argument for argument in arguments):
            found.add(Path(arguments[0]).name)
    return found


def eventually(true: Callable[[], bool]) -> None:
    """Poll until it is so."""
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline, f"not so within {SECONDS:g} s"
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_servers_end_with_the_run_that_started_them(number: signal.Signals, tmp_path: Path):
    """A signal ends them too, even one that the run never sees. `rehearse` starts its servers in the same way."""
    folder = tmp_path / "run"
    with probe("test_waits", folder) as run:
        eventually(waits(folder).exists)
        assert programs(folder) == SERVERS

        run.send_signal(number)
        run.wait(SECONDS)
        eventually(lambda: programs(folder) == set())
