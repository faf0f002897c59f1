"""What the clouds refuse of a graph: resources that they do not create, and changes that they do not make in place."""

from collections.abc import Mapping

from ..constraints import Broken, Existing, ExistingResources, broken, refused_changes
from .graph import Graph, Resource
from .replacements import ignored, is_below

_NAMES = ("name", "nodeGroupName", "resourceName", "accountId")


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
