"""Every stack through its life with the real engine: up, the same once more, changes, faults, destroy."""

from pathlib import Path

import pytest
from rdma_rehearsal.faults import Fault, Kind
from rdma_rehearsal.timeline import length
from tests.rehearsal.stages import FIRST, most_at_once, rehearsed, timeline_of, wrong
from tests.stacks import STACKS

WAITED = 1.05
"""How much longer than its longest chain a stack may take."""


@pytest.mark.parametrize("stack", STACKS)
def test_life(stack: str, tmp_path: Path):
    """It is ready as soon as its longest chain can be. A second preview and a refresh change nothing.

    Each change converges, or is refused before anything is touched. Nothing is left at the end.
    """
    outcomes = rehearsed(stack, tmp_path, "up", "changes", parallel=64)

    assert wrong(outcomes) == {}
    timeline = timeline_of(outcomes)
    print(f"{stack}: {timeline.ready / length(timeline.chain):.3f} of the longest chain with 64 hands")
    assert timeline.ready <= WAITED * length(timeline.chain), [each for each in timeline.way if each.idle]


@pytest.mark.parametrize("stack", STACKS)
def test_up_with_as_many_hands_as_the_engine_takes(stack: str, tmp_path: Path):
    """It is as soon ready, but for what waits until the engine has a hand free."""
    timeline = timeline_of(rehearsed(stack, tmp_path, "up", until="up"))
    for_a_slot = sum(
        step.idle
        for step in timeline.way
        if step.idle and timeline.at_once(step.begin - step.idle, step.begin) >= most_at_once(timeline)
    )
    print(f"{stack}: {timeline.ready / length(timeline.chain):.3f} of the longest chain")

    assert timeline.ready - for_a_slot <= WAITED * length(timeline.chain), [each for each in timeline.way if each.idle]


@pytest.mark.parametrize("stack", FIRST)
def test_every_resource_fails_once(stack: str, tmp_path: Path):
    """Before it exists and after: `up` goes on without duplicates, `destroy` from there leaves nothing."""
    assert wrong(rehearsed(stack, tmp_path, "faults")) == {}


@pytest.mark.parametrize("kind", list(Kind))
def test_each_kind_of_fault_is_got_over(kind: Kind, tmp_path: Path):
    """On the network and the pool of GPUs."""
    what = "NodePool gke-a4" if kind is Kind.CAPACITY else "Subnetwork"
    nth = 3 if kind in (Kind.QUOTA, Kind.VANISH) else None

    assert wrong(rehearsed("gke", tmp_path, faults=[Fault(kind, what, nth)])) == {}
