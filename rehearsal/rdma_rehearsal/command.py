"""``rdma-cluster rehearse``: a stack through its life with the real engine, on simulated clouds."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pulumi_offline.errors import refusal
from pulumi_offline.graph import type_and_name
from pulumi_offline.visible import visible
from rdma_cluster.cli.options import option
from rdma_cluster.cli.output import as_json, styled, table
from rdma_cluster.cli.signals import Signals
from rdma_cluster.cli.stack_file import StackVerb, summary_of

if TYPE_CHECKING:
    from pulumi_offline.project import Settings
    from .changes import Configure
    from .controlplane.objects import ControlPlane
    from .faults import Fault
    from .scenario import Outcome
    from .timeline import Step, Timeline

PARTS = ("up", "changes", "faults")
_OWN = "own"
Run = Callable[[Path], "Generator[Outcome]"]
"""Runs in a folder; gives the outcomes as they come."""


class Rehearse(StackVerb):
    """Print each outcome as it comes. Returns 1 where one is not as it must be. Raises ``Refused``."""

    parts: list[str] = option(
        "--part",
        "only this part: up, changes, faults; own: what is of the provider of --real-provider alone; "
        "may be given again",
        choices=(*PARTS, _OWN),
    )
    faults: list[str] = option(
        "--fault KIND:WHAT[#N]", "in place of the parts: one fault, e.g. capacity:NodePool#2; may be given again"
    )
    scale: int = option("--scale N", "how much faster than in a cloud time passes; 1000", default=1000)
    parallel: int | None = option("--parallel N", "operations side by side; the engine's own default")
    control_plane: str | None = option(
        "--control-plane KUBECONFIG",
        "a real API server takes the objects of Kubernetes: one of our own, or an empty cluster's",
        nargs="?",
        const="",
    )
    real_providers: list[str] = option(
        "--real-provider NAME",
        "this provider's own plugin in place of a simulation: kubernetes, on a control plane, or gcp, on a judge; "
        "may be given again",
    )

    def run(self) -> int:
        if self.scale < 1:
            raise refusal(f"got {self.scale}; must be 1 or more", "--scale")
        from . import engine
        from .faults import read_fault

        planned = [read_fault(each) for each in self.faults]
        root, settings = self.read()
        minor = "" if self.control_plane is None else _minor(settings)
        engine.found()
        if self.real_providers:
            if self.faults or "faults" in self.parts:
                reason = "not with --real-provider: it is simulated clouds that fail on demand"
                raise refusal(reason, "--fault" if self.faults else "--part")
            return told(_course(self, root, minor), self.json)
        return told(_scenario(self, root, minor, planned), self.json)

    def configure(self, further: Sequence[str]) -> "Settings":
        """The stack's settings with further overrides."""
        return self.read(further)[1]


add_to = Rehearse.add_to
"""The verb of the command `rdma-cluster`, which finds it by the entry point of this distribution."""


def rehearse_upgrade(root: Path, configure: "Configure", steps: Sequence[tuple[str, Sequence[str]]], json: bool) -> int:
    """Answer `rdma-cluster upgrade --rehearse`: one `up` for each step. Raises ``Refused`` where there is no engine."""
    from .engine import found
    from .upgrade import Upgrade

    found()
    return told(Upgrade(root, configure, steps).rehearse, json)


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


def _scenario(options: Rehearse, root: Path, minor: str, faults: Sequence["Fault"]) -> Run:
    """The rehearsal on simulated clouds; ``minor`` is the release of the stack's cluster."""
    from .scenario import Scenario

    parts, kubeconfig = options.parts, options.control_plane
    if _OWN in parts:
        raise refusal("got own; that is of --real-provider", "--part")

    def run(folder: Path) -> Generator["Outcome"]:
        with nullcontext() if kubeconfig is None else _control_plane(kubeconfig, minor) as server:
            scenario = Scenario(root, options.configure, options.scale, options.parallel, server)
            yield from scenario.run(folder, parts or PARTS, faults)

    return run


def _course(options: Rehearse, root: Path, minor: str) -> Run:
    """The rehearsal with providers' own plugins."""
    from .real.course import PARTS, Course
    from .real.record import real_provider

    names, kubeconfig, parts = options.real_providers, options.control_plane, options.parts
    real = [real_provider(each) for each in dict.fromkeys(names)]
    course = partial(Course, root, options.configure, options.parallel, real)
    if kubeconfig is None or "kubernetes" in names:
        whole = course(Path(kubeconfig) if kubeconfig else None)
        return lambda folder: whole.rehearse(folder, parts or PARTS)

    def run(folder: Path) -> Generator["Outcome"]:
        with _control_plane(kubeconfig, minor) as server:
            yield from course(control_plane=server).rehearse(folder, parts or PARTS)

    return run


def _minor(settings: "Settings") -> str:
    """The release of the stack's cluster."""
    (cluster,) = summary_of(settings).rows_of("cluster")
    if "version" not in cluster:
        raise refusal(f"{settings.stack} has no Kubernetes; leave it out", "--control-plane")
    return ".".join(cluster["version"].split(".")[:2])


def _control_plane(kubeconfig: str, minor: str) -> "AbstractContextManager[ControlPlane]":
    from .controlplane.started import control_plane

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
    from .timeline import length

    chain, data = length(timeline.chain), length(timeline.data)
    print(f"\nready after {timeline.ready:,.0f} simulated s; the longest chain is {chain:,.0f} s: ", end="")
    print(f"{timeline.ready / chain:.3f} of it. By values alone it would be {data:,.0f} s.\n")
    print(table([_row(each) for each in timeline.way], "what held it up"))
    for each in timeline.way:
        if each.idle >= 0.5:
            running = timeline.at_once(each.begin - each.idle, each.begin)
            held = f"{_short(each.urn)} was held up for {each.idle:.0f} s"
            print(f"{held} with {running} operations at once (--parallel)")
    print()


def _row(step: "Step") -> dict[str, object]:
    from rdma_cluster.catalog.latencies import latency

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
    from .timeline import length

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
