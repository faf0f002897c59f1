"""Nodes of one pool as the prover's decision reads them: one that is new, one that is proven, one that failed."""

from dataclasses import replace
from typing import Any

from tests.readiness.in_pod import load

fleet, proof = load("fleet"), load("proof")

NOW = 1_000_000
POOL = fleet.Pool("a", "f00d", gather_seconds=60)
SHOWN = proof.Proof(NOW - 3600, "up", "b", "f00d", ("x", "y"), 345.5, 330.0)
NEW = fleet.Node("n", "a", "b", NOW - 7200, taint="unproven", attempts=proof.Attempts("b"))


def new(name: str = "n", **more: Any) -> Any:
    """A node that waits for its first test."""
    return replace(NEW, name=name, **more)


def proven(name: str = "n", shown: Any = SHOWN, **more: Any) -> Any:
    """A node that takes work."""
    return new(name, **{"taint": None, "label": "f00d", "proof": shown, **more})


def tried(*beside: str, **more: Any) -> Any:
    """What was tried in this boot: the node failed beside these, and is not to be tested again soon."""
    return proof.Attempts("b", "t0", beside, **{"tests": 1, "next": NOW + 600, "why": "slow", **more})


def failed(name: str = "n", *beside: str, **more: Any) -> Any:
    """A node that is out of service."""
    return new(name, **{"taint": "failed", "label": "failed", "attempts": tried(*beside), **more})
