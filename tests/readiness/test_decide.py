"""The prover's decision, over whole lives of simulated clusters."""

from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st
from tests.examples import examples
from tests.readiness.simulated import POOL, Cluster, Machine, joining

HOURS = 3600


def settled(cluster: Cluster) -> None:
    """Says that every good node takes work, and no bad one does."""
    states = {name: (node.takes_work, node.is_failed) for name, node in cluster.nodes.items()}
    wrong = {name: states[name] for name, each in cluster.machines.items() if states[name][0] == each.bad}
    assert not wrong, {name: cluster.nodes[name] for name in wrong}
    assert not cluster.tests


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 8))])
def test_of_two_hundred_nodes_all_good_ones_take_work_and_no_bad_one(seed: int):
    """Ten in a hundred are bad, and few good ones are tested twice."""
    cluster = Cluster(seed, joining(seed, 200), load=0.05)

    cluster.run(2 * HOURS)

    settled(cluster)
    good = [name for name, each in cluster.machines.items() if not each.bad]
    once = [name for name in good if cluster.tested[name] == 1]
    # Only neighbours of bad nodes are tested again, and hardly ever more than twice.
    assert len(once) > 0.75 * len(good)
    assert max(cluster.tested.values()) <= 6


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
def test_an_unlucky_prover_settles_two_hundred_nodes(seed: int):
    """It is stopped again and again, tests get lost, and the API server is away for a while."""
    cluster = Cluster(seed, joining(seed, 200), stops=0.1, loses=0.1, away=(300, 900), load=0.05)

    cluster.run(12 * HOURS)
    cluster.stops = cluster.loses = 0.0
    cluster.run(2 * HOURS)

    settled(cluster)


@settings(max_examples=examples(3, 30))
@given(seed=st.integers(0, 10**6), count=st.integers(3, 14), bad=st.floats(0, 0.4))
def test_no_bad_node_takes_work_in_any_small_cluster(seed: int, count: int, bad: float):
    """Nodes join in any order; where two are good, every good one takes work in the end."""
    cluster = Cluster(seed, joining(seed, count, bad), stops=0.05, loses=0.05, load=0.02)

    cluster.run(6 * HOURS)
    cluster.stops = cluster.loses = cluster.load = 0.0
    cluster.run(4 * HOURS)

    good = {name for name, each in cluster.machines.items() if not each.bad}
    taking = {name for name, node in cluster.nodes.items() if node.takes_work}
    assert taking <= good
    if len(good) > 1:
        assert taking == good


def test_a_scale_up_is_one_ring():
    """Eight nodes that join within a minute are one test of eight."""
    machines = {f"n{i}": Machine(bad=False, joins=5 * i, devices_at=5 * i + 30) for i in range(8)}
    cluster = Cluster(1, machines, replace(POOL, gather_seconds=300))

    cluster.run(HOURS)

    settled(cluster)
    assert cluster.made == 1


def test_two_newcomers_that_fail_together_wait_for_a_third():
    """Neither takes work until the third tells which is bad."""
    machines = {"good": Machine(False, 0, 0), "bad": Machine(True, 0, 0)}
    cluster = Cluster(1, machines)
    cluster.run(6 * HOURS)
    assert not any(node.takes_work for node in cluster.nodes.values())
    assert cluster.tested["good"] < 12

    cluster.machines |= {name: Machine(False, cluster.now, cluster.now) for name in ("third", "fourth")}
    cluster.run(2 * HOURS)

    settled(cluster)
    assert cluster.nodes["bad"].is_failed


def test_a_failed_node_comes_back_after_a_repair_and_a_boot():
    cluster = Cluster(1, {f"n{i}": Machine(i == 1, 0, 0) for i in range(4)})
    cluster.run(HOURS)
    assert cluster.nodes["n1"].is_failed

    cluster.machines["n1"].bad = False
    cluster.reboot("n1")
    cluster.run(HOURS)

    settled(cluster)


def test_a_node_that_goes_bad_is_found_when_it_is_idle():
    """Its proof grows old; beside two others it fails, and is taken out."""
    pool = replace(POOL, renew_seconds=2 * HOURS)
    cluster = Cluster(1, {f"n{i}": Machine(False, 0, 0) for i in range(8)}, pool)
    cluster.run(HOURS)
    cluster.machines["n3"].bad = True

    cluster.run(8 * HOURS)

    assert cluster.nodes["n3"].is_failed
    settled(cluster)
