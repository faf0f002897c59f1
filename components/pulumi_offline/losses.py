"""What a change takes away: what is deleted, what is made anew, whose nodes are, and what needs one capacity twice.

``immutable`` has a row for each type, which says what people call it and where its nodes come from.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from .aliases import as_known
from .changes import diff
from .frozen import frozen
from .graph import Graph, Resource
from .immutable import Nodes, fixed
from .immutable.record import NONE, among
from .replacements import ignored, is_below, leaves_of, names, needed, replacements
from .unknowns import NUMBER, known

_NAMES = (
    "name", "nodeGroupName", "agentPoolName", "resourceName", "bucket", "fileSystemName", "cluster", "clusterName",
)  # fmt: skip
"""Inputs that name a thing in its cloud, and the cluster that it is a part of."""
_LEFT = {"get", "retainOnDelete"}
"""Options of what a program only reads, and of what stays in its cloud."""
_TAGS = ("tags", "tagsAll")
"""What changes in place of anything, and makes no new version of a template."""


@frozen
class First:
    """What is made before another thing goes."""

    made: tuple[str, ...]
    """URNs; of a resource that is made anew its own."""
    capacity: str
    """What both take their nodes from, a reservation or a machine type; empty where they share none."""
    moved: bool = False
    """Whether it is the same by its name, and an alias is missing."""


@frozen
class Losses:
    """All by URN. Resources that a program only reads, and those that are retained, are not lost."""

    deleted: dict[str, list[str]]
    """What is in the first graph alone, with those of it without which it cannot be."""
    replaced: dict[str, list[str]]
    """As ``replacements`` has it."""
    rolled: dict[str, list[str]]
    """What stays and gets new nodes: the inputs that it is for, or the URNs of what it follows."""
    first: dict[str, First]
    """For what is deleted or made anew: what is made before."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        first = {urn: {"made": [*it.made], "capacity": it.capacity} for urn, it in self.first.items()}
        return {"deleted": self.deleted, "replaced": self.replaced, "rolled": self.rolled, "madeFirst": first}


def losses(before: Graph, after: Graph) -> Losses:
    """What is lost from one graph to the next."""
    before = as_known(before, after)
    old = {each.urn: each for each in before.resources}
    new = {each.urn: each for each in after.resources}
    gone = {urn: each for urn, each in old.items() if urn not in new and not _LEFT & each.options.keys()}
    anew = replacements(before, after)
    changed = {
        urn: [each.path.removeprefix("inputs.") for each in changes if each.path.startswith("inputs.")]
        for urn, changes in diff(before, after).changed.items()
    }
    return Losses(
        dict(sorted(needed(gone).items())),
        anew,
        dict(_rolled(new, changed, anew)),
        dict([*_instead(gone, old, new), *_twice(anew, old, new)]),
    )


def role_of(resource: Resource) -> str:
    """What people call such a resource; empty for one that they have no name for."""
    row = fixed(resource.type)
    return row.role if row is not None else ""


def _nodes(resource: Resource) -> Nodes:
    row = fixed(resource.type)
    return row.nodes if row is not None else NONE


def _rolled(
    new: Mapping[str, Resource], changed: Mapping[str, list[str]], anew: Mapping[str, list[str]]
) -> Iterator[tuple[str, list[str]]]:
    """An output of what is made anew is another, and so is a number of what changes at all."""

    def is_other(resource: Resource) -> bool:
        left_out = (*_TAGS, *ignored(resource))
        if resource.urn in anew or any(not is_below(path, left_out) for path in changed.get(resource.urn, ())):
            return True
        remade = [new[urn] for urn in resource.dependencies if urn in anew]
        return any(names(text, root) for _, text in leaves_of(resource.inputs) for root in remade)

    for urn, resource in new.items():
        how = _nodes(resource)
        if urn in anew or not (how.rolls or how.follows):
            continue
        paths = [path for path in changed.get(urn, ()) if among(path, how.rolls)]
        reasons = [f"inputs.{path}" for path in paths if not is_below(path, ignored(resource))]
        leaves = leaves_of(resource.inputs)
        held = [text for path, text in leaves if among(path, how.rolls)]
        beside = [text for path, text in leaves if any(_is_number(resource, path, each) for each in how.follows)]
        for root in (new[each] for each in resource.dependencies if each in new):
            remade = root.urn in anew and any(names(text, root) for text in held)
            if remade or (any(names(text, root) for text in beside) and is_other(root)):
                reasons.append(root.urn)
        if reasons:
            yield urn, reasons


def _is_number(resource: Resource, path: str, followed: str) -> bool:
    """Whether an input stands beside a number that another resource will bring: ``launchTemplate.id``."""
    within, _, _ = followed.rpartition(".")
    number = dict(leaves_of(resource.inputs)).get(followed)
    return path.startswith(f"{within}.") and number is not None and (number == str(NUMBER) or not known(number))


def _instead(
    gone: Mapping[str, Resource], old: Mapping[str, Resource], new: Mapping[str, Resource]
) -> Iterator[tuple[str, First]]:
    """The engine makes what is new before it deletes what is not named any more."""
    fresh = [each for urn, each in new.items() if urn not in old and role_of(each) and "get" not in each.options]
    for urn, resource in gone.items():
        alike = [each for each in fresh if each.type == resource.type]
        same = [each for each in alike if each.name == resource.name or _keeps_name(resource, each)]
        capacity = _capacity(resource, old)
        needing = [each for each in alike if capacity and _capacity(each, new) == capacity]
        if same or needing:
            yield urn, First(tuple(each.urn for each in same or needing), capacity if needing else "", bool(same))


def _twice(
    anew: Mapping[str, list[str]], old: Mapping[str, Resource], new: Mapping[str, Resource]
) -> Iterator[tuple[str, First]]:
    """What is made anew before it is deleted, with nodes of one capacity."""
    for urn in anew:
        capacity = _capacity(new[urn], new)
        # A provider deletes first what keeps its name, since two of one name cannot be.
        deletes_first = new[urn].options.get("deleteBeforeReplace", _keeps_name(old[urn], new[urn]))
        if role_of(new[urn]) and not deletes_first and capacity and capacity == _capacity(old[urn], old):
            yield urn, First((urn,), capacity)


def _keeps_name(before: Resource, after: Resource) -> bool:
    """Whether a thing has one name in its cloud, as far as the program gives it."""
    one, two = ([each.inputs.get(key) for key in _NAMES] for each in (before, after))
    return any(one) and one == two


def _capacity(resource: Resource, all_of: Mapping[str, Resource]) -> str:
    """The reservation or rack, or else the machine type, of a resource that has nodes or of the template that it names;
    empty where it has none."""
    if not role_of(resource):
        return ""
    templates = [all_of[urn] for urn in resource.dependencies if urn in all_of and not role_of(all_of[urn])]
    having = [(each, _nodes(each)) for each in (resource, *templates)]
    for wanted in ("capacity", "machine"):
        found = {text for each, how in having for text in _at(each, getattr(how, wanted))}
        if found:
            return ", ".join(sorted(found))
    return ""


def _at(resource: Resource, paths: tuple[str, ...]) -> Iterator[str]:
    return (text for path, text in leaves_of(resource.inputs) if paths and among(path, paths))
