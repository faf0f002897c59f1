"""The command in this process, without a new interpreter."""

from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from rdma_cluster.cli.app import run
from tests.stacks import ROOT


def command(*words: str, folder: Path = ROOT) -> tuple[int, str, str]:
    """Runs the command in a folder: its exit code, its stdout and its stderr."""
    with chdir(folder), redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = run(words)
    return code, out.getvalue(), err.getvalue()
