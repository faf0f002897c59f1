"""What the prover decides at one look: marks, tests that end, and the condition of each node."""

from dataclasses import replace
from typing import Any

import pytest
from tests.readiness.in_pod import load
from tests.readiness.nodes import NOW, POOL, SHOWN, failed, fleet, new, proof, proven, tried

decide = load("decide")


def running(*names: str, pool: str = "a", **more: Any) -> Any:
    """A test that began a while ago."""
    return fleet.Test("t", pool, names, names, ("b",) * len(names), NOW - 100, **more)


def look(*nodes: Any, tests: Any = (), pools: Any = (POOL,), **more: Any) -> tuple[list[Any], dict[str, Any]]:
    """The actions of one look, and the conditions."""
    return decide.decide(fleet.Seen([*pools], [*nodes], [*tests], **{"now": NOW, **more}))


@pytest.mark.parametrize(
    ("held", "mark", "reason"),
    [
        (proven(taint="unproven", attempts=tried("x")), proof.Mark(None, "f00d", None, tried("x"), True), "Proven"),
        (failed(taint=None), proof.failed(tried()), "Failed"),
        (failed(label=None), proof.held(proof.Attempts("b")), "Unproven"),
        (failed(boot="c", attempts=proof.Attempts("c")), proof.held(proof.Attempts("c")), "Unproven"),
        (new(taint=None, attempts=tried("x")), proof.held(tried("x")), "Unproven"),
    ],
    ids=["cloud", "failed-free", "label-taken", "booted", "new"],
)
def test_a_taint_that_is_not_what_the_proof_says_is_set_again(held: Any, mark: Any, reason: str):
    """The proof and what was tried stay, and nodes behind it are looked at all the same."""
    actions, _ = look(held, new("behind", taint=None, busy=True))
    first, second = (each for each in actions if isinstance(each, fleet.SetMark))

    assert (first.node, first.mark, first.reason) == ("n", mark, f"Fabric{reason}")
    assert second.node == "behind"


@pytest.mark.parametrize("held", [proven(), failed(), failed("n", "x", "y"), new(), new(attempts=tried("x"))])
def test_a_node_that_carries_what_it_should_is_left_alone(held: Any):
    assert look(held)[0] == []


def test_where_nodes_are_not_held_none_is_tainted_before_its_test():
    """A node that is known to be bad is tainted there, too."""
    free = replace(POOL, holds=False)

    assert look(new(taint=None), pools=[free])[0] == []
    assert look(failed(taint=None), pools=[free])[0] != []


P, Q = proven("p"), proven("q")


@pytest.mark.parametrize(
    ("others", "left"),
    [((P, Q), None), ((failed("p"), Q), ("q",)), ((failed("p"), failed("q")), ())],
    ids=["good", "one-bad", "both-bad"],
)
def test_a_failed_node_is_doubted_again_when_its_accusers_are_bad(others: Any, left: tuple[str, ...] | None):
    """Fewer than two accusers that are not known to be bad are no evidence; those that are gone count."""
    actions, conditions = look(failed("n", "p", "q"), *(replace(each, busy=True) for each in others))
    marked = [(each.node, each.reason, each.mark) for each in actions if isinstance(each, fleet.SetMark)]

    if left is None:
        assert marked == [] and conditions["n"].reason == "FabricFailed"
    else:
        mark = proof.held(replace(tried("p", "q"), failed_with=left))
        assert marked == [("n", "FabricDoubtful", mark)]


@pytest.mark.parametrize(
    ("others", "accusers"),
    [((P, Q), "pq"), ((P,), ""), ((P, new("q")), ""), ((P, failed("q")), ""), ((new("p"), Q, proven("r")), "qr")],
    ids=["two", "one", "one-new", "one-bad", "two-of-three"],
)
def test_two_proven_accusers_take_a_node_out(others: Any, accusers: str):
    """One may be wrong; the node's message names them. A failed node in front hides nobody."""
    beside = ("p", "q", "r")[: max(2, len(others))]
    actions, _ = look(failed("k"), new(attempts=tried(*beside)), *(replace(each, busy=True) for each in others))

    if not accusers:
        assert actions == []
    else:
        (mark,) = actions
        assert (mark.node, mark.mark, mark.reason) == ("n", proof.failed(tried(*beside)), "FabricFailed")
        assert f"{accusers[0]} and {accusers[1]}" in mark.message and mark.message.endswith("slow")


@pytest.mark.parametrize(
    ("nodes", "more", "word"),
    [
        ((new("n0"), new("n1")), {}, None),
        ((new("n0"), new("n1")), {"tested_by_up": frozenset({"a"})}, "`up`"),
        ((new("n0"), new("n1", boot="c")), {}, "n1 is another node"),
        ((new("n0"), new("n1", busy=True)), {}, "work"),
        ((new("n0"), proven("n1")), {"waiting_since": NOW - 99}, "work"),
        ((new("n0"), proven("n1")), {"waiting_since": NOW - 100}, None),
        ((new("n0"), new("n1")), {"waiting_since": NOW - 99}, None),
    ],
)
def test_a_test_ends_for_work_for_up_and_when_a_node_is_another(nodes: Any, more: dict[str, Any], word: str | None):
    """Work that waits since before the test does not end it, nor a test of nodes that take none."""
    over = replace(running("m0", "m1"), name="before", ended=NOW - 50)
    actions, _ = look(*nodes, tests=[over, running("n0", "n1")], **more)
    before, *ends = (each for each in actions if isinstance(each, fleet.End))

    assert before.test == "before"
    assert [each.test for each in ends] == ([] if word is None else ["t"])
    assert all(word in each.why for each in ends)


def test_each_pool_has_its_own_room():
    """Tests of another pool leave it as it is; while `up` tests one pool the other goes on."""
    pools = [replace(POOL, name="b"), replace(POOL, most_at_once=2)]
    others, mine = [new(name, pool="b") for name in ("m0", "m1")], [new("n0"), new("n1")]
    starts = fleet.Start("a", ("n0", "n1"), ("n0", "n1"), ("b", "b"))

    assert look(*others, *mine, tests=[running("m0", "m1", pool="b")], pools=pools)[0] == [starts]
    actions, conditions = look(*others, *mine, pools=pools, tested_by_up=frozenset({"b"}))
    assert actions == [starts]
    assert {each.reason for each in conditions.values()} == {"Testing"}


HISTORY = ((1, 390.0), (2, 388.0), (3, 391.0), (4, 0.0), (5, 0.0))


@pytest.mark.parametrize(
    ("held", "is_proven", "reason", "words"),
    [
        (proven(), True, "FabricProven", "345.5 GB/s beside x, y, floor 330"),
        (proven(shown=replace(SHOWN, beside=(), floor=0.0)), True, "FabricProven", "345.5 GB/s"),
        (proven(shown=replace(SHOWN, busbw=0.0, floor=0.0)), True, "FabricProven", "passed beside x, y"),
        (proven(shown=replace(SHOWN, busbw=350.0, history=HISTORY)), True, "ProvenSlower", "390"),
        (proven(attempts=tried("x"), tainted="d0"), True, "ProvenAndDoubted", "slow"),
        (proven(tainted="d0", shown=replace(SHOWN, history=HISTORY)), True, "ProvenDeviceTainted", "d0"),
        (failed(waits_for="it is cordoned"), False, "FabricFailed", "slow"),
        (new(waits_for="it is cordoned", busy=True, attempts=tried("x")), False, "Waiting", "it is cordoned"),
        (new(busy=True, attempts=tried("x")), False, "Busy", None),
        (new(attempts=tried("x", "y", lost=2)), False, "Undecided", "slow"),
        (new(attempts=tried(lost=2)), False, "NoVerdict", "slow"),
        (new(boot="c", label="f00d", proof=SHOWN), False, "NoNeighbour", None),
    ],
)
def test_a_condition_tells_what_is_wrong_before_what_the_node_waits_for(
    held: Any, is_proven: bool, reason: str, words: str | None
):
    condition = look(held)[1]["n"]

    assert (condition.is_proven, condition.reason) == (is_proven, reason)
    assert words is None or condition.message == words or condition.message.endswith(words)


def test_nodes_and_tests_of_a_pool_that_nobody_proves_are_left_alone():
    assert look(new(pool="b", taint=None), tests=[running("n", pool="b", ended=NOW - 50)]) == ([], {})
