"""What a change destroys, and what a cloud refuses to change, in words and as data."""

from collections.abc import Sequence
from typing import Any

from ..catalog.immutable import fixed
from ..constraints import Broken
from ..offline import Graph, Resource
from ..offline.graph import title
from ..offline.replacements import roots, taken_along

Refusals = Sequence[tuple[Resource, Broken]]


def replaced(anew: dict[str, list[str]], after: Graph) -> list[str]:
    """What a change itself makes anew, and how much goes with it: ``replaces the cluster gke and 63 objects on it``."""
    now = _by_urn(after)
    return [_replaced(urn, anew, now) for urn in roots(anew)]


def felt(anew: dict[str, list[str]], after: Graph) -> list[str]:
    """The same of everything that is lost, itself or with another, and that people have a name for."""
    now = _by_urn(after)
    return [_replaced(urn, anew, now) for urn in anew if _role(now[urn])]


def refused(refusals: Refusals) -> list[str]:
    """What the cloud answers to changes in place."""
    return [f"{title(each.urn)}: {it.path}: refused: {it.words} ({it.source.ref})" for each, it in refusals]


def refused_as_data(refusals: Refusals) -> list[dict[str, Any]]:
    """The same as JSON data."""
    return [{"urn": each.urn, "path": it.path, "words": it.words, "source": it.source.ref} for each, it in refusals]


def _by_urn(graph: Graph) -> dict[str, Resource]:
    return {each.urn: each for each in graph.resources}


def _role(resource: Resource) -> str:
    row = fixed(resource.type)
    return row.role if row is not None else ""


def _replaced(urn: str, anew: dict[str, list[str]], now: dict[str, Resource]) -> str:
    others, reasons = len(taken_along(urn, anew)), anew[urn]
    tail = f" and {others} {'object' if others == 1 else 'objects'} on it" if others else ""
    why = [f"with {_called(now[each])}" if each in anew else each for each in reasons]
    return f"replaces {_called(now[urn])}{tail}: {', '.join(why[:3])}{', ...' if why[3:] else ''}"


def _called(resource: Resource) -> str:
    role = _role(resource)
    return f"the {role} {resource.name}" if role else title(resource.urn)
