"""The clouds' own constraints: each has examples and stands in its source, and none is broken by what we make."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import pytest
from pulumi_offline import Graph, Resource
from pulumi_offline.constraints import SERVICES, Constraint, broken, stated
from pulumi_offline.constraints.models import modelled
from pulumi_offline.constraints.predicates import inputs_with
from pulumi_offline.constraints.record import ExistingResources
from pulumi_offline.replacements import broken_in
from tests.clouds import CloudTests, each_graph, with_all_graphs
from tests.references.reference import Reference
from tests.stacks import ROOT, graph_of
from tools.api import google, oci
from tools.api.model import Member
from tools.api.request import places
from tools.api.tables import tables

TYPES = sorted(
    {each for name in SERVICES.values() for each in import_module(f"pulumi_offline.constraints.{name}").CONSTRAINTS}
)
STATED = [
    pytest.param(token, constraint, id=f"{token.partition('/')[0]} {constraint.words[:40]}")
    for token in [*TYPES, "kubernetes:networking.k8s.io/v1:NetworkPolicy"]
    for constraint in stated(token)
]
FREE = {
    "azure-native:monitor:DataCollectionRuleAssociation": "two ids",
    "azure-native:network:NetworkSecurityGroup": "a place alone",
    "oci:Core/shapeManagement:ShapeManagement": "three ids",
}
"""Types of which nothing can be wrong that a program decides, with what they take."""
REFERENCES = [
    each
    for path in sorted((ROOT / "tests").glob("*/references.py"))
    for each in import_module(f"tests.{path.parent.name}.references").REFERENCES
]
MODELS = re.compile(r"(botocore|azure-mgmt-|oci |[a-z]+\.v1 )")
"""How sources begin that are models of APIs."""


@pytest.mark.parametrize(("token", "constraint"), STATED)
def test_one_example_keeps_to_a_constraint_and_the_other_breaks_it(token: str, constraint: Constraint):
    limit = constraint.limit
    assert limit.accepted is not None and limit.refused is not None

    assert list(limit.check(limit.accepted, ExistingResources(limit.among))) == []
    assert list(limit.check(limit.refused, ExistingResources(limit.among))) != []


@pytest.mark.parametrize(("token", "constraint"), STATED)
def test_words_of_a_constraint_stand_in_the_model_that_is_its_source(token: str, constraint: Constraint):
    if not MODELS.match(constraint.source.ref):
        assert "/" in constraint.source.ref or " " in constraint.source.ref
        return
    place = constraint.source.ref.rpartition(" ")[2]

    assert any(constraint.words in said for said in _said(token, place)), (place, list(_said(token, place)))


def _said(token: str, place: str) -> Iterator[str]:
    name, _, field = place.partition(".")
    if token.startswith("oci:Core/"):  # which object a request holds, some fields of it decide
        yield oci.model("core", name).members()[field].words
        return
    tail = place.rpartition("[]")[2]
    for at, member in _places(token).items():
        if at == place or ("[]" in place and at.endswith(tail)):
            yield member.words
            yield from member.shape.enum


@cache
def _places(token: str) -> Mapping[str, Member]:
    beside = google.schema("compute.v1", "NetworkProfile")
    return {**dict(places(beside)), **dict(places(tables()[token].shape))}


@pytest.mark.parametrize(("cloud", "graph"), each_graph())
def test_no_stack_and_no_variant_breaks_a_constraint(cloud: CloudTests, graph: str):
    assert list(broken_in(graph_of(*cloud.graphs[graph]))) == []


@pytest.mark.parametrize("cloud", with_all_graphs())
def test_every_type_of_a_cloud_that_we_make_has_constraints(cloud: CloudTests):
    made = {each.type for graph in cloud.graphs.values() for each in graph_of(*graph).resources}
    own = {token for token in made if token.startswith(f"{cloud.sdk_package}:")}

    assert {token for token in own if not stated(token) and not modelled(token)} == own & set(FREE)


def network(name: str, provider: str = "p") -> Resource:
    token, inputs = "gcp:compute/network:Network", {"name": "n", "autoCreateSubnetworks": False}
    return Resource(f"urn:pulumi:lab::gpu::{token}::{name}", token, name, None, provider, inputs)


def test_a_graph_is_judged_as_a_whole():
    """A name that comes twice is seen in one project, and not in two."""
    same, apart = (Graph("lab", (network("a"), network("b", provider))) for provider in ("p", "q"))

    assert [(each.name, found.path) for each, found in broken_in(same)] == [("a", "name"), ("b", "name")]
    assert broken_in(apart) == []


def test_what_is_not_known_yet_breaks_nothing():
    for value in ("[mtu of gcp:x/y:Z a]", "04da6b54-80e4-46f7-96ec-b56ff0331ba9", "[secret]"):
        assert broken("gcp:compute/network:Network", {"mtu": value, "autoCreateSubnetworks": False}) == []


GROUP, RULE = (
    "aws:eks/nodeGroup:NodeGroup",
    "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule",
)


@pytest.mark.parametrize(
    ("token", "inputs", "path", "words"),
    [
        (GROUP, {}, "clusterName", "is required"),
        (GROUP, {"taints": [{"key": "k" * 64}]}, "taints[0].key", "has a length from 1 to 63"),
        ("gcp:container/nodePool:NodePool", {"placementPolicy": {"type": "X"}}, "placementPolicy.type", "is one of"),
        ("aws:iam/role:Role", {"assumeRolePolicy": "→"}, "assumeRolePolicy", "is of the form"),
        (RULE, {"destinationType": "CIDR"}, "destinationType", "is one of"),
    ],
)
def test_a_model_states_what_is_required_and_choices_and_forms_and_sizes(
    token: str, inputs: dict[str, Any], path: str, words: str
):
    assert any(each.path == path and words in each.words for each in broken(token, inputs))


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda each: f"{each.token.rpartition(':')[2]} {each.name}")
def test_a_configuration_that_a_cloud_took_breaks_no_constraint(reference: Reference):
    known = {path: "[unknown]" if value is ... else value for path, value in reference.inputs.items()}

    assert broken(reference.token, inputs_with(*known.items())) == []
