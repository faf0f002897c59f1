"""A verdict in words: rows for tables, plain text, and the message that a container leaves when it ends."""

from collections.abc import Sequence

from .gates import size_text
from .verdict import Verdict

TERMINATION_BYTES = 4096
"""The most that Kubernetes keeps of a termination message."""


def gate_rows(verdict: Verdict) -> list[tuple[str, str, str, str, str]]:
    """(outcome, gate, seen, wanted, evidence) for each gate."""
    return [
        ("waived" if gate.waived else "pass" if gate.passed else "FAIL", gate.name, gate.seen, gate.wanted, gate.where)
        for gate in verdict.gates
    ]


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


def plain_text(verdict: Verdict) -> str:
    """The whole verdict for a terminal without colours."""
    parts = [verdict.headline]
    if verdict.points:
        head = ("size", "out-of-place", "in-place", "floor", "")
        parts.append(_table([head, *size_rows(verdict)], right=4))
    parts.append(_table(gate_rows(verdict), right=0))
    parts += [f"{kind} {name}: {why}" for kind, name, why in culprit_rows(verdict)]
    parts += [f"note: {note}" for note in verdict.expectation.notes]
    return "\n\n".join(parts) + "\n"


def termination_message(verdict: Verdict) -> str:
    """The outcome in at most 4096 bytes, the first failed gate first."""
    lines = [f"{gate.name}: {gate.seen}; wanted {gate.wanted}{_at(gate.where)}" for gate in verdict.failed]
    lines += [f"{culprit.kind} {culprit.name}: {culprit.why}" for culprit in verdict.culprits]
    lines.append(verdict.headline)
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
