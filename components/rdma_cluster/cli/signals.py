"""What ends the process from outside: Ctrl-C, `kill`, a terminal that is closed.

Most verbs hold nothing, so that the process may end at once. A block of ``Signals`` ends first what it has begun.
"""

import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def end_at_once() -> None:
    """End as programs in C do, without Python's traceback; a signal that is ignored (`nohup`) stays so."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def interrupted_by_hand() -> Generator[None]:
    """Ctrl-C raises ``KeyboardInterrupt`` in a block that has an answer to it."""
    ends = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    if ends:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if ends:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


class Signals:
    """A block that a signal cannot break off: the process ends by it when the block has ended.

    With ``raising`` the signal raises ``KeyboardInterrupt`` in it, until ``hold`` is called: so it is unwound.
    """

    def __init__(self, *, raising: bool = False) -> None:
        self._raising = raising
        self._received: list[int] = []
        self._before: dict[int, Any] = {}

    def hold(self) -> None:
        """Raise no more: what follows clears up."""
        self._raising = False

    def __enter__(self) -> "Signals":
        if threading.current_thread() is threading.main_thread():  # no other may set handlers, nor is broken off
            caught = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]
            self._before = {number: signal.signal(number, self._receive) for number in caught}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._received:
            os.kill(os.getpid(), self._received[0])

    def _receive(self, number: int, _: object) -> None:
        self._received.append(number)
        if self._raising:
            raise KeyboardInterrupt
