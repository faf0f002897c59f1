"""What changes from one graph to the next."""

from typing import Any

from .aliases import as_known
from .change_lines import change_lines
from .frozen import frozen
from .graph import Graph, Resource, title
from .json_diff import Change, compare
from .visible import visible


@frozen
class GraphDiff:
    """What changes between two graphs; false when nothing does. Everything is sorted."""

    added: tuple[Resource, ...]
    removed: tuple[Resource, ...]
    changed: dict[str, tuple[Change, ...]]
    """Changes by the URN of their resource."""
    outputs: tuple[Change, ...]
    """Changes of what the program exports."""

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.outputs)

    def to_dict(self) -> dict[str, Any]:
        """The difference as JSON data:
        `{"added": [urn], "removed": [urn], "changed": {urn: [change]}, "outputs": [change]}`.

        A change is `{"path": ..., "kind": "add" | "remove" | "change", "before": ..., "after": ...}`; an added property
        has no `before`, a removed one no `after`.
        """
        return {
            "added": [resource.urn for resource in self.added],
            "removed": [resource.urn for resource in self.removed],
            "changed": {urn: [_as_dict(change) for change in changes] for urn, changes in self.changed.items()},
            "outputs": [_as_dict(change) for change in self.outputs],
        }


def diff(before: Graph, after: Graph) -> GraphDiff:
    """Compare two graphs resource by resource and property by property; aliases tie resources to earlier names."""
    before = as_known(before, after)
    old = {resource.urn: resource for resource in before.resources}
    new = {resource.urn: resource for resource in after.resources}
    changed = {urn: tuple(compare("", _body(old[urn]), _body(new[urn]))) for urn in sorted(old.keys() & new.keys())}
    return GraphDiff(
        added=tuple(new[urn] for urn in sorted(new.keys() - old.keys())),
        removed=tuple(old[urn] for urn in sorted(old.keys() - new.keys())),
        changed={urn: changes for urn, changes in changed.items() if changes},
        outputs=tuple(compare("", before.outputs, after.outputs)),
    )


def render(difference: GraphDiff) -> str:
    """The difference as text, a line for each resource and property; empty when nothing changes.

    Of JSON and scripts only what differs is shown, and long values are cut short; ``to_dict`` has them whole.
    """
    lines = [f"- {title(resource.urn)}" for resource in difference.removed]
    lines += [f"+ {title(resource.urn)}" for resource in difference.added]
    for urn, changes in difference.changed.items():
        lines += [f"~ {title(urn)}", *(line for change in changes for line in change_lines(change))]
    if difference.outputs:
        lines += ["~ outputs", *(line for change in difference.outputs for line in change_lines(change))]
    return "".join(f"{visible(line)}\n" for line in lines)


def _body(resource: Resource) -> dict[str, Any]:
    """What of a resource can change while its URN stays; dependencies as keys, since their order means nothing."""
    body = {key: getattr(resource, key) for key in ("parent", "provider", "inputs", "options")}
    return {**body, "dependencies": dict.fromkeys(resource.dependencies, True)}


def _as_dict(change: Change) -> dict[str, Any]:
    sides = {"add": ("after",), "remove": ("before",)}.get(change.kind, ("before", "after"))
    return {key: getattr(change, key) for key in ("path", "kind", *sides)}
