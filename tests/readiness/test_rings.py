"""Which nodes are tested together, and when: newcomers, those that are doubted, and those whose proof is old."""

from dataclasses import replace
from typing import Any

import pytest
from tests.readiness.in_pod import load

fleet, proof, rings = load("fleet"), load("proof"), load("rings")

NOW, DAY = 1_000_000, 86400
POOL = fleet.Pool("a", "f00d", gather_seconds=300)
NEW = fleet.Node("n", "a", "b", NOW - 20, taint="unproven", attempts=proof.Attempts("b"))


def new(name: str, joined: int = NOW - 20, **more: Any) -> Any:
    """A node that is not proven."""
    return replace(NEW, name=name, joined=joined, boot=f"boot-{name}", **more)


def proven(name: str, days: float = 1, fingerprint: str = "f00d", **more: Any) -> Any:
    """A node whose proof is some days old."""
    shown = proof.Proof(int(NOW - days * DAY), "up", f"boot-{name}", fingerprint)
    return new(name, taint=None, label=fingerprint, proof=shown, **more)


def doubted(name: str, *beside: str, **more: Any) -> Any:
    """A node that failed beside others."""
    tried = proof.Attempts("b", "t", beside, **{"tests": 1, "next": NOW + 600, **more})
    return new(name, attempts=tried)


def started(*nodes: Any, pool: Any = POOL, running: tuple[Any, ...] = (), **more: Any) -> list[tuple[str, ...]]:
    """The nodes of each test that begins."""
    return [each.nodes for each in starts(*nodes, pool=pool, running=running, **more)]


def starts(*nodes: Any, pool: Any = POOL, running: tuple[Any, ...] = (), **more: Any) -> list[Any]:
    """The tests that begin."""
    held = {node.name: node for node in nodes}
    return list(rings.starts(pool, fleet.Seen([pool], nodes, running, **{"now": NOW, **more}), held, running))


def test_newcomers_are_one_ring_in_the_order_in_which_they_joined():
    """All are to be proven, each with its own boot."""
    (ring,) = starts(new("x", NOW - 30), new("y", NOW - 40), new("w", NOW - 30))

    assert ring == fleet.Start("a", ("y", "w", "x"), ("y", "w", "x"), ("boot-y", "boot-w", "boot-x"))


@pytest.mark.parametrize(("seconds", "begins"), [(9, False), (10, True)])
def test_a_newcomer_waits_a_moment_for_others(seconds: int, begins: bool):
    """The youngest newcomer counts."""
    assert bool(started(new("x", NOW - 200), new("y", NOW - seconds))) is begins


@pytest.mark.parametrize(
    ("oldest", "late", "begins"),
    [
        (299, {}, False),
        (300, {}, True),
        (20, {"busy": True}, True),
        (20, {"joined": NOW - 300}, True),
        (20, {"joined": NOW - 299}, False),
        (20, {"label": "failed", "attempts": proof.Attempts("b", tests=1)}, True),
    ],
)
def test_newcomers_wait_some_minutes_for_one_whose_devices_come_later(oldest: int, late: dict[str, Any], begins: bool):
    """Nobody waits for a node that has work, is bad, or has been there for long."""
    coming = replace(new("late"), **{"waits_for": "it shows 0 of 8 nvidia.com/gpu", **late})

    assert bool(started(new("x", NOW - oldest), new("y"), coming)) is begins


@pytest.mark.parametrize(("count", "sizes"), [(16, [16]), (17, [9, 8]), (33, [11, 11, 11]), (130, [15] * 4 + [14] * 4)])
def test_rings_are_as_even_as_can_be(count: int, sizes: list[int]):
    """No ring has more than sixteen nodes."""
    found = started(*(new(f"n{i:03}") for i in range(count)))

    assert [len(ring) for ring in found] == sizes
    assert len({name for ring in found for name in ring}) == sum(sizes)


def test_a_single_newcomer_goes_beside_the_proven_node_with_the_oldest_proof():
    """The proven node is no subject, and is renewed by that; one that is not proven or is doubted comes last."""
    (test,) = starts(new("x"), proven("p", 2), proven("q", 3), proven("r", 1))
    waits, accused = (proof.Attempts("b", failed_with=of, next=NOW + 1) for of in ((), ("z",)))

    assert (test.nodes, test.subjects) == (("x", "q"), ("x",))
    assert started(new("x"), new("a", attempts=waits), proven("p"))[0] == ("x", "p")
    assert started(new("x"), proven("a", attempts=accused), proven("p"))[0] == ("x", "p")


def test_a_doubted_node_goes_beside_a_third_at_once():
    """Beside the same node it is tested again only after its pause; one out of service comes before one at work."""
    at_work = proven("w", attempts=proof.Attempts("b", failed_with=("z",), next=NOW))
    assert started(at_work, doubted("y", "z", tests=2), doubted("x", "z", tests=1), proven("p"))[0] == ("x", "p")
    assert started(at_work, doubted("y", "z", tests=2), proven("p"))[0] == ("y", "p")
    assert started(doubted("x", "p"), proven("p"), proven("q")) == [("x", "q")]
    assert started(doubted("x", "p"), proven("p")) == []
    assert started(doubted("x", "p", next=NOW), proven("p")) == [("x", "p")]
    assert started(doubted("x", "p", lost=1), proven("q")) == []
    assert started(doubted("x", "p", lost=1, next=NOW), proven("q")) == [("x", "q")]


RENEWS = replace(POOL, renew_seconds=7 * DAY)


@pytest.mark.parametrize(
    ("days", "pool", "fingerprint", "due"),
    [(6.9, RENEWS, "f00d", False), (7, RENEWS, "f00d", True), (700, POOL, "f00d", False), (0, POOL, "of before", True)],
)
def test_a_proof_is_renewed_when_it_is_old_or_of_what_is_gone(days: float, pool: Any, fingerprint: str, due: bool):
    assert bool(started(*(proven(name, days, fingerprint) for name in "pq"), pool=pool)) is due


def test_proofs_are_renewed_a_few_at_a_time_the_oldest_first():
    """They are a tenth of the pool, two at the least, with those that are tested now, and none while work waits."""
    nodes = [proven(f"p{i:02}", 8 + i % 7) for i in range(40)]

    assert started(*nodes, pool=RENEWS) == [("p06", "p13", "p20", "p27")]
    running = fleet.Test("t", "a", ("x", "y"), (), (), NOW)
    assert started(*nodes, pool=RENEWS, running=(running,)) == [("p06", "p13")]
    more = fleet.Test("t", "a", ("x", "y", "z"), (), (), NOW)
    assert started(*nodes, pool=RENEWS, running=(more,)) == []
    assert started(*nodes[:8], pool=RENEWS) == [("p06", "p05")]
    assert started(*nodes, pool=RENEWS, waiting_since=1) == []
