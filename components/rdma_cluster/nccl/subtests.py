"""Tests of a part of the wanted extent, a pair of its nodes or a rail of them, and the nodes and rails they blame.

A part locates what is at fault, and is judged by every gate like the whole; only its extent is its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .busbw import factor, fits
from .expectation import Expectation
from .gate import Gate, collective_of, lines_of
from .gates import spread
from .run import Run

SLOW = 0.8
"""A pair or a rail is slow below this part of the best one, or below its threshold."""


@dataclass(frozen=True, slots=True)
class Subtest:
    """One test with the expectation that it is judged by."""

    kind: str
    """``whole``, ``pair``, ``rail``, or ``rails`` for one that runs several rails apart."""
    run: Run
    want: Expectation
    rails: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """As a person calls it; empty for the whole."""
        if self.kind == "pair":
            return f"pair {' and '.join(self.run.hosts)}"
        return f"{self.kind} {'/'.join(map(str, self.rails))}" if self.kind in ("rail", "rails") else ""

    @property
    def speed(self) -> float:
        """Out-of-place busbw at the largest size; none at all, or none of a test that ended, counts as zero."""
        row = self.run.largest
        return row.out_bus.value if row and row.out_bus and self.run.averages else 0.0


@dataclass(frozen=True, slots=True)
class Judged:
    """A part, and whether it failed by itself."""

    subtest: Subtest
    failed: bool


@dataclass(frozen=True, slots=True)
class Suspect:
    """A node, a pair of nodes or a rail that is broken or slow."""

    kind: str
    """``node``, ``pair`` or ``rail``."""
    name: str
    why: str
    partners: tuple[str, ...] = ()
    """The other nodes of a node's bad pairs."""

    @property
    def is_suspected(self) -> bool:
        """A node that failed with two others or more, each of them good elsewhere."""
        return self.kind == "node" and len(self.partners) >= 2


def subtests(runs: Sequence[Run], want: Expectation) -> list[Subtest]:
    """Each test with its part. A test that stands alone is taken for the whole, whatever it covers."""
    return [Subtest("whole", runs[0], want)] if len(runs) == 1 else [_subtest(run, want) for run in runs]


def _subtest(run: Run, want: Expectation) -> Subtest:
    if rails := rails_of(run, want):
        kind, gpus = ("rail", 1) if len(rails) == 1 else ("rails", len(rails))
        return Subtest(kind, run, replace(_narrowed(want, len(run.hosts), gpus), nics=None), rails)
    if is_pair(run, want):
        return Subtest("pair", run, _narrowed(want, 2, want.gpus_per_node))
    return Subtest("whole", run, want)


def own_extent(run: Run, want: Expectation) -> Expectation | None:
    """The expectation with the nodes and GPUs that the test itself shows; ``None`` where it does not show one
    extent, or its figures are those of another."""
    per_node = spread(run)
    if len(per_node) != 1 or len(run.hosts) < 2 or run.conflicts or not _clean(run, want, len(run.ranks)):
        return None
    (gpus,) = per_node
    nodes = len(run.hosts)
    if (nodes, gpus) == (want.nodes, want.gpus_per_node):
        return None
    return _narrowed(want, nodes, gpus)


def is_pair(run: Run, want: Expectation) -> bool:
    """Whether a test is over two nodes of a larger pool."""
    return (
        want.nodes > 2
        and len(run.hosts) == 2
        and run.groups == 1
        and spread(run) == {want.gpus_per_node}
        and _clean(run, want, len(run.ranks))
    )


def rails_of(run: Run, want: Expectation) -> tuple[int, ...]:
    """The rails of a test that keeps to rails: one GPU of the same index a node, or one group a rail."""
    size, rest = divmod(len(run.ranks), max(run.groups, 1))
    if want.gpus_per_node < 2 or rest or size < 2 or size != len(run.hosts) or not _clean(run, want, size):
        return ()
    by_group: dict[int, set[int]] = {}
    for rank in run.ranks.values():
        by_group.setdefault(rank.group, set()).add(rank.device)
    if any(len(devices) != 1 for devices in by_group.values()):
        return ()
    return tuple(sorted(device for devices in by_group.values() for device in devices))


def _narrowed(want: Expectation, nodes: int, gpus: int) -> Expectation:
    """Fewer nodes or GPUs: NICs and wire in proportion, and no threshold, for thresholds are not scaled."""
    nics, rest = divmod((want.nics or 0) * gpus, want.gpus_per_node)
    wire = want.wire_gbytes and want.wire_gbytes * gpus / want.gpus_per_node
    collective = want.collective or (next(iter(want.thresholds)) if len(want.thresholds) == 1 else None)
    return replace(
        want,
        nodes=nodes,
        gpus_per_node=gpus,
        nics=nics if nics and not rest else None,
        wire_gbytes=wire,
        thresholds={},
        collective=collective,
    )


def _clean(run: Run, want: Expectation, ranks: int) -> bool:
    """Whether the list of devices is whole, and the figures are of that many ranks."""
    judged = collective_of(run, want)
    scale = factor(judged, ranks) if judged and ranks > 1 else None
    if scale is None or set(run.ranks) != set(range(len(run.ranks))):
        return False
    return all(fits(row.out_alg, row.out_bus, scale) for row in run.rows_with_figures() if row.out_alg and row.out_bus)


def slow(subtest: Subtest, peers: Sequence[Subtest]) -> Gate:
    """The gate ``bandwidth`` of a part, for which no threshold is published: measured against the best of its kind."""
    collective = collective_of(subtest.run, subtest.want)
    rivals = [
        peer.speed for peer in peers if peer.kind == subtest.kind and collective_of(peer.run, peer.want) == collective
    ]
    best = max(rivals, default=0.0)
    seen, wanted = f"{subtest.speed:g} GB/s", f"{SLOW:.0%} of the best {subtest.kind}, which has {best:g} GB/s"
    lines = lines_of([subtest.run.largest]) if subtest.run.largest else ()
    if len(rivals) < 2:
        return Gate("bandwidth", subtest.speed > 0, seen, "a figure; there is no other to compare it with", lines)
    cause = f"it alone is slow: look at its NIC and cable ({subtest.name})"
    return Gate("bandwidth", subtest.speed >= SLOW * best, seen, wanted, lines, cause)


def locate(judged: Sequence[Judged]) -> tuple[Suspect, ...]:
    """Every node, pair and rail that the runs of pairs and of rails prove to be at fault."""
    pairs = [each for each in judged if each.subtest.kind in ("pair", "whole") and len(each.subtest.run.hosts) == 2]
    rails = [each for each in judged if each.subtest.kind == "rail"]
    split = [each.subtest.run for each in judged if each.subtest.run.groups > 1]
    return (*_from_pairs(pairs), *_from_rails(rails), *_from_split(split))


def _from_pairs(judged: Sequence[Judged]) -> Iterator[Suspect]:
    """A node all of whose pairs are bad, one of them with a good node; else the pair."""
    if len({tuple(each.subtest.run.hosts) for each in judged}) < 2:
        return
    best = max(each.subtest.speed for each in judged)
    good: set[str] = set()
    bad: dict[tuple[str, ...], str] = {}
    for each in judged:
        hosts, speed = each.subtest.run.hosts, each.subtest.speed
        if each.failed or speed < SLOW * best:
            bad[tuple(hosts)] = f"{speed:g} GB/s" if speed else "no result"
        else:
            good.update(hosts)
    nodes = [
        host
        for host in sorted({host for pair in bad for host in pair} - good)
        if any(set(pair) - {host} <= good for pair in bad if host in pair)
    ]
    yield from (_node(host, bad, best) for host in nodes)
    for pair, figure in bad.items():
        why = f"{figure}, the best pair has {best:g} GB/s"
        if set(pair) <= good:
            yield Suspect("pair", " - ".join(pair), f"{why}; each is fine elsewhere: look at the way between them")
        elif not set(nodes) & set(pair):
            either = f"{why}, and neither was seen in a good pair: run each against a good node"
            yield Suspect("pair", " or ".join(pair), either)


def _node(host: str, bad: dict[tuple[str, ...], str], best: float) -> Suspect:
    """A node with its bad pairs."""
    mine = {pair: figure for pair, figure in bad.items() if host in pair}
    partners = tuple(sorted({other for pair in mine for other in pair if other != host}))
    figures = " and ".join(f"{figure} in the pair with {' '.join(set(pair) - {host})}" for pair, figure in mine.items())
    is_suspected = f"; the suspect: {len(partners)} others blame it" if len(partners) > 1 else ""
    return Suspect("node", host, f"{figures}, the best pair has {best:g} GB/s{is_suspected}", partners)


def _from_rails(judged: Sequence[Judged]) -> list[Suspect]:
    best = max((each.subtest.speed for each in judged), default=0.0)
    suspects: dict[int, Suspect] = {}
    for each in judged:
        (rail,), speed = each.subtest.rails, each.subtest.speed
        if each.failed or (len(judged) > 1 and speed < SLOW * best):
            figure = f"{speed:g} GB/s, the best rail has {best:g}" if speed else "no result"
            suspects.setdefault(rail, Suspect("rail", str(rail), figure))
    return [suspects[rail] for rail in sorted(suspects)]


def _from_split(runs: Sequence[Run]) -> Iterator[Suspect]:
    """One table stands for all groups; only the processes' own times tell the rails apart."""
    for run in runs:
        slowest: dict[int, float] = {}
        for process, seconds in run.process_seconds.items():
            if process in run.ranks:
                rail = run.ranks[process].device
                slowest[rail] = max(slowest.get(rail, 0.0), seconds)
        best = min(slowest.values(), default=0.0)
        for rail, seconds in sorted(slowest.items()):
            if best < SLOW * seconds:
                why = f"{seconds * 1e3:.4g} ms, the best rail takes {best * 1e3:.4g}"
                yield Suspect("rail", str(rail), why)
