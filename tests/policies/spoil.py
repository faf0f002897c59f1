"""How one thing of a graph is spoiled: a value is taken away, set or added, or a resource is gone."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.policies.breaking import Break, Data, Policy, the

Place = Callable[[Data], Any]
Broken = Mapping[Policy, Sequence[Place]]
"""For each policy what breaks it."""
Key = str | int


def by_policy(breaks: Broken) -> list[Break]:
    """Each policy beside each thing that breaks it."""
    return [(policy, broken) for policy, some in breaks.items() for broken in some]


def resource(token: str, name: str | None = None) -> Place:
    """The first resource of a type."""
    return lambda data: the(data, token, name)


def inputs(token: str, name: str | None = None) -> Place:
    """The inputs of the first resource of a type."""
    return lambda data: the(data, token, name)["inputs"]


def gone(token: str, name: str | None = None) -> Place:
    """The resource is not there."""
    return lambda data: data["resources"].remove(the(data, token, name))


def lacks(place: Place, *path: Key) -> Place:
    """The value at the end of the path is not there."""
    return lambda data: _holder(place(data), path).pop(path[-1])


def has(value: Any, place: Place, *path: Key) -> Place:
    """The value at the end of the path is another one."""
    return lambda data: _holder(place(data), path).__setitem__(path[-1], value)


def holds(value: Any, place: Place, *path: Key) -> Place:
    """The list at the end of the path has one value more."""
    return lambda data: _holder(place(data), (*path, "")).append(value)


def both(*broken: Place) -> Place:
    """Several things are spoiled together."""
    return lambda data: [each(data) for each in broken]


def _holder(found: Any, path: tuple[Key, ...]) -> Any:
    for key in path[:-1]:
        found = found[key]
    return found
