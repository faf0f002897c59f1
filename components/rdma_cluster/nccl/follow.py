"""No fact is told twice: a gate that fails only because another one did says so, and is not told on its own."""

from collections.abc import Mapping
from dataclasses import replace

from .gate import Gate
from .run import Run


def told_once(held: Mapping[str, Gate], alone: Mapping[str, Gate], run: Run) -> dict[str, Gate]:
    """The gates of one test with what each only follows from. ``alone`` are the gates by the test's own extent, where
    that is not the wanted one."""
    causes = _causes(held, alone, run)
    return {
        name: replace(gate, because=causes[name]) if not gate.passed and name in causes else gate
        for name, gate in held.items()
    }


def _causes(held: Mapping[str, Gate], alone: Mapping[str, Gate], run: Run) -> dict[str, str]:
    failed = {name for name, gate in held.items() if not gate.passed}
    causes: dict[str, str] = {}

    def follow(cause: str, *names: str) -> None:
        for name in names:
            if cause in failed and name in failed and name != cause and name not in causes:
                causes[name] = cause

    if not run.rows:
        first = "finished" if run.failures or run.overflow else "ran"
        follow(first, "ran", "finished", "collective", "implied_ranks", "rows", "data", "bandwidth")
    if run.out_of_bounds_line is None:
        cut = [run.largest.line] if run.largest else []  # the last row may be cut as well
        if not run.wrong and run.unchecked in ([], cut):
            follow("finished", "data")
        if run.masked in ([], cut):
            follow("finished", "rows")
        if run.masked and list(held["bandwidth"].lines) == cut:
            follow("finished", "bandwidth")
    if not run.ranks:
        follow("nodes", "ranks", "gpus")
        if not run.evidence.silent:
            follow("nodes", "transport")
    if alone:
        extent = "ranks" if "nodes" not in failed else "nodes"
        follow(extent, "ranks", *(name for name, gate in alone.items() if gate.passed))
        if not any(line in run.refused for line in run.averages.values()):
            follow(extent, "bandwidth")  # a floor holds for one extent alone
    elif len(run.hosts) == 1:
        follow("nodes", "ranks", "gpus", "implied_ranks", "nics", "gdr")
    if run.evidence.silent:
        follow("transport", "socket", "nics", "gdr")
    elif any("Socket" in name for name in run.evidence.names()):
        follow("socket", "transport", "gdr", "nics")
    else:
        follow("transport", "socket", "gdr", "nics")
    if not run.evidence.channels.total:
        follow("gdr", "nics")
    if not any(row.out_alg for row in run.rows.values()):
        follow("rows", "implied_ranks")
    if not any(row.out_bus for row in run.rows.values()):
        follow("rows", "bandwidth")
    return causes
