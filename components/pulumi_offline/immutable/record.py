"""The record of a resource type's inputs that cannot change."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from ..frozen import frozen
from ..source import Source


@frozen
class Nodes:
    """How nodes come to a type, and go while it stays. Paths are as in ``Fixed``."""

    capacity: tuple[str, ...] = ()
    """Inputs that name a reservation, a block or a rack, of which there is one."""
    machine: tuple[str, ...] = ()
    """Inputs that name the machine type."""
    rolls: tuple[str, ...] = ()
    """Inputs that change by new nodes, one after the other."""
    follows: tuple[str, ...] = ()
    """Inputs that take a number of another resource, which grows with each change of that one."""


def nodes(capacity: str = "", machine: str = "", rolls: str = "", follows: str = "") -> Nodes:
    """The record from paths that are separated by spaces."""
    return Nodes(*(tuple(paths.split()) for paths in (capacity, machine, rolls, follows)))


NONE = Nodes()
"""Of a type that nodes do not come from."""


@frozen
class Fixed:
    """Inputs of one resource type that cannot change while the object lives."""

    inputs: tuple[str, ...]
    """For these the provider makes another object. Paths in the engine's spelling, without indices; what lies below one
    is fixed with it."""
    source: Source
    grows: tuple[str, ...] = ()
    """Of these, blocks of addresses that may grow in place, and not shrink or move."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Further inputs that the provider asks the API to change in place, each with the error that the API answers."""
    role: str = ""
    """The word for it in reports of what is lost: ``cluster``, ``pool``, ``file system``. Empty for what nobody would
    miss by itself."""
    nodes: Nodes = NONE

    def replaces(self, path: str) -> bool:
        """Whether the provider makes another for the input at ``path``, as ``nodeConfig.taints[0].key``."""
        return among(path, self.inputs) is not None

    def answer(self, path: str) -> str | None:
        """What the API says of a change there that the provider asks for in place; ``None`` where it may change."""
        refused = None if self.replaces(path) else among(path, self.refused)
        return None if refused is None else self.refused[refused]

    def holds(self, path: str) -> bool:
        """Whether the input at ``path`` is fixed, by the provider or by the API."""
        return self.replaces(path) or self.answer(path) is not None


def row_of(words: str, seen: str, place: str, inputs: str = "", **more: Any) -> Fixed:
    """A row whose inputs are separated by spaces; its source is ``words`` with the ``place`` there in their braces."""
    return Fixed(tuple(inputs.split()), Source(words.format(place), seen), **more)


def among(path: str, paths: Iterable[str]) -> str | None:
    """The one of ``paths`` that is ``path``, or holds it."""
    plain = "".join(part.partition("]")[2] if "]" in part else part for part in path.split("["))
    return next((each for each in paths if plain == each or plain.startswith(f"{each}.")), None)
