"""The operations that the simulated clouds were asked for, and what waited for what among them: the longest chain of a
stack, and the critical path of its `up`.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

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


@dataclass(frozen=True)
class Step:
    """One operation of a chain, and why it could not begin earlier."""

    urn: str
    begin: float
    """Simulated seconds since the first operation."""
    seconds: float
    waited_for: str
    """The URN of the resource that it needed; empty for the first."""
    because: str
    """``input cluster``, ``provider`` or ``depends_on``."""
    idle: float
    """Seconds between the end of that operation and its own begin."""


@dataclass(frozen=True)
class Timeline:
    """One `up`, from its operations and the state that it left."""

    operations: Sequence[Operation]
    state: Sequence[Mapping[str, Any]]

    @cached_property
    def ready(self) -> float:
        """Seconds from the first request to the last answer."""
        return max(each.end for each in self.operations) - self._start

    @cached_property
    def chain(self) -> list[Step]:
        """The longest chain of operations of which each needs the one before: no engine can be faster than this."""
        return self._longest("input", "provider", "depends_on")

    @cached_property
    def data(self) -> list[Step]:
        """The same, counting only uses of another resource's values: no program can do without these."""
        return self._longest("input", "provider")

    @cached_property
    def way(self) -> list[Step]:
        """From the last operation back to the first, each with what it needed last, in the order of time."""
        at: Operation | None = max(self.operations, key=lambda each: each.end)
        steps: list[Step] = []
        while at is not None:
            needed = [(done, why) for done, why in self._needed(at.urn) if done.end <= at.begin]
            last, why = max(needed, key=lambda pair: pair[0].end, default=(None, ""))
            free = last.end if last else self._start
            waited_for = last.urn if last else ""
            steps.append(Step(at.urn, at.begin - self._start, _took(at), waited_for, why, at.begin - free))
            at = last
        return steps[::-1]

    def at_once(self, begin: float, end: float) -> int:
        """How many operations ran at any time of an interval, at the least."""
        times = [begin, *(each.end - self._start for each in self.operations)]
        counts = [
            sum(each.begin - self._start <= time < each.end - self._start for each in self.operations)
            for time in times
            if begin <= time < end
        ]
        return min(counts)

    def _needed(self, urn: str) -> Iterable[tuple[Operation, str]]:
        """The operations that one needs, also through resources without an operation, such as a provider."""
        for needed, why in self._needs.get(urn, {}).items():
            if needed in self._by_urn:
                yield self._by_urn[needed], why
            else:
                yield from ((done, why) for done, _ in self._needed(needed))

    @cached_property
    def _start(self) -> float:
        return min(each.begin for each in self.operations)

    @cached_property
    def _by_urn(self) -> dict[str, Operation]:
        return {each.urn: each for each in self.operations}

    @cached_property
    def _needs(self) -> dict[str, dict[str, str]]:
        """Why each resource waits for which others."""
        return {str(each["urn"]): dict(_needs(each)) for each in self.state}

    def _longest(self, *reasons: str) -> list[Step]:
        ends: dict[str, float] = {}
        through: dict[str, tuple[str, str]] = {}

        def end(urn: str) -> float:
            if urn not in ends:
                needed = [each for each in self._needs.get(urn, {}).items() if each[1].startswith(reasons)]
                before = max(needed, key=lambda each: end(each[0]), default=None)
                if before is not None:
                    through[urn] = before
                own = self._by_urn.get(urn)
                ends[urn] = (_took(own) if own else 0.0) + (end(before[0]) if before else 0.0)
            return ends[urn]

        at = max(self._by_urn, key=end)
        steps: list[Step] = []
        while at:
            before, why = through.get(at, ("", ""))
            if at in self._by_urn:
                took = _took(self._by_urn[at])
                steps.append(Step(at, ends[at] - took, took, before, why, 0.0))
            at = before
        return steps[::-1]


def length(steps: Sequence[Step]) -> float:
    """Seconds that a chain takes."""
    return sum(each.seconds for each in steps)


def _took(operation: Operation) -> float:
    return operation.end - operation.begin


def _needs(resource: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """The weakest reason first, so that a stronger one takes its place."""
    # A child waits for its parent, and so for all that this depends on.
    if parent := resource.get("parent"):
        yield parent, "depends_on"
    for urn in resource.get("dependencies") or []:
        yield urn, "depends_on"
    if provider := resource.get("provider"):
        yield provider.rpartition("::")[0], "provider"
    for key, urns in (resource.get("propertyDependencies") or {}).items():
        for urn in urns or []:
            yield urn, f"input {key}"
