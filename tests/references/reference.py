"""A configuration that a cloud is known to have accepted, told as facts, and how ours differs from it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_offline import Resource


@dataclass(frozen=True)
class Reference:
    """One resource of somebody else's deployment."""

    token: str
    name: str
    """Of the resource of ours that is laid beside it."""
    source: str
    seen: str
    """The date of the version read."""
    inputs: Mapping[str, Any]
    """By path without indices, in the engine's spelling; ``...`` is a name or an address of their own."""
    ours: Mapping[str, str | tuple[Any, str]]
    """Why we set a path otherwise, leave it out, or set one that they leave out; before the reason our own value, where
    it is no name, address or version."""
    stack: str | tuple[str, ...] = ""
    """The stack that it is laid beside, with what is set besides, where that is not its module's."""


def differences(reference: Reference, resource: Resource) -> set[str]:
    """The paths where the two are not alike."""
    here = _values(resource)
    both = here.keys() & reference.inputs.keys()
    unlike = {path for path in both if reference.inputs[path] not in (..., here[path])}
    return (here.keys() ^ reference.inputs.keys()) | unlike


def not_as_told(reference: Reference, resource: Resource) -> dict[str, Any]:
    """Our own values where another is told with the reason, and switches and numbers of which none is told."""
    here = _values(resource)
    told = {path: said[0] for path, said in reference.ours.items() if isinstance(said, tuple)}
    counted = {path for path in reference.ours if isinstance(here.get(path), int)}
    return {path: here.get(path) for path in told.keys() | counted if path not in told or told[path] != here.get(path)}


def _values(resource: Resource) -> dict[str, Any]:
    """The first at each path without indices."""
    here: dict[str, Any] = {}
    for path, value in _leaves(resource.inputs):
        here.setdefault(path, value)
    return here


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list) and value:
        for item in value:
            yield from _leaves(item, path)
    else:
        yield re.sub(r"\[\d+\]", "", path), value
