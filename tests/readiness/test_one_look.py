"""What the prover decides at one look: marks, ends and starts in full, and the words of each node's condition."""

from dataclasses import replace
from typing import Any

import pytest
from tests.readiness.in_pod import load

fleet, proof, decide = load("fleet"), load("proof"), load("decide")

NOW = 100_000
POOL = fleet.Pool("a", "f00d", gather_seconds=60)
HELD = fleet.Node("n", "a", "b", NOW - 3600, taint="unproven", attempts=proof.Attempts("b"))
SHOWN = proof.Proof(NOW - 600, "up", "b", "f00d", ("x", "y"), 345.5, 330.0)
RING = ((0, 1, 190.0, True), (1, 2, 190.0, True), (0, 2, 190.0, True))


def node(name: str = "n", **more: Any) -> Any:
    """One that waits for its test."""
    return replace(HELD, name=name, **more)


def proven(name: str = "n", shown: Any = SHOWN, **more: Any) -> Any:
    """One that takes work."""
    return node(name, **{"taint": None, "label": "f00d", "proof": shown, **more})


def tried(*beside: str, **more: Any) -> Any:
    """What was tried in this boot: failed beside these, and not to be tested again soon."""
    return proof.Attempts("b", "t0", beside, **{"tests": 1, "next": NOW + 600, "why": "slow", **more})


def failed(name: str = "n", *beside: str, **more: Any) -> Any:
    """One that is out of service."""
    return node(name, **{"taint": "failed", "label": "failed", "attempts": tried(*beside), **more})


def running(*names: str, pool: str = "a", **more: Any) -> Any:
    """A test that began a while ago."""
    return fleet.Test("t", pool, names, names, ("b",) * len(names), NOW - 100, **more)


def look(*nodes: Any, tests: Any = (), pools: Any = (POOL,), **more: Any) -> tuple[list[Any], dict[str, Any]]:
    """What is done, and the conditions."""
    return decide.decide(fleet.Seen([*pools], [*nodes], [*tests], **{"now": NOW, **more}))


@pytest.mark.parametrize(
    ("held", "mark", "reason", "message"),
    [
        (
            proven(taint="unproven", attempts=tried("x")),
            proof.Mark(None, "f00d", attempts=tried("x"), keep_proof=True),
            "FabricProven",
            "proven before in this boot",
        ),
        (failed(taint="unproven"), proof.failed(tried()), "FabricFailed", "slow"),
        (failed(taint=None), proof.failed(tried()), "FabricFailed", "slow"),
        (failed(label=None), proof.held(proof.Attempts("b")), "FabricUnproven", "tested from the beginning"),
        (
            failed(attempts=proof.Attempts("b")),
            proof.held(proof.Attempts("b")),
            "FabricUnproven",
            "tested from the beginning",
        ),
        (node(taint=None, attempts=tried("x")), proof.held(tried("x")), "FabricUnproven", "not tested yet"),
        (
            node(taint=None, boot="c", label="f00d", proof=SHOWN),
            proof.held(proof.Attempts("b")),
            "FabricUnproven",
            "not tested since its last boot",
        ),
    ],
)
def test_a_taint_that_is_not_what_the_proof_says(held: Any, mark: Any, reason: str, message: str):
    """It is set again; those behind the node are looked at all the same."""
    actions, _ = look(held, node("behind", taint=None, busy=True))

    assert actions[0] == fleet.SetMark("n", mark, reason, message)
    assert [each.node for each in actions if isinstance(each, fleet.SetMark)] == ["n", "behind"]


@pytest.mark.parametrize("held", [proven(), failed(), failed("n", "x", "y"), node(), node(attempts=tried("x"))])
def test_a_node_that_carries_what_it_should_is_left_alone(held: Any):
    """Proven without a taint, failed with its own, or held."""
    assert look(held)[0] == []


def test_where_nodes_are_not_held_none_is_tainted_before_its_test():
    """What is known to be bad is tainted there, too."""
    free = replace(POOL, holds=False)

    assert look(node(taint=None), pools=[free])[0] == []
    assert look(failed(taint=None), pools=[free])[0] != []


P, Q = proven("p"), proven("q")


@pytest.mark.parametrize(
    ("others", "left"),
    [
        ((P, Q), None),
        ((), None),
        ((failed("p"), Q), ("q",)),
        ((failed("p"),), ("q",)),
        ((failed("p"), failed("q")), ()),
        ((node("p"), node("q")), None),
    ],
)
def test_a_bad_node_whose_accusers_are_bad_themselves_is_looked_at_again(others: Any, left: tuple[str, ...] | None):
    """Fewer than two that are not known to be bad are no evidence; those that are gone are not known to be."""
    actions, conditions = look(failed("n", "p", "q"), *(replace(each, busy=True) for each in others))
    marked = [each for each in actions if isinstance(each, fleet.SetMark)]

    if left is None:
        assert marked == [] and conditions["n"] == fleet.Condition(False, "FabricFailed", "slow")
        return
    mark = proof.held(replace(tried("p", "q"), failed_with=left))
    told = "those beside which it failed are bad themselves"
    assert marked == [fleet.SetMark("n", mark, "FabricDoubtful", told)]


@pytest.mark.parametrize(
    ("others", "accusers"),
    [
        ((P, Q), "p and q"),
        ((P,), ""),
        ((P, node("q")), ""),
        ((P, failed("q")), ""),
        ((node("p"), Q, proven("r")), "q and r"),
    ],
)
def test_two_proven_accusers_decide(others: Any, accusers: str):
    """One does not, nor does one that is gone, is not proven or is bad."""
    beside = ("p", "q", "r") if len(others) == 3 else ("p", "q")
    actions, _ = look(node(attempts=tried(*beside)), *(replace(each, busy=True) for each in others))

    told = f"failed beside {accusers}, which are proven: slow"
    mark = fleet.SetMark("n", proof.failed(tried(*beside)), "FabricFailed", told)
    assert actions == ([mark] if accusers else [])


@pytest.mark.parametrize(
    ("nodes", "more", "why"),
    [
        ((node("n0"), node("n1")), {}, None),
        ((node("n0"), node("n1")), {"tested_by_up": frozenset({"a"})}, "`up` tests this pool"),
        ((node("n0"), node("n1")), {"tested_by_up": frozenset({"b"})}, None),
        ((node("n1"),), {}, "n0 is another node by now"),
        ((node("n0"), node("n1", boot="c")), {}, "n1 is another node by now"),
        ((node("n0", boot="c"), node("n1", boot="c")), {}, "n0 is another node by now"),
        ((node("n0"), node("n1", busy=True)), {}, "work wants its nodes"),
        ((node("n0"), proven("n1")), {"waiting_since": NOW - 99}, "work wants its nodes"),
        ((node("n0"), proven("n1")), {"waiting_since": NOW - 100}, None),
        ((node("n0"), node("n1")), {"waiting_since": NOW - 99}, None),
    ],
)
def test_a_test_that_others_must_not_wait_for_ends(nodes: Any, more: dict[str, Any], why: str | None):
    """With the reason in words; a test before it that has ended is none of these."""
    over = replace(running("m0", "m1"), name="before", ended=NOW - 50)
    actions, _ = look(*nodes, tests=[over, running("n0", "n1")], **more)
    ends = [each for each in actions if isinstance(each, fleet.End)]

    assert ends[0].test == "before"
    assert ends[1:] == ([] if why is None else [fleet.End("t", why)])


def test_nodes_of_a_test_that_ends_are_free_at_the_same_look():
    """Whether it came to its end or was stopped."""
    report = proof.Report(("n0", "n1"), ((0, 1, 3.0, False),), (), 180.0)
    over = running("n0", "n1", ended=NOW - 50, report=report, message="slow")
    actions, conditions = look(node("n0"), node("n1"), proven("p"), tests=[over])
    assert [each.nodes for each in actions if isinstance(each, fleet.Start)] == [("n0", "p")]
    assert [conditions[name].reason for name in ("n0", "n1", "p")] == ["Testing", "Undecided", "FabricProven"]

    actions, _ = look(node("n0", boot="c"), node("n1"), tests=[running("n0", "n1")])
    assert actions == [
        fleet.End("t", "n0 is another node by now"),
        fleet.Start("a", ("n0", "n1"), ("n0", "n1"), ("c", "b")),
    ]


def test_nodes_in_a_test_are_in_no_other():
    """Until it is over."""
    actions, conditions = look(node("n0"), node("n1"), node("n2"), tests=[running("n0", "n1")])

    assert actions == []
    assert [each.reason for each in conditions.values()] == ["Testing", "Testing", "NoNeighbour"]


def test_each_pool_has_its_own_room():
    """Tests of another leave it as it is; while `up` tests one pool the other goes on."""
    pools = [replace(POOL, name="b"), replace(POOL, most_at_once=2)]
    others = [node(name, pool="b") for name in ("m0", "m1")]
    mine = [node("n0"), node("n1")]
    starts = fleet.Start("a", ("n0", "n1"), ("n0", "n1"), ("b", "b"))

    assert look(*others, *mine, tests=[running("m0", "m1", pool="b")], pools=pools)[0] == [starts]
    actions, conditions = look(*others, *mine, pools=pools, tested_by_up=frozenset({"b"}))
    assert actions == [starts]
    assert {each.reason for each in conditions.values()} == {"Testing"}


FIGURE = "345.5 GB/s beside x, y, floor 330"
HISTORY = ((1, 390.0), (2, 388.0), (3, 391.0))


@pytest.mark.parametrize(
    ("held", "is_proven", "reason", "message"),
    [
        (proven(), True, "FabricProven", FIGURE),
        (proven(shown=replace(SHOWN, beside=())), True, "FabricProven", "345.5 GB/s, floor 330"),
        (proven(shown=replace(SHOWN, floor=0.0)), True, "FabricProven", "345.5 GB/s beside x, y"),
        (proven(shown=replace(SHOWN, busbw=0.0, floor=0.0)), True, "FabricProven", "passed beside x, y"),
        (
            proven(shown=replace(SHOWN, busbw=350.0, history=HISTORY)),
            True,
            "ProvenSlower",
            "350 GB/s beside x, y, floor 330; its own median is 390",
        ),
        (proven(shown=replace(SHOWN, busbw=351.0, history=HISTORY)), True, "FabricProven", None),
        (
            proven(attempts=tried("x"), tainted="d0 is tainted"),
            True,
            "ProvenAndDoubted",
            f"{FIGURE}; since then it failed: slow",
        ),
        (
            proven(tainted="d0 of gpu is tainted", shown=replace(SHOWN, history=HISTORY)),
            True,
            "ProvenDeviceTainted",
            f"{FIGURE}; not tested again while d0 of gpu is tainted",
        ),
        (proven(waits_for="it is cordoned", busy=True), True, "FabricProven", FIGURE),
        (failed(waits_for="it is cordoned"), False, "FabricFailed", "slow"),
        (node(waits_for="it is cordoned", busy=True, attempts=tried("x")), False, "Waiting", "it is cordoned"),
        (node(busy=True, attempts=tried("x")), False, "Busy", "has work on it, and is tested when that has ended"),
        (
            node(attempts=tried("x", "y", lost=2)),
            False,
            "Undecided",
            "failed beside x, y, and no other node tells which is bad: slow",
        ),
        (node(attempts=tried(lost=2)), False, "NoVerdict", "2 tests in a row ended without a verdict: slow"),
        (node(), False, "NoNeighbour", "waits for an idle node of its pool to be tested with"),
        (node(boot="c", label="f00d", proof=SHOWN), False, "NoNeighbour", None),
    ],
)
def test_the_condition_of_a_node(held: Any, is_proven: bool, reason: str, message: str | None):
    """What it showed, or why it is not proven: what is wrong with it before what it waits for."""
    condition = look(held)[1]["n"]

    assert (condition.is_proven, condition.reason) == (is_proven, reason)
    assert message is None or condition.message == message


@pytest.mark.parametrize(
    ("more", "reason"),
    [({"tests": [running("n", "m")]}, "Testing"), ({"tested_by_up": frozenset({"a"})}, "Testing"), ({}, "Waiting")],
)
def test_a_node_that_is_being_tested_says_so(more: dict[str, Any], reason: str):
    """By the prover or by `up`, whatever it waits for."""
    (condition, _) = look(node(waits_for="it is not Ready"), node("m", waits_for="x"), **more)[1].values()

    assert condition.reason == reason
    assert reason != "Testing" or condition == fleet.Condition(False, "Testing", "its fabric is being tested")
