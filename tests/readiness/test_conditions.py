"""What one look makes of a node: its mark, and the condition that says why it is as it is."""

from dataclasses import replace
from typing import Any

import pytest
from tests.readiness.in_pod import load

fleet, proof, decide = load("fleet"), load("proof"), load("decide")

POOL = fleet.Pool("a", "f00d")
NOW = 10_000
TRIED = proof.Attempts("b", "t", ("n1", "n2"), 1, why="words of the judge")
NEW = fleet.Node("n", "a", "b", NOW, taint="unproven", attempts=proof.Attempts("b"))
SHOWN = proof.Proof(NOW, "prover", "b", "f00d", ("n1", "n2"), 380.5, 350.0, ((1, 390.0), (2, 391.0)))
PROVEN = replace(NEW, taint=None, label="f00d", proof=SHOWN)
FAILED = replace(NEW, taint="failed", label="failed", attempts=TRIED)


def seen(*nodes: Any, **more: Any) -> Any:
    """What there is at a look."""
    return fleet.Seen(more.pop("pools", [POOL]), nodes, **{"now": NOW, **more})


def condition(node: Any, **more: Any) -> tuple[bool, str, str]:
    """Of the first node."""
    told = decide.decide(seen(node, **more))[1][node.name]
    return told.is_proven, told.reason, told.message


@pytest.mark.parametrize(
    ("node", "told"),
    [
        (PROVEN, (True, "FabricProven", "380.5 GB/s beside n1, n2, floor 350")),
        (replace(PROVEN, proof=replace(SHOWN, beside=())), (True, "FabricProven", "380.5 GB/s, floor 350")),
        (replace(PROVEN, proof=replace(SHOWN, busbw=0.0, floor=0.0)), (True, "FabricProven", "passed beside n1, n2")),
        (
            replace(PROVEN, attempts=TRIED),
            (True, "ProvenAndDoubted", "380.5 GB/s beside n1, n2, floor 350; since then it failed: words of the judge"),
        ),
        (
            replace(PROVEN, tainted="gpu-0 is tainted"),
            (
                True,
                "ProvenDeviceTainted",
                "380.5 GB/s beside n1, n2, floor 350; not tested again while gpu-0 is tainted",
            ),
        ),
        (
            replace(PROVEN, proof=replace(SHOWN, busbw=351.8)),
            (True, "ProvenSlower", "351.8 GB/s beside n1, n2, floor 350; its own median is 391"),
        ),
        (replace(PROVEN, proof=replace(SHOWN, busbw=352.0)), (True, "FabricProven", None)),
        (replace(PROVEN, waits_for="it is cordoned", busy=True), (True, "FabricProven", None)),
        (FAILED, (False, "FabricFailed", "words of the judge")),
        (replace(FAILED, waits_for="it is cordoned"), (False, "FabricFailed", "words of the judge")),
        (replace(NEW, waits_for="it is not Ready"), (False, "Waiting", "it is not Ready")),
        (replace(NEW, waits_for="it is not Ready", busy=True), (False, "Waiting", "it is not Ready")),
        (replace(NEW, busy=True), (False, "Busy", "has work on it, and is tested when that has ended")),
        (
            replace(NEW, attempts=replace(TRIED, lost=2)),
            (False, "Undecided", "failed beside n1, n2, and no other node tells which is bad: words of the judge"),
        ),
        (
            replace(NEW, attempts=replace(TRIED, failed_with=(), lost=2)),
            (False, "NoVerdict", "2 tests in a row ended without a verdict: words of the judge"),
        ),
        (NEW, (False, "NoNeighbour", "waits for an idle node of its pool to be tested with")),
    ],
)
def test_why_a_node_is_as_it_is(node: Any, told: tuple[bool, str, str | None]):
    """The first reason that holds, in the words that a person reads."""
    is_proven, reason, message = condition(node)

    assert (is_proven, reason) == told[:2]
    assert told[2] is None or message == told[2]


def test_a_test_is_told_before_what_a_node_waits_for():
    """By the prover or by `up`; nobody asks meanwhile what it lacks."""
    waits, other = replace(NEW, waits_for="it is not Ready"), replace(NEW, name="m")
    running = fleet.Test("t", "a", ("n", "m"), ("n", "m"), ("b", "b"), NOW)
    told = (False, "Testing", "its fabric is being tested")

    assert decide.decide(seen(waits, other, tests=[running]))[1]["n"] == fleet.Condition(*told)
    assert condition(waits, tested_by_up=frozenset({"a"})) == told
    assert condition(waits, tested_by_up=frozenset({"b"}))[1] == "Waiting"
    assert condition(PROVEN, tested_by_up=frozenset({"a"}))[1] == "FabricProven"


def test_the_median_is_of_figures_that_are_known():
    """Of an even number the greater of the two in the middle: who is slower is told rather early than late."""
    assert SHOWN.usual == 391.0
    assert replace(SHOWN, history=((1, 100.0), (2, 0.0), (3, 390.0), (4, 300.0))).usual == 300.0
    assert replace(SHOWN, history=((1, 0.0),)).usual == 0.0
    assert not replace(SHOWN, busbw=0.0).is_slower


def marks(*nodes: Any, **more: Any) -> dict[str, tuple[str, str]]:
    """The reason and the words of each mark that is set."""
    actions, _ = decide.decide(seen(*nodes, **more))
    return {each.node: (each.reason, each.message) for each in actions if isinstance(each, fleet.SetMark)}


@pytest.mark.parametrize(
    ("node", "holds", "told"),
    [
        (NEW, True, None),
        (replace(NEW, taint=None), True, ("FabricUnproven", "not tested yet")),
        (replace(NEW, taint=None), False, None),
        (replace(NEW, taint=None, proof=SHOWN), True, ("FabricUnproven", "not tested since its last boot")),
        (replace(NEW, taint=""), True, ("FabricUnproven", "not tested yet")),
        (PROVEN, True, None),
        (replace(PROVEN, taint="unproven"), True, ("FabricProven", "proven before in this boot")),
        (replace(PROVEN, taint=""), False, ("FabricProven", "proven before in this boot")),
        (FAILED, True, None),
        (replace(FAILED, taint=None), False, ("FabricFailed", "words of the judge")),
        (replace(FAILED, taint="unproven"), True, ("FabricFailed", "words of the judge")),
        (replace(FAILED, label=None), True, ("FabricUnproven", "tested from the beginning")),
        (
            replace(FAILED, boot="c", attempts=proof.Attempts("c")),
            False,
            ("FabricUnproven", "tested from the beginning"),
        ),
    ],
)
def test_a_taint_that_is_not_what_the_proof_says(node: Any, holds: bool, told: tuple[str, str] | None):
    """It is set right, and somebody is told why; a node whose taint is right is left alone."""
    bad = [replace(FAILED, name=name) for name in ("n1", "n2")]
    good = [replace(PROVEN, name=name) for name in ("n1", "n2")]
    found = marks(node, *(good if node.attempts.failed_with else bad), pools=[replace(POOL, holds=holds)])

    assert found.get("n") == told


def test_who_is_tested_from_the_beginning_has_no_past():
    """What it failed beside was before."""
    (action,) = decide.decide(seen(replace(FAILED, label=None)))[0]

    assert action.mark == proof.Mark("unproven", None, None, proof.Attempts("b"), keep_proof=True)


def test_a_taint_that_comes_again_leaves_the_proof():
    """And what was tried since."""
    node = replace(PROVEN, taint="unproven", attempts=TRIED)
    (action,) = decide.decide(seen(node))[0]

    assert node.marked(action.mark) == replace(node, taint=None)


@pytest.mark.parametrize(
    ("proven", "bad", "told"),
    [
        (("n1", "n2"), (), ("FabricFailed", "failed beside n1 and n2, which are proven: words of the judge")),
        (("n1",), ("n2",), None),
        (("n1",), (), None),
        ((), (), None),
    ],
)
def test_two_proven_accusers_take_a_node_out(proven: tuple[str, ...], bad: tuple[str, ...], told: Any):
    """One may be wrong."""
    others = [replace(PROVEN, name=name) for name in proven] + [replace(FAILED, name=name) for name in bad]
    of_bad = [replace(each, attempts=replace(TRIED, failed_with=("p", "q"))) for each in others if each.is_failed]
    others = [each for each in others if not each.is_failed] + of_bad

    assert marks(replace(NEW, attempts=TRIED), *others).get("n") == told


@pytest.mark.parametrize(("bad", "comes_back"), [((), False), (("n1",), True), (("n1", "n2"), True)])
def test_who_failed_beside_bad_nodes_is_looked_at_again(bad: tuple[str, ...], comes_back: bool):
    """It takes two that are not bad; nodes that are gone count as good, and what they said stays."""
    others = [replace(FAILED, name=name, attempts=replace(TRIED, failed_with=("p", "q"))) for name in bad]
    actions, _ = decide.decide(seen(FAILED, *others))
    of_node = [each for each in actions if each.node == "n"]

    assert bool(of_node) is comes_back
    for each in of_node:
        assert (each.reason, each.mark.taint) == ("FabricDoubtful", "unproven")
        assert each.mark.attempts.failed_with == tuple(name for name in ("n1", "n2") if name not in bad)


def test_a_node_that_is_out_hides_no_other():
    """It was judged before; whom two proven nodes accuse is judged in the same look, wherever it stands."""
    proven = [replace(PROVEN, name=name) for name in ("n1", "n2")]
    accused = replace(NEW, name="z", attempts=TRIED)

    assert marks(FAILED, *proven, accused).keys() == {"z"}


def test_a_node_that_failed_without_a_word_stays_out():
    """As `up` marks it, where the judge names no neighbour."""
    assert marks(replace(FAILED, attempts=replace(TRIED, failed_with=()))) == {}


RUNNING = fleet.Test("t", "a", ("n", "m"), ("n",), ("b", "b"), NOW - 100)


@pytest.mark.parametrize(
    ("changed", "more", "why"),
    [
        ({}, {}, None),
        ({"busy": True}, {}, "work wants its nodes"),
        ({"boot": "c"}, {}, "n is another node by now"),
        ({"name": "gone"}, {}, "n is another node by now"),
        ({}, {"tested_by_up": frozenset({"a"})}, "`up` tests this pool"),
        ({}, {"waiting_since": NOW - 99}, "work wants its nodes"),
        ({}, {"waiting_since": NOW - 100}, None),
        ({"taint": "unproven", "proof": None}, {"waiting_since": NOW - 99}, None),
    ],
)
def test_who_ends_a_test_that_runs(changed: dict[str, Any], more: dict[str, Any], why: str | None):
    """Work, `up`, or a node that is another by now; one of its nodes that takes work is enough."""
    node, other = replace(PROVEN, **changed), replace(NEW, name="m")
    actions, _ = decide.decide(seen(node, other, tests=[RUNNING], **more))

    assert [each.why for each in actions if isinstance(each, fleet.End)] == ([why] if why else [])


def test_nodes_and_tests_of_other_pools_are_none_of_ours():
    """Whatever they are."""
    other = replace(NEW, pool="b", taint=None)
    actions, conditions = decide.decide(seen(other, tests=[replace(RUNNING, pool="b")]))

    assert (actions, conditions) == ([], {})


def test_a_test_that_is_stopped_frees_its_nodes_in_the_same_look():
    """They may be in the next one."""
    free = [replace(NEW, name=name, joined=0) for name in ("m", "o")]
    actions, conditions = decide.decide(seen(*free, tests=[RUNNING]))

    assert [type(each) for each in actions] == [fleet.End, fleet.Start]
    assert actions[1].nodes == ("m", "o")
    assert {told.reason for told in conditions.values()} == {"Testing"}
