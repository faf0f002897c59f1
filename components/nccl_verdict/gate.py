"""One thing that a run must show, the words for it, and which failed gate only follows from another."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from .expectation import Expectation
from .rows import Row
from .run import Run

UNSAID = "NCCL's own lines are missing: run every rank with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET"
"""The cause where a log shows nothing of what a gate checks."""
RERUN = "run it again with -x NCCL_DEBUG=INFO -x NCCL_DEBUG_SUBSYS=INIT,NET, and keep both outputs in one log"
"""What to run next then."""


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
    warning: str = ""
    """What is odd and no failure, where it passed."""
    because: str = ""
    """The gate whose failure this one only follows from: it is not reported twice, and needs a waiver of its own."""
    source: str = ""
    """The log, where there are several."""
    subtest: str = ""
    """The pair or the rail that it is about, where it is not the whole."""
    waived: bool = False
    host: str = ""
    """The node to look at first, where one is known."""
    leads: bool = False
    """Whether it is told before gates that stand above it: its stage comes first."""
    then: str = ""
    """What to run next, where the gate knows more than its name says."""

    def waive(self, waivers: Iterable[str]) -> "Gate":
        """This gate, waived if it failed and ``waivers`` names it."""
        return self if self.passed or self.name not in waivers else replace(self, waived=True)

    @property
    def fine(self) -> bool:
        """Whether it stops no verdict."""
        return self.passed or self.waived

    @property
    def where(self) -> str:
        """Evidence as a person reads it."""
        if not self.lines:
            return self.source
        first = ", ".join(str(line) for line in self.lines[:4])
        more = ", ..." if len(self.lines) > 4 else ""
        return f"{self.source}:{first}{more}" if self.source else f"line {first}{more}"


def collective_of(run: Run, want: Expectation) -> str | None:
    """The collective that a run is judged as: the one that its log names, else the wanted one."""
    if run.collective:
        return run.collective
    return want.collective or (next(iter(want.thresholds)) if len(want.thresholds) == 1 else None)


def few(lines: Iterable[int]) -> tuple[int, ...]:
    """Some line numbers, in order."""
    return tuple(sorted(set(lines))[:8])


def lines_of(rows: Iterable[Row]) -> tuple[int, ...]:
    """Some line numbers of rows, in order."""
    return few(row.line for row in rows)


def listing(names: Iterable[str], most: int = 4) -> str:
    """``a, b and 3 more``."""
    every = list(names)
    shown = ", ".join(every[:most])
    return f"{shown} and {len(every) - most} more" if len(every) > most else shown


def rail_of(run: Run, rank: int, device: int) -> str:
    """``rail 3``: the GPU's index, which is that of its NIC; NCCL's number of the NIC where no list shows the GPU."""
    listed = run.ranks.get(rank) if run.groups == 1 else None
    return f"rail {listed.device}" if listed else f"NIC {device}"


def dedupe(
    gates: Mapping[str, Gate], alone: Mapping[str, Gate], run: Run, leads: str = "", following: tuple[str, ...] = ()
) -> dict[str, Gate]:
    """The gates of one test, each failed one with the failed gate that it only follows from, where there is one.

    ``alone`` are the gates by the test's own extent, where that is not the wanted one. Without rows one gate ``leads``,
    and others are ``following`` from it.
    """
    failed = {name for name, gate in gates.items() if not gate.passed}
    because: dict[str, str] = {}
    for cause, names in (
        (leads, following),
        *_from_the_table(gates, run),
        *_from_the_extent(alone, run, failed),
        *_from_the_network(run),
    ):
        if cause in failed:
            for name in failed & set(names) - {cause}:
                because.setdefault(name, cause)
    found = {name: replace(gate, because=because[name]) if name in because else gate for name, gate in gates.items()}
    if leads in failed:
        found[leads] = replace(found[leads], because="", leads=True)
    return found


_Consequence = tuple[str, tuple[str, ...]]
"""A gate, and the gates that fail when it does; the first cause of a gate counts."""


def _from_the_table(gates: Mapping[str, Gate], run: Run) -> Iterator[_Consequence]:
    if run.out_of_bounds_line is None:
        last = [run.largest.line] if run.largest else []  # the log may end inside its last row
        if not run.wrong and run.unchecked in ([], last):
            yield "finished", ("data",)
        if run.masked in ([], last):
            yield "finished", ("rows",)
        if run.masked and list(gates["bandwidth"].lines) == last:
            yield "finished", ("bandwidth",)
    if not run.ranks:
        yield "nodes", ("ranks", "gpus")
        if not run.evidence.silent:
            yield "nodes", ("transport",)


def _from_the_extent(alone: Mapping[str, Gate], run: Run, failed: set[str]) -> Iterator[_Consequence]:
    if alone:
        extent = "nodes" if "nodes" in failed else "ranks"
        yield extent, ("ranks", *(name for name, gate in alone.items() if gate.passed))
        if not any(line in run.refused for line in run.averages.values()):
            yield extent, ("bandwidth",)  # a threshold holds for one extent alone
    elif len(run.hosts) == 1:
        yield "nodes", ("ranks", "gpus", "implied_ranks", "nics", "gdr")
        if not run.evidence.channels.total:
            yield "nodes", ("socket", "transport") if not run.evidence.silent else ()
        if not any(line in run.refused for line in run.averages.values()):
            yield "nodes", ("bandwidth",)


def _from_the_network(run: Run) -> Iterator[_Consequence]:
    if any("Socket" in name for name in run.evidence.names()):
        yield "socket", ("transport", "gdr", "nics", "affinity")
    else:
        yield "transport", ("socket", "gdr", "nics", "affinity")
    if not run.evidence.channels.total:
        yield "gdr", ("nics",)
    if not any(row.out_alg for row in run.rows.values()):
        yield "rows", ("implied_ranks",)
    if not any(row.out_bus for row in run.rows.values()):
        yield "rows", ("bandwidth",)
