"""Rehearsals of our stacks, as the command runs them."""

from collections.abc import Generator, Sequence
from contextlib import chdir, closing, contextmanager
from pathlib import Path

from pulumi_offline.project import Settings
from rdma_cluster.cli.stack_file import read_stack
from rdma_rehearsal.clock import Clock
from rdma_rehearsal.controlplane.objects import ControlPlane
from rdma_rehearsal.engine import Engine, Ran
from rdma_rehearsal.faults import Fault, FaultPlan
from rdma_rehearsal.inventory import Inventory
from rdma_rehearsal.scenario import Outcome, Scenario
from rdma_rehearsal.serve import serving
from rdma_rehearsal.timeline import Log, Timeline
from tests.clouds import clouds
from tests.stacks import ROOT, STACKS

FIRST = [next(stack for stack in STACKS if stack == cloud.name) for cloud in clouds()]
"""One stack of each cloud."""


def settings_of(stack: str, *overrides: str) -> Settings:
    """The settings of one of our stacks, with ``--set`` values laid over them."""
    with chdir(ROOT):
        return read_stack(stack, None, overrides)[1]


@contextmanager
def living(
    root: Path, settings: Settings, folder: Path, fault_plan: FaultPlan | None = None
) -> Generator[tuple[Engine, Inventory]]:
    """An engine with the program that ``root`` has, on simulated clouds that take no time."""
    clock = Clock(1000)
    clock.instant = True
    inventory = Inventory(folder / "world")
    with serving(inventory, clock, fault_plan or FaultPlan(), Log(clock)) as ports:
        yield Engine(folder / "run", root, settings, ports), inventory


def with_program(program: str, folder: Path) -> Path:
    """A folder that has all that our project has, with another program; ours is ours.py beside it."""
    folder.mkdir()
    for entry in ROOT.iterdir():
        (folder / ("ours.py" if entry.name == "__main__.py" else entry.name)).symlink_to(entry)
    (folder / "__main__.py").write_text(program)
    return folder


def up(engine: Engine) -> Ran:
    """One `up`."""
    return engine.run("up", "--yes", "--skip-preview", "--parallel", "64")


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


def most_at_once(timeline: Timeline) -> int:
    """How many operations ran side by side at the most."""
    start = min(each.begin for each in timeline.operations)
    begins = [each.begin - start for each in timeline.operations]
    return max(timeline.at_once(begin, begin + 1e-6) for begin in begins)


def wrong(outcomes: Sequence[Outcome]) -> dict[str, tuple[str, ...]]:
    """What is not as it must be."""
    return {each.what: each.wrong for each in outcomes if each.wrong}
