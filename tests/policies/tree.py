"""What every resource of a graph must keep to, of whatever cloud."""

import json
from collections.abc import Iterator
from importlib import import_module
from itertools import combinations
from typing import Any

from rdma_cluster.offline import Graph
from rdma_cluster.offline.sdk import args_class, properties, resource_class

from tests.clouds import clouds

from .readers import gpu_pools, ranges

_COMPONENT = "rdma-cluster:"
_PROVIDER = "pulumi:providers:"
_ANYWHERE = ("0.0.0.0/0", "::/0")
_OUTWARD = ("egress", "destination", ".routes[")
_KUBECONFIG = ("current-context", "certificate-authority-data", "client.authentication.k8s.io", "clientConfig")


def parents_are_components(graph: Graph) -> Iterator[str]:
    """Every resource belongs to a component of ours, and all of them to the one that is the stack."""
    components = {each.urn for each in graph.resources if each.type.startswith(_COMPONENT)}
    for resource in graph.resources:
        if resource.parent is None and not (resource.urn in components and resource.type.endswith("RdmaCluster")):
            yield f"{resource.urn}: has no parent"
        elif resource.parent is not None and resource.parent not in components:
            yield f"{resource.urn}: is a child of {resource.parent}"


def no_default_provider(graph: Graph) -> Iterator[str]:
    """Every resource names its provider: a default one takes project and cluster from whoever runs it."""
    known = {each.urn for each in graph.resources if each.type.startswith(_PROVIDER)}
    for resource in graph.resources:
        if not resource.type.startswith((_COMPONENT, _PROVIDER)) and resource.provider not in known:
            yield f"{resource.urn}: provider {resource.provider}"


def dependencies_exist(graph: Graph) -> Iterator[str]:
    """What a resource waits for is in the graph, and never waits for it in turn."""
    waits = {each.urn: each.dependencies for each in graph.resources}
    done: set[str] = set()

    def visit(urn: str, above: tuple[str, ...]) -> Iterator[str]:
        if urn in above:
            yield f"{urn}: waits for itself"
        elif urn not in waits:
            yield f"{above[-1]}: waits for {urn}, which is not there"
        elif urn not in done:
            for other in waits[urn]:
                yield from visit(other, (*above, urn))
            done.add(urn)

    for urn in waits:
        yield from visit(urn, ())


def nothing_is_open_to_the_world(graph: Graph) -> Iterator[str]:
    """No rule lets everybody in."""
    for resource in graph.resources:
        for path, value in _leaves("", resource.inputs):
            if value in _ANYWHERE and not any(word in f"{resource.type}{path}".lower() for word in _OUTWARD):
                yield f"{resource.name}: {path} is {value}"


def subnets_are_disjoint(graph: Graph) -> Iterator[str]:
    """No two ranges of one graph share an address: pods route between all of them."""
    blocks = dict(ranges(graph))
    for one, other in combinations(blocks, 2):
        if blocks[one].overlaps(blocks[other]):
            yield f"{one} {blocks[one]} overlaps {other} {blocks[other]}"


def reserved_capacity_is_freed_first(graph: Graph) -> Iterator[str]:
    """GPU nodes are deleted before they are replaced: there is no second set of them."""
    for pool in gpu_pools(graph):
        if not pool.resource.options.get("deleteBeforeReplace"):
            yield f"{pool.name}: is created before the old one is deleted"


def named_properties_exist(graph: Graph) -> Iterator[str]:
    """Options name what the resource has: else a preview would undo what others set, or change what no API changes."""
    # A graph that another process built brings no SDK along.
    for sdk in ("pulumi_kubernetes", *(cloud.sdk for cloud in clouds())):
        import_module(sdk)
    for resource in graph.resources:
        for option in ("ignoreChanges", "replaceOnChanges"):
            for path in resource.options.get(option, []):
                cls = args_class(found) if (found := resource_class(resource.type)) else None
                if cls is not None and path.partition(".")[0].partition("[")[0] not in properties(cls):
                    yield f"{resource.urn}: {option} names {path}, which it does not have"


def kubeconfigs_are_secret(graph: Graph) -> Iterator[str]:
    """A kubeconfig is secret wherever it stands, and no piece of one stands anywhere else."""
    places: list[tuple[str, dict[str, Any]]] = [("stack", graph.outputs)]
    for resource in graph.resources:
        places += [(resource.urn, resource.inputs), (resource.urn, resource.outputs)]
    for where, values in places:
        for path, value in _leaves("", values):
            if path.endswith("kubeconfig") and value != "[secret]":
                yield f"{where}: {path} is in clear"
    for word in _KUBECONFIG:
        if word in json.dumps(graph.to_dict()):
            yield f"{word} is in clear"


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(f"{path}.{key}", item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(f"{path}[{index}]", item)
    else:
        yield path, value
