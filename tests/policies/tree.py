"""What every resource of a graph must keep to, of whatever cloud."""

import json
from collections.abc import Iterator
from importlib import import_module
from itertools import combinations
from typing import Any

from pulumi_offline import Graph
from pulumi_offline.sdk import args_class, properties, resource_class
from rdma_cluster.catalog.latencies import latency
from tests.clouds import clouds
from .readers import gpu_pools, ranges

_COMPONENT = "rdma-cluster:"
_PROVIDER = "pulumi:providers:"
_ANYWHERE = ("0.0.0.0/0", "::/0")
_OUTWARD = ("egress", "destination", ".routes[")
_IN_A_CLUSTER = ("kubernetes:", _COMPONENT)
_LONG = 200
_MADE_ONCE = {"oci:Core/image:Image"}
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_NO_CLOUD = (_COMPONENT, _PROVIDER, "kubernetes:")
_PLACES = {"project", "region", "zone", "location", "resourceGroupName", "compartmentId"}
_OF_NO_PLACE = {"azure-native:resources:ResourceGroup": {"resourceGroupName"}}
"""What is named by itself."""
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
    """Every resource names its provider: a default one takes project and cluster from whoever runs it. The engine's own
    resources have none."""
    known = {each.urn for each in graph.resources if each.type.startswith(_PROVIDER)}
    for resource in graph.resources:
        if not resource.type.startswith((_COMPONENT, "pulumi:")) and resource.provider not in known:
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


def what_takes_long_has_its_time(graph: Graph) -> Iterator[str]:
    """GPU pools, and what takes minutes by published logs: an hour for each operation, and twice what was seen. Left
    alone, a provider gives up after its own time, which may be twenty minutes, and `up` has failed."""
    pools = {pool.resource.urn for pool in gpu_pools(graph)}
    for resource in graph.resources:
        took = latency(resource.type)
        if resource.type.startswith(_IN_A_CLUSTER) or not (resource.urn in pools or took.create >= _LONG):
            continue
        waits = resource.options.get("customTimeouts") or {}
        for operation in ("create", "delete") if resource.type in _MADE_ONCE else ("create", "update", "delete"):
            text = waits.get(operation, "0s")
            seen = took.delete if operation == "delete" else took.create
            if int(text[:-1]) * _SECONDS[text[-1]] < max(3600, 2 * seen):
                yield f"{resource.name}: {operation} has {text}, {seen} s were seen"


def resources_are_where_their_stack_is(graph: Graph) -> Iterator[str]:
    """Each is in a project, region, zone, group or compartment that the stack names, by itself or by its provider."""
    _import_sdks()
    urns, named = {each.urn: each for each in graph.resources}, _named(graph)
    for resource in graph.resources:
        cls = None if resource.type.startswith(_NO_CLOUD) else resource_class(resource.type)
        known = properties(args) if cls and (args := args_class(cls)) else {}
        provider = urns[resource.provider].inputs if resource.provider in urns else {}
        for key in known.keys() & _PLACES - _OF_NO_PLACE.get(resource.type, set()):
            value = resource.inputs.get(key, provider.get(key))
            if value != "[secret]" and str(value).lower() not in named:
                yield f"{resource.urn}: its {key} is {value}"


def _named(graph: Graph) -> set[str]:
    """What the whole says of places, the region of its zone, and the stack's own name, which its group has."""
    words = {graph.stack}
    for whole in (each for each in graph.resources if each.parent is None and each.type.startswith(_COMPONENT)):
        words |= {str(value).lower() for value in whole.inputs.values()}
        words.add(str(whole.inputs.get("zone")).rpartition("-")[0])
    return words


def nothing_is_told_of_what_is_off(graph: Graph) -> Iterator[str]:
    """Settings of what is switched off in the same breath: one of the two is meant otherwise."""
    for resource in (each for each in graph.resources if not each.type.startswith(_NO_CLOUD)):
        for path, holder in _holders("", resource.inputs):
            if holder.get("enabled") is False and len(holder) > 1:
                yield f"{resource.name}: {path} is off, and has {sorted(holder.keys() - {'enabled'})}"


def named_properties_exist(graph: Graph) -> Iterator[str]:
    """Options name what the resource has: else a preview would undo what others set, or change what no API changes."""
    _import_sdks()
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


def _import_sdks() -> None:
    """A graph that another process built brings no SDK along."""
    for sdk in ("pulumi_kubernetes", *(cloud.sdk for cloud in clouds())):
        import_module(sdk)


def _holders(path: str, value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        yield path, value
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _holders(f"{path}.{key}", item)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(f"{path}.{key}", item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(f"{path}[{index}]", item)
    else:
        yield path, value
