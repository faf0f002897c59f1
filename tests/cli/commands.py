"""The command, run in this process."""

from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from rdma_cluster.cli.app import run
from tests.stacks import ROOT


def command(*words: str, folder: Path = ROOT) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    with chdir(folder), redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = run(words)
    return code, out.getvalue(), err.getvalue()
