"""``rdma-cluster rehearse``: a stack through its life with the real engine, on simulated clouds."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..errors import InputError, Refused
from ..nccl.visible import visible
from ..offline.graph import type_and_name
from .output import as_json, styled, table
from .signals import Signals
from .stack_file import cloud_of, read_stack

if TYPE_CHECKING:
    from ..offline.project import Settings
    from ..rehearsal.changes import Configure
    from ..rehearsal.controlplane.objects import ControlPlane
    from ..rehearsal.faults import Fault
    from ..rehearsal.scenario import Outcome
    from ..rehearsal.timeline import Step, Timeline

PARTS = ("up", "changes", "faults")
Run = Callable[[Path], "Generator[Outcome]"]
"""Runs in a folder; gives the outcomes as they come."""


def rehearse(  # one parameter for each option
    stack: str,
    file: Path | None,
    overrides: Sequence[str],
    parts: Sequence[str],
    faults: Sequence[str],
    scale: int,
    parallel: int | None,
    control_plane: str | None,
    real_providers: Sequence[str],
    json: bool,
) -> int:
    """Print each outcome as it comes. Returns 1 where one is not as it must be. Raises ``Refused``.

    ``control_plane`` is a kubeconfig, or empty for an API server of our own. ``real_providers`` are packages.
    """
    if scale < 1:
        raise Refused([InputError(("--scale",), f"got {scale}; must be 1 or more")])
    from ..rehearsal import engine
    from ..rehearsal.faults import read_fault

    planned = [read_fault(each) for each in faults]
    root, settings = read_stack(stack, file, overrides)
    minor = "" if control_plane is None else _minor(settings)
    engine.found()

    def configure(further: Sequence[str]) -> "Settings":
        _, changed = read_stack(stack, file, [*overrides, *further])
        return changed

    if real_providers:
        _refuse_simulated_faults(parts, faults)
        run = _course(root, configure, parallel, real_providers, control_plane, minor, parts)
    else:
        run = _scenario(root, configure, scale, parallel, control_plane, minor, parts, planned)
    return told(run, json)


def told(run: Run, json: bool) -> int:
    """Print each outcome as it comes. Returns 1 where one is not as it must be. Raises ``Refused``."""
    outcomes = []
    with Signals(raising=True) as signals, ExitStack() as started:
        try:
            folder = started.enter_context(TemporaryDirectory(prefix="rehearsal-"))
            for outcome in started.enter_context(closing(run(Path(folder)))):
                outcomes.append(outcome)
                if not json:
                    _show(outcome)
        finally:
            signals.hold()
    if json:
        print(as_json([_as_dict(each) for each in outcomes]))
    return 1 if any(each.wrong for each in outcomes) else 0


def _scenario(  # one parameter for each option
    root: Path,
    configure: "Configure",
    scale: int,
    parallel: int | None,
    kubeconfig: str | None,
    minor: str,
    parts: Sequence[str],
    faults: Sequence["Fault"],
) -> Run:
    """The rehearsal on simulated clouds; ``minor`` is the release of the stack's cluster."""
    from ..rehearsal.scenario import Scenario

    if "own" in parts:
        raise Refused([InputError(("--part",), "got own; that is of --real-provider")])

    def run(folder: Path) -> Generator["Outcome"]:
        with nullcontext() if kubeconfig is None else _control_plane(kubeconfig, minor) as server:
            yield from Scenario(root, configure, scale, parallel, server).run(folder, parts or PARTS, faults)

    return run


def _course(  # one parameter for each option
    root: Path,
    configure: "Configure",
    parallel: int | None,
    names: Sequence[str],
    kubeconfig: str | None,
    minor: str,
    parts: Sequence[str],
) -> Run:
    """The rehearsal with providers' own plugins."""
    from ..rehearsal.real.course import PARTS, Course
    from ..rehearsal.real.record import real_provider

    real = [real_provider(each) for each in dict.fromkeys(names)]
    course = partial(Course, root, configure, parallel, real)
    if kubeconfig is None or "kubernetes" in names:
        whole = course(Path(kubeconfig) if kubeconfig else None)
        return lambda folder: whole.rehearse(folder, parts or PARTS)

    def run(folder: Path) -> Generator["Outcome"]:
        with _control_plane(kubeconfig, minor) as server:
            yield from course(control_plane=server).rehearse(folder, parts or PARTS)

    return run


def _refuse_simulated_faults(parts: Sequence[str], faults: Sequence[str]) -> None:
    if faults or "faults" in parts:
        option = "--fault" if faults else "--part"
        raise Refused([InputError((option,), "not with --real-provider: it is simulated clouds that fail on demand")])


def _minor(settings: "Settings") -> str:
    """The release of the stack's cluster."""
    from ..common.stack import summarise_stack

    (cluster,) = summarise_stack(cloud_of(settings), settings.config, settings.stack).to_dict()["cluster"]
    if "version" not in cluster:
        raise Refused([InputError(("--control-plane",), f"{settings.stack} has no Kubernetes; leave it out")])
    return ".".join(cluster["version"].split(".")[:2])


def _control_plane(kubeconfig: str, minor: str) -> "AbstractContextManager[ControlPlane]":
    from ..rehearsal.controlplane.started import control_plane

    return control_plane(Path(kubeconfig) if kubeconfig else None, minor)


def _show(outcome: "Outcome") -> None:
    mark = styled("wrong", "red") if outcome.wrong else styled("ok", "green")
    tail = f": {outcome.said}" if outcome.said else ""
    print(f"{mark}  {visible(outcome.what + tail)}  ({outcome.seconds:.0f} s)")
    for each in outcome.wrong:
        print(f"      {each}")
    if outcome.timeline:
        _show_timeline(outcome.timeline)
    sys.stdout.flush()


def _show_timeline(timeline: "Timeline") -> None:
    from ..rehearsal.timeline import length

    chain, data = length(timeline.chain), length(timeline.data)
    print(f"\nready after {timeline.ready:,.0f} simulated s; the longest chain is {chain:,.0f} s: ", end="")
    print(f"{timeline.ready / chain:.3f} of it. By values alone it would be {data:,.0f} s.\n")
    print(table([_row(each) for each in timeline.way], "what held it up"))
    for each in timeline.way:
        if each.idle >= 0.5:
            running = timeline.at_once(each.begin - each.idle, each.begin)
            print(
                f"{_short(each.urn)} was held up for {each.idle:.0f} s with {running} operations at once (--parallel)"
            )
    print()


def _row(step: "Step") -> dict[str, object]:
    from ..rehearsal.latencies import latency

    return {
        "from_s": f"{step.begin:.0f}",
        "takes_s": f"{step.seconds:.0f}",
        "resource": _short(step.urn),
        "waited_for": _short(step.waited_for) if step.waited_for else None,
        "because": step.because or None,
        "idle_s": f"{step.idle:.0f}" if step.idle >= 0.5 else None,
        "published": "yes" if latency(type_and_name(step.urn)[0]).source else "no",
    }


def _short(urn: str) -> str:
    token, name = type_and_name(urn)
    return f"{token.rpartition(':')[2]} {name}"


def _as_dict(outcome: "Outcome") -> dict[str, object]:
    from ..rehearsal.timeline import length

    data: dict[str, object] = {
        "what": outcome.what,
        "wrong": list(outcome.wrong),
        "said": outcome.said,
        "seconds": round(outcome.seconds, 1),
    }
    if line := outcome.timeline:
        data["ready_s"], data["chain_s"], data["data_chain_s"] = line.ready, length(line.chain), length(line.data)
        data["way"] = [_row(each) for each in line.way]
    return data
