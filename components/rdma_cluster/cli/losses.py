"""What a change takes away, in words: ``deletes the pool a and 3 objects on it; the pool b is made before it goes``."""

from collections.abc import Mapping, Sequence

from pulumi_offline import Graph, Resource
from pulumi_offline.constraints import Broken
from pulumi_offline.graph import title
from pulumi_offline.losses import First, Losses, role_of
from pulumi_offline.replacements import taken_along
from .broken import told_once


def in_words(lost: Losses, before: Graph, after: Graph, besides: Sequence[str] = ()) -> dict[str, list[str]]:
    """Everything that is lost, itself or with another, and that people have a name for; a list for each verb.

    ``besides`` are URNs of what is made anew and is told, although nobody has a name for it.
    """
    things = {each.urn: each for each in (*before.resources, *after.resources)}
    deleted = [urn for urn in lost.deleted if role_of(things[urn])]
    anew = [urn for urn in lost.replaced if urn in besides or role_of(things[urn])]
    return {
        "deletes": [
            f"deletes {_with_others(urn, lost.deleted, things)}{_first(lost.first.get(urn), things)}" for urn in deleted
        ],
        "replaces": [
            f"replaces {_with_others(urn, lost.replaced, things)}: {_why(lost.replaced[urn], lost.replaced, things)}"
            f"{_first(lost.first.get(urn), things)}"
            for urn in anew
        ],
        "rolls": [
            f"rolls the nodes of {_with_role(things[urn])}: {_why(reasons, lost.rolled, things)}"
            for urn, reasons in lost.rolled.items()
        ],
    }


def refused_in_words(refusals: Sequence[tuple[Resource, Broken]]) -> list[str]:
    """What the cloud answers to changes in place."""
    return [f"{name}: {each.path}: refused: {each.words} ({each.source.ref})" for name, each in told_once(refusals)]


def _with_others(urn: str, lost: Mapping[str, list[str]], things: Mapping[str, Resource]) -> str:
    """``the cluster gke and 63 objects on it``."""
    others = len(taken_along(urn, lost))
    return _with_role(things[urn]) + (f" and {others} {'object' if others == 1 else 'objects'} on it" if others else "")


def _why(reasons: Sequence[str], lost: Mapping[str, list[str]], things: Mapping[str, Resource]) -> str:
    """At most three reasons: inputs, and other resources."""
    why = [f"with {_with_role(things[each])}" if each in things else each for each in reasons]
    return f"{', '.join(why[:3])}{', ...' if why[3:] else ''}"


def _first(first: First | None, things: Mapping[str, Resource]) -> str:
    """What is made before a thing goes, and what both need."""
    if first is None:
        return ""
    names = " and ".join(_with_role(things[urn]) for urn in first.made[:2])
    more = f" and {len(first.made) - 2} more" if first.made[2:] else ""
    alias = ", and has its name: an alias would keep it" if first.moved else ""
    at_once = f"; both need capacity of {first.capacity} at once" if first.capacity else ""
    return f"; {names}{more} {'are' if first.made[1:] else 'is'} made before it goes{alias}{at_once}"


def _with_role(resource: Resource) -> str:
    role = role_of(resource)
    return f"the {role} {resource.name}" if role else title(resource.urn)
