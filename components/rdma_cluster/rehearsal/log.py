"""The operations that the simulated clouds were asked for, and when."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from .clock import Clock


@dataclass(frozen=True)
class Operation:
    """One creation, change or deletion, from the request to the answer."""

    verb: str
    """``create``, ``update`` or ``delete``."""
    urn: str
    begin: float
    """Simulated seconds."""
    end: float
    done: bool
    """Whether it succeeded."""


class Log:
    """Operations in the order in which they ended."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._operations: list[Operation] = []

    @contextmanager
    def operation(self, verb: str, urn: str) -> Generator[None]:
        """One operation, from here to the end of the block."""
        self._clock.act()
        begin, done = self._clock.now(), False
        try:
            yield
            done = True
        finally:
            with self._lock:
                self._operations.append(Operation(verb, urn, begin, self._clock.now(), done))
            self._clock.act()

    def take(self) -> list[Operation]:
        """The operations since the last call."""
        with self._lock:
            operations, self._operations = self._operations, []
            return operations
