"""A look at one resource of a graph, in whole."""

from typing import Any

from pulumi_offline import Graph, Resource


def one(graph: Graph, token: str, name: str) -> Resource:
    """A resource; ``token`` is the end of its type."""
    (found,) = [each for each in graph.resources if each.type.endswith(f":{token}") and each.name == name]
    return found


def options(resource: Resource) -> dict[str, Any]:
    """Its options, without what the SDK always sets."""
    return {key: value for key, value in resource.options.items() if key != "additionalSecretOutputs"}


def waits_for(resource: Resource) -> set[str]:
    """Names of what it comes after."""
    return {urn.rpartition("::")[2] for urn in resource.dependencies}
