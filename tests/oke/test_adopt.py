"""Nodes that are taken in: which, whether they may be, and what is left of it."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pytest
from rdma_cluster.oke.plan.adopt import adopted_labels
from tests.oke.plans import COMPARTMENT, adoption_plan, built, inputs, made, names

ARGS = {"compartment": COMPARTMENT, "name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2}
NODE = "kubernetes:core/v1:Node"


def of_shape(shape: str) -> Mapping[str, Any]:
    """An API server whose nodes are all of one shape."""
    return {"metadata": {"labels": {"node.kubernetes.io/instance-type": shape}}}


def test_only_labels_are_ours():
    """Server-side apply on the nodes' metadata: nothing else of a node is named, so nothing else is owned."""
    graph = built("OkeAdoptedNodes", {**ARGS, "names": ["10.0.0.1", "10.0.0.2"]}, **{NODE: of_shape("BM.GPU.H100.8")})

    assert inputs(graph, "NodePatch", "oke-10.0.0.1") == {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "10.0.0.1", "labels": {"rdma-cluster/pool": "h100"}},
    }
    assert names(graph, "NodePatch") == {"oke-10.0.0.1", "oke-10.0.0.2"}
    assert {each.options.get("get") for each in graph.of_type(NODE)} == {"10.0.0.1", "10.0.0.2"}
    assert made(graph, "NodePatch", "oke-10.0.0.1")[1] == {"deleteBeforeReplace": True}


def test_blueprints_find_them():
    """The three labels that AI Blueprints' own update mode would set, node by node."""
    assert adoption_plan(blueprints=True, labels={"team": "a"}).labels == {
        "rdma-cluster/pool": "h100",
        "corrino": "h100",
        "corrino/pool-shared-any": "true",
        "corrino/rdma": "true",
        "team": "a",
    }


@pytest.mark.parametrize(
    "source",
    [{"node_pool": "ocid1.nodepool.oc1..a"}, {"cluster_network": "ocid1.clusternetwork.oc1..a"}],
    ids=lambda source: next(iter(source)),
)
def test_nodes_of_a_pool(source: dict[str, str]):
    """Oracle says which they are."""
    graph = built("OkeAdoptedNodes", {**ARGS, **source}, **{NODE: of_shape("BM.GPU.H100.8")})

    assert names(graph, "NodePatch") == {"oke-192.0.2.1", "oke-192.0.2.2"}


def test_a_pool_of_another_size():
    """The proof counts on as many nodes as there are."""
    with pytest.raises(pulumi.RunError) as caught:
        built("OkeAdoptedNodes", {**ARGS, "nodes": 4, "node_pool": "ocid1.nodepool.oc1..a"})

    assert str(caught.value) == "adopt h100: ocid1.nodepool.oc1..a has 2 nodes, and nodes says 4"


@pytest.mark.parametrize("shape", ["VM.Standard.E5.Flex", "BM.GPU.H200.8"])
def test_a_node_of_another_shape_is_named(shape: str):
    """A pool that was made without RDMA cannot be made one by a label."""
    with pytest.raises(pulumi.RunError) as caught:
        built("OkeAdoptedNodes", {**ARGS, "names": ["10.0.0.1", "10.0.0.2"]}, **{NODE: of_shape(shape)})

    assert f"is a {shape}, not a BM.GPU.H100.8; a node without RDMA cannot be given it" in str(caught.value)


def test_a_node_that_says_nothing_of_itself():
    """kubelet says its shape always; a node without it is none of Oracle's."""
    with pytest.raises(LookupError, match=r"10\.0\.0\.1 is of no known shape"):
        adopted_labels(adoption_plan(), "10.0.0.1", {"kubernetes.io/os": "linux"})
