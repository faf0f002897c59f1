"""Whether this process or one that it started is at work, where the system tells (Linux)."""

import os
from pathlib import Path
from threading import get_native_id

_PROCESSES = Path("/proc")
_AT_WORK = frozenset("RD")
"""Running or ready to, and waiting for a disk."""


def at_work() -> bool:
    """Whether a thread of ours, or of any process below us, wants a processor: beside the one that asks.

    On a busy machine a process can wait for long until it gets one; it is not idle then. Elsewhere than on Linux nobody
    can be asked, and the answer is no.
    """
    parents = dict(_parents())
    family = {os.getpid()}
    while further := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= further
    asking = str(get_native_id())
    return any(_state(task) in _AT_WORK for pid in family for task in _tasks(pid) if task.name != asking)


def _parents() -> list[tuple[int, int]]:
    found = []
    for folder in _PROCESSES.glob("[0-9]*"):
        if len(fields := _fields(folder)) > 1:
            found.append((int(folder.name), int(fields[1])))
    return found


def _tasks(pid: int) -> list[Path]:
    return list((_PROCESSES / str(pid) / "task").glob("[0-9]*"))


def _state(folder: Path) -> str:
    return next(iter(_fields(folder)), "")


def _fields(folder: Path) -> list[str]:
    """What stands behind the program's name; nothing where it has ended."""
    try:
        return (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
