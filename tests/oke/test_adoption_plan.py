"""Which nodes of an existing cluster are adopted, and what a stack may say of them."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.oke.plan.adopt import AdoptionPlan, adopted_labels, check_count, plan_all
from tests.oke.plans import COMPARTMENT, adoption_plan, refused, row

POOL, NETWORK = "ocid1.nodepool.oc1..a", "ocid1.clusternetwork.oc1..a"
BASE: dict[str, Any] = {"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2}
THERE = {"existing": {"id": "c"}}


def of(*adopted: dict[str, Any], pools: tuple[str, ...] = (), kubernetes: Any = None) -> tuple[list[str], list[str]]:
    """Names of the pools that are planned, and what is refused."""
    errors = ErrorList()
    listed: Any = [{**BASE, **each} for each in adopted]
    plans = plan_all(listed, list(pools), THERE if kubernetes is None else kubernetes, COMPARTMENT, errors)
    return [plan.name for plan in plans], [str(error) for error in errors.found()]


def test_each_choice():
    """What names the nodes, and what is known of them."""
    assert adoption_plan() == AdoptionPlan(
        name="h100",
        machine=row("BM.GPU.H100.8"),
        nodes=2,
        compartment=COMPARTMENT,
        names=("10.0.0.1", "10.0.0.2"),
        node_pool=None,
        cluster_network=None,
        cuda=None,
        labels={"rdma-cluster/pool": "h100"},
    )
    assert adoption_plan(cuda="12.8", blueprints=False, labels={"a": "b"}).labels == {
        "rdma-cluster/pool": "h100",
        "a": "b",
    }


@pytest.mark.parametrize(
    ("source", "errors"),
    [
        ({"names": ["10.0.0.1", "10.0.0.2"]}, []),
        ({"node_pool": POOL}, []),
        ({"cluster_network": NETWORK}, []),
        ({}, ["adopt[0]: got none; name exactly one of names, nodePool and clusterNetwork"]),
        (
            {"node_pool": POOL, "cluster_network": NETWORK},
            ["adopt[0]: got nodePool and clusterNetwork; name exactly one of names, nodePool and clusterNetwork"],
        ),
        (
            {"names": ["a", "b"], "node_pool": POOL},
            ["adopt[0]: got names and nodePool; name exactly one of names, nodePool and clusterNetwork"],
        ),
        ({"node_pool": NETWORK}, ["adopt[0].node_pool: "]),
        ({"cluster_network": POOL}, ["adopt[0].cluster_network: "]),
        ({"names": ["a"]}, ["adopt[0].names: got 1 names for 2 nodes; make the two agree"]),
        ({"names": ["a", "a"]}, ["adopt[0].names[1]: a is listed twice; list each once"]),
        ({"names": ["a", "B"]}, ["adopt[0].names[1]: got 'B'; write a node's name, e.g. 10.0.64.12"]),
        ({"names": ["a", "b."]}, ["adopt[0].names[1]: got 'b.'; write a node's name, e.g. 10.0.64.12"]),
        ({"names": ["a", "b.c-1"]}, []),
        ({"label": "x=y"}, ["adopt[0].label: not offered; "]),
        (
            {"label": "x=y", "node_pool": POOL, "names": ["a", "b"]},
            ["adopt[0].label: not offered; ", "adopt[0]: got names and nodePool; "],
        ),
        ({"label": "x=y", "node_pool": POOL}, ["adopt[0].label: not offered; "]),
    ],
)
def test_one_thing_names_the_nodes(source: dict[str, Any], errors: list[str]):
    """Their names, a node pool or a cluster network; a label does not, whatever stands beside it."""
    _, told = of(source)

    assert len(told) == len(errors)
    assert all(f"adopt{error}".startswith(words) for error, words in zip(told, errors, strict=True))


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"name": "a-"}, "name"),
        ({"machine": "x"}, "machine"),
        ({"nodes": 0, "names": []}, "nodes"),
        ({"labels": {"rdma-cluster/pool": "a"}}, "labels.rdma-cluster/pool"),
        ({"labels": {"corrino/rdma": "true"}, "blueprints": True}, "labels.corrino/rdma"),
        ({"cuda": "12.x"}, "cuda"),
        ({"compartment": "x"}, "compartment"),
    ],
)
def test_what_is_refused(more: dict[str, Any], place: str):
    """At its place; labels of AI Blueprints are the user's own where nobody else sets them."""
    assert [each.partition(": ")[0] for each in refused(adoption_plan, **more)] == [place]
    assert refused(adoption_plan, labels={"corrino/rdma": "true"}) == []


def test_nodes_are_where_the_cluster_is():
    """A new cluster has none but its pools'."""
    assert of({"node_pool": POOL}, kubernetes={})[1] == [
        "needs kubernetes.existing: a new cluster has no nodes but its pools'"
    ]
    assert of(kubernetes={}) == ([], [])


def test_names_are_distinct():
    """From those of pools, and from those that stand before; what stands after is told itself."""
    one, other = {"node_pool": POOL}, {"node_pool": f"{POOL}b"}

    assert of(one, {**other, "name": "b"}, pools=("c",)) == (["h100", "b"], [])
    assert of(one, other, pools=("c",))[1] == ["[1].name: h100 is the name of another pool; name each pool once"]
    assert of(one, {**other, "name": "b"}, pools=("b", "h100"))[1] == [
        "[0].name: h100 is the name of another pool; name each pool once",
        "[1].name: b is the name of another pool; name each pool once",
    ]


def test_a_node_is_in_one_pool():
    """By whatever names it; told at the second."""
    names = {"names": ["10.0.0.1", "10.0.0.2"]}
    pools = [
        names,
        {"name": "b", "names": ["10.0.0.3", "10.0.0.2"]},
        {"name": "c", "node_pool": POOL},
        {"name": "d", "node_pool": POOL},
        {"name": "e", "cluster_network": NETWORK},
        {"name": "f", "cluster_network": NETWORK},
    ]

    assert of(*pools)[1] == [
        "[1].names[1]: 10.0.0.2 is of adopt[0] already; name each once",
        f"[3].node_pool: {POOL} is of adopt[2] already; name each once",
        f"[5].cluster_network: {NETWORK} is of adopt[4] already; name each once",
    ]


def test_a_pool_with_an_error_has_no_plan():
    """The others do."""
    planned, errors = of({"node_pool": POOL, "machine": "x"}, {"name": "b", "cluster_network": NETWORK})

    assert (planned, [each.partition(":")[0] for each in errors]) == (["b"], ["[0].machine"])


@pytest.mark.parametrize(("source", "named"), [({"node_pool": POOL}, POOL), ({"cluster_network": NETWORK}, NETWORK)])
def test_as_many_nodes_as_the_stack_says(source: dict[str, str], named: str):
    """The proof counts on them."""
    plan = of_source(source)

    assert check_count(plan, ["a", "b"]) == ["a", "b"]
    with pytest.raises(LookupError, match=f"^adopt h100: {named} has 3 nodes, and nodes says 2$"):
        check_count(plan, ["a", "b", "c"])


def of_source(source: dict[str, str]) -> AdoptionPlan:
    """A plan whose nodes Oracle names."""
    errors = ErrorList()
    listed: Any = [{**BASE, **source}]
    (plan,) = plan_all(listed, [], THERE, COMPARTMENT, errors)
    return plan


def test_labels_of_a_node():
    """Ours, where its own say its shape; an offline preview reads none."""
    shape = {"node.kubernetes.io/instance-type": "BM.GPU.H100.8"}

    assert adopted_labels(adoption_plan(), "a", shape) == {"rdma-cluster/pool": "h100"}
    assert adopted_labels(adoption_plan(), "a", {}) == {"rdma-cluster/pool": "h100"}
    with pytest.raises(LookupError, match=r"^adopt h100: node a is a VM.Standard.E5.Flex, not a BM.GPU.H100.8; "):
        adopted_labels(adoption_plan(), "a", {"node.kubernetes.io/instance-type": "VM.Standard.E5.Flex"})
