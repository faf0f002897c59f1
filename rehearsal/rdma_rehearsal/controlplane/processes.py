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
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

PR_SET_PDEATHSIG = 1


def spawn(
    command: Sequence[str | Path], output: IO | int | None = None, errors: IO | None = None, **options
) -> subprocess.Popen:
    """Start a command that dies with this thread; `output` takes all it prints, `errors` what is said aside."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=errors or (subprocess.STDOUT if output else None),
        start_new_session=True,
        **options,
    )


def end(process: subprocess.Popen) -> None:
    """Kill a child that leads a session, and what it started, by their ids; wait until it is gone.

    An engine's plugins have groups of their own, and no session. Outside Linux only the child's own group is found.
    """
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    while others := list(_session(process.pid)):  # one may start another meanwhile
        for each in others:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        time.sleep(0.01)
    process.wait()


def _session(leader: int) -> Iterator[int]:
    """The processes of a session that live, but for its leader."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            state, _, _, session = stat.read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state not in "ZX" and stat.parent.name != str(leader):
                yield int(stat.parent.name)


def _become(parent: int, command: list[str]) -> None:
    import ctypes

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the request was made
        sys.exit(1)
    os.execvp(command[0], command)


if __name__ == "__main__":
    _become(int(sys.argv[1]), sys.argv[2:])
