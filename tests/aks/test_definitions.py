"""Objects of the operators' own kinds have the schemas of the operators' releases; `make e2e` asks a server."""

import json
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from tests.clouds import CloudTests, each_graph
from tests.controlplane.definitions import RECORDED, closed
from tests.stacks import graph_of


def wrong(kind: str, spec: Any) -> list[str]:
    """What the schema of a kind does not take in a spec."""
    return _wrong(kind, json.dumps(spec, sort_keys=True))


@cache
def _validator(kind: str) -> Validator:
    """The schema of a kind, made closed once."""
    return Draft202012Validator(closed(RECORDED[kind]["spec"]))


@cache
def _wrong(kind: str, spec: str) -> list[str]:
    """The same, once: graphs have most of their objects in common."""
    found = _validator(kind).iter_errors(json.loads(spec))
    return [f"{each.json_path}: {each.message}" for each in found]


@pytest.mark.parametrize(("cloud", "graph"), each_graph("aks"))
def test_every_object_is_as_its_release_has_it(cloud: CloudTests, graph: str):
    """No field that the release does not know, none of another type, none left out that is required."""
    for kind in RECORDED:
        for resource in graph_of(*cloud.graphs[graph]).resources:
            if resource.type.endswith(f":{kind}"):
                assert wrong(kind, resource.inputs["spec"]) == []


def test_a_wrong_field_is_seen():
    """Misspelt, of another type, and left out."""
    assert wrong("NicClusterPolicy", {"ofedDrivers": {}})
    assert wrong("NicClusterPolicy", {"ofedDriver": {"image": "doca-driver", "forcePrecompiled": "no"}})
    assert wrong("NicClusterPolicy", {"sriovDevicePlugin": {"config": "{}"}})
    assert wrong(
        "NodeFeatureRule", {"rules": [{"name": "n", "matchFeatures": [{"feature": "pci.device", "match": 1}]}]}
    )
