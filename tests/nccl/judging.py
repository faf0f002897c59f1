"""Rendered logs judged in one call, and the gate of the verdict that a test is about."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

from nccl_verdict.expectation import Expectation, Neighbours, SizeThreshold
from nccl_verdict.gate import Gate
from nccl_verdict.reader import read_bytes
from nccl_verdict.run import Run
from nccl_verdict.verdict import Verdict, judge
from tests.nccl import render
from tests.nccl.forms import FABRICS

Lines = list[str]
LOG = render.log()
"""Two healthy nodes of eight GPUs."""
FIRST = list({fabric.transport: form for form, fabric in reversed(FABRICS.items())}.values())
"""One form of each network; `make thorough` asks the others."""
PAIRS = tuple(Neighbours((gpu,), (render.bus(gpu, False),), (f"mlx5_{gpu}",)) for gpu in range(8))
"""Each GPU beside the NIC of its own number."""


def want(form: str = "gIB", nodes: int = 2, **more: Any) -> Expectation:
    """What a rendered log must show, with other fields where they are named."""
    return replace(render.want(form, nodes), **more)


def known(sure: bool = False) -> Expectation:
    """An expectation that knows which NIC is beside which GPU."""
    return want(neighbours=PAIRS, neighbours_sure=sure)


def thresholds(**by_collective: tuple[int, float]) -> dict[str, tuple[SizeThreshold, ...]]:
    """One threshold for each collective, from a size on."""
    return {name: (SizeThreshold(*each),) for name, each in by_collective.items()}


def runs(*logs: Lines) -> list[Run]:
    """The tests of several logs."""
    return [run for lines in logs for run in read_bytes(render.joined(lines))]


def verdict(*logs: Lines, want: Expectation | None = None, waive: tuple[str, ...] = ()) -> Verdict:
    """The verdict over several logs, as over two healthy nodes where nothing else is wanted."""
    return judge(runs(*logs), want or render.want(), waive)


def gate_of(name: str, lines: Lines, want: Expectation | None = None) -> Gate:
    """One gate of the verdict over a log."""
    (found,) = [gate for gate in verdict(lines, want=want).gates if gate.name == name]
    return found


def holding(words: str, lines: Lines) -> tuple[int, ...]:
    """The first eight lines that hold some words, counted from 1."""
    return tuple(number for number, line in enumerate(lines, 1) if words and re.search(words, line))[:8]


@dataclass(frozen=True)
class Failing:
    """A log that fails a gate, and what the gate must tell a person."""

    gate: str
    seen: str
    """What must stand in the words of what was seen: figures, nodes, ranks, NICs."""
    lines: Lines
    want: Expectation = field(default_factory=render.want)
    evidence: str = ""
    """What the lines hold that are the evidence, where they are compared."""
    cause: str = ""
    """What the likely cause must name: an option, a variable, a command."""
    host: str = ""
    """The node to look at first."""

    def check(self) -> None:
        """The gate fails and tells all of it."""
        found = gate_of(self.gate, self.lines, self.want)
        assert not found.passed
        assert self.seen in found.seen
        assert self.cause in found.cause
        assert found.host == self.host
        assert not self.evidence or found.lines == holding(self.evidence, self.lines)
