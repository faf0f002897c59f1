"""Child processes that cannot outlive the one that starts them.

Linux sees to it: each child asks for SIGKILL at its parent's death (Linux's PR_SET_PDEATHSIG), which also holds
where the parent is killed and no handler of ours runs. The request is made by this file, run as a script that then
becomes the command: a `preexec_fn` would run Python between fork and exec, which is unsafe beside gRPC's threads.

A session of its own keeps the terminal's Ctrl-C from a child, so that the parent ends it in its own order. Whatever a
child holds is disposable; it is never asked politely.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

PR_SET_PDEATHSIG = 1


def spawn(command: Sequence[str | Path], output: IO | None = None, **options) -> subprocess.Popen:
    """Start a command that dies with this thread; `output` takes all it prints."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        start_new_session=True,
        **options,
    )


def end(process: subprocess.Popen) -> None:
    """Kill a child and what it started, by its id, and wait until it is gone."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _become(parent: int, command: list[str]) -> None:
    import ctypes

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the request was made
        sys.exit(1)
    os.execvp(command[0], command)


if __name__ == "__main__":
    _become(int(sys.argv[1]), sys.argv[2:])
