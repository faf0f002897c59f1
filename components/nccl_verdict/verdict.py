"""The verdict over one or more logs: every gate of every test, the figures, and what is at fault."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import gates, gates_network, gates_rows, stages
from .expectation import GIB, NVLINK, Expectation, size_text
from .gate import Gate, collective_of, dedupe
from .gates_affinity import affinity
from .gates_nvlink import NVLINK_CHECKS
from .records import Record
from .rows import Row
from .run import Run, without_twins
from .subtests import Subtest, own_extent, slow, subtests
from .suspects import Judged, Suspect, agree, locate

_CHECKS: dict[str, Callable[[Run, Expectation], Gate]] = {
    "ran": stages.ran,
    "finished": gates.finished,
    "nodes": gates.nodes,
    "ranks": gates.ranks,
    "gpus": gates.gpus,
    "collective": gates.collective,
    "implied_ranks": gates.implied,
    "socket": gates_network.socket,
    "transport": gates_network.transport,
    "nics": gates_network.nics,
    "gdr": gates_network.gdr,
    "affinity": affinity,
    "rows": gates_rows.rows,
    "data": gates_rows.data,
    "bandwidth": gates_rows.bandwidth,
}
GATES = tuple(_CHECKS)
"""The names of all gates, in the order of a verdict."""
_GATE_KEYS = (
    "name", "passed", "waived", "seen", "wanted", "cause", "warning", "because", "source", "subtest", "host", "lines",
)  # fmt: skip
_SUSPECT_KEYS = ("kind", "name", "why", "explains")
"""What of a gate and of a suspect is in the JSON."""


class UnknownGateError(ValueError):
    """A waiver names no gate."""


@dataclass(frozen=True, slots=True)
class Point:
    """One message size in both columns, against its threshold."""

    size_bytes: int
    out_of_place: float | None
    in_place: float | None
    threshold: float | None
    line: int

    @property
    def passed(self) -> bool:
        """Whether it reaches its threshold, where it has one."""
        return self.threshold is None or (self.out_of_place is not None and self.out_of_place >= self.threshold)

    def to_json(self) -> dict[str, Any]:
        """Its figures, with units in the names."""
        return {
            "size_bytes": self.size_bytes,
            "out_of_place_gbytes": self.out_of_place,
            "in_place_gbytes": self.in_place,
            "floor_gbytes": self.threshold,
        }


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
    suspects: tuple[Suspect, ...]
    tests: int
    """Tests over the whole extent; runs of pairs and of rails do not count."""
    judged: int
    """All tests, parts included."""
    judged_failed: int
    hosts: tuple[str, ...]
    """Every node that took part."""
    bad_hosts: tuple[str, ...]
    """Nodes of tests that failed."""
    limit: float | None
    """Bus bandwidth that no healthy run passes, GB/s."""
    extent: tuple[int, int] | None
    """Nodes and GPUs a node that the test shows, where they are not the wanted ones."""
    job: bool = False
    """Whether it is of a job's log, which holds no test and proves no fabric."""
    unseen: tuple[str, ...] = ()
    """What such a log does not show, each with the reason."""
    records: tuple[Record, ...] = ()
    """What it tells of a failure."""

    @property
    def exit_code(self) -> int:
        """0 proved, 1 not proved, 2 not a log."""
        return 2 if not self.is_log else 0 if self.passed else 1

    @property
    def failed(self) -> tuple[Gate, ...]:
        """Every gate that failed and was not waived, also where it only follows from another."""
        return tuple(gate for gate in self.gates if not gate.fine)

    @property
    def reported(self) -> tuple[Gate, ...]:
        """The failed gates that do not only follow from another failed gate."""
        return _reported(self.gates)

    @property
    def warned(self) -> tuple[Gate, ...]:
        """The gates that passed with a warning."""
        return tuple(gate for gate in self.gates if gate.passed and gate.warning)

    @property
    def waived(self) -> tuple[Gate, ...]:
        """The gates that failed and were waived."""
        return tuple(gate for gate in self.gates if gate.waived)

    @property
    def suspected_nodes(self) -> tuple[str, ...]:
        """Nodes that failed with two others or more, each of them good elsewhere."""
        return tuple(suspect.name for suspect in self.suspects if suspect.is_suspected)

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
        if self.job:
            return f"log of a job, no test in it; {'it fails' if self.reported else 'nothing in it is wrong'}"
        extent = f"{self.collective or 'no collective'} on {want.nodes} x {want.gpus_per_node} GPUs of {want.machine}"
        phrases = ["passed" if self.passed else "failed" if self.is_log else "not a log of nccl-tests", extent]
        if self.largest and self.largest.out_of_place is not None:
            threshold = f", threshold {self.largest.threshold:g}" if self.largest.threshold else ""
            figure = f"{self.largest.out_of_place:g} GB/s out-of-place at {size_text(self.largest.size_bytes)}"
            phrases.append(figure + threshold)
        if self.judged > 1 and self.judged_failed:
            phrases.append(f"{self.judged_failed} of {self.judged} tests failed")
        if self.warned:
            phrases.append("warnings: " + ", ".join(gate.name for gate in self.warned))
        if self.waived:
            phrases.append("waived: " + ", ".join(gate.name for gate in self.waived))
        return "; ".join(phrases)

    def to_json(self) -> dict[str, Any]:
        """Plain data for a file or another program, with units in the names: the form of ``--json``."""
        want = self.expectation
        data = {
            "passed": self.passed,
            "machine": want.machine,
            "nodes": want.nodes,
            "gpus_per_node": want.gpus_per_node,
            "collective": self.collective,
            "tests": self.tests,
            "judged": self.judged,
            "judged_failed": self.judged_failed,
            "largest": self.largest and self.largest.to_json(),
            "wire_gbytes": want.wire_gbytes,
            "limit_gbytes": self.limit,
            "thresholds_from": want.thresholds_from,
            "gates": [{key: getattr(gate, key) for key in _GATE_KEYS} for gate in self.gates],
            "rows": [point.to_json() for point in self.points],
            "suspects": [{key: getattr(of, key) for key in _SUSPECT_KEYS} for of in self.suspects],
            "suspected_nodes": self.suspected_nodes,
            "notes": want.notes,
        }
        if self.job:
            data |= {"job": True, "not_shown": self.unseen, "records": [each._asdict() for each in self.records]}
        return json.loads(json.dumps(data))


def judge(runs: Iterable[Run], want: Expectation, waive: Iterable[str] = ()) -> Verdict:
    """Judge the tests of one or more logs, each by every gate. Nothing passes by being absent."""
    waivers = set(waive)
    if unknown := sorted(waivers - set(GATES)):
        raise UnknownGateError(f"waive: {unknown[0]} is no gate, known: {', '.join(GATES)}")
    every = without_twins(list(runs))
    all_parts = subtests(every, want) or [Subtest("whole", Run(), want)]
    gates_of = [[gate.waive(waivers) for gate in _gates(subtest, all_parts)] for subtest in all_parts]
    failed = (tuple(gate.name for gate in _reported(part_gates)) for part_gates in gates_of)
    judged = [Judged(subtest, names) for subtest, names in zip(all_parts, failed, strict=True)]
    whole = [part.run for part in all_parts if part.kind == "whole" and part.run.groups <= 1] if every else []
    together = _together(gates_of, all_parts)
    together[0] = _count(together[0], whole, every, want).waive(waivers)
    together = agree(together, suspects := locate(judged), every)
    bad = [each.subtest.run for each in judged if each.failed]
    shown = (bad or [all_parts[0].run])[0]
    extent = own_extent(shown, want)
    return Verdict(
        passed=all(gate.fine for gate in together),
        is_log=bool(every),
        expectation=want,
        collective=collective_of(shown, want),
        gates=tuple(together),
        points=_points(shown, want),
        suspects=suspects,
        tests=len(whole),
        judged=len(every),
        judged_failed=len(bad) if every else 0,
        hosts=_hosts(subtest.run for subtest in all_parts),
        bad_hosts=_hosts(bad),
        limit=gates_rows.limit(shown, want),
        extent=(extent.nodes, extent.gpus_per_node) if extent else None,
    )


def _reported(every: Sequence[Gate]) -> tuple[Gate, ...]:
    """The failed gates, without those that only follow from another failed one; the one whose stage is first leads."""
    failed = {gate.name for gate in every if not gate.fine}
    told = (gate for gate in every if not gate.fine and gate.because not in failed)
    return tuple(sorted(told, key=lambda gate: not gate.leads))


def _hosts(runs: Iterable[Run]) -> tuple[str, ...]:
    return tuple(sorted({host for run in runs for host in run.hosts}))


def _gates(subtest: Subtest, peers: Sequence[Subtest]) -> list[Gate]:
    """The gates of one test; what a part cannot show is not asked of it."""
    run, want = subtest.run, subtest.want
    checks = {**_CHECKS, **(NVLINK_CHECKS if want.network == NVLINK else {})}
    gates_of = {name: check(run, want) for name, check in checks.items()}
    if subtest.is_relative:
        gates_of["bandwidth"] = slow(subtest, peers)
    if subtest.kind != "whole" and want.nics is None:
        nics = gates_of["nics"]
        gates_of["nics"] = replace(nics, passed=True, seen="a rail has its own", wanted="counted on whole nodes")
    if subtest.kind == "rails":  # each ring is of one GPU a node
        gates_of["ranks"] = replace(gates_of["ranks"], passed=True)
        gates_of["implied_ranks"] = gates.implied(run, replace(want, gpus_per_node=1))
    own = own_extent(run, want)
    alone = {name: check(run, own) for name, check in checks.items()} if own else {}
    for name in ("implied_ranks", "rows"):  # what is wrong by the test's own extent is wrong
        if name in alone and gates_of[name].passed:
            gates_of[name] = alone[name]
    leads = "" if run.rows else stages.first_stage(run, want, gates_of)
    told = dedupe(gates_of, alone, run, leads, stages.follows(run, leads) if leads else ())
    return [replace(gate, source=run.source, subtest=subtest.name) for gate in told.values()]


def _together(gates_of: Sequence[Sequence[Gate]], all_parts: Sequence[Subtest]) -> list[Gate]:
    """Each gate over all tests: the first test that failed it, one that says why before one that only follows."""
    several = len({tuple(subtest.run.hosts) for subtest in all_parts}) > 1
    names = [subtest.name or (" and ".join(subtest.run.hosts[:4]) if several else "") for subtest in all_parts]
    together = []
    for of_tests in zip(*gates_of, strict=True):
        failed = [(gate, name) for gate, name in zip(of_tests, names, strict=True) if not gate.passed]
        fine = next((gate for gate in of_tests if gate.warning), of_tests[0])
        first, name = next(((gate, name) for gate, name in failed if not gate.because), (*failed, (fine, ""))[0])
        if failed and len(of_tests) > 1:
            where = f", in the test of {name}" if name else ""
            first = replace(first, seen=f"{first.seen}{where} ({len(failed)} of {len(of_tests)} tests)")
        together.append(first)
    return together


def _count(gate: Gate, whole: list[Run], every: list[Run], want: Expectation) -> Gate:
    """The gate ``ran``, which the number of tests is a part of."""
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
        threshold = want.threshold_at(judged, nominal) if nominal >= GIB else None
        out, into = row.out_bus and row.out_bus.value, row.in_bus and row.in_bus.value
        return Point(row.size, out, into, threshold, row.line)

    return tuple(point(run.rows[size]) for size in sorted(run.rows) if size)
