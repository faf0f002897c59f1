"""How graphs are broken on purpose: in their JSON form, one thing at a time."""

from collections.abc import Callable, Iterator
from typing import Any

from pulumi_offline import Graph

Policy = Callable[[Graph], Iterator[str]]
Data = dict[str, Any]
Break = tuple[Policy, Callable[[Data], object]]


def the(data: Data, token: str, name: str | None = None) -> Data:
    """The first resource of a type in a graph's JSON form."""
    return next(each for each in data["resources"] if each["type"].endswith(token) and name in (None, each["name"]))


def put(holder: Data, key: str, value: Any) -> None:
    """Set a key in a lambda."""
    holder[key] = value
