"""The record of a resource type's inputs that cannot change."""

from collections.abc import Iterable, Mapping
from dataclasses import field

from ..frozen import frozen
from ..source import Source


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
    """The word for it in reports of losses: ``cluster``, ``pool``, ``node``, ``network``, ``RDMA network``, ``bucket``,
    ``file system``, ``storage account``, ``container``. Empty for all others."""

    def replaces(self, path: str) -> bool:
        """Whether the provider makes another for the input at ``path``, as ``nodeConfig.taints[0].key``."""
        return _among(path, self.inputs) is not None

    def answer(self, path: str) -> str | None:
        """What the API says of a change there that the provider asks for in place; ``None`` where it may change."""
        refused = None if self.replaces(path) else _among(path, self.refused)
        return None if refused is None else self.refused[refused]

    def holds(self, path: str) -> bool:
        """Whether the input at ``path`` is fixed, by the provider or by the API."""
        return self.replaces(path) or self.answer(path) is not None


def row_of(words: str, seen: str, place: str, inputs: str = "", grows: tuple[str, ...] = (), role: str = "") -> Fixed:
    """A row whose inputs are separated by spaces; its source is ``words`` with the ``place`` there in their braces."""
    return Fixed(tuple(inputs.split()), Source(words.format(place), seen), grows, role=role)


def _among(path: str, paths: Iterable[str]) -> str | None:
    """The one of ``paths`` that is ``path``, or holds it."""
    plain = "".join(part.partition("]")[2] if "]" in part else part for part in path.split("["))
    return next((each for each in paths if plain == each or plain.startswith(f"{each}.")), None)
