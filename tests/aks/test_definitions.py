"""Objects of the operators' own kinds have the schemas of the operators' releases; `make e2e` asks a server."""

import json
from functools import cache

import pytest
from jsonschema import Draft202012Validator
from tests.clouds import CloudTests, each_graph
from tests.controlplane.definitions import RECORDED, closed
from tests.stacks import graph_of


@cache
def faults(kind: str, spec: str) -> list[str]:
    """What the schema of a kind does not take in a spec; graphs have most of their objects in common."""
    validator = Draft202012Validator(closed(RECORDED[kind]["spec"]))
    return [f"{each.json_path}: {each.message}" for each in validator.iter_errors(json.loads(spec))]


@pytest.mark.parametrize(("cloud", "graph"), each_graph("aks"))
def test_every_object_is_as_its_release_has_it(cloud: CloudTests, graph: str):
    """It has no field that the release does not know, none of another type, and lacks none that is required."""
    for resource in graph_of(*cloud.graphs[graph]).resources:
        kind = resource.type.rpartition(":")[2]
        if kind in RECORDED:
            assert faults(kind, json.dumps(resource.inputs["spec"], sort_keys=True)) == []
