"""Which node or rail is at fault: read off from runs over pairs of nodes, and from runs over single rails."""

from dataclasses import dataclass

from .busbw import factor, fits
from .expectation import Expectation
from .gates import collective_of
from .run import Run

SLOW = 0.8
"""A pair or a rail is slow below this part of the best one, or below its floor."""


@dataclass(frozen=True, slots=True)
class Culprit:
    """A node, a pair of nodes or a rail that is broken or slow."""

    kind: str
    """``node``, ``pair`` or ``rail``."""
    name: str
    why: str


def is_pair(run: Run, want: Expectation) -> bool:
    """A whole run over two nodes of a larger pool."""
    return want.nodes > 2 and len(run.hosts) == 2 and run.groups == 1 and _clean(run, want, len(run.ranks))


def rails_of(run: Run, want: Expectation) -> tuple[int, ...]:
    """The rails of a run that keeps to rails: one GPU of the same index a node, or one group a rail."""
    if want.gpus_per_node < 2 or not run.ranks or len(run.ranks) % max(run.groups, 1):
        return ()
    size = len(run.ranks) // max(run.groups, 1)
    if size != len(run.hosts) or size < 2 or not _clean(run, want, size):
        return ()
    by_group: dict[int, set[int]] = {}
    for rank in run.ranks.values():
        by_group.setdefault(rank.group, set()).add(rank.device)
    if any(len(devices) != 1 for devices in by_group.values()):
        return ()
    return tuple(sorted(next(iter(devices)) for devices in by_group.values()))


def locate(runs: list[Run], want: Expectation) -> tuple[Culprit, ...]:
    """Every fault that pair runs and rail runs prove."""
    pairs = [run for run in runs if len(run.hosts) == 2 and (is_pair(run, want) or want.nodes == 2)]
    rails = [run for run in runs if rails_of(run, want)]
    found = _from_pairs([run for run in pairs if run not in rails], want)
    return (*found, *_from_rails([run for run in rails if run.groups == 1], want), *_from_split(rails))


def _from_pairs(runs: list[Run], want: Expectation) -> list[Culprit]:
    if len({tuple(run.hosts) for run in runs}) < 2:
        return []
    speeds = [_speed(run) for run in runs]
    best = max(speeds)
    good: set[str] = set()
    bad: list[tuple[Run, float]] = []
    for run, speed in zip(runs, speeds, strict=True):
        if _slow(run, speed, best, want):
            bad.append((run, speed))
        else:
            good.update(run.hosts)
    found: dict[str, Culprit] = {}
    for run, speed in bad:
        left = [host for host in run.hosts if host not in good]
        why = f"{speed:g} GB/s in the pair {' and '.join(run.hosts)}, the best pair has {best:g}"
        if len(left) == 1:
            found.setdefault(left[0], Culprit("node", left[0], why))
        elif not left:
            name = " - ".join(run.hosts)
            found.setdefault(name, Culprit("pair", name, f"{why}; each is fine elsewhere"))
    for run, speed in bad:
        left = [host for host in run.hosts if host not in good]
        if len(left) == 2 and not any(host in found for host in left):
            why = f"{speed:g} GB/s, and neither was seen in a good pair: run each against a good node"
            found.setdefault(" or ".join(left), Culprit("pair", " or ".join(left), why))
    return list(found.values())


def _from_rails(runs: list[Run], want: Expectation) -> list[Culprit]:
    if len(runs) < 2:
        return []
    speeds = {rails_of(run, want)[0]: _speed(run) for run in sorted(runs, key=_speed, reverse=True)}
    best = max(speeds.values())
    return [
        Culprit("rail", str(rail), f"{speed:g} GB/s, the best rail has {best:g}")
        for rail, speed in sorted(speeds.items())
        if speed < SLOW * best
    ]


def _from_split(runs: list[Run]) -> list[Culprit]:
    """One table stands for all groups; only the processes' own times tell the rails apart."""
    found = []
    for run in (run for run in runs if run.groups > 1 and run.process_seconds):
        slowest: dict[int, float] = {}
        for process, seconds in run.process_seconds.items():
            if process in run.ranks:
                rail = run.ranks[process].device
                slowest[rail] = max(slowest.get(rail, 0.0), seconds)
        best = min(slowest.values(), default=0.0)
        for rail, seconds in sorted(slowest.items()):
            if best < SLOW * seconds:
                why = f"{seconds * 1e3:.4g} ms, the best rail takes {best * 1e3:.4g}"
                found.append(Culprit("rail", str(rail), why))
    return found


def _clean(run: Run, want: Expectation, ranks: int) -> bool:
    """Whether the run is whole, and its figures are of that many ranks."""
    judged = collective_of(run, want)
    scale = factor(judged, ranks) if judged and ranks > 1 else None
    if scale is None or set(run.ranks) != set(range(len(run.ranks))):
        return False
    rows = [row for row in run.rows.values() if row.size >= 1 << 20 and row.out_alg and row.out_bus]
    return all(fits(row.out_alg, row.out_bus, scale) for row in rows if row.out_alg and row.out_bus)


def _speed(run: Run) -> float:
    """Out-of-place busbw at the largest size; none at all counts as zero."""
    row = run.rows[max(run.rows)] if run.rows else None
    return row.out_bus.value if row and row.out_bus and run.averages else 0.0


def _slow(run: Run, speed: float, best: float, want: Expectation) -> bool:
    floor = want.floor_at(collective_of(run, want), max(run.rows, default=0)) if want.nodes == 2 else None
    return speed < SLOW * best or (floor is not None and speed < floor) or bool(run.wrong)
