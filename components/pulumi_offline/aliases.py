"""What resources were called before: aliases, which a renamed or moved component hands on to all that is below it.

As the engine does: generateAliases, inheritedChildAlias and getOldResource in github.com/pulumi/pulumi@1b59498
pkg/resource/deploy/step_generator.go (2026-08-21).
"""

from collections.abc import Collection, Iterator, Mapping
from re import Match
from typing import Any

from .graph import Graph, Resource, type_and_name
from .unknowns import OUTPUT_OF, known, output_of

_URNS = ("deletedWith", "replaceWith", "providers")
"""Options that name resources."""
Names = Mapping[tuple[str, str], tuple[str, str]]
"""Type and name of resources now, by what they were."""


def old_urns(before: Collection[str], after: Graph) -> dict[str, str]:
    """The URN of ``before`` under which each renamed resource was known, by its URN now; the others are left out."""
    found: dict[str, str] = {}
    by_urn = {each.urn: each for each in after.resources}
    for resource in sorted(after.resources, key=lambda each: _depth(each, by_urn)):
        old = next((urn for urn in _aliases(resource, found) if urn in before), None)
        if old is not None and resource.urn not in before:
            found[resource.urn] = old
    return found


def as_known(before: Graph, after: Graph) -> Graph:
    """``before`` with the names that its resources have in ``after``."""
    renamed = {old: new for new, old in old_urns({each.urn for each in before.resources}, after).items()}
    if not renamed:
        return before
    now = {each.urn: each for each in after.resources}
    resources = [_renamed(each, renamed, now.get(renamed.get(each.urn, each.urn))) for each in before.resources]
    named = {type_and_name(old): type_and_name(new) for old, new in renamed.items()}
    outputs = _in_texts(before.outputs, after.outputs, named, {})
    return Graph(before.stack, tuple(sorted(resources, key=lambda each: each.urn)), outputs)


def _depth(resource: Resource, by_urn: dict[str, Resource]) -> int:
    """How many resources are above it."""
    above, at = 0, resource
    while at.parent is not None and at.parent in by_urn:
        above, at = above + 1, by_urn[at.parent]
    return above


def _aliases(resource: Resource, found: dict[str, str]) -> Iterator[str]:
    """The URNs that a resource may have had: by its own aliases, and by what its parent was known as."""
    own = [_collapsed(resource, alias) for alias in resource.options.get("aliases", ())]
    yield from own
    if resource.parent in found:
        for urn in (resource.urn, *own):
            yield _below(urn, type_and_name(str(resource.parent))[1], found[str(resource.parent)])


def _collapsed(resource: Resource, alias: Any) -> str:
    """An alias as a URN; what it does not say is as the resource has it now."""
    if isinstance(alias, str):
        return alias
    stack, project = resource.urn.removeprefix("urn:pulumi:").split("::")[:2]
    parent = alias.get("parent", resource.parent)
    chain = f"{parent.split('::')[2]}$" if parent and "pulumi:pulumi:Stack" not in parent else ""
    names = (alias.get("stack", stack), alias.get("project", project), chain + alias.get("type", resource.type))
    return "::".join((f"urn:pulumi:{names[0]}", *names[1:], alias.get("name", resource.name)))


def _below(urn: str, parent: str, old_parent: str) -> str:
    """A child's URN below the old parent; a name that began with the parent's begins with the old one."""
    token, name = type_and_name(urn)
    old = type_and_name(old_parent)[1]
    home, project, types, _ = old_parent.split("::", 3)
    return f"{home}::{project}::{types}${token}::{old + name[len(parent) :] if name.startswith(parent) else name}"


def _renamed(resource: Resource, renamed: dict[str, str], now: Resource | None) -> Resource:
    """A resource that may have another name, and that names such; ``now`` is the same in the later graph."""
    urn = renamed.get(resource.urn, resource.urn)
    named = {type_and_name(old): type_and_name(new) for old, new in renamed.items()}
    made_up = {type_and_name(urn)[1]: named[type_and_name(urn)][1] for urn in resource.dependencies if urn in renamed}
    old = {"inputs": resource.inputs, "options": resource.options}
    new = {"inputs": now.inputs, "options": now.options} if now else {}
    told = _in_texts(old, new, named, made_up)
    options = {key: _with_urns(of, renamed) if key in _URNS else of for key, of in told["options"].items()}
    parent, provider = (renamed.get(each, each) if each else None for each in (resource.parent, resource.provider))
    waits = tuple(sorted(renamed.get(each, each) for each in resource.dependencies))
    name = type_and_name(urn)[1]
    return Resource(urn, resource.type, name, parent, provider, told["inputs"], options, waits, resource.outputs)


def _with_urns(value: Any, renamed: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: renamed.get(of, of) for key, of in value.items()}
    return [renamed.get(of, of) for of in value] if isinstance(value, list) else renamed.get(value, value)


def _in_texts(old: Any, new: Any, named: Names, made_up: Mapping[str, str]) -> Any:
    """A value whose outputs say where they come from now.

    What a preview makes up of a name is taken as it is made up now: hosts, and the physical names of those in
    ``made_up``, to which the cloud has given others that stay.
    """
    if isinstance(old, dict):
        beside = new if isinstance(new, dict) else {}
        return {key: _in_texts(of, beside.get(key), named, made_up) for key, of in old.items()}
    if isinstance(old, list):
        beside = new if isinstance(new, list) else []
        return [_in_texts(of, beside[i] if i < len(beside) else None, named, made_up) for i, of in enumerate(old)]
    if not isinstance(old, str) or known(old):
        return new if isinstance(old, str) and old in made_up and new == made_up[old] else old

    def moved(found: Match[str]) -> str:
        token, _, name = found[2].partition(" ")
        return output_of(found[1], *named[token, name]) if (token, name) in named else found[0]

    text = OUTPUT_OF.sub(moved, old)
    return new if ".invalid" in text and isinstance(new, str) and not known(new) else text
