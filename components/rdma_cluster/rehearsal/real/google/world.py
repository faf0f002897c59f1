"""What exists behind the provider: resources by their paths, and operations that take their time."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from threading import RLock
from typing import Any

Body = dict[str, Any]


class ApiError(Exception):
    """The API says no: a status of HTTP, the API's own word for it, and its message."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        self.code, self.reason = code, reason
        super().__init__(message)


@dataclass
class Operation:
    """Something that was asked for and is not done yet."""

    name: str
    kind: str
    """``insert``, ``CREATE_CLUSTER``: as the API calls it."""
    target: str
    """The path of what it makes, changes or deletes."""
    began: float
    done_at: float
    finish: Callable[[], None] | None
    """What it does when its time has come."""
    done: bool = False
    failed: str = ""
    """Why what it made is not as it must be."""


@dataclass
class World:
    """Everything, with one lock: an API answers one request after the other."""

    seconds: float
    """How long an operation takes. A guess: what each takes in a cloud is in ``rehearsal/latencies.py``."""
    things: dict[str, Body] = field(default_factory=dict)
    """What was made, by its path: ``projects/p/global/networks/n``."""
    found: dict[str, Body] = field(default_factory=dict)
    """What the account had before, and nobody deletes: reservations."""
    operations: dict[str, Operation] = field(default_factory=dict)
    room: bool = True
    """Whether there are machines for new nodes."""
    lock: RLock = field(default_factory=RLock)
    gone: Callable[[str], None] = lambda path: None
    """Told of each cluster that is deleted: what runs on it is elsewhere."""
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def number(self) -> int:
        """One that nothing has had."""
        return next(self._numbers)

    def begin(self, kind: str, target: str, finish: Callable[[], None] | None = None) -> Operation:
        """Begin an operation."""
        now = time.monotonic()
        name = f"operation-{self.number():013d}"
        self.operations[name] = Operation(name, kind, target, now, now + self.seconds, finish)
        return self.operations[name]

    def settle(self) -> None:
        """End the operations whose time has come, in the order of their ends."""
        now = time.monotonic()
        waiting = [each for each in self.operations.values() if not each.done and each.done_at <= now]
        for each in sorted(waiting, key=lambda one: one.done_at):
            each.done = True
            if each.finish is not None:
                each.finish()

    def get(self, path: str) -> Body:
        """What lies at a path. Raises ``ApiError``."""
        body = self.things.get(path, self.found.get(path))
        if body is None:
            raise ApiError(404, "notFound", f"The resource '{path}' was not found")
        return body

    def below(self, path: str) -> Iterator[tuple[str, Body]]:
        """What lies in a collection, by its path: ``projects/p/global/networks``."""
        for name, body in [*self.found.items(), *self.things.items()]:
            if name.rpartition("/")[0] == path:
                yield name, body

    def names(self, collection: str) -> list[str]:
        """Of all that lies in collections of that name, whatever they are in."""
        with self.lock:
            ways = [path.split("/") for path in self.things]
        return [way[-1] for way in ways if way[-2] == collection]

    def users(self, path: str) -> Iterator[str]:
        """The paths of what refers to something, itself and what lies below it left out."""
        for name, body in self.things.items():
            if name != path and not name.startswith(f"{path}/") and any(_means(text, path) for text in _texts(body)):
                yield name


def _means(text: str, path: str) -> bool:
    return text == path or text.endswith(f"/{path}")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            # What lists its users is none of theirs.
            if key not in ("selfLink", "subnetworks"):
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
