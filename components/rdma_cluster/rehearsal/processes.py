"""Whether this process or one that it started is at work, on Linux."""

import os
from pathlib import Path
from threading import get_native_id

_PROCESSES = Path("/proc")
_AT_WORK = frozenset("RD")
"""Running or ready to, and waiting for a disk."""


def at_work() -> bool:
    """Whether a thread of this process or of one below it wants a processor, the calling thread excepted.

    On a busy machine a process can wait long for one; it is not idle then. On other systems than Linux the answer is
    no.
    """
    parents = dict(_parents())
    family = {os.getpid()}
    while further := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= further
    caller = str(get_native_id())
    return any(_state(task) in _AT_WORK for pid in family for task in _tasks(pid) if task.name != caller)


def _parents() -> list[tuple[int, int]]:
    stats = ((int(folder.name), _fields(folder)) for folder in _PROCESSES.glob("[0-9]*"))
    return [(pid, int(fields[1])) for pid, fields in stats if len(fields) > 1]


def _tasks(pid: int) -> list[Path]:
    return list((_PROCESSES / str(pid) / "task").glob("[0-9]*"))


def _state(folder: Path) -> str:
    return next(iter(_fields(folder)), "")


def _fields(folder: Path) -> list[str]:
    """The fields behind the program's name; none where it has ended."""
    try:
        return (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
