"""Which node or rail is at fault: read off from tests over pairs of nodes, and from tests over single rails."""

from collections.abc import Sequence
from dataclasses import dataclass

from .gate import Gate, collective_of, lines_of
from .parts import Part
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
    partners: tuple[str, ...] = ()
    """The other nodes of a node's bad pairs."""

    @property
    def suspect(self) -> bool:
        """A node that failed with two others or more, each of them good elsewhere."""
        return self.kind == "node" and len(self.partners) >= 2


@dataclass(frozen=True, slots=True)
class Judged:
    """A part, and whether it failed by itself."""

    part: Part
    failed: bool


def slow(part: Part, peers: Sequence[Part], gate: Gate) -> Gate:
    """The gate ``bandwidth`` of a part, for which no floor is published: measured against the best of its kind."""
    speed = _speed(part.run)
    rivals = [_speed(peer.run) for peer in peers if _alike(part, peer)]
    best = max(rivals, default=0.0)
    seen, wanted = f"{speed:g} GB/s", f"{SLOW:.0%} of the best {part.kind}, which has {best:g} GB/s"
    row = part.run.largest
    lines = lines_of([row]) if row else ()
    if len(rivals) < 2:
        return Gate(gate.name, speed > 0, seen, "a figure; there is no other to compare it with", lines)
    cause = f"it alone is slow: look at its NIC and cable ({part.name})"
    return Gate(gate.name, speed >= SLOW * best, seen, wanted, lines, cause)


def locate(judged: Sequence[Judged]) -> tuple[Culprit, ...]:
    """Every fault that pair runs and rail runs prove."""
    pairs = [each for each in judged if each.part.kind in ("pair", "whole") and len(each.part.run.hosts) == 2]
    rails = [each for each in judged if each.part.kind == "rail"]
    split = [each.part.run for each in judged if each.part.run.groups > 1]
    return (*_from_pairs(pairs), *_from_rails(rails), *_from_split(split))


def _from_pairs(judged: Sequence[Judged]) -> list[Culprit]:
    if len({tuple(each.part.run.hosts) for each in judged}) < 2:
        return []
    best = max(_speed(each.part.run) for each in judged)
    good: set[str] = set()
    bad: dict[tuple[str, ...], str] = {}
    for each in judged:
        run, speed = each.part.run, _speed(each.part.run)
        if each.failed or speed < SLOW * best:
            bad[tuple(run.hosts)] = f"{speed:g} GB/s" if speed else "no result"
        else:
            good.update(run.hosts)
    found = [_node(host, bad, best) for host in sorted({host for pair in bad for host in pair} - good)
             if any(set(pair) - {host} <= good for pair in bad if host in pair)]  # fmt: skip
    named = {each.name for each in found}
    for pair, figure in bad.items():
        why = f"{figure}, the best pair has {best:g} GB/s"
        if set(pair) <= good:
            found.append(
                Culprit("pair", " - ".join(pair), f"{why}; each is fine elsewhere: look at the way between them")
            )
        elif not named & set(pair):
            either = f"{why}, and neither was seen in a good pair: run each against a good node"
            found.append(Culprit("pair", " or ".join(pair), either))
    return found


def _node(host: str, bad: dict[tuple[str, ...], str], best: float) -> Culprit:
    mine = {pair: figure for pair, figure in bad.items() if host in pair}
    partners = tuple(sorted({other for pair in mine for other in pair if other != host}))
    figures = " and ".join(f"{figure} in the pair with {' '.join(set(pair) - {host})}" for pair, figure in mine.items())
    suspect = f"; the suspect: {len(partners)} others blame it" if len(partners) > 1 else ""
    return Culprit("node", host, f"{figures}, the best pair has {best:g} GB/s{suspect}", partners)


def _from_rails(judged: Sequence[Judged]) -> list[Culprit]:
    best = max((_speed(each.part.run) for each in judged), default=0.0)
    found: dict[int, Culprit] = {}
    for each in judged:
        (rail,), speed = each.part.rails, _speed(each.part.run)
        if each.failed or (len(judged) > 1 and speed < SLOW * best):
            figure = f"{speed:g} GB/s, the best rail has {best:g}" if speed else "no result"
            found.setdefault(rail, Culprit("rail", str(rail), figure))
    return [found[rail] for rail in sorted(found)]


def _from_split(runs: Sequence[Run]) -> list[Culprit]:
    """One table stands for all groups; only the processes' own times tell the rails apart."""
    found = []
    for run in (run for run in runs if run.process_seconds):
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


def _alike(part: Part, peer: Part) -> bool:
    """Whether two parts can be compared: of one kind, of one collective, at one size."""
    same = collective_of(part.run, part.want) == collective_of(peer.run, peer.want)
    return same and part.kind == peer.kind


def _speed(run: Run) -> float:
    """Out-of-place busbw at the largest size; none at all, or none that ended, counts as zero."""
    row = run.largest
    return row.out_bus.value if row and row.out_bus and run.averages else 0.0
