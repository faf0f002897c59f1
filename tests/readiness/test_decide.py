"""The prover's decision, over whole lives of simulated clusters."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st
from tests.examples import examples
from tests.readiness.simulated import POOL, Cluster, Machine, fleet, joining, proof

HOURS = 3600


def settled(cluster: Cluster) -> None:
    """Every good node takes work, and no bad one does."""
    states = {name: (node.takes_work, node.is_failed) for name, node in cluster.nodes.items()}
    wrong = {name: states[name] for name, each in cluster.machines.items() if states[name][0] == each.bad}
    assert not wrong, {name: cluster.nodes[name] for name in wrong}
    assert not cluster.tests


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 8))])
def test_two_hundred_nodes(seed: int):
    """Ten in a hundred are bad: no bad one takes work, no good one stays out, and few are tested twice."""
    cluster = Cluster(seed, joining(seed, 200), load=0.05)

    cluster.run(2 * HOURS)

    settled(cluster)
    good = [name for name, each in cluster.machines.items() if not each.bad]
    once = [name for name in good if cluster.tested[name] == 1]
    # Only neighbours of bad nodes are tested again, and hardly ever more than twice.
    assert len(once) > 0.75 * len(good)
    assert max(cluster.tested.values()) <= 6


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(12))
def test_two_hundred_nodes_of_an_unlucky_prover(seed: int):
    """It is stopped in the middle again and again, tests get lost, and the API server is away for a while."""
    cluster = Cluster(seed, joining(seed, 200), stops=0.1, loses=0.1, away=(300, 900), load=0.05)

    cluster.run(12 * HOURS)
    cluster.stops = cluster.loses = 0.0
    cluster.run(2 * HOURS)

    settled(cluster)


@settings(max_examples=examples(3, 30))
@given(seed=st.integers(0, 10**6), count=st.integers(3, 14), bad=st.floats(0, 0.4))
def test_small_clusters(seed: int, count: int, bad: float):
    """Whatever joins in whatever order: no bad node takes work; where three are good, every good one does."""
    cluster = Cluster(seed, joining(seed, count, bad), stops=0.05, loses=0.05, load=0.02)

    cluster.run(6 * HOURS)
    cluster.stops = cluster.loses = cluster.load = 0.0
    cluster.run(4 * HOURS)

    good = {name for name, each in cluster.machines.items() if not each.bad}
    taking = {name for name, node in cluster.nodes.items() if node.takes_work}
    assert taking <= good
    if len(good) > 1:
        assert taking == good


def test_nothing_is_tested_twice_without_a_reason():
    """Of good nodes each is tested once, however often the prover starts anew."""
    cluster = Cluster(1, joining(1, 60, bad=0), stops=0.2)

    cluster.run(2 * HOURS)

    settled(cluster)
    assert set(cluster.tested.values()) == {1}


def test_a_scale_up_is_one_ring():
    """Eight nodes that join within a minute are one test of eight."""
    machines = {f"n{i}": Machine(bad=False, joins=5 * i, devices_at=5 * i + 30) for i in range(8)}
    cluster = Cluster(1, machines, replace(POOL, gather_seconds=300))

    cluster.run(HOURS)

    settled(cluster)
    assert cluster.made == 1


def test_a_single_newcomer_is_tested_beside_an_idle_neighbour():
    """And the neighbour's proof is renewed by that, without a test of its own."""
    machines = {f"n{i}": Machine(bad=False, joins=0, devices_at=0) for i in range(3)}
    cluster = Cluster(1, machines)
    cluster.run(HOURS)
    cluster.machines["late"] = Machine(bad=False, joins=HOURS, devices_at=HOURS)

    cluster.run(HOURS)

    assert cluster.nodes["late"].takes_work
    beside = cluster.nodes["late"].proof.beside[0]
    assert cluster.nodes[beside].proof.at > HOURS
    assert len(cluster.nodes[beside].proof.history) == 1


def test_two_newcomers_that_fail_together_wait_for_a_third():
    """Neither takes work; the third tells which is bad."""
    machines = {"good": Machine(False, 0, 0), "bad": Machine(True, 0, 0)}
    cluster = Cluster(1, machines)
    cluster.run(6 * HOURS)
    assert not any(node.takes_work for node in cluster.nodes.values())
    assert cluster.tested["good"] < 12

    cluster.machines |= {name: Machine(False, cluster.now, cluster.now) for name in ("third", "fourth")}
    cluster.run(2 * HOURS)

    settled(cluster)
    assert cluster.nodes["bad"].is_failed


def test_a_node_that_boots_is_tested_again():
    """Kubernetes keeps the object and its labels; the taint comes back before the next look is over."""
    cluster = Cluster(1, {f"n{i}": Machine(False, 0, 0) for i in range(3)})
    cluster.run(HOURS)
    cluster.reboot("n1")

    cluster.prove()

    assert not cluster.nodes["n1"].takes_work
    cluster.run(HOURS)
    settled(cluster)


def test_a_repaired_node_comes_back():
    """What failed is tested again after a boot."""
    cluster = Cluster(1, {f"n{i}": Machine(i == 1, 0, 0) for i in range(4)})
    cluster.run(HOURS)
    assert cluster.nodes["n1"].is_failed

    cluster.machines["n1"].bad = False
    cluster.reboot("n1")
    cluster.run(HOURS)

    settled(cluster)


def test_a_node_that_goes_bad_is_found_when_it_is_idle():
    """Its proof ages; beside two others it fails, and is taken out."""
    pool = replace(POOL, renew_seconds=2 * HOURS)
    cluster = Cluster(1, {f"n{i}": Machine(False, 0, 0) for i in range(8)}, pool)
    cluster.run(HOURS)
    cluster.machines["n3"].bad = True

    cluster.run(8 * HOURS)

    assert cluster.nodes["n3"].is_failed
    settled(cluster)


def test_a_taint_that_a_cloud_sets_again_is_cleared():
    """An update of a node pool's taints writes them on the nodes that there are."""
    cluster = Cluster(1, {f"n{i}": Machine(False, 0, 0) for i in range(3)})
    cluster.run(HOURS)
    tests = cluster.made
    cluster.nodes = {name: replace(node, taint="unproven") for name, node in cluster.nodes.items()}

    cluster.prove()

    settled(cluster)
    assert cluster.made == tests


def test_whoever_takes_the_label_away_gets_a_new_test():
    """The one thing that a person does to a node that was repaired without a boot."""
    cluster = Cluster(1, {f"n{i}": Machine(i == 1, 0, 0) for i in range(4)})
    cluster.run(HOURS)
    cluster.machines["n1"].bad = False
    cluster.nodes["n1"] = replace(cluster.nodes["n1"], label=None)

    cluster.run(HOURS)

    settled(cluster)


def test_a_bad_node_hides_no_other():
    """Each that failed beside two proven ones is bad at the same look, wherever it stands in the list."""
    from tests.readiness.simulated import decide

    tried = proof.Attempts("b", "t", ("p", "q"), 2, why="slow")
    proven = [fleet.Node(name, "a", "b", label="f00d", proof=proof.Proof(1, "up", "b", "f00d")) for name in "pq"]
    known = fleet.Node("k", "a", "b", taint=proof.FAILED, label=proof.FAILED, attempts=tried)
    new = fleet.Node("n", "a", "b", taint="unproven", attempts=tried)

    actions, _ = decide.decide(fleet.Seen([POOL], [known, new, *proven], now=5))

    marked = [each for each in actions if isinstance(each, fleet.SetMark)]
    assert [(each.node, each.reason, each.message) for each in marked] == [
        ("n", "FabricFailed", "failed beside p and q, which are proven: slow")
    ]


def test_work_that_waits_gets_the_neighbour():
    """A test on nodes that take work ends when a pod is made that asks for GPUs; one of newcomers alone does not."""
    node = fleet.Node("p", "a", "b", label="f00d", proof=proof.Proof(1, "up", "b", "f00d"))
    new = fleet.Node("n", "a", "b", taint="unproven")
    other = replace(new, name="m")
    beside = fleet.Test("t", "a", ("n", "p"), ("n",), ("b", "b"), 100)
    alone = fleet.Test("u", "a", ("n", "m"), ("n", "m"), ("b", "b"), 100)
    from tests.readiness.simulated import decide

    def ended(test: object, since: int) -> bool:
        seen = fleet.Seen([POOL], [node, new, other], [test], waiting_since=since, now=130)
        return any(isinstance(action, fleet.End) for action in decide.decide(seen)[0])

    assert ended(beside, 120)
    assert not ended(beside, 90)
    assert not ended(alone, 120)


def test_while_up_tests_a_pool_the_prover_stands_back():
    """Its tests end, and it begins none."""
    from tests.readiness.simulated import decide

    nodes = [fleet.Node(f"n{i}", "a", "b", taint="unproven") for i in range(4)]
    test = fleet.Test("t", "a", ("n0", "n1"), ("n0", "n1"), ("b", "b"), 100)
    seen = fleet.Seen([POOL], nodes, [test], frozenset({"a"}), now=900)

    actions, _ = decide.decide(seen)

    assert [type(action) for action in actions] == [fleet.End]


def test_a_slower_node_is_told_before_it_fails():
    """Ten in a hundred below its own median."""
    from tests.readiness.simulated import decide

    history = ((1, 390.0), (2, 388.0), (3, 391.0))
    shown = proof.Proof(4, "prover", "b", "f00d", ("p",), 345.0, 330.0, history)
    seen = fleet.Seen([POOL], [fleet.Node("n", "a", "b", label="f00d", proof=shown)], now=5)

    _, conditions = decide.decide(seen)

    assert (conditions["n"].is_proven, conditions["n"].reason) == (True, "ProvenSlower")
    assert "345" in conditions["n"].message
    assert "390" in conditions["n"].message


def test_records_survive_the_api_server():
    """What is written as an annotation is read as it was; what cannot be read counts as absent."""
    shown = proof.Proof(4, "prover", "b", "f00d", ("p",), 345.5, 330.0, ((1, 390.0),))
    tried = proof.Attempts("b", "t", ("p", "q"), 2, 1, 99, "why")
    node = {"metadata": {"name": "n", "resourceVersion": "7"}}
    patch = proof.Mark("unproven", None, shown, tried).patch(node)

    written = patch["metadata"]["annotations"]

    assert proof.proof_of(written) == shown
    assert proof.attempts_of(written, "b") == tried
    assert proof.attempts_of(written, "another") == proof.Attempts("another")
    for text in ("", "{", "[]", '{"at": 1}', '{"history": 5}'):
        assert proof.proof_of({proof.PROOF: text}) is None
        assert proof.attempts_of({proof.ATTEMPTS: text}, "b") == proof.Attempts("b")


def test_seeds_make_bad_nodes():
    """The simulation is not of good nodes alone."""
    assert any(each.bad for each in joining(0, 200).values())
    assert random.Random(0).random() != random.Random(1).random()
