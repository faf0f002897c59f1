"""The verdict over one or more logs: every gate of every test, the figures, and what is at fault."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import gates, gates_channels, gates_fabric, gates_nvlink, gates_rows
from .culprits import Culprit, Judged, locate, slow
from .expectation import GIB, NVLINK, Expectation
from .follow import told_once
from .gate import Gate, collective_of, size_text
from .parts import Part, own_extent, parts
from .rows import Row
from .run import Run, without_twins

_CHECKS: dict[str, Callable[[Run, Expectation], Gate]] = {
    "ran": gates.ran,
    "finished": gates.finished,
    "nodes": gates.nodes,
    "ranks": gates.ranks,
    "gpus": gates.gpus,
    "collective": gates.collective,
    "implied_ranks": gates.implied,
    "socket": gates_fabric.socket,
    "transport": gates_fabric.transport,
    "nics": gates_fabric.nics,
    "gdr": gates_channels.gdr,
    "rows": gates_rows.rows,
    "data": gates_rows.data,
    "bandwidth": gates_rows.bandwidth,
}
GATES = tuple(_CHECKS)
"""The names of all gates, in the order in which they are told."""


class UnknownGateError(ValueError):
    """A waiver names no gate."""


@dataclass(frozen=True, slots=True)
class Point:
    """One message size in both columns, against its floor."""

    size_bytes: int
    out_of_place: float | None
    in_place: float | None
    floor: float | None
    line: int

    @property
    def judged(self) -> bool:
        return self.floor is not None

    @property
    def passed(self) -> bool:
        return self.floor is None or (self.out_of_place is not None and self.out_of_place >= self.floor)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the fabric is proved."""

    passed: bool
    is_log: bool
    """``False`` when nothing in the input comes from nccl-tests or NCCL."""
    expectation: Expectation
    collective: str | None
    gates: tuple[Gate, ...]
    points: tuple[Point, ...]
    """Bus bandwidth by size, of the first test that failed or else of the first."""
    culprits: tuple[Culprit, ...] = ()
    tests: int = 0
    """Tests over the whole extent; runs of pairs and of rails do not count."""
    judged: int = 0
    """All tests, parts included."""
    judged_failed: int = 0
    hosts: tuple[str, ...] = ()
    """Every node that took part."""
    bad_hosts: tuple[str, ...] = ()
    """Nodes of tests that failed."""
    limit: float | None = None
    """Bus bandwidth that no healthy run passes, GB/s."""
    extent: tuple[int, int] | None = None
    """Nodes and GPUs a node that the test shows, where they are not the wanted ones."""

    @property
    def exit_code(self) -> int:
        """0 proved, 1 not proved, 2 not a log."""
        return 2 if not self.is_log else 0 if self.passed else 1

    @property
    def failed(self) -> tuple[Gate, ...]:
        """Every gate that failed and was not waived, also where it only follows from another."""
        return tuple(gate for gate in self.gates if not gate.passed and not gate.waived)

    @property
    def told(self) -> tuple[Gate, ...]:
        """The failed gates that tell something of their own."""
        failed = {gate.name for gate in self.failed}
        return tuple(gate for gate in self.failed if gate.because not in failed)

    @property
    def waived(self) -> tuple[Gate, ...]:
        return tuple(gate for gate in self.gates if gate.waived)

    @property
    def suspects(self) -> tuple[str, ...]:
        """Nodes that failed with two others or more, each of them good elsewhere."""
        return tuple(culprit.name for culprit in self.culprits if culprit.suspect)

    @property
    def good_nodes(self) -> tuple[str, ...]:
        """Nodes of which every test passed; none of a test that is not proved may be called so."""
        return tuple(host for host in self.hosts if host not in self.bad_hosts)

    @property
    def largest(self) -> Point | None:
        """The row of the largest message."""
        return self.points[-1] if self.points else None

    @property
    def headline(self) -> str:
        """The outcome in one line; waived gates are always named in it."""
        want = self.expectation
        extent = f"{self.collective or 'no collective'} on {want.nodes} x {want.gpus_per_node} GPUs of {want.machine}"
        parts = ["passed" if self.passed else "failed" if self.is_log else "not a log of nccl-tests", extent]
        if self.largest and self.largest.out_of_place is not None:
            floor = f", floor {self.largest.floor:g}" if self.largest.floor else ""
            figure = f"{self.largest.out_of_place:g} GB/s out-of-place at {size_text(self.largest.size_bytes)}"
            parts.append(figure + floor)
        if self.judged > 1 and self.judged_failed:
            parts.append(f"{self.judged_failed} of {self.judged} tests failed")
        if self.waived:
            parts.append("waived: " + ", ".join(gate.name for gate in self.waived))
        return "; ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Plain data for a file or another program."""
        from .data import as_data

        return json.loads(json.dumps(as_data(self)))


def judge(runs: Iterable[Run], want: Expectation, waive: Iterable[str] = (), is_log: bool | None = None) -> Verdict:
    """Judge the tests of one or more logs, each by every gate. Nothing passes by being absent."""
    waivers = set(waive)
    if strange := sorted(waivers - set(GATES)):
        raise UnknownGateError(f"waive: {strange[0]} is no gate, known: {', '.join(GATES)}")
    every = without_twins(list(runs))
    found = parts(every, want) or [Part("whole", Run(), want)]
    held = [[_waive(gate, waivers) for gate in _gates(part, found)] for part in found]
    failed = [not all(gate.passed or gate.waived for gate in each) for each in held]
    named = [_named(part, found) for part in found]
    together = [_worst([each[place] for each in held], named) for place in range(len(GATES))]
    whole = [part.run for part in found if part.kind == "whole" and part.run.groups <= 1] if every else []
    together[0] = _waive(_count(together[0], whole, every, want), waivers)
    shown = next((part.run for part, bad in zip(found, failed, strict=True) if bad), found[0].run)
    return Verdict(
        passed=all(gate.passed or gate.waived for gate in together),
        is_log=bool(every) if is_log is None else is_log,
        expectation=want,
        collective=collective_of(shown, want),
        gates=tuple(together),
        points=_points(shown, want),
        culprits=locate([Judged(part, bad) for part, bad in zip(found, failed, strict=True)]),
        tests=len(whole),
        judged=len(every),
        judged_failed=sum(failed) if every else 0,
        hosts=tuple(sorted({host for part in found for host in part.run.hosts})),
        bad_hosts=tuple(
            sorted({host for part, bad in zip(found, failed, strict=True) if bad for host in part.run.hosts})
        ),
        limit=gates_rows.limit(shown, want),
        extent=_extent(shown, want),
    )


def wire_limit(verdict: Verdict) -> float | None:
    """Bus bandwidth that the NICs allow at the most, GB/s: above it a figure is none. The line on the plot."""
    return verdict.limit


def _extent(run: Run, want: Expectation) -> tuple[int, int] | None:
    own = own_extent(run, want)
    return (own.nodes, own.gpus_per_node) if own else None


def _gates(part: Part, peers: Sequence[Part]) -> list[Gate]:
    run, want = part.run, part.want
    checks = {**_CHECKS, **(gates_nvlink.CHECKS if want.transport == NVLINK else {})}
    held = {name: check(run, want) for name, check in checks.items()}
    if part.kind != "whole":
        held["bandwidth"] = slow(part, peers, held["bandwidth"])
        if part.want.nics is None:
            held["nics"] = replace(
                held["nics"], passed=True, seen="a rail has its own", wanted="counted on whole nodes"
            )
    if part.kind == "rails":
        held["ranks"] = replace(held["ranks"], passed=True)
    own = own_extent(run, want)
    alone = {name: check(run, own) for name, check in checks.items()} if own else {}
    for name in ("implied_ranks", "rows"):  # what is wrong by the test's own extent is wrong
        if name in alone and held[name].passed:
            held[name] = alone[name]
    told = told_once(held, alone, run).values()
    if run.source or part.name:
        return [replace(gate, source=run.source, part=part.name) for gate in told]
    return list(told)


def _waive(gate: Gate, waivers: set[str]) -> Gate:
    return gate.waive() if gate.name in waivers else gate


def _named(part: Part, peers: Sequence[Part]) -> str:
    """A test as a person calls it, where there are several."""
    several = len({tuple(each.run.hosts) for each in peers}) > 1
    return part.name or (" and ".join(part.run.hosts[:4]) if several else "")


def _worst(held: list[Gate], names: Sequence[str]) -> Gate:
    """The first that failed, one that says why before one that only follows; where, and how many did."""
    bad = [(gate, name) for gate, name in zip(held, names, strict=True) if not gate.passed]
    if not bad:
        return held[0]
    first, name = next(((gate, name) for gate, name in bad if not gate.because), bad[0])
    if len(held) == 1:
        return first
    where = f", in the test of {name}" if name else ""
    return replace(first, seen=f"{first.seen}{where} ({len(bad)} of {len(held)} tests)")


def _count(gate: Gate, whole: list[Run], every: list[Run], want: Expectation) -> Gate:
    """The number of tests is part of the gate ``ran``."""
    if gate.passed and want.tests is not None and len(whole) != want.tests:
        cause = "a test was lost from the logs, or mpirun did not start it"
        return replace(gate, passed=False, seen=f"{len(whole)} tests", wanted=f"{want.tests} tests", cause=cause)
    if not whole and len(every) > 1:
        seen = f"only {len(every)} runs over pairs or rails"
        cause = "good parts do not prove the whole: run one test over all nodes, or say the nodes and GPUs of these"
        return replace(gate, passed=False, seen=seen, wanted=f"a test over {want.nodes} nodes", cause=cause, because="")
    return gate


def _points(run: Run, want: Expectation) -> tuple[Point, ...]:
    judged = collective_of(run, want)

    def point(row: Row) -> Point:
        nominal = run.nominal(row.size)
        floor = want.floor_at(judged, nominal) if nominal >= GIB else None
        out, into = row.out_bus and row.out_bus.value, row.in_bus and row.in_bus.value
        return Point(row.size, out, into, floor, row.line)

    return tuple(point(run.rows[size]) for size in sorted(run.rows) if size)
