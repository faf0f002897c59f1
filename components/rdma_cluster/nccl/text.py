"""A verdict in words: rows for tables, plain text, and the message that a container leaves when it ends."""

from collections.abc import Sequence

from .advice import closing
from .gate import Gate, size_text
from .verdict import Verdict

TERMINATION_BYTES = 4096
"""The most that Kubernetes keeps of a termination message."""


def gate_rows(verdict: Verdict) -> list[tuple[str, str, str, str, str]]:
    """(outcome, gate, seen, wanted, evidence) for each gate; one that only follows from another says so."""
    told = {gate.name for gate in verdict.told}
    return [_row(gate, told) for gate in verdict.gates]


def _row(gate: Gate, told: set[str]) -> tuple[str, str, str, str, str]:
    if gate.passed or gate.waived or gate.name in told:
        outcome = "waived" if gate.waived else "pass" if gate.passed else "FAIL"
        return outcome, gate.name, gate.seen, gate.wanted, gate.where
    return "FAIL", gate.name, f"follows from {gate.because}", gate.wanted, ""


def size_rows(verdict: Verdict) -> list[tuple[str, str, str, str, str]]:
    """(size, out-of-place, in-place, floor, outcome) for each message size, in GB/s of bus bandwidth."""

    def figure(value: float | None) -> str:
        return "-" if value is None else f"{value:.2f}"

    return [
        (
            size_text(point.size_bytes),
            figure(point.out_of_place),
            figure(point.in_place),
            figure(point.floor),
            ("pass" if point.passed else "FAIL") if point.judged else "",
        )
        for point in verdict.points
    ]


def culprit_rows(verdict: Verdict) -> list[tuple[str, str, str]]:
    """(kind, name, why) for each culprit."""
    return [(culprit.kind, culprit.name, culprit.why) for culprit in verdict.culprits]


def cause_rows(verdict: Verdict) -> list[tuple[str, str]]:
    """(gate, most likely cause) of each gate that failed by itself."""
    return [(gate.name, gate.cause) for gate in verdict.told if gate.cause]


def plain_text(verdict: Verdict) -> str:
    """The whole verdict for a terminal without colours."""
    parts = [verdict.headline]
    if verdict.points:
        head = ("size", "out-of-place", "in-place", "floor", "")
        parts.append(_table([head, *size_rows(verdict)], right=4))
    parts.append(_table(gate_rows(verdict), right=0))
    parts += [f"{name}: {cause}" for name, cause in cause_rows(verdict)]
    parts += [f"{kind} {name}: {why}" for kind, name, why in culprit_rows(verdict)]
    parts += [f"note: {note}" for note in verdict.expectation.notes]
    return "\n\n".join([*parts, closing(verdict)]) + "\n"


def termination_message(verdict: Verdict) -> str:
    """The outcome in at most 4096 bytes, the first failed gate first."""
    lines = [f"{gate.name}: {gate.seen}; wanted {gate.wanted}{_at(gate.where)}" for gate in verdict.told]
    lines += [f"{kind} {name}: {why}" for kind, name, why in culprit_rows(verdict)]
    lines += [verdict.headline]
    lines += [f"likely: {cause}" for _, cause in cause_rows(verdict)[:1]]
    message = "\n".join(lines).encode()
    return message[:TERMINATION_BYTES].decode("utf-8", "ignore")


def _at(where: str) -> str:
    return f" ({where})" if where else ""


def _table(rows: Sequence[tuple[str, ...]], right: int) -> str:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            text.rjust(width) if place < right else text.ljust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
