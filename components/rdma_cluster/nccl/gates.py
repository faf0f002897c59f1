"""The gates of a test that its own output decides: it ran, where, over how much, with right data, fast enough."""

from dataclasses import dataclass, replace

from .busbw import could_be, factor, fits, implied_ranks
from .expectation import GIB, Expectation
from .rows import Row
from .run import Run


@dataclass(frozen=True, slots=True)
class Gate:
    """One thing that a run must show."""

    name: str
    passed: bool
    seen: str
    wanted: str
    lines: tuple[int, ...] = ()
    """Where in the log it was seen."""
    source: str = ""
    waived: bool = False

    def waive(self) -> "Gate":
        return replace(self, waived=not self.passed)

    @property
    def where(self) -> str:
        """Evidence as a person reads it."""
        if not self.lines:
            return ""
        few = ", ".join(str(line) for line in self.lines[:4])
        more = ", ..." if len(self.lines) > 4 else ""
        return f"{self.source}:{few}{more}" if self.source else f"line {few}{more}"


def collective_of(run: Run, want: Expectation) -> str | None:
    """The collective that a run is judged as: what it says it is, else the wanted one when its rows fit that."""
    if run.collective:
        return run.collective
    return want.collective or (next(iter(want.floors)) if len(want.floors) == 1 else None)


def ran(run: Run, want: Expectation) -> Gate:
    lines = (run.banner.line,) if run.banner else ()
    return Gate("ran", bool(run.rows), f"{run.total_rows} rows", "a test with rows", lines)


def finished(run: Run, want: Expectation) -> Gate:
    wanted = "the footer of a finished test"
    if run.timeout is not None:
        return Gate("finished", False, "the test timed out", wanted, (run.timeout,))
    if run.overflow is not None or run.evidence.overflow:
        lines = (run.overflow,) if run.overflow else ()
        return Gate("finished", False, "lines or facts beyond what is read", "a log that is read whole", lines)
    if run.out_of_bounds_line is None or not run.averages:
        return Gate("finished", False, "did not finish: no footer", wanted)
    if run.started is not None and run.concluded is None:
        return Gate("finished", False, "did not finish: started, never concluded", wanted, (run.started,))
    return Gate("finished", True, "the footer", wanted, (run.out_of_bounds_line, *run.averages.values()))


def nodes(run: Run, want: Expectation) -> Gate:
    hosts = run.hosts
    first = {rank.host: rank.line for rank in reversed(list(run.ranks.values()))}
    seen = f"{len(hosts)}: {', '.join(hosts[:8])}{', ...' if len(hosts) > 8 else ''}" if hosts else "not shown"
    passed = len(hosts) == want.nodes >= 2
    return Gate("nodes", passed, seen, f"{want.nodes} distinct nodes", tuple(sorted(first.values())))


def ranks(run: Run, want: Expectation) -> Gate:
    wanted = f"{want.ranks} ranks, {want.gpus_per_node} on each of {want.nodes} nodes"
    if not run.ranks:
        return Gate("ranks", False, "not shown", wanted)
    per_node = [sum(rank.host == host for rank in run.ranks.values()) for host in run.hosts]
    spread = "/".join(str(n) for n in sorted(set(per_node)))
    seen = f"{len(run.ranks)} ranks, {spread} a node"
    if run.conflicts:
        return Gate("ranks", False, f"{seen}, ranks listed twice with different devices", wanted, tuple(run.conflicts))
    whole = set(run.ranks) == set(range(want.ranks)) and set(per_node) == {want.gpus_per_node}
    split = f", in {run.groups} groups" if run.groups > 1 else ""
    lines = (min(r.line for r in run.ranks.values()), max(r.line for r in run.ranks.values()))
    return Gate("ranks", whole and run.groups == 1, seen + split, wanted, lines)


def gpus(run: Run, want: Expectation) -> Gate:
    wanted = f"{want.gpus_per_node} x {want.gpu_model} a node"
    if not run.ranks:
        return Gate("gpus", False, "not shown", wanted)
    strange = [rank for rank in run.ranks.values() if not _same_model(rank.model, want.gpu_model)]
    if strange:
        lines = tuple(rank.line for rank in strange[:8])
        return Gate("gpus", False, f"{strange[0].model or 'no model'} on {strange[0].host}", wanted, lines)
    for host in run.hosts:
        held = [rank for rank in run.ranks.values() if rank.host == host]
        devices = {rank.pci for rank in held}
        if not len(devices) == len(held) == want.gpus_per_node:
            seen = f"{len(devices)} distinct GPUs in {len(held)} ranks on {host}"
            return Gate("gpus", False, seen, wanted, tuple(rank.line for rank in held[:8]))
    first = next(iter(run.ranks.values()))
    return Gate("gpus", True, f"{want.gpus_per_node} x {first.model} a node", wanted, (first.line,))


def collective(run: Run, want: Expectation) -> Gate:
    judged = collective_of(run, want)
    wanted = want.collective or " or ".join(sorted(want.floors)) or "a named collective"
    lines = (run.collective_line,) if run.collective_line else ()
    if judged is None or (want.collective and judged != want.collective):
        return Gate("collective", False, judged or "not named", wanted, lines)
    odd = [row.line for row in run.rows.values() if row.size and not could_be(judged, row)]
    if odd or not run.rows:
        return Gate("collective", False, f"rows that are not of {judged}" if odd else "no rows", wanted, tuple(odd[:8]))
    return Gate("collective", True, judged if run.collective else f"not named, its rows fit {judged}", wanted, lines)


def implied(run: Run, want: Expectation) -> Gate:
    judged = collective_of(run, want)
    scale = factor(judged, want.ranks) if judged else None
    wanted = f"{want.ranks} ranks, by busbw / algbw" + (f" = {scale:.4g}" if scale else "")
    shown = [row for row in run.rows.values() if row.size >= 1 << 20 and row.out_alg and row.out_bus]
    if not shown or judged is None or scale is None:
        return Gate("implied_ranks", False, "not shown", wanted)
    for row in sorted(shown, key=lambda row: -row.size):
        for alg, bus in ((row.out_alg, row.out_bus), (row.in_alg, row.in_bus)):
            if alg is not None and bus is not None and not fits(alg, bus, scale):
                count = implied_ranks(judged, alg, bus)
                seen = f"{count:.1f} ranks" if count else f"a factor of {bus.value / max(alg.value, 1e-9):.4g}"
                return Gate("implied_ranks", False, f"{seen} at {size_text(row.size)}", wanted, (row.line,))
    return Gate("implied_ranks", True, f"{want.ranks} ranks" if scale != 1 else "factor 1", wanted, _lines(shown))


def rows(run: Run, want: Expectation) -> Gate:
    wanted = "every announced size with numbers in both columns"
    if run.masked:
        return Gate("rows", False, "figures missing or no numbers", wanted, tuple(run.masked))
    if missing := run.missing_rows():
        return Gate("rows", False, missing, wanted, (run.banner.line,) if run.banner else ())
    if differs := run.average_differs():
        seen = f"the rows' mean is {differs[1]:.6g}, the footer's {differs[0]:.6g}: rows are lost"
        return Gate("rows", False, seen, wanted, tuple(run.averages.values()))
    return Gate("rows", True, f"{run.total_rows} rows of {len(run.counts)} sizes", wanted)


def data(run: Run, want: Expectation) -> Gate:
    wanted = "#wrong 0 in every row, out of bounds 0"
    if run.wrong:
        return Gate("data", False, "#wrong above 0", wanted, tuple(run.wrong))
    if run.out_of_bounds:
        lines = (run.out_of_bounds_line,) if run.out_of_bounds_line else ()
        return Gate("data", False, f"{run.out_of_bounds} out of bounds", wanted, lines)
    if run.unchecked:
        return Gate("data", False, "not checked (N/A)", wanted, tuple(run.unchecked))
    if run.out_of_bounds is None or not run.rows:
        return Gate("data", False, "not shown", wanted)
    lines = (run.out_of_bounds_line,) if run.out_of_bounds_line else ()
    return Gate("data", True, "0 wrong, 0 out of bounds", wanted, lines)


def bandwidth(run: Run, want: Expectation) -> Gate:
    judged = collective_of(run, want)
    extent = f"{judged or 'this collective'} on {want.nodes} x {want.gpus_per_node} GPUs of {want.machine}"
    floors = want.floors.get(judged or "", ())
    if not floors:
        return Gate("bandwidth", False, _largest(run), f"a floor, and none is known for {extent}")
    wanted = "out-of-place busbw >= " + ", ".join(
        f"{floor.busbw_gbytes:g} GB/s from {size_text(max(floor.size_bytes, GIB))}" for floor in floors
    )
    judged_rows = [(row, want.floor_at(judged, run.nominal(row.size))) for row in run.large_rows()]
    below = [
        row for row, floor in judged_rows if row.out_bus is None or (floor is not None and row.out_bus.value < floor)
    ]
    if below:
        worst = below[-1]
        figure = "no number" if worst.out_bus is None else f"{worst.out_bus.value:g} GB/s"
        return Gate("bandwidth", False, f"{figure} out-of-place at {size_text(worst.size)}", wanted, _lines(below))
    held = [row for row, floor in judged_rows if floor is not None]
    if not held:
        return Gate("bandwidth", False, f"no row large enough; {_largest(run)}", wanted)
    least = min(row.out_bus.value for row in held if row.out_bus)
    return Gate("bandwidth", True, f"at least {least:g} GB/s out-of-place in {len(held)} rows", wanted, _lines(held))


def size_text(size: int) -> str:
    """``8 GiB``, ``512 B``."""
    value, unit = float(size), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            break
        value /= 1024
    return f"{value:.4g} {unit}"


def _largest(run: Run) -> str:
    if not run.rows:
        return "no rows"
    row = run.rows[max(run.rows)]
    return f"{row.out_bus.value:g} GB/s at {size_text(row.size)}" if row.out_bus else f"no number at {row.size} B"


def _lines(judged: list[Row]) -> tuple[int, ...]:
    return tuple(sorted(row.line for row in judged)[:8])


def _same_model(seen: str, wanted: str) -> bool:
    return seen.removeprefix("NVIDIA ") == wanted.removeprefix("NVIDIA ")
