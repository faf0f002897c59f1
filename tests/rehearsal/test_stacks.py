"""Every stack through its life with the real engine: up, the same once more, changes, faults, destroy."""

from pathlib import Path

import pytest
from rdma_cluster.rehearsal.faults import Fault, Kind
from rdma_cluster.rehearsal.timeline import length

from tests.clouds import clouds
from tests.rehearsal.stages import rehearsed, wrong
from tests.stacks import STACKS

FIRST = [next(stack for stack in STACKS if stack == cloud.name) for cloud in clouds()]
"""One stack of each cloud."""
WAITED = 1.05
"""How much longer than its longest chain a stack may take."""


@pytest.mark.parametrize("parallel", [64, None], ids=["64 at once", "the engine's own number at once"])
@pytest.mark.parametrize("stack", STACKS)
def test_up_waits_for_nothing_that_it_does_not_need(stack: str, parallel: int | None, tmp_path: Path):
    """It is ready as soon as its longest chain can be, but for what waits until the engine has a hand free.

    A second preview and a refresh change nothing; and it goes.
    """
    outcomes = rehearsed(stack, tmp_path, "up", parallel=parallel)

    assert wrong(outcomes) == {}
    (timeline,) = (each.timeline for each in outcomes if each.timeline)
    for_a_slot = sum(
        step.idle
        for step in timeline.way
        if step.idle and timeline.at_once(step.begin - step.idle, step.begin) >= timeline.most_at_once
    )
    assert parallel is None or not for_a_slot
    assert timeline.ready - for_a_slot <= WAITED * length(timeline.chain), [each for each in timeline.way if each.idle]


@pytest.mark.parametrize("stack", STACKS)
def test_changes(stack: str, tmp_path: Path):
    """Each converges, or is refused before anything is touched; nothing is left at the end."""
    assert wrong(rehearsed(stack, tmp_path, "changes", parallel=64)) == {}


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
