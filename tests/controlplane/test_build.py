"""The build says what it lacks, and is done once; a stand-in plays the compiler."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
COMPILER = """\
#!/bin/sh
case "$1" in
  env) echo go{version} ;;
  build)
    basename "$PWD" >> "$XDG_CACHE_HOME/builds"
    while [ "$1" != -o ]; do shift; done
    touch "$2/program" ;;
esac
"""


def start(tmp_path: Path, path: str, **environment: str) -> subprocess.Popen:
    """The build as a user starts it, with an empty cache."""
    environment = {"PATH": path, "XDG_CACHE_HOME": str(tmp_path)} | environment
    command = [sys.executable, "-m", "tests.controlplane.build"]
    return subprocess.Popen(command, cwd=REPOSITORY, env=environment, stderr=subprocess.PIPE, text=True)


def compiler(tmp_path: Path, version: str) -> str:
    """A PATH with a Go of that version on it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "go").write_text(COMPILER.format(version=version))
    (folder / "go").chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize(("version", "says"), [(None, "go: not found on PATH"), ("1.21.3", "go: go1.21.3 is too old")])
def test_it_says_which_go_it_needs(version: str | None, says: str, tmp_path: Path):
    """No Go and an old Go are told apart, and both come with the remedy."""
    run = start(tmp_path, compiler(tmp_path, version) if version else "")
    _, message = run.communicate(timeout=30)

    assert run.returncode == 1
    assert says in message
    assert "install Go 1.26 or later" in message
    assert "Traceback" not in message


def test_two_runs_build_once(tmp_path: Path):
    """Whoever comes second waits, and takes what the first one made."""
    path = compiler(tmp_path, "1.99.0")
    runs = [start(tmp_path, path) for _ in range(2)]
    for run in runs:
        run.communicate(timeout=30)

    assert [run.returncode for run in runs] == [0, 0]
    assert (tmp_path / "builds").read_text().split() == ["etcd", "kubernetes-1.36"]
