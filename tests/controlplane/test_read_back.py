"""What a server drops of our objects, fills in or puts elsewhere: each of these would be a difference at every preview.

The provider compares what a program says with what the server has. What is only filled in beside it is no difference;
what is dropped is one for ever, as an empty map of labels was. From objects of kinds that it knows it takes what is
empty itself before it compares (github.com/pulumi/pulumi-kubernetes@9497796 provider/pkg/provider/provider.go:
normalizeInputs, seen 2026-11-23); those of other kinds must come back to the last empty map.
"""

import re
from collections.abc import Iterator

import pytest
from pulumi_offline.sdk import resource_class
from tests.clouds import CloudTests, clouds
from tests.stacks import graph_of
from .api import Api
from .applied import apply_all
from .cluster import Cluster
from .stack_objects import manifest, not_applied, of_kubernetes

DROPPED = " is empty and dropped"


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
    # A graph shows no secret, and so nothing that could be sent.
    taken = [each for each in of_kubernetes(built) if not not_applied(each, built) and each.inputs["kind"] != "Secret"]
    assert taken
    with Cluster(api) as cluster:
        applied = apply_all(taken, cluster, definitions)
        kept = {each.urn: api.get(applied[each.urn].result) for each in taken}

    differences = {
        each.urn: [
            line
            for line in different(manifest(each), kept[each.urn], "")
            if resource_class(each.type) is None or ".metadata." in line or not line.endswith(DROPPED)
        ]
        for each in taken
    }
    assert {urn: found for urn, found in differences.items() if found} == {}


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
    elif amount(sent) != amount(kept):
        yield f"{path}: {sent!r} became {kept!r}"


def amount(value: object) -> object:
    """A quantity as a number, which a server writes in its own way: 8192Gi as 8Ti; anything else as it is."""
    if isinstance(value, str) and (parts := re.fullmatch(r"(\d+)(Ki|Mi|Gi|Ti|Pi)", value)):
        return int(parts[1]) << 10 * (["Ki", "Mi", "Gi", "Ti", "Pi"].index(parts[2]) + 1)
    return value


def test_what_is_dropped_is_seen(cluster: Cluster):
    """By the same comparison: an empty map of labels, which the server does not keep."""
    empty = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "empty", "labels": {}}, "data": {"a": "b"}}

    kept = cluster.apply(empty).result

    assert list(different(empty, kept, "")) == [".metadata.labels: {} is empty and dropped"]
