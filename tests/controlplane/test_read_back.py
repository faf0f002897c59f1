"""What a server drops of our objects, fills in or puts elsewhere: each of these would be a difference at every preview.

The provider compares what a program says with what the server has. What is only filled in beside it is no difference;
what is dropped is one for ever, as an empty map of labels was. From objects of kinds that it knows it takes what is
empty itself before it compares (github.com/pulumi/pulumi-kubernetes@9497796 provider/pkg/provider/provider.go:
normalizeInputs, seen 2026-11-23); those of other kinds must come back to the last empty map.
"""

from collections.abc import Iterator

import pytest
from rdma_cluster.offline.sdk import resource_class

from tests.clouds import CloudTests, clouds
from tests.stacks import graph_of

from .api import Api, Object
from .cluster import Cluster
from .stack_objects import manifest, not_applied, of_kubernetes
from .test_stacks import apply_all

DROPPED = " is empty and dropped"


@pytest.fixture(scope="module")
def definitions(api: Api) -> Iterator[Cluster]:
    """Keeps the kinds that one graph defines for the next."""
    with Cluster(api) as cluster:
        yield cluster


@pytest.mark.parametrize(
    ("cloud", "graph"),
    [
        pytest.param(cloud, graph, id=f"{cloud.name}: {graph}")
        for cloud in clouds()
        if cloud.has_kubernetes
        for graph in cloud.graphs
    ],
)
def test_what_is_said_is_what_is_kept(cloud: CloudTests, graph: str, api: Api, definitions: Cluster):
    """Of every object of every stack and variant: applied, read back, and compared."""
    built = graph_of(*cloud.graphs[graph])
    taken = [each for each in of_kubernetes(built) if not not_applied(each, built)]
    assert taken
    with Cluster(api) as cluster:
        applied = apply_all(taken, cluster, definitions)
        kept = {each.urn: api.get(applied[each.urn].result) for each in taken}

    differences = {
        each.urn: [
            line
            for line in different(said(manifest(each)), kept[each.urn], "")
            if resource_class(each.type) is None or ".metadata." in line or not line.endswith(DROPPED)
        ]
        for each in taken
    }
    assert {urn: found for urn, found in differences.items() if found} == {}


def said(obj: Object) -> Object:
    """What is to come back: a Secret's texts are kept in another form."""
    return {key: value for key, value in obj.items() if key != "stringData"}


def different(sent: object, kept: object, path: str) -> Iterator[str]:
    """Where a kept object does not say what was sent, to the last empty map; what is beside it is the server's."""
    if isinstance(sent, dict) and isinstance(kept, dict):
        for key, value in sent.items():
            if key in kept:
                yield from different(value, kept[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}: {value!r}{DROPPED if not value else ' is not kept'}"
    elif isinstance(sent, list) and isinstance(kept, list) and len(sent) == len(kept):
        for number, (one, other) in enumerate(zip(sent, kept, strict=True)):
            yield from different(one, other, f"{path}[{number}]")
    elif sent != kept:
        yield f"{path}: {sent!r} became {kept!r}"


def test_what_is_dropped_is_seen(cluster: Cluster):
    """By the same comparison: an empty map of labels, which the server does not keep."""
    empty = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "empty", "labels": {}}, "data": {"a": "b"}}

    kept = cluster.apply(empty).result

    assert list(different(empty, kept, "")) == [".metadata.labels: {} is empty and dropped"]
