"""What the end of a test means for each of its nodes: the mark, the reason, the words, when it is tested again."""

from dataclasses import replace
from typing import Any

import pytest
from tests.readiness.in_pod import load
from tests.readiness.nodes import NOW, POOL, SHOWN, fleet, new, proof, proven

outcomes = load("outcomes")

NAMES = ("n0", "n1", "n2", "n3")
RING = ((0, 1), (1, 2), (2, 3), (0, 3))


def report(*bad: tuple[int, int], suspects: tuple[int, ...] = (), busbw: float = 190.0) -> Any:
    """The report of a ring of four whose pairs are well but these."""
    pairs = tuple((one, two, 3.0 if (one, two) in bad else busbw + one, (one, two) not in bad) for one, two in RING)
    return proof.Report(NAMES, pairs, suspects, 180.0)


def over(found: Any, subjects: tuple[str, ...] = NAMES, **more: Any) -> Any:
    """A test that has ended."""
    told = {"boots": ("b",) * len(NAMES), "started": 9000, "ended": NOW, "report": found, "message": "why", **more}
    return fleet.Test("t", "a", NAMES, subjects, **told)


def outcome(test: Any, *nodes: Any) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    """The marks by node, the nodes afterwards, and all that is done."""
    held = {node.name: node for node in nodes or map(new, NAMES)}
    done = list(outcomes.taken_over(fleet.Seen([POOL], [*held.values()], [test]), {"a": POOL}, held))
    return {each.node: each for each in done if isinstance(each, fleet.SetMark)}, held, done


def test_each_node_of_a_good_ring_has_its_own_proof():
    """The proof says when, by whom, of what, beside whom, and the least figure of the node's own pairs."""
    marks, nodes, done = outcome(over(report()))

    assert [type(each) for each in done] == [fleet.SetMark] * 4 + [fleet.End]
    assert all(node.is_proven and node.takes_work and node.attempts == proof.Attempts("b") for node in nodes.values())
    assert nodes["n1"].proof == proof.Proof(NOW, "prover", "b", "f00d", ("n0", "n2"), 190.0, 180.0)
    assert (marks["n1"].reason, marks["n1"].message) == ("FabricProven", "190 GB/s beside n0, n2")


def test_a_suspect_fails_and_its_neighbours_pass():
    """They were well beside others, and what was bad is known."""
    marks, nodes, _ = outcome(over(report((1, 2), (2, 3), suspects=(2,))))

    assert [mark.reason for mark in marks.values()] == ["FabricProven", "FabricProven", "FabricFailed", "FabricProven"]
    assert nodes["n2"].is_failed and nodes["n2"].taint == "failed"
    tried = nodes["n2"].attempts
    assert (tried.boot, tried.last, tried.failed_with, tried.tests, tried.why) == ("b", "t", ("n1", "n3"), 1, "why")


def test_both_nodes_of_a_bad_pair_stay_out_while_nobody_knows_whose_fault_it_is():
    """Each remembers the other's name; the pairs that were well prove nobody in them."""
    marks, nodes, _ = outcome(over(report((0, 1))))

    assert [marks[name].reason for name in NAMES] == ["FabricDoubtful"] * 2 + ["FabricProven"] * 2
    assert (nodes["n0"].taint, nodes["n0"].attempts.failed_with) == ("unproven", ("n1",))


def test_a_neighbour_keeps_its_proof_until_another_says_the_same():
    """It was there to prove somebody else; a subject that fails loses its proof, and a renewed one has a history."""
    bare = replace(SHOWN, busbw=200.0)
    nodes = [proven(name, bare) for name in NAMES[1:]]
    marks, held, _ = outcome(over(report((0, 1)), ("n0",)), new("n0"), *nodes)

    assert held["n1"].is_proven and held["n1"].takes_work and held["n1"].proof == bare
    assert (held["n1"].attempts.failed_with, marks["n1"].reason) == (("n0",), "FabricDoubtful")
    assert held["n2"].proof.history == ((bare.at, 200.0),)
    subject = outcome(over(report((0, 1))), proven("n0", bare), *nodes)[1]["n0"]
    assert not subject.takes_work and not subject.is_proven


@pytest.mark.parametrize(("tests", "pause"), [(0, 600), (1, 1200), (2, 2400), (3, 3600), (50, 3600)])
def test_the_pause_after_a_verdict_doubles_up_to_an_hour(tests: int, pause: int):
    before = proof.Attempts("b", "before", ("x", "n1"), tests, lost=3)
    _, nodes, _ = outcome(over(report((0, 1))), new("n0", attempts=before), *map(new, NAMES[1:]))
    tried = nodes["n0"].attempts

    assert (tried.next, tried.failed_with, tried.lost) == (NOW + pause, ("x", "n1"), 0)


@pytest.mark.parametrize(("lost", "pause"), [(0, 60), (1, 120), (5, 1920), (6, 3600)])
def test_subjects_of_a_lost_test_are_tested_again_soon(lost: int, pause: int):
    """A neighbour knows nothing of it, and a proof stands."""
    before = proof.Attempts("b", "before", ("x",), 1, lost=lost)
    nodes = [new("n0", attempts=before), proven("n1"), proven("n2"), new("n3")]
    marks, held, done = outcome(over(None, ("n0", "n1")), *nodes)

    assert {name: mark.reason for name, mark in marks.items()} == {"n0": "FabricTestLost", "n1": "FabricTestLost"}
    assert isinstance(done[-1], fleet.End)
    tried = held["n0"].attempts
    assert (tried.lost, tried.next, tried.last, tried.failed_with) == (lost + 1, NOW + pause, "t", ("x",))
    assert (tried.tests, tried.why, held["n0"].taint) == (1, "why", "unproven")
    assert held["n1"].is_proven and held["n1"].takes_work and held["n1"].attempts.lost == 1


def test_a_report_of_other_pairs_is_no_verdict_of_a_node():
    marks, nodes, _ = outcome(over(proof.Report(NAMES, ((1, 2, 190.0, True),), (), 180.0)))

    assert [marks[name].reason for name in NAMES] == [
        "FabricTestLost",
        "FabricProven",
        "FabricProven",
        "FabricTestLost",
    ]
    assert nodes["n0"].attempts.next == NOW + 60


@pytest.mark.parametrize(
    "node",
    [
        new("n0", boot="another", attempts=proof.Attempts("another")),
        new("n0", attempts=proof.Attempts("b", "t")),
        proven("n0", proof.Proof(NOW, "prover", "b", "f00d")),
    ],
    ids=["booted", "failed-already", "proven-already"],
)
def test_an_outcome_counts_once_and_for_the_boot_that_was_tested(node: Any):
    """A prover may have ended between two nodes, and a node may have booted."""
    marks, nodes, done = outcome(over(report()), node, *map(new, NAMES[1:]))

    assert marks.keys() == {"n1", "n2", "n3"}
    assert nodes["n0"] == node and isinstance(done[-1], fleet.End)


def test_the_judges_words_are_cut_before_they_are_kept_on_a_node():
    marks, nodes, _ = outcome(over(report((0, 1)), message="x" * 9000))
    lost = outcome(over(None, message="x" * 9000))[1]

    assert {len(text) for text in (marks["n0"].message, nodes["n0"].attempts.why, lost["n0"].attempts.why)} == {600}


def test_an_equally_old_proof_of_another_boot_is_no_outcome():
    other = new("n0", proof=proof.Proof(NOW, "prover", "before", "f00d"))

    assert "n0" in outcome(over(report()), other, *map(new, NAMES[1:]))[0]
