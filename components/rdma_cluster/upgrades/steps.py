"""The steps of an upgrade: what is written into a stack's file before each `pulumi up`, and what that does to jobs."""

from dataclasses import replace

from pulumi_offline.errors import ErrorList, InputError, Refused
from pulumi_offline.frozen import frozen
from ..base import versions
from .record import Cell, CloudUpgrades, Outcome, Part, Roll

_UNKNOWN = "not known: nobody publishes a figure"
_AGAIN = "interrupt between two steps at will; after a fault run `pulumi up` again, which goes on where it stopped"


@frozen
class Edit:
    """One value of a stack's file."""

    path: tuple[str | int, ...]
    """Without our namespace: ``("pools", 0, "nodeVersion")``."""
    value: str

    def __str__(self) -> str:
        keys = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in self.path)
        return f"{keys.lstrip('.')}: {self.value}"


@frozen
class Step:
    """One `pulumi up`."""

    what: str
    edits: tuple[Edit, ...]
    jobs: str
    """What it does to running jobs."""
    takes: str
    resume: str
    """How to stop, and to go on."""
    before: str = ""
    """What to do by hand before it."""
    proof: str = ""
    """What is proved again before `up` ends."""
    restarts: tuple[str, ...] = ()
    """What of the cluster restarts where its version changes, a line for each part."""


@frozen
class PoolNow:
    """A pool as a stack has it."""

    name: str
    nodes: int
    at_once: int | None = None
    """Its ``upgrade.maxUnavailable``; ``None`` where it says nothing."""


@frozen
class StackNow:
    """A stack as it is."""

    version: str
    """Of its control plane."""
    pools: tuple[PoolNow, ...]
    """In the order of its file."""
    existing: bool
    """Whether the cluster is somebody else's."""


def plan_steps(cloud: CloudUpgrades, part: Part, to: str, stack: StackNow, pool: str | None) -> tuple[Step, ...]:
    """The steps of an upgrade, in order; with ``pool`` its nodes alone move.

    Raises ``Refused`` for what no such upgrade can be. What a stack's own plan refuses is seen by planning it with the
    edits.
    """
    errors = ErrorList()
    cell = cloud.cells[part]
    if cell.outcome is not Outcome.DONE:
        whose = f"{cloud.service} does it itself: " if cell.outcome is Outcome.CLOUD else ""
        raise Refused([InputError(("--part",), f"got {part.value}; {whose}{cell.words} ({cell.source.ref})")])
    names = [each.name for each in stack.pools]
    if pool is not None and pool not in names:
        errors.at("--pool").add(f"got {pool}; the stack has {', '.join(names)}")
    if part is Part.KUBERNETES:
        _check_target(cloud, to, stack, errors.at("--to"))
    elif cell.installed not in ("", to):
        errors.at("--to").add(
            f"got {to}; this release of the library installs {cell.installed}, which fits what is beside it; take a "
            "release that has another"
        )
    if errors:
        raise Refused(errors.found())
    if cell.installed:
        return (_with_the_library(cell, part),)
    moved = [(i, each) for i, each in enumerate(stack.pools) if pool in (None, each.name)]
    control_plane = [_control_plane(cloud, to, stack)] if part is Part.KUBERNETES else []
    return (
        *control_plane,
        *(_pool(cloud, cloud.node_keys[part], to, i, each) for i, each in moved if part in cloud.node_keys),
    )


def _check_target(cloud: CloudUpgrades, to: str, stack: StackNow, errors: ErrorList) -> None:
    """Forward, and no minor left out: https://kubernetes.io/releases/version-skew-policy/."""
    now, target = versions.parse(stack.version), versions.parse(to)
    if stack.existing:
        errors.add("the cluster is not of this stack (kubernetes.existing): its owner upgrades it")
    elif now is None or target is None:
        errors.add(f"got {to!r}; write a version as {cloud.exact or stack.version}")
    elif target[: len(now)] < now[: len(target)]:
        errors.add(f"got {to}, and the control plane is on {stack.version}: none goes back")
    elif target[1] > now[1] + 1:
        errors.add(f"got {to}, and the control plane is on {stack.version}: go to 1.{now[1] + 1} first, minor by minor")
    elif cloud.exact and len(target) != len(versions.parse(cloud.exact) or ()):
        errors.add(f"got {to}; nodes are on one version alone: write it in full, e.g. {cloud.exact}")


def _with_the_library(cell: Cell, part: Part) -> Step:
    return Step(
        what=f"{part.value}: `pulumi up` with this release of the library, which installs {cell.installed}",
        edits=(),
        jobs=cell.jobs,
        takes=_UNKNOWN,
        resume=_AGAIN,
        proof="every pool that it serves: its acceptance test runs again",
    )


def _control_plane(cloud: CloudUpgrades, to: str, stack: StackNow) -> Step:
    moved = [each for each in stack.pools if cloud.pools_follow and each.at_once is not None]
    step = Step(
        what=f"control plane; {cloud.system_nodes}",
        edits=(Edit(("kubernetes", "version"), to),),
        before=cloud.first,
        jobs="GPU nodes stay as they are, and jobs on them go on; those that ask the API server wait or try again",
        takes=_UNKNOWN,
        resume=f"{_AGAIN}. No control plane goes back to an older minor",
    )
    if not moved or (roll := cloud.roll) is None:
        return step
    return replace(
        step,
        what=f"{step.what}; {'; '.join(_rolls(roll, each) for each in moved)}",
        before="; ".join(f"kubectl cordon -l {cloud.pool_label}={each.name}" for each in moved),
        jobs=f"{roll.pods}; a job over several nodes stops with the first of them: let it end before",
        takes="; ".join(f"pool {each.name}: {_takes(roll, each)}" for each in moved),
        proof="; ".join(_proof(each) for each in moved),
    )


def _pool(cloud: CloudUpgrades, key: str, to: str, index: int, pool: PoolNow) -> Step:
    """Nodes that wait for their turn take no further job, so no job is on nodes of two kinds."""
    roll, name = cloud.roll, pool.name
    assert roll is not None
    return Step(
        what=_rolls(roll, pool),
        edits=(Edit(("pools", index, key), to),),
        before=f"kubectl cordon -l {cloud.pool_label}={name}",
        jobs=f"{roll.pods}; a job over several nodes stops with the first of them: let it end before",
        takes=_takes(roll, pool),
        resume=f"{_AGAIN}; nodes that have moved do not move again. To leave it, kubectl uncordon -l "
        f"{cloud.pool_label}={name}, and jobs may land on nodes of two kinds",
        proof=_proof(pool),
    )


def _rolls(roll: Roll, pool: PoolNow) -> str:
    at_once = pool.at_once or roll.unavailable
    return f"pool {pool.name}: {pool.nodes} nodes, {at_once} at a time, none beyond those there are"


def _takes(roll: Roll, pool: PoolNow) -> str:
    """How many turns there are, how long they were seen to take, and what shortens them."""
    at_once = pool.at_once or roll.unavailable
    turns = -(-pool.nodes // at_once)
    said = f"{turns} {'turn' if turns == 1 else 'turns'} of {at_once}, with {at_once} away during each"
    if roll.minutes is None:
        return f"{said}; how long one takes is {_UNKNOWN}"
    said += f": {turns * roll.minutes / 60:.1f} hours or more, since {roll.minutes} minutes were seen ({roll.seen})"
    return said if turns == 1 else f"{said}; pools.upgrade.maxUnavailable makes it fewer turns"


def _proof(pool: PoolNow) -> str:
    return f"the acceptance test of pool {pool.name}, on its new nodes; it waits for one that is still cordoned"
