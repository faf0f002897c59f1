"""One thing that a run must show, and the words for it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .expectation import Expectation
from .rows import Row
from .run import Run

UNSAID = "NCCL's own lines are missing: run every rank with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET"
"""The cause where a log shows nothing of what a gate asks."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One thing that a run must show."""

    name: str
    passed: bool
    seen: str
    wanted: str
    lines: tuple[int, ...] = ()
    """Where in the log it was seen."""
    cause: str = ""
    """The most likely cause and what to do, where it failed."""
    because: str = ""
    """The gate whose failure this one only follows from: it is not told twice, and needs a waiver of its own."""
    source: str = ""
    """The log, where there are several."""
    part: str = ""
    """The pair or the rail that it is about, where it is not the whole."""
    waived: bool = False

    def waive(self) -> "Gate":
        return self if self.passed else replace(self, waived=True)

    @property
    def where(self) -> str:
        """Evidence as a person reads it."""
        if not self.lines:
            return self.source
        few = ", ".join(str(line) for line in self.lines[:4])
        more = ", ..." if len(self.lines) > 4 else ""
        return f"{self.source}:{few}{more}" if self.source else f"line {few}{more}"


def collective_of(run: Run, want: Expectation) -> str | None:
    """The collective that a run is judged as: what it says it is, else the wanted one when its rows fit that."""
    if run.collective:
        return run.collective
    return want.collective or (next(iter(want.floors)) if len(want.floors) == 1 else None)


def size_text(size: int) -> str:
    """``8 GiB``, ``512 B``."""
    value, unit = float(size), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            break
        value /= 1024
    return f"{value:.4g} {unit}"


def few(lines: Iterable[int]) -> tuple[int, ...]:
    """Some line numbers, in order."""
    return tuple(sorted(set(lines))[:8])


def lines_of(rows: Iterable[Row]) -> tuple[int, ...]:
    return few(row.line for row in rows)


def listing(names: Iterable[str], most: int = 4) -> str:
    """``a, b and 3 more``."""
    held = list(names)
    shown = ", ".join(held[:most])
    return f"{shown} and {len(held) - most} more" if len(held) > most else shown


def rail_of(run: Run, rank: int, device: int) -> str:
    """``rail 3``: the GPU's index, which is that of its NIC; NCCL's own number of the NIC where no list tells more."""
    listed = run.ranks.get(rank) if run.groups == 1 else None
    return f"rail {listed.device}" if listed else f"NIC {device}"
