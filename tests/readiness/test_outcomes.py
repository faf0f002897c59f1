"""What the end of a test means for each of its nodes: the mark, the reason, the words, when it is tested again."""

from dataclasses import replace
from typing import Any

import pytest
from tests.readiness.in_pod import load

fleet, proof, outcomes = load("fleet"), load("proof"), load("outcomes")

POOL = fleet.Pool("a", "f00d")
NAMES = ("n0", "n1", "n2", "n3")
RING = ((0, 1), (1, 2), (2, 3), (0, 3))
NEW = fleet.Node("n", "a", "b", taint="unproven", attempts=proof.Attempts("b"))
ENDED = 10_000


def new(name: str, **more: Any) -> Any:
    """A node that is not proven yet."""
    return replace(NEW, name=name, **more)


def proven(name: str) -> Any:
    """One that was, an hour ago."""
    shown = proof.Proof(ENDED - 3600, "up", "b", "f00d", ("x",), 200.0, 180.0)
    return replace(NEW, name=name, taint=None, label="f00d", proof=shown)


def report(*bad: tuple[int, int], suspects: tuple[int, ...] = (), busbw: float = 190.0) -> Any:
    """Of a ring of four whose pairs are well but these."""
    pairs = tuple((one, two, 3.0 if (one, two) in bad else busbw + one, (one, two) not in bad) for one, two in RING)
    return proof.Report(NAMES, pairs, suspects, 180.0)


def over(found: Any, subjects: tuple[str, ...] = NAMES, **more: Any) -> Any:
    """A test that has ended."""
    told = {"boots": ("b",) * len(NAMES), "started": 9000, "ended": ENDED, "report": found, "message": "why", **more}
    return fleet.Test("t", "a", NAMES, subjects, **told)


def outcome(test: Any, *nodes: Any) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    """The marks by node, the nodes afterwards, and all that is done."""
    held = {node.name: node for node in nodes or map(new, NAMES)}
    done = list(outcomes.taken_over(fleet.Seen([POOL], [*held.values()], [test]), {"a": POOL}, held))
    return {each.node: each for each in done if isinstance(each, fleet.SetMark)}, held, done


def test_all_are_well():
    """Each has its proof: when, by whom, of what, beside whom, and the least figure of its own pairs."""
    marks, nodes, done = outcome(over(report()))

    assert [type(each) for each in done] == [fleet.SetMark] * 4 + [fleet.End]
    assert done[-1].test == "t"
    assert all(node.is_proven and node.takes_work and node.attempts == proof.Attempts("b") for node in nodes.values())
    assert nodes["n1"].proof == proof.Proof(ENDED, "prover", "b", "f00d", ("n0", "n2"), 190.0, 180.0)
    assert (marks["n1"].reason, marks["n1"].message) == ("FabricProven", "190 GB/s beside n0, n2")
    assert marks["n2"].message == "191 GB/s beside n1, n3"


def test_a_test_without_figures_says_that_it_passed():
    """Of a machine of which no figure is known."""
    assert outcome(over(report(busbw=-0.0)))[0]["n0"].message == "passed beside n1, n3"


def test_a_suspect_fails_and_its_neighbours_pass():
    """They were well beside others, and what was bad is known."""
    marks, nodes, _ = outcome(over(report((1, 2), (2, 3), suspects=(2,))))

    assert {name: mark.reason for name, mark in marks.items()} == dict.fromkeys(NAMES, "FabricProven") | {
        "n2": "FabricFailed"
    }
    assert nodes["n2"].is_failed and nodes["n2"].taint == "failed"
    tried = nodes["n2"].attempts
    assert (tried.boot, tried.last, tried.failed_with, tried.tests) == ("b", "t", ("n1", "n3"), 1)
    assert (marks["n2"].message, tried.why) == ("why", "why")


def test_a_pair_is_bad_and_nobody_knows_whose_fault_it_is():
    """Both stay out, each with the other's name; the pairs that were well prove nobody in them."""
    marks, nodes, _ = outcome(over(report((0, 1))))

    assert {name: mark.reason for name, mark in marks.items()} == {
        "n0": "FabricDoubtful",
        "n1": "FabricDoubtful",
        "n2": "FabricProven",
        "n3": "FabricProven",
    }
    assert (nodes["n0"].taint, nodes["n0"].attempts.failed_with) == ("unproven", ("n1",))


def test_a_neighbour_keeps_its_proof_until_another_says_the_same():
    """It was there to prove somebody else."""
    marks, nodes, _ = outcome(over(report((0, 1)), ("n0",)), new("n0"), *map(proven, NAMES[1:]))
    neighbour = nodes["n1"]

    assert neighbour.is_proven and neighbour.takes_work and neighbour.proof.at == ENDED - 3600
    assert neighbour.attempts.failed_with == ("n0",)
    assert marks["n1"].reason == "FabricDoubtful"
    assert nodes["n0"].proof is None and not nodes["n0"].takes_work
    assert nodes["n2"].proof.history == ((ENDED - 3600, 200.0),)


def test_a_proven_subject_that_fails_takes_no_more_work():
    """It was tested since its proof is old."""
    _, nodes, _ = outcome(over(report((0, 1))), *map(proven, NAMES))

    assert not nodes["n0"].takes_work and not nodes["n0"].is_proven


def test_a_node_that_is_known_to_be_bad_says_nothing_of_its_neighbours():
    """It failed in another test meanwhile."""
    bad = new("n1", label="failed", taint="failed", attempts=proof.Attempts("b", "before", ("x", "y"), 1))
    marks, _, _ = outcome(over(report((0, 1))), new("n0"), bad, new("n2"), new("n3"))

    assert marks["n0"].reason == "FabricProven"
    assert marks["n1"].reason == "FabricDoubtful"


def test_who_failed_before_has_all_partners_on_its_list():
    """Once each, in the order of the tests; the pause grows with the tests."""
    before = proof.Attempts("b", "before", ("x", "n1"), 2, lost=3)
    _, nodes, _ = outcome(over(report((0, 1))), new("n0", attempts=before), *map(new, NAMES[1:]))
    tried = nodes["n0"].attempts

    assert (tried.failed_with, tried.tests, tried.lost, tried.next) == (("x", "n1"), 3, 0, ENDED + 2400)


@pytest.mark.parametrize(("tests", "pause"), [(0, 600), (1, 1200), (2, 2400), (3, 3600), (50, 3600)])
def test_the_pause_doubles_up_to_an_hour(tests: int, pause: int):
    """After a verdict that decides nothing."""
    before = proof.Attempts("b", "before", tests=tests)
    _, nodes, _ = outcome(over(report((0, 1))), new("n0", attempts=before), *map(new, NAMES[1:]))

    assert nodes["n0"].attempts.next == ENDED + pause


@pytest.mark.parametrize(("lost", "pause"), [(0, 60), (1, 120), (5, 1920), (6, 3600)])
def test_a_test_without_a_verdict(lost: int, pause: int):
    """Its subjects are tested again soon; a neighbour knows nothing of it, and a proof stands."""
    before = proof.Attempts("b", "before", ("x",), 1, lost=lost)
    nodes = [new("n0", attempts=before), proven("n1"), proven("n2"), new("n3")]
    marks, held, done = outcome(over(None, ("n0", "n1")), *nodes)

    assert marks.keys() == {"n0", "n1"} and isinstance(done[-1], fleet.End)
    assert {mark.reason for mark in marks.values()} == {"FabricTestLost"}
    tried = held["n0"].attempts
    assert (tried.lost, tried.next, tried.last, tried.failed_with) == (lost + 1, ENDED + pause, "t", ("x",))
    assert (tried.tests, tried.why, held["n0"].taint) == (1, "why", "unproven")
    assert held["n1"].is_proven and held["n1"].takes_work and held["n1"].attempts.lost == 1


def test_a_pair_that_was_not_run():
    """A report of others is no verdict of this node."""
    marks, nodes, _ = outcome(over(proof.Report(NAMES, ((1, 2, 190.0, True),), (), 180.0)))

    assert {name: mark.reason for name, mark in marks.items()} == {
        "n0": "FabricTestLost",
        "n1": "FabricProven",
        "n2": "FabricProven",
        "n3": "FabricTestLost",
    }
    assert nodes["n0"].attempts.next == ENDED + 60


@pytest.mark.parametrize(
    "node",
    [
        new("n0", boot="another", attempts=proof.Attempts("another")),
        new("n0", attempts=proof.Attempts("b", "t")),
        replace(proven("n0"), proof=proof.Proof(ENDED, "prover", "b", "f00d")),
    ],
)
def test_an_outcome_counts_once_and_for_the_boot_that_was_tested(node: Any):
    """A prover may have ended between two nodes, and a node may have booted."""
    marks, nodes, done = outcome(over(report()), node, *map(new, NAMES[1:]))

    assert marks.keys() == {"n1", "n2", "n3"}
    assert nodes["n0"] == node and isinstance(done[-1], fleet.End)


def test_a_proof_of_another_boot_is_not_this_outcome():
    """Though it is as old."""
    other = replace(new("n0"), proof=proof.Proof(ENDED, "prover", "before", "f00d"))

    assert "n0" in outcome(over(report()), other, *map(new, NAMES[1:]))[0]


def test_a_node_that_is_gone_keeps_nobody_from_a_proof():
    """Its neighbours were well."""
    assert outcome(over(report()), *map(new, NAMES[1:]))[0].keys() == {"n1", "n2", "n3"}


def test_tests_that_run_and_tests_of_others_are_left_alone():
    """And those behind them are taken over all the same."""
    running = replace(over(None), name="r", ended=0)
    others = replace(over(report()), name="o", pool="b")
    held = {name: new(name) for name in NAMES}
    done = list(outcomes.taken_over(fleet.Seen([POOL], [], [running, others, over(report())]), {"a": POOL}, held))

    assert [each.test for each in done if isinstance(each, fleet.End)] == ["t"]
    assert all(node.is_proven for node in held.values())


def test_the_judges_words_are_cut():
    """An annotation has room, but not for everything."""
    marks, nodes, _ = outcome(over(report((0, 1)), message="x" * 9000))
    lost = outcome(over(None, message="x" * 9000))[1]

    assert {len(text) for text in (marks["n0"].message, nodes["n0"].attempts.why, lost["n0"].attempts.why)} == {600}
