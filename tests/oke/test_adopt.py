"""Nodes of an existing cluster that are adopted: what names them, whether they may be, and what is changed on them."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.oke.plan.adopt import adopted_labels, plan_adoption, plan_all
from tests.oke.plans import COMPARTMENT, adoption_plan, built, inputs, made, names, refused

POOL, NETWORK = "ocid1.nodepool.oc1..a", "ocid1.clusternetwork.oc1..a"
BASE: dict[str, Any] = {"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2}
ARGS = {**BASE, "compartment": COMPARTMENT}
THERE = {"existing": {"id": "c"}}
NODE = "kubernetes:core/v1:Node"


def of_shape(shape: str) -> Mapping[str, Any]:
    """An API server whose nodes are all of one shape."""
    return {"metadata": {"labels": {"node.kubernetes.io/instance-type": shape}}}


def planned(*adopted: dict[str, Any], pools: tuple[str, ...] = (), kubernetes: Any = None) -> tuple[list[str], str]:
    """Names of the pools that are planned, and what is refused."""
    errors = ErrorList()
    listed: Any = [{**BASE, **each} for each in adopted]
    plans = plan_all(listed, list(pools), THERE if kubernetes is None else kubernetes, COMPARTMENT, errors)
    return [plan.name for plan in plans], "\n".join(str(error) for error in errors.found())


def test_only_a_label_of_a_node_is_ours():
    """Server-side apply owns what it names, and it names nothing else of a node."""
    graph = built("OkeAdoptedNodes", {**ARGS, "names": ["10.0.0.1", "10.0.0.2"]}, **{NODE: of_shape("BM.GPU.H100.8")})

    assert inputs(graph, "NodePatch", "oke-10.0.0.1") == {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "10.0.0.1", "labels": {"rdma-cluster/pool": "h100"}},
    }
    assert names(graph, "NodePatch") == {"oke-10.0.0.1", "oke-10.0.0.2"}
    assert made(graph, "NodePatch", "oke-10.0.0.1")[1] == {"deleteBeforeReplace": True}


def test_ai_blueprints_find_nodes_by_the_labels_that_its_update_mode_sets():
    labels = adoption_plan(blueprints=True, labels={"team": "a"}).labels

    assert labels.items() >= {"corrino": "h100", "corrino/rdma": "true", "team": "a"}.items()
    assert refused(adoption_plan, labels={"corrino/rdma": "true"}) == []
    (error,) = refused(adoption_plan, labels={"corrino/rdma": "true"}, blueprints=True)
    assert error.startswith("labels.corrino/rdma: ")


@pytest.mark.parametrize("source", [{"node_pool": POOL}, {"cluster_network": NETWORK}], ids=lambda of: next(iter(of)))
def test_oracle_names_the_nodes_of_a_pool(source: dict[str, str]):
    """The proof of a fabric counts on as many nodes as the stack says."""
    graph = built("OkeAdoptedNodes", {**ARGS, **source}, **{NODE: of_shape("BM.GPU.H100.8")})

    assert names(graph, "NodePatch") == {"oke-192.0.2.1", "oke-192.0.2.2"}
    with pytest.raises(pulumi.RunError, match=f"adopt h100: {next(iter(source.values()))} has 2 nodes, .* says 4"):
        built("OkeAdoptedNodes", {**ARGS, "nodes": 4, **source})


@pytest.mark.parametrize("shape", ["VM.Standard.E5.Flex", "BM.GPU.H200.8"])
def test_a_node_of_another_shape_is_named(shape: str):
    with pytest.raises(pulumi.RunError, match=f"node 10.0.0.. is a {shape}, not a BM.GPU.H100.8"):
        built("OkeAdoptedNodes", {**ARGS, "names": ["10.0.0.1", "10.0.0.2"]}, **{NODE: of_shape(shape)})


def test_a_node_says_its_shape_unless_it_is_not_read():
    """kubelet always says it; an offline preview reads no labels at all."""
    assert adopted_labels(adoption_plan(), "a", {}) == {"rdma-cluster/pool": "h100"}
    with pytest.raises(LookupError, match=r"10\.0\.0\.1 is of no known shape"):
        adopted_labels(adoption_plan(), "10.0.0.1", {"kubernetes.io/os": "linux"})


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ({"names": ["a", "b.c-1"]}, None),
        ({"node_pool": POOL}, None),
        ({"names": ["a", "b"], "node_pool": POOL}, "adopt[0]"),
        ({"names": ["a", "b."]}, "adopt[0].names[1]"),
        ({"label": "x=y", "node_pool": POOL}, "adopt[0].label"),
    ],
)
def test_nodes_are_named_by_themselves_or_by_one_pool(source: dict[str, Any], place: str | None):
    """A label does not name them: whoever sets it later would be adopted, too."""
    names, errors = planned(source)

    assert (names, errors) == (["h100"], "") if place is None else f"adopt{errors}".startswith(f"{place}: ")


def test_names_of_adopted_pools_differ_from_those_of_all_pools():
    one, other = {"node_pool": POOL}, {"node_pool": f"{POOL}b"}

    assert planned(one, {**other, "name": "b"}, pools=("c",)) == (["h100", "b"], "")
    assert planned(one, other, pools=("c",))[1].startswith("[1].name: h100 is ")
    assert planned(one, {**other, "name": "b"}, pools=("b",))[1].startswith("[1].name: b is ")


def test_a_node_is_adopted_into_one_pool():
    pools = [
        {"names": ["10.0.0.1", "10.0.0.2"]},
        {"name": "b", "names": ["10.0.0.3", "10.0.0.2"]},
        {"name": "c", "node_pool": POOL},
        {"name": "d", "node_pool": POOL},
        {"name": "e", "cluster_network": NETWORK},
        {"name": "f", "cluster_network": NETWORK},
    ]
    places = [each.partition(": ")[0] for each in planned(*pools)[1].splitlines()]

    assert places == ["[1].names[1]", "[3].node_pool", "[5].cluster_network"]


def test_nodes_that_are_looked_up_need_a_compartment_that_is_known():
    """A cluster network is asked for its nodes while the program runs; names need no asking."""

    class Later:
        def apply(self, function: Any) -> Any:
            return self

    later, errors = Later(), ErrorList()
    args: Any = {**ARGS, "compartment": later, "nodes": 2}
    assert plan_adoption({**args, "names": ["a", "b"]}, errors) is not None
    plan_adoption({**args, "cluster_network": "ocid1.clusternetwork.oc1.eu-frankfurt-1.a"}, errors)

    (error,) = errors.found()
    assert error.path == ("cluster_network",) and error.reason.startswith("got an output as the compartment")
