"""Rehearsals of our stacks, as the command runs them."""

from collections.abc import Sequence
from contextlib import chdir, closing
from pathlib import Path

from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.offline.project import Settings
from rdma_cluster.rehearsal.controlplane.objects import ControlPlane
from rdma_cluster.rehearsal.faults import Fault
from rdma_cluster.rehearsal.scenario import Outcome, Scenario
from rdma_cluster.rehearsal.timeline import Timeline

from tests.clouds import clouds
from tests.stacks import ROOT, STACKS

FIRST = [next(stack for stack in STACKS if stack == cloud.name) for cloud in clouds()]
"""One stack of each cloud."""


def settings_of(stack: str) -> Settings:
    """The settings of one of our stacks."""
    with chdir(ROOT):
        return read_stack(stack, None, [])[1]


def rehearsed(
    stack: str,
    folder: Path,
    *parts: str,
    faults: Sequence[Fault] = (),
    parallel: int | None = None,
    until: str = "",
    control_plane: ControlPlane | None = None,
    overrides: Sequence[str] = (),
    root: Path = ROOT,
) -> list[Outcome]:
    """The outcomes of some parts of a stack's rehearsal, to the end or until one of them. ``root`` has the project."""
    outcomes = []
    with chdir(root):
        scenario = Scenario(
            root, lambda further: read_stack(stack, None, [*overrides, *further])[1], 1000, parallel, control_plane
        )
        with closing(scenario.run(folder, parts, faults)) as run:
            for outcome in run:
                outcomes.append(outcome)
                if outcome.what == until:
                    break
    return outcomes


def timeline_of(outcomes: Sequence[Outcome]) -> Timeline:
    """Of the `up` among them."""
    (timeline,) = (each.timeline for each in outcomes if each.timeline)
    return timeline


def wrong(outcomes: Sequence[Outcome]) -> dict[str, tuple[str, ...]]:
    """What is not as it must be."""
    return {each.what: each.wrong for each in outcomes if each.wrong}
