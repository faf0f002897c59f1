"""Tests of a part of the wanted extent, a pair of its nodes or a rail of them.

A part locates what is at fault, and is judged by every gate like the whole; only its extent is its own.
"""

from collections.abc import Iterable, Sequence
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

    @property
    def is_relative(self) -> bool:
        """Whether no threshold is known for it, so that only others of its kind tell whether it is slow."""
        want = self.want
        return self.kind != "whole" or (want.collective in want.also and want.collective not in want.thresholds)

    @property
    def measure(self) -> tuple[str, str | None, int, int]:
        """What its speed can be compared with: tests of the same kind, collective, largest size and number of nodes."""
        run = self.run
        size = run.nominal(run.largest.size) if run.largest else 0
        return self.kind, collective_of(run, self.want), size, len(run.hosts)


def subtests(runs: Sequence[Run], want: Expectation) -> list[Subtest]:
    """Each test with its part. A test that stands alone is taken for the whole, whatever it covers."""
    if len(runs) == 1:
        return [Subtest("whole", runs[0], _besides(runs[0], want))]
    return [_subtest(run, _besides(run, want)) for run in runs]


def _besides(run: Run, want: Expectation) -> Expectation:
    """The expectation of a collective that is run besides the wanted one, where the test names one."""
    return replace(want, collective=run.collective) if run.collective and run.collective in want.also else want


def _subtest(run: Run, want: Expectation) -> Subtest:
    if rails := rails_of(run, want):
        kind, gpus = ("rail", 1) if len(rails) == 1 else ("rails", len(rails))
        return Subtest(kind, run, replace(_narrowed(run, want, len(run.hosts), gpus), nics=None), rails)
    if is_pair(run, want):
        return Subtest("pair", run, _narrowed(run, want, 2, want.gpus_per_node))
    return Subtest("whole", run, want)


def own_extent(run: Run, want: Expectation) -> Expectation | None:
    """The expectation with the nodes and GPUs that the test itself shows; ``None`` where it does not show one
    extent, or its figures are those of another."""
    per_node = spread(run)
    if len(per_node) != 1 or len(run.hosts) < 2 or run.conflicts or not _clean(run, want, len(run.ranks)):
        return None
    (gpus,) = per_node
    nodes = len(run.hosts)
    return None if (nodes, gpus) == (want.nodes, want.gpus_per_node) else _narrowed(run, want, nodes, gpus)


def is_pair(run: Run, want: Expectation) -> bool:
    """Whether a test is over two nodes of a larger pool."""
    is_two = want.nodes > 2 and len(run.hosts) == 2 and run.groups == 1
    return is_two and spread(run) == {want.gpus_per_node} and _clean(run, want, len(run.ranks))


def rails_of(run: Run, want: Expectation) -> tuple[int, ...]:
    """The rails of a test that keeps to rails: one GPU of the same index a node, or one group a rail."""
    size, rest = divmod(len(run.ranks), max(run.groups, 1))
    if want.gpus_per_node < 2 or rest or size < 2 or size != len(run.hosts) or not _clean(run, want, size):
        return ()
    by_group: dict[int, set[int]] = {}
    for rank in run.ranks.values():
        by_group.setdefault(rank.group, set()).add(rank.device)
    alone = all(len(devices) == 1 for devices in by_group.values())
    return tuple(sorted(device for devices in by_group.values() for device in devices)) if alone else ()


def _narrowed(run: Run, want: Expectation, nodes: int, gpus: int) -> Expectation:
    """Fewer nodes or GPUs: NICs and wire in proportion, and no threshold, for thresholds are not scaled."""
    nics, rest = divmod((want.nics or 0) * gpus, want.gpus_per_node)
    count = nics if nics and not rest else None
    wire = want.wire_gbytes and want.wire_gbytes * gpus / want.gpus_per_node
    own = replace(want, nodes=nodes, gpus_per_node=gpus, nics=count, wire_gbytes=wire, thresholds={})
    return replace(own, collective=want.collective or collective_of(run, want))


def _clean(run: Run, want: Expectation, ranks: int) -> bool:
    """Whether the list of devices is whole, and the figures are of that many ranks, two or more."""
    judged = collective_of(run, want)
    scale = factor(judged, ranks) if judged else None
    if scale is None or set(run.ranks) != set(range(len(run.ranks))):
        return False
    return all(fits(row.out_alg, row.out_bus, scale) for row in run.rows_with_figures() if row.out_alg and row.out_bus)


def best_of(tests: Iterable[Subtest]) -> dict[tuple[str, str | None, int, int], float]:
    """The highest speed among tests that can be compared."""
    best: dict[tuple[str, str | None, int, int], float] = {}
    for test in tests:
        best[test.measure] = max(best.get(test.measure, 0.0), test.speed)
    return best


def slow(subtest: Subtest, peers: Sequence[Subtest]) -> Gate:
    """The gate ``bandwidth`` of a part, for which no threshold is published: measured against the best of its kind."""
    rivals = [peer.speed for peer in peers if peer.measure == subtest.measure]
    best = max(rivals)
    seen, wanted = f"{subtest.speed:g} GB/s", f"{SLOW:.0%} of the best {subtest.kind}, which has {best:g} GB/s"
    lines = lines_of([subtest.run.largest]) if subtest.run.largest else ()
    if len(rivals) < 2:
        return Gate("bandwidth", subtest.speed > 0, seen, "a figure; there is no other to compare it with", lines)
    where = subtest.name or " and ".join(subtest.run.hosts)
    cause = (
        f"it alone is slow ({where}): run ibv_devinfo or fi_info there, and look at NICs, cables and switch ports; it "
        "is probably not a setting of NCCL, which the others have as well"
    )
    return Gate("bandwidth", subtest.speed >= SLOW * best, seen, wanted, lines, cause)
