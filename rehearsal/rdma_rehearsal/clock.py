"""Simulated time: it passes while the engine waits, and stands still while the engine works."""

import heapq
import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Thread, get_native_id

SETTLE_SECONDS = 0.3
"""Real seconds without a request and without work, after which the engine counts as waiting."""
PATIENCE_SECONDS = 30.0
"""Real seconds without a request after which it counts as waiting, even at work."""
TICK_SECONDS = 0.01
POLL_SECONDS = 0.05
_PROCESSES = Path("/proc")


class Clock:
    """Time of the simulated clouds, ``scale`` times as fast as the real one. Many threads may wait on it at once.

    An engine, a language host and a program take a second to start and some milliseconds a resource. At scale 1000
    these would count for a quarter of an hour, so they do not count at all: as long as requests come in, time stands
    still. What a timeline shows is therefore what waits for what, and not how fast this machine is.
    """

    def __init__(
        self, scale: float = 1000.0, settle: float = SETTLE_SECONDS, at_work: Callable[[], bool] = lambda: False
    ) -> None:
        self.instant = False
        """No time passes: for parts that are about order and outcome alone."""
        self._scale, self._settle, self._at_work = scale, settle, at_work
        self._now = 0.0
        self._acted = self._seen_at_work = time.monotonic()
        self._wakes: list[float] = []
        self._changed = Condition()
        self._ticking = False

    def now(self) -> float:
        """Seconds since the clouds began."""
        return self._now

    def skip(self, seconds: float) -> None:
        """Let time pass between two commands."""
        with self._changed:
            self._now += seconds

    def act(self) -> None:
        """Note a request or an answer."""
        self._acted = time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Return so many simulated seconds later."""
        self.act()
        if self.instant or seconds <= 0:
            return
        with self._changed:
            wake = self._now + seconds
            heapq.heappush(self._wakes, wake)
            if not self._ticking:
                self._ticking = True
                Thread(target=self._tick, name="clock", daemon=True).start()
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._now >= wake or self.instant)
        self.act()

    def _tick(self) -> None:
        while True:
            with self._changed:
                if not self._wakes:
                    self._ticking = False
                    return
                seen = self._acted
                step = min(TICK_SECONDS, max(0.0, self._wakes[0] - self._now) / self._scale)
            now = time.monotonic()
            if now < seen + PATIENCE_SECONDS and self._at_work():
                self._seen_at_work = now
            if (busy := max(seen, self._seen_at_work) + self._settle - now) > 0:
                time.sleep(min(busy, POLL_SECONDS))
                continue
            time.sleep(step)
            with self._changed:
                if self._acted == seen:
                    self._pass(step * self._scale)

    def _pass(self, seconds: float) -> None:
        """Let time pass, at most until the next sleeper wakes; it then stands still until the engine has reacted."""
        self._now = min(self._now + seconds, self._wakes[0])
        if self._now >= self._wakes[0]:
            while self._wakes and self._wakes[0] <= self._now:
                heapq.heappop(self._wakes)
            self.act()
            self._changed.notify_all()


def at_work() -> bool:
    """Whether a thread of this process or of one below it wants a processor, the calling thread excepted.

    On a busy machine a process can wait long for one; it is not idle then. ``False`` on systems other than Linux.
    """
    stats = ((int(folder.name), _fields(folder)) for folder in _PROCESSES.glob("[0-9]*"))
    parents = {pid: int(fields[1]) for pid, fields in stats if len(fields) > 1}
    family = {os.getpid()}
    while further := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= further
    tasks = (task for pid in family for task in (_PROCESSES / str(pid) / "task").glob("[0-9]*"))
    # Running or ready to, or waiting for a disk.
    return any(_fields(task)[:1] in (["R"], ["D"]) for task in tasks if task.name != str(get_native_id()))


def _fields(folder: Path) -> list[str]:
    """The fields behind the program's name; none where it has ended."""
    try:
        return (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
