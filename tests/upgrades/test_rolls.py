"""At every instant of a pool's upgrade one node is missing at most, and no job runs on two kinds."""

from itertools import islice
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pulumi_offline import Graph
from rdma_cluster.upgrades.record import Roll
from tests.stacks import graph_of
from tests.upgrades.rolls import ROLLS, Pool


def holds(pool: Pool) -> None:
    """Assert what must be true at an instant."""
    assert pool.reserved - 1 <= len(pool.nodes) <= pool.reserved
    assert len(pool.open_versions()) <= 1


@pytest.mark.parametrize("roll", ROLLS.values(), ids=ROLLS.keys())
@given(nodes=st.integers(1, 9), faults=st.lists(st.integers(0, 40), max_size=4))
def test_a_roll_keeps_its_promises_however_often_it_is_interrupted(roll: Roll, nodes: int, faults: list[int]):
    pool = Pool(nodes)
    pool.cordon()
    for fault in faults:
        for _ in islice(pool.roll(roll), fault):
            holds(pool)
    for _ in pool.roll(roll):
        holds(pool)

    assert [node.version for node in pool.nodes] == ["new"] * nodes
    assert not any(node.cordoned for node in pool.nodes)


def test_without_cordon_a_job_lands_on_two_kinds():
    """Therefore a step says to cordon."""
    pool = Pool(3)
    with pytest.raises(AssertionError):
        for _ in pool.roll(ROLLS["gke"]):
            holds(pool)


def settings(graph: Graph, token: str, name: str) -> dict[str, Any]:
    """The upgrade settings of a pool in a graph."""
    inputs = graph.one(token, name).inputs
    return inputs.get("upgradeSettings") or inputs["updateConfig"]


def test_pools_are_set_as_the_records_say():
    """MINIMAL is Amazon's name for no node beyond those there are."""
    assert settings(graph_of("gke"), "gcp:container/nodePool:NodePool", "gke-a4") == {
        "strategy": "SURGE",
        "maxSurge": ROLLS["gke"].surge,
        "maxUnavailable": ROLLS["gke"].unavailable,
    }
    assert settings(graph_of("aks"), "azure-native:containerservice:AgentPool", "aks-h100") == {
        "maxSurge": str(ROLLS["aks"].surge),
        "maxUnavailable": str(ROLLS["aks"].unavailable),
    }
    assert (ROLLS["eks"].surge, settings(graph_of("eks"), "aws:eks/nodeGroup:NodeGroup", "eks-p5")) == (
        0,
        {"updateStrategy": "MINIMAL", "maxUnavailable": ROLLS["eks"].unavailable},
    )


@pytest.mark.parametrize(
    ("pool", "where", "others", "wanted"),
    [
        (("gke", "gcp:container/nodePool:NodePool", "gke-a4"), "upgradeSettings", (), {"maxUnavailable": 2}),
        (
            ("eks", "aws:eks/nodeGroup:NodeGroup", "eks-p5"),
            "updateConfig",
            ("pools[0].capacity={onDemand: true}",),
            {"updateStrategy": "MINIMAL", "maxUnavailable": 2},
        ),
        (
            ("aks", "azure-native:containerservice:AgentPool", "aks-h100"),
            "upgradeSettings",
            (),
            {"maxSurge": "0", "maxUnavailable": "2"},
        ),
        (
            ("oke", "oci:ContainerEngine/nodePool:NodePool", "oke-h100"),
            "nodePoolCyclingDetails",
            ("pools[0].mode=managed",),
            {"isNodeCyclingEnabled": True, "maximumSurge": "0", "maximumUnavailable": "2"},
        ),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) and len(each) == 3 else "",
)
def test_a_pool_says_how_many_nodes_may_be_away(
    pool: tuple[str, str, str], where: str, others: tuple[str, ...], wanted: dict[str, Any]
):
    """None beyond those there are; a provider leaves 0 out."""
    stack, token, name = pool
    graph = graph_of(stack, *others, "pools[0].upgrade={maxUnavailable: 2}")

    assert graph.one(token, name).inputs[where].items() >= wanted.items()


def test_oke_proves_a_pool_again_whose_nodes_follow_the_control_plane():
    """Where OKE makes none anew the proof stays."""
    for sets, same in ((("pools[0].mode=managed",), True), (("pools[0].mode=managed", "pools[0].upgrade={}"), False)):
        old, new = (
            graph_of("oke", *sets, *more).one("kubernetes:batch/v1:Job", "oke-h100-runner").inputs["spec"]["template"]
            for more in ((), ("kubernetes.version=1.35.2",))
        )
        assert (old == new) is same
