"""What runs programs: Pythons that need not start anew each time, where the system can fork."""

import atexit
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from .engine import kept_environment

_WARM = Path(__file__).with_name("fork_server_main.py")


@cache
def pythons() -> Sequence[str]:
    """Commands that do as ``python``, to be used in turn. They end with this process.

    Two, since what is made from one hash seed is compared with what is made from another.
    """
    if not hasattr(os, "fork") or not hasattr(socket, "send_fds"):
        return [sys.executable]
    folder = Path(mkdtemp(prefix="rehearsal-python-"))
    return [_warm_one(folder, number) for number in range(2)]


def _warm_one(folder: Path, number: int) -> str:
    address, command, learnt = folder / f"socket{number}", folder / f"python{number}", folder / "learnt"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(address))
        listening.listen()
        serve = [sys.executable, "-u", str(_WARM), "serve", str(listening.fileno()), str(learnt)]
        process = subprocess.Popen(
            serve,
            cwd=folder,  # what lies where somebody works is no module
            env=kept_environment(),
            stdin=subprocess.PIPE,
            pass_fds=[listening.fileno()],
            start_new_session=True,  # the terminal's Ctrl-C is for the engine, which ends its programs
        )
    ask = [sys.executable, "-I", "-S", str(_WARM), "ask", str(address)]
    command.write_text(f'#!/bin/sh\nexec {shlex.join(ask)} "$@"\n')
    command.chmod(0o700)
    atexit.register(process.communicate)  # ends its input, for which it waits
    return str(command)
