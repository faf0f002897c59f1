"""What cannot change while a resource lives: the provider makes another, or the API refuses."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Any

from ..catalog.immutable import Fixed, fixed
from ..json_diff import Change, compare
from .record import Broken, Inputs


def replaced_by(token: str, old: Inputs, new: Inputs) -> list[str]:
    """The paths for whose change the provider makes another object: ``nodeConfig.spot``; of an unknown type none."""
    return [change.path for row, change in _changes(token, old, new) if replaces(row, change)]


def refused_changes(token: str, old: Inputs, new: Inputs) -> list[Broken]:
    """The changes that the provider asks for in place, and the API refuses."""
    return [
        Broken(change.path, words, row.source)
        for row, change in _changes(token, old, new)
        if (words := row.answer(change.path)) is not None
    ]


def replaces(row: Fixed, change: Change) -> bool:
    """Whether a provider makes another object for a changed input."""
    return row.replaces(change.path) and not (change.path in row.grows and _grows(change.before, change.after))


def _changes(token: str, old: Inputs, new: Inputs) -> Iterator[tuple[Fixed, Change]]:
    if (row := fixed(token)) is not None:
        yield from ((row, change) for change in compare("", old, new))


def _grows(before: Any, after: Any) -> bool:
    """Whether a block of addresses keeps all that it has; one that is not known yet does not."""
    try:
        return IPv4Network(before).subnet_of(IPv4Network(after))
    except (TypeError, ValueError):
        return False
