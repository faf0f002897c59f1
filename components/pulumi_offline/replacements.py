"""Which resources a change makes anew, which of the others go and come with them, and what the clouds refuse."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .changes import diff
from .constraints import Broken, Existing, ExistingResources, broken, refused_changes, replaces
from .graph import Graph, Resource
from .immutable import fixed
from .json_diff import Change
from .unknowns import holds_output_of

_TRIGGER = "options.replacementTrigger"
_NAMES = ("name", "nodeGroupName", "resourceName", "accountId")


def replacements(before: Graph, after: Graph) -> dict[str, list[str]]:
    """Why each resource that is in both graphs is made anew, by URN; what can change in place is not listed.

    A reason is a changed input that is fixed, ``inputs.location``, or the URN of a resource that is made anew and on
    which a fixed input, a provider or the life of this one hangs. ``immutable`` says what is
    fixed; a resource of a type that it does not know is not listed.
    """
    old = {each.urn for each in before.resources}
    new = {each.urn: each for each in after.resources if each.urn in old}
    changed = diff(before, after).changed.items()
    reasons = {urn: [each.path for each in changes if _is_fixed(new[urn], each)] for urn, changes in changed}
    anew = {urn: paths for urn, paths in reasons.items() if paths}
    named_by: dict[str, list[str]] = {}
    for urn, resource in new.items():
        for named in {*resource.dependencies, *_must_stay(resource, new)}:
            named_by.setdefault(named, []).append(urn)
    # One that is anew takes others with it, and those others.
    fresh = list(anew)
    while fresh:
        named = ((urn, root) for root in reversed(fresh) for urn in named_by.get(root, ()) if urn not in anew)
        taken = {urn: [root] for urn, root in named if _hangs_on(new[urn], new[root], new)}
        anew.update(taken)
        fresh = sorted(taken)
    return dict(sorted(anew.items()))


def roots(anew: Mapping[str, list[str]]) -> list[str]:
    """The resources that a change itself replaces; the others go and come with one of these."""
    return [urn for urn, reasons in anew.items() if any(each not in anew for each in reasons)]


def taken_along(urn: str, anew: Mapping[str, list[str]]) -> set[str]:
    """What is made anew since ``urn`` is."""
    found: set[str] = set()
    fresh = {urn}
    while fresh:
        fresh = {each for each, reasons in anew.items() if not fresh.isdisjoint(reasons)} - found
        found |= fresh
    return found


def _is_fixed(resource: Resource, change: Change) -> bool:
    if change.path.startswith(_TRIGGER):
        # One that is first set, or taken away, triggers nothing.
        return change.path != _TRIGGER or change.kind == "change"
    kind, _, path = change.path.partition(".")
    row = fixed(resource.type)
    if kind != "inputs" or row is None or is_below(path, ignored(resource)):
        return False
    if row.answer(path) is not None:
        return is_below(path, resource.options.get("replaceOnChanges", []))
    return replaces(row, Change(path, change.kind, change.before, change.after))


def is_below(path: str, paths: Sequence[str]) -> bool:
    """Whether a path is one of those, or below one, as an option of a resource names them: ``pools[*].zones``."""
    beginnings = tuple(f"{each}{mark}" for each in paths for mark in ".[")
    spellings = (path, re.sub(r"\[\d+\]", "[*]", path))
    return "*" in paths or any(spelt in paths or spelt.startswith(beginnings) for spelt in spellings)


def ignored(resource: Resource) -> list[str]:
    """The inputs whose changes the engine leaves out."""
    return resource.options.get("ignoreChanges", [])


def _hangs_on(resource: Resource, root: Resource, all_of: Mapping[str, Resource]) -> bool:
    """Whether a resource cannot stay when ``root`` is made anew."""
    if resource.urn == root.urn:
        return False
    if root.urn in _must_stay(resource, all_of):
        return True
    if any(_names(value, root) for _, value in _leaves(resource.options.get("replacementTrigger"))):
        return True
    row = fixed(resource.type)
    if row is None or root.urn not in resource.dependencies:
        return False
    left_out = tuple(ignored(resource))
    leaves = ((path, value) for path, value in _leaves(resource.inputs) if not path.startswith(left_out))
    return any(row.holds(path) and _names(value, root) for path, value in leaves)


def _must_stay(resource: Resource, all_of: Mapping[str, Resource]) -> list[str]:
    """The URNs without which a resource is gone, whatever its inputs."""
    provider = [resource.provider] if resource.provider else []
    return [*provider, *resource.options.get("replaceWith", []), *_lives_with(resource, all_of)]


def _lives_with(resource: Resource, all_of: Mapping[str, Resource]) -> list[str]:
    """``deletedWith`` of a resource and of those it belongs to: the engine hands it down."""
    others, at = [], resource
    while True:
        if (root := at.options.get("deletedWith")) is not None:
            others.append(root)
        if at.parent is None or at.parent not in all_of:
            return others
        at = all_of[at.parent]


def _names(value: str, root: Resource) -> bool:
    """Whether an input is an output of ``root``: its name, or what a preview shows for what is known later."""
    own = (root.name, root.inputs.get("name"), root.inputs.get("nodeGroupName"))
    return value in own or holds_output_of(value, root.type, root.name)


def _leaves(value: Any, path: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in _leaves(item, f"{path}.{key}".lstrip("."))]
    if isinstance(value, list):
        return [leaf for i, item in enumerate(value) for leaf in _leaves(item, f"{path}[{i}]")]
    return [(path, value)] if isinstance(value, str) else []


def broken_in(graph: Graph) -> list[tuple[Resource, Broken]]:
    """Every constraint that a resource of a graph breaks, by itself or beside the others."""
    by_urn = {resource.urn: _existing(resource) for resource in graph.resources}
    everything = ExistingResources(by_urn.values())
    return [
        (resource, each)
        for resource in graph.resources
        for each in broken(resource.type, resource.inputs, everything.beside(by_urn[resource.urn]))
    ]


def _existing(resource: Resource) -> Existing:
    names = [resource.inputs.get(key) for key in _NAMES]
    names = [f"{resource.type} {resource.name}", *(name for name in names if isinstance(name, str))]
    return Existing(resource.type, resource.inputs, frozenset(names), resource.provider or "")


def refusals(before: Graph, after: Graph, anew: Mapping[str, list[str]]) -> list[tuple[Resource, Broken]]:
    """The changes of resources that stay, each of which a cloud refuses when it is asked for in place.

    ``anew`` is what ``replacements`` returned.
    """
    old = {each.urn: each for each in before.resources}
    return [
        (resource, refused)
        for resource in after.resources
        if resource.urn in old and resource.urn not in anew
        for refused in refused_changes(resource.type, old[resource.urn].inputs, resource.inputs)
        if not is_below(refused.path, ignored(resource))
    ]
