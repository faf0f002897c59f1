"""The rules over everything that a program makes."""

from ...offline.graph import Graph, Resource
from . import broken
from .record import Broken
from .there import Made, There

_NAMES = ("name", "nodeGroupName", "resourceName", "accountId")


def broken_in(graph: Graph) -> list[tuple[Resource, Broken]]:
    """Every rule that a resource of a graph breaks, by itself or beside the others."""
    made = [_made(resource) for resource in graph.resources]
    there = There(made)
    return [
        (resource, each)
        for resource, one in zip(graph.resources, made, strict=True)
        for each in broken(resource.type, resource.inputs, there.beside(one))
    ]


def _made(resource: Resource) -> Made:
    names = [resource.inputs.get(key) for key in _NAMES]
    called = [f"{resource.type} {resource.name}", *(name for name in names if isinstance(name, str))]
    return Made(resource.type, resource.inputs, frozenset(called), resource.provider or "")
