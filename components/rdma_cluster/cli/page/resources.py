"""Every resource of a stack below its component, with what it waits for."""

from ...offline.graph import Graph, Resource
from .escaped import escaped

Children = dict[str | None, list[Resource]]


def resources(graph: Graph) -> str:
    """The whole tree; only its root is open."""
    children = graph.by_parent()
    names = {resource.urn: f"{resource.kind} {resource.name}" for resource in graph.resources}
    return "".join(_component(each, children, names, True) for each in children.get(None, []))


def _component(resource: Resource, children: Children, names: dict[str, str], opened: bool) -> str:
    below = children.get(resource.urn, [])
    plain = [each for each in below if each.urn not in children]
    nested = [each for each in below if each.urn in children]
    items = "".join(f"<li>{escaped(names[each.urn])}{_waits(each, names)}</li>" for each in plain)
    inner = "".join(_component(each, children, names, False) for each in nested)
    count = f' <span class="dim">{len(below)}</span>'
    listed = f"<ul>{items}</ul>" if items else ""
    return (
        f"<details{' open' if opened else ''}><summary>{escaped(names[resource.urn])}{count}</summary>"
        f"{_waits(resource, names)}{listed}{inner}</details>"
    )


def _waits(resource: Resource, names: dict[str, str]) -> str:
    awaited = [names[urn] for urn in resource.dependencies if urn in names]
    return f' <span class="dim">waits for {escaped(", ".join(awaited))}</span>' if awaited else ""
