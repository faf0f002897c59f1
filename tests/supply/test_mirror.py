"""Every artifact is copied to a mirror once, to where its stack then looks for it."""

import json

import pytest
from rdma_cluster.supply.fetched import fetched
from rdma_cluster.supply.mirror import place_of, registries
from tests.cli.commands import command
from tests.stacks import ROOT, graph_of, one_of_each_cloud

pytestmark = pytest.mark.variant

MIRROR = "mirror.example:5000/gpu"


@pytest.mark.parametrize("stack", one_of_each_cloud())
def test_the_stack_looks_where_the_copies_are(stack: str):
    """With the printed ``registries``, each reference of the graph is a place of the list, and nothing else.

    An image that the stack's file names itself is taken from where that says.
    """
    named = (ROOT / "stacks" / f"Pulumi.{stack}.yaml").read_text()
    before = [each for each in fetched(graph_of(stack)) if each.reference not in named]

    graph = graph_of(stack, "registries=" + json.dumps(registries(before, MIRROR)))
    after = [each for each in fetched(graph) if each.reference not in named]

    places = {place_of(each, MIRROR).removeprefix("oci://").partition("@")[0] for each in before}
    assert {each.reference.partition("@")[0] for each in after} == places
    assert all(each.kind != "helm" for each in after)


def test_a_mirror_that_is_no_place_of_a_registry_is_refused():
    code, _, error = command("artifacts", "gke", "--mirror", "https://mirror.example")

    assert code == 2 and "--mirror: got 'https://mirror.example', no place of a registry" in error
