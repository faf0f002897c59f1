"""What a constraint is, what exists beside the resource that it judges, and what it says when it is broken."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..frozen import frozen
from ..source import Source
from ..unknowns import origin

Inputs = Mapping[str, Any]
"""A resource's inputs as the engine sees them, camelCase; secrets without their wrapping."""


@frozen(eq=False)
class Existing:
    """A resource that a cloud holds already."""

    type: str
    inputs: Inputs
    names: frozenset[str] = frozenset()
    """How other resources' inputs refer to it: name, id, link or ARN; ``TYPE NAME`` in a graph of a preview."""
    provider: str = ""
    """The account, region or cluster that it is in: resources of two providers never meet."""


class ExistingResources:
    """Everything that a cloud holds, by type."""

    def __init__(self, resources: Iterable[Existing] = ()) -> None:
        self._by_type: dict[str, list[Existing]] = {}
        self._one: Existing | None = None
        for resource in resources:
            self._by_type.setdefault(resource.type, []).append(resource)

    def beside(self, one: Existing) -> "ExistingResources":
        """The others of its provider."""
        view = ExistingResources()
        view._by_type, view._one = self._by_type, one
        return view

    def of(self, token: str) -> Sequence[Existing]:
        """All of a type."""
        resources = self._by_type.get(token, ())
        if (one := self._one) is None:
            return resources
        return [each for each in resources if each is not one and each.provider == one.provider]

    def find(self, token: str, reference: Any) -> Existing | None:
        """The one of a type to which an input refers; ``None`` where it is not among these."""
        name = origin(reference)
        return next((each for each in self.of(token) if name in each.names), None)


Check = Callable[[Inputs, ExistingResources], Iterable[str]]
"""The paths that break a constraint, from a resource's inputs and what exists beside it."""


@frozen
class Limit:
    """A check with its examples, which hold no more than what the check reads."""

    check: Check
    accepted: Inputs | None = None
    """An example that passes. None where a model states the limit as data."""
    refused: Inputs | None = None
    """An example that fails."""
    among: tuple[Existing, ...] = ()
    """What exists beside both examples."""


@frozen
class Constraint:
    """What an API refuses."""

    words: str
    source: Source
    limit: Limit


@frozen
class Broken:
    """A constraint that a resource breaks."""

    path: str
    """Where, in the engine's spelling: ``nodeConfig.taints[0].key``; empty where it is the whole resource."""
    words: str
    """What the API answers, or what its own description says."""
    source: Source


def stated_by(reference: str, seen: str) -> Callable[[str, str, Limit], Constraint]:
    """Makes the constraints of one source, each from its place there, its words and its limit."""
    return lambda place, words, limit: Constraint(words, Source(f"{reference} {place}", seen), limit)
