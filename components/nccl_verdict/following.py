"""A log that is still being written, read until it ends, fails, is done or falls silent. Pods do not need it."""

import os
import select
import stat
import time
from collections.abc import Callable, Sequence

from .files import text_of
from .reader import Reader, blocks
from .run import Run

POLL_SECONDS = 0.5
"""How often a file is asked for more; a pipe wakes us."""
GRACE_SECONDS = 10.0
"""How long words of failure may come behind the footer of a test, in a file that has no end."""

Wait = Callable[[Sequence[int], float], bool]
"""Waits until one of some files has more, or so many seconds; whether one has."""


def _wait(files: Sequence[int], seconds: float) -> bool:
    return bool(select.select(files, [], [], seconds)[0])


class Live:
    """A stream that waits for more, but not for ever; ``why`` says what ended it.

    Args:
        file: its descriptor. A regular file is one that grows, all else ends by itself.
        silence: seconds without a byte after which it is given up.
    """

    def __init__(
        self, file: int, silence: float, *, wait: Wait = _wait, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.why = "end"
        self.done = False
        """Whether what is to be seen was seen, so that only the grace is waited for."""
        self._file, self._silence, self._wait, self._clock = file, silence, wait, clock
        self._grows = stat.S_ISREG(os.fstat(file).st_mode)
        self._last = clock()

    def read(self, size: int = -1, /) -> bytes:
        """Some bytes; none at the end, in silence, or when somebody interrupts."""
        try:
            while (left := self._left()) > 0:
                if self._grows or self._wait([self._file], left):
                    if chunk := os.read(self._file, size if size > 0 else 1 << 16):
                        self._last = self._clock()
                        return chunk
                    if not self._grows:
                        return b""
                    self._wait([], min(POLL_SECONDS, left))
            self.why = "end" if self.done else "silence"
        except KeyboardInterrupt:
            self.why = "interrupt"
        return b""

    def _left(self) -> float:
        allowed = min(self._silence, GRACE_SECONDS) if self.done and self._grows else self._silence
        return self._last + allowed - self._clock()


def follow(live: Live) -> tuple[list[Run], str]:
    """The tests of a live log, and why it was read no further: ``end``, ``silence``, ``interrupt`` or ``failure``.

    Raises ``NotReadableError`` for a wrapping that is not read.
    """
    reader = Reader()
    try:
        for block in blocks(text_of(live)):
            reader.feed(block)
            live.done = reader.done
            if reader.failed:
                live.why = "failure"
                break
    except KeyboardInterrupt:
        live.why = "interrupt"
    return reader.close().runs, live.why
