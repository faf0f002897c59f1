"""The verdict over a log: every gate of every test, the figures, and what is at fault."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from . import gates, gates_fabric
from .busbw import factor
from .culprits import Culprit, is_pair, locate, rails_of
from .expectation import GIB, Expectation
from .gates import Gate, collective_of, size_text
from .rows import Row
from .run import Run

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
    "gdr": gates_fabric.gdr,
    "rows": gates.rows,
    "data": gates.data,
    "bandwidth": gates.bandwidth,
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

    @property
    def exit_code(self) -> int:
        """0 proved, 1 not proved, 2 not a log."""
        return 2 if not self.is_log else 0 if self.passed else 1

    @property
    def failed(self) -> tuple[Gate, ...]:
        return tuple(gate for gate in self.gates if not gate.passed and not gate.waived)

    @property
    def waived(self) -> tuple[Gate, ...]:
        return tuple(gate for gate in self.gates if gate.waived)

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
        if self.waived:
            parts.append("waived: " + ", ".join(gate.name for gate in self.waived))
        return "; ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Plain data for a file or another program."""
        return json.loads(json.dumps(_plain(self)))


def judge(runs: Iterable[Run], want: Expectation, waive: Iterable[str] = (), is_log: bool | None = None) -> Verdict:
    """Judge the tests of one or more logs. Nothing passes by being absent."""
    waivers = set(waive)
    if strange := sorted(waivers - set(GATES)):
        raise UnknownGateError(f"waive: {strange[0]} is no gate, known: {', '.join(GATES)}")
    every = _merge(list(runs))
    whole = [run for run in every if not is_pair(run, want) and not rails_of(run, want)]
    judged = [(run, _gates(run, want, waivers)) for run in whole] or [(Run(), _gates(Run(), want, waivers))]
    shown, _ = next(((run, held) for run, held in judged if not all(_good(gate) for gate in held)), judged[0])
    together = [_worst([held[place] for _, held in judged]) for place in range(len(GATES))]
    together[0] = _count(together[0], whole, every, want, "ran" in waivers)
    return Verdict(
        passed=all(_good(gate) for gate in together),
        is_log=bool(every) if is_log is None else is_log,
        expectation=want,
        collective=collective_of(shown, want),
        gates=tuple(together),
        points=_points(shown, want),
        culprits=locate(every, want),
        tests=len(whole),
    )


def wire_limit(verdict: Verdict) -> float | None:
    """Bus bandwidth at which a ring fills the NICs, GB/s: the line on the plot, never a gate."""
    want = verdict.expectation
    known = verdict.collective is not None and factor(verdict.collective, want.ranks) is not None
    return want.wire_gbytes if known and verdict.collective not in ("alltoall", "alltoallv") else None


def _gates(run: Run, want: Expectation, waivers: set[str]) -> list[Gate]:
    held = (replace(check(run, want), source=run.source) for check in _CHECKS.values())
    return [gate.waive() if gate.name in waivers else gate for gate in held]


def _good(gate: Gate) -> bool:
    return gate.passed or gate.waived


def _worst(held: list[Gate]) -> Gate:
    return next((gate for gate in held if not gate.passed), held[0])


def _count(gate: Gate, whole: list[Run], every: list[Run], want: Expectation, waived: bool) -> Gate:
    """The number of tests is part of the gate ``ran``."""
    if gate.passed and want.tests is not None and len(whole) != want.tests:
        gate = replace(gate, passed=False, seen=f"{len(whole)} tests", wanted=f"{want.tests} tests")
    elif not whole and every:
        seen = f"only {len(every)} runs over pairs or rails"
        gate = replace(gate, seen=seen, wanted=f"a test over {want.nodes} nodes")
    return gate.waive() if waived else gate


def _merge(runs: list[Run]) -> list[Run]:
    """A JSON report and the log of the same processes are one test; the report adds the times of each process."""
    kept = []
    for run in runs:
        twin = next((other for other in runs if run.is_json and not other.is_json and _twins(run, other)), None)
        if twin is None:
            kept.append(run)
        else:
            twin.process_seconds = run.process_seconds
            twin.collective = twin.collective or run.collective
            twin.wrong = twin.wrong or run.wrong
            twin.masked = twin.masked or run.masked
    return kept


def _twins(report: Run, log: Run) -> bool:
    processes = [{(r.rank, r.host, r.pid) for r in run.ranks.values()} for run in (report, log)]
    return bool(processes[0]) and processes[0] == processes[1] and set(report.rows) == set(log.rows)


def _points(run: Run, want: Expectation) -> tuple[Point, ...]:
    judged = collective_of(run, want)

    def point(row: Row) -> Point:
        nominal = run.nominal(row.size)
        floor = want.floor_at(judged, nominal) if nominal >= GIB else None
        out, into = row.out_bus and row.out_bus.value, row.in_bus and row.in_bus.value
        return Point(row.size, out, into, floor, row.line)

    return tuple(point(run.rows[size]) for size in sorted(run.rows) if size)


def _plain(verdict: Verdict) -> dict[str, Any]:
    want, largest = verdict.expectation, verdict.largest
    return {
        "passed": verdict.passed,
        "machine": want.machine,
        "nodes": want.nodes,
        "gpus_per_node": want.gpus_per_node,
        "collective": verdict.collective,
        "tests": verdict.tests,
        "largest": largest and _plain_point(largest),
        "wire_gbytes": want.wire_gbytes,
        "gates": [
            {
                "name": gate.name,
                "passed": gate.passed,
                "waived": gate.waived,
                "seen": gate.seen,
                "wanted": gate.wanted,
                "source": gate.source,
                "lines": gate.lines,
            }
            for gate in verdict.gates
        ],
        "rows": [_plain_point(point) for point in verdict.points],
        "culprits": [{"kind": culprit.kind, "name": culprit.name, "why": culprit.why} for culprit in verdict.culprits],
        "notes": want.notes,
    }


def _plain_point(point: Point) -> dict[str, Any]:
    return {
        "size_bytes": point.size_bytes,
        "out_of_place_gbytes": point.out_of_place,
        "in_place_gbytes": point.in_place,
        "floor_gbytes": point.floor,
    }
