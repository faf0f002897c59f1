"""Which resources a change makes anew, which of the others go and come with them, and what the clouds refuse."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .aliases import as_known
from .changes import diff
from .constraints import Broken, Existing, ExistingResources, broken, refused_changes, replaces
from .graph import Graph, Resource
from .immutable import fixed
from .json_diff import Change, compare
from .unknowns import OUTPUT_OF, holds_output_of

_TRIGGER = "options.replacementTrigger"
_NAMES = ("name", "nodeGroupName", "resourceName", "accountId")


def replacements(before: Graph, after: Graph) -> dict[str, list[str]]:
    """Why each resource that is in both graphs is made anew, by URN; what can change in place is not listed.

    A reason is a changed input that is fixed, ``inputs.location``, or the URN of a resource that is made anew and on
    which a fixed input, a trigger, a provider or the life of this one hangs. ``immutable`` says what is fixed; a
    resource of a type that it does not know is listed where its own options say so. ``losses`` also has what goes.
    """
    before = as_known(before, after)
    old = {each.urn: each for each in before.resources}
    new = {each.urn: each for each in after.resources if each.urn in old}
    changed = diff(before, after).changed.items()
    accounts = {**{each.urn: each for each in after.resources}, **{f"old {urn}": each for urn, each in old.items()}}
    reasons = {urn: [each.path for each in changes if _is_fixed(new[urn], each, accounts)] for urn, changes in changed}
    anew = {urn: paths for urn, paths in reasons.items() if paths}
    return dict(sorted((anew | _hanging(anew, new)).items()))


def _hanging(roots: Iterable[str], all_of: Mapping[str, Resource]) -> dict[str, list[str]]:
    """What cannot stay where some resources go, and what cannot without these: the URN of the cause, by URN."""
    bound = _bound(all_of)
    named_by: dict[str, list[str]] = {}
    for urn, resource in all_of.items():
        for named in {*resource.dependencies, *bound[urn]}:
            named_by.setdefault(named, []).append(urn)
    fresh = list(roots)
    gone, found = set(fresh), dict[str, list[str]]()
    while fresh:
        named = ((urn, root) for root in reversed(fresh) for urn in named_by.get(root, ()) if urn not in gone)
        taken = {urn: [root] for urn, root in named if root in bound[urn] or _hangs_on(all_of[urn], all_of[root])}
        found.update(taken)
        fresh = sorted(taken)
        gone.update(fresh)
    return found


def needed(all_of: Mapping[str, Resource]) -> dict[str, list[str]]:
    """Those of some resources without which another of them cannot be, by the URN of that one."""
    bound = _bound(all_of)

    def is_needed(urn: str, root: str) -> bool:
        return root in bound[urn] or _hangs_on(all_of[urn], all_of[root])

    near = {urn: sorted({*each.dependencies, *bound[urn]} & all_of.keys()) for urn, each in all_of.items()}
    return {urn: [root for root in roots if is_needed(urn, root)] for urn, roots in near.items()}


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


def _is_fixed(resource: Resource, change: Change, accounts: Mapping[str, Resource]) -> bool:
    if change.path.startswith(_TRIGGER):
        # One that is first set, or taken away, triggers nothing.
        return change.path != _TRIGGER or change.kind == "change"
    if change.path == "provider":
        return _elsewhere(accounts.get(f"old {change.before}"), accounts.get(str(change.after)))
    kind, _, path = change.path.partition(".")
    row = fixed(resource.type)
    if kind != "inputs" or is_below(path, ignored(resource)):
        return False
    if is_below(path, _replaced_for(resource)):
        return True
    return row is not None and replaces(row, Change(path, change.kind, change.before, change.after))


def _elsewhere(before: Resource | None, after: Resource | None) -> bool:
    """Whether another provider works elsewhere than the one before, as its plugin answers the engine (DiffConfig;
    github.com/pulumi/pulumi/pull/18509). Of a provider that the engine makes itself no graph has the settings."""
    row = fixed(after.type) if before and after else None
    if before is None or after is None or row is None:
        return False
    return any(row.replaces(each.path) for each in compare("", before.inputs, after.inputs))


def is_below(path: str, paths: Sequence[str]) -> bool:
    """Whether a path is one of those, or below one, as an option of a resource names them: ``pools[*].zones``."""
    beginnings = tuple(f"{each}{mark}" for each in paths for mark in ".[")
    spellings = (path, re.sub(r"\[\d+\]", "[*]", path))
    return "*" in paths or any(spelt in paths or spelt.startswith(beginnings) for spelt in spellings)


def ignored(resource: Resource) -> list[str]:
    """The inputs whose changes the engine leaves out."""
    return resource.options.get("ignoreChanges", [])


def _replaced_for(resource: Resource) -> list[str]:
    """The inputs for whose changes the program itself has a resource made anew."""
    return resource.options.get("replaceOnChanges", [])


def _hangs_on(resource: Resource, root: Resource) -> bool:
    """Whether an input of a resource is an output of ``root``, and cannot change in place."""
    if resource.urn == root.urn or root.urn not in resource.dependencies:
        return False
    row, own = fixed(resource.type), _replaced_for(resource)
    left_out = tuple(ignored(resource))
    leaves = ((path, value) for path, value in leaves_of(resource.inputs) if not path.startswith(left_out))
    held = (value for path, value in leaves if (row is not None and row.holds(path)) or is_below(path, own))
    return any(names(value, root) for value in held)


def _bound(all_of: Mapping[str, Resource]) -> dict[str, set[str]]:
    """By URN those without which a resource is gone, whatever its inputs."""
    by_title = {f"{each.type} {each.name}": urn for urn, each in all_of.items()}

    def of(resource: Resource) -> Iterator[str]:
        if resource.provider:
            yield resource.provider
        yield from resource.options.get("replaceWith", [])
        yield from _lives_with(resource, all_of)
        for _, text in leaves_of(resource.options.get("replacementTrigger")):
            yield from (by_title[each[2]] for each in OUTPUT_OF.finditer(text) if each[2] in by_title)

    return {urn: {*of(each)} - {urn} for urn, each in all_of.items()}


def _lives_with(resource: Resource, all_of: Mapping[str, Resource]) -> list[str]:
    """``deletedWith`` of a resource and of those it belongs to: the engine hands it down."""
    others, at = [], resource
    while True:
        if (root := at.options.get("deletedWith")) is not None:
            others.append(root)
        if at.parent is None or at.parent not in all_of:
            return others
        at = all_of[at.parent]


def names(value: str, root: Resource) -> bool:
    """Whether an input is an output of ``root``: its name, or what a preview shows for what is known later."""
    own = (root.name, root.inputs.get("name"), root.inputs.get("nodeGroupName"))
    return value in own or holds_output_of(value, root.type, root.name)


def leaves_of(value: Any, path: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in leaves_of(item, f"{path}.{key}".lstrip("."))]
    if isinstance(value, list):
        return [leaf for i, item in enumerate(value) for leaf in leaves_of(item, f"{path}[{i}]")]
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
    before = as_known(before, after)
    old = {each.urn: each for each in before.resources}
    return [
        (resource, refused)
        for resource in after.resources
        if resource.urn in old and resource.urn not in anew
        for refused in refused_changes(resource.type, old[resource.urn].inputs, resource.inputs)
        if not is_below(refused.path, ignored(resource))
    ]
