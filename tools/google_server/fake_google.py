"""A Google of this machine: its resources by their paths, and operations that take their time."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from threading import RLock
from typing import Any

from rdma_rehearsal.inventory import texts

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
    done_at: float
    finish: Callable[[], None] | None
    """What it does when its time has come."""
    done: bool = False
    failed: str = ""
    """Why what it made is not as it must be."""


@dataclass
class FakeGoogle:
    """Everything, with one lock: an API answers one request after the other."""

    seconds: float
    """How long an operation takes. A guess: what each takes in a cloud is in ``rdma_cluster/catalog/latencies.py``."""
    resources: dict[str, Body] = field(default_factory=dict)
    """What was made, by its path: ``projects/p/global/networks/n``."""
    seeded: dict[str, Body] = field(default_factory=dict)
    """What the account has from the beginning and nobody deletes: reservations."""
    operations: dict[str, Operation] = field(default_factory=dict)
    has_room: bool = True
    """Whether there are machines for new nodes."""
    lock: RLock = field(default_factory=RLock)
    cluster_deleted: Callable[[str], None] = lambda path: None
    """Called with the path of each cluster that is deleted: what runs on it is simulated elsewhere."""
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def number(self) -> int:
        """One that nothing has had."""
        return next(self._numbers)

    def begin(self, kind: str, target: str, finish: Callable[[], None] | None = None) -> Operation:
        """Begin an operation."""
        name = f"operation-{self.number():013d}"
        self.operations[name] = Operation(name, kind, target, time.monotonic() + self.seconds, finish)
        return self.operations[name]

    def settle(self) -> None:
        """End the operations whose time has come, in the order of their ends."""
        now = time.monotonic()
        waiting = [each for each in self.operations.values() if not each.done and each.done_at <= now]
        for each in sorted(waiting, key=lambda one: one.done_at):
            each.done = True
            if each.finish is not None:
                each.finish()

    def get(self, path: str, words: str = "The resource '{}' was not found") -> Body:
        """The resource at a path. Raises ``ApiError`` with these words."""
        body = self.resources.get(path, self.seeded.get(path))
        if body is None:
            raise ApiError(404, "notFound", words.format(path))
        return body

    def refuse_second(self, path: str, words: str, reason: str = "alreadyExists") -> None:
        """Raises ``ApiError`` with these words where there is a resource at a path."""
        if path in self.resources:
            raise ApiError(409, reason, words)

    def below(self, path: str) -> list[Body]:
        """The resources of a collection: ``projects/p/global/networks``."""
        everything = {**self.seeded, **self.resources}
        return [body for name, body in everything.items() if name.rpartition("/")[0] == path]

    def resource_names(self, collection: str) -> list[str]:
        """The names in all collections of that name: ``clusters``."""
        with self.lock:
            paths = [path.split("/") for path in self.resources]
        return [steps[-1] for steps in paths if steps[-2] == collection]

    def users(self, path: str) -> Iterator[str]:
        """The paths of what refers to something, itself and what lies below it left out."""
        for name, body in self.resources.items():
            # A network lists its subnetworks, which use it, and not the other way round.
            refers = (text == path or text.endswith(f"/{path}") for text in texts(body, ("selfLink", "subnetworks")))
            if name != path and not name.startswith(f"{path}/") and any(refers):
                yield name
