"""What a server drops of our objects, fills in or puts elsewhere: each of these would be a difference at every preview.

The provider compares what a program says with what the server has. What is only filled in beside it is no difference;
what is dropped is one for ever, as an empty map of labels was. From objects of kinds that it knows it takes what is
empty itself before it compares (github.com/pulumi/pulumi-kubernetes@9497796 provider/pkg/provider/provider.go:
normalizeInputs, seen 2026-11-23); those of other kinds must come back to the last empty map.
"""

import json
import re
from collections.abc import Iterator

import pytest
from pulumi_offline import Resource
from pulumi_offline.sdk import resource_class
from tests.clouds import CloudTests, clouds
from tests.stacks import graph_of
from .api import Api
from .applied import define, define_recorded
from .cluster import Cluster
from .stack_objects import DEFINITION, manifest, not_applied, of_kubernetes

DROPPED = " is empty and dropped"


@pytest.mark.parametrize("cloud", [each for each in clouds() if each.has_kubernetes], ids=lambda cloud: cloud.name)
def test_what_is_said_is_what_is_kept(cloud: CloudTests, api: Api, definitions: Cluster):
    """The server answers with what it would keep of every object that any stack or variant of a cloud makes."""
    sent = objects(cloud)
    define_recorded({each.inputs["kind"] for each in sent.values()}, definitions)
    with Cluster(api) as cluster:
        # What others are kept in, and what defines their kinds, is really made: the namespace of the most labels last.
        for resource in sorted(sent.values(), key=lambda each: len(each.inputs["metadata"].get("labels", {}))):
            if resource.inputs["kind"] == "Namespace":
                cluster.apply(manifest(resource))
            elif resource.type == DEFINITION:
                define(manifest(resource), definitions)
        kept = {text: api.apply(json.loads(text), dry_run=True).result for text in sent}

    differences = {
        resource.urn: [
            line
            for line in different(json.loads(text), kept[text], "")
            if resource_class(resource.type) is None or ".metadata." in line or not line.endswith(DROPPED)
        ]
        for text, resource in sent.items()
    }
    assert {urn: found for urn, found in differences.items() if found} == {}


def objects(cloud: CloudTests) -> dict[str, Resource]:
    """Every object of a cloud's graphs once, by its text, with the first resource that makes it."""
    found: dict[str, Resource] = {}
    for arguments in cloud.graphs.values():
        graph = graph_of(*arguments)
        for each in of_kubernetes(graph):
            # A graph shows no secret, and so nothing that could be sent.
            if not not_applied(each, graph) and each.inputs["kind"] != "Secret":
                found.setdefault(json.dumps(manifest(each), sort_keys=True), each)
    assert found
    return found


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
