"""A verdict as plain data: the form of `--json`."""

from typing import TYPE_CHECKING, Any

from .gate import Gate

if TYPE_CHECKING:
    from .verdict import Point, Verdict


def as_data(verdict: "Verdict") -> dict[str, Any]:
    """Everything that is known of a run, with units in the names."""
    want, largest = verdict.expectation, verdict.largest
    return {
        "passed": verdict.passed,
        "machine": want.machine,
        "nodes": want.nodes,
        "gpus_per_node": want.gpus_per_node,
        "collective": verdict.collective,
        "tests": verdict.tests,
        "judged": verdict.judged,
        "judged_failed": verdict.judged_failed,
        "largest": largest and _point(largest),
        "wire_gbytes": want.wire_gbytes,
        "limit_gbytes": verdict.limit,
        "floors_from": want.floors_from,
        "gates": [_gate(gate) for gate in verdict.gates],
        "rows": [_point(point) for point in verdict.points],
        "culprits": [{"kind": culprit.kind, "name": culprit.name, "why": culprit.why} for culprit in verdict.culprits],
        "suspects": verdict.suspects,
        "notes": want.notes,
    }


def _gate(gate: Gate) -> dict[str, Any]:
    names = ("name", "passed", "waived", "seen", "wanted", "cause", "because", "source", "part", "lines")
    return {name: getattr(gate, name) for name in names}


def _point(point: "Point") -> dict[str, Any]:
    return {
        "size_bytes": point.size_bytes,
        "out_of_place_gbytes": point.out_of_place,
        "in_place_gbytes": point.in_place,
        "floor_gbytes": point.floor,
    }
