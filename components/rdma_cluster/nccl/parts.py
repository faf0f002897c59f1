"""What part of the wanted extent each test covers: the whole, a pair of its nodes, or a rail of them.

A part locates what is at fault, and is judged by every gate like the whole; only its extent is its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .busbw import factor, fits
from .expectation import Expectation
from .gate import collective_of
from .gates import spread
from .run import Run


@dataclass(frozen=True, slots=True)
class Part:
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


def parts(runs: Sequence[Run], want: Expectation) -> list[Part]:
    """Each test with its part. A test that stands alone is taken for the whole, whatever it covers."""
    found = [_part(run, want) for run in runs]
    return [Part("whole", runs[0], want)] if len(runs) == 1 else found


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
    """A test over two nodes of a larger pool."""
    return (
        want.nodes > 2
        and len(run.hosts) == 2
        and run.groups == 1
        and spread(run) == {want.gpus_per_node}
        and _clean(run, want, len(run.ranks))
    )


def rails_of(run: Run, want: Expectation) -> tuple[int, ...]:
    """The rails of a test that keeps to rails: one GPU of the same index a node, or one group a rail."""
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


def _part(run: Run, want: Expectation) -> Part:
    if rails := rails_of(run, want):
        kind, gpus = ("rail", 1) if len(rails) == 1 else ("rails", len(rails))
        return Part(kind, run, replace(_narrowed(want, len(run.hosts), gpus), nics=None), rails)
    if is_pair(run, want):
        return Part("pair", run, _narrowed(want, 2, want.gpus_per_node))
    return Part("whole", run, want)


def _narrowed(want: Expectation, nodes: int, gpus: int) -> Expectation:
    """Fewer nodes or GPUs: NICs and wire in proportion, and no floor, for floors are not scaled."""
    nics, rest = divmod((want.nics or 0) * gpus, want.gpus_per_node)
    wire = want.wire_gbytes and want.wire_gbytes * gpus / want.gpus_per_node
    known = want.nics is not None and not rest and nics > 0
    collective = want.collective or (next(iter(want.floors)) if len(want.floors) == 1 else None)
    return replace(
        want, nodes=nodes, gpus_per_node=gpus, nics=nics if known else None, wire_gbytes=wire, floors={},
        collective=collective,
    )  # fmt: skip


def _clean(run: Run, want: Expectation, ranks: int) -> bool:
    """Whether the list of devices is whole, and the figures are of that many ranks."""
    judged = collective_of(run, want)
    scale = factor(judged, ranks) if judged and ranks > 1 else None
    if scale is None or set(run.ranks) != set(range(len(run.ranks))):
        return False
    rows = [row for row in run.rows.values() if row.size >= 1 << 20 and row.out_alg and row.out_bus]
    return all(fits(row.out_alg, row.out_bus, scale) for row in rows if row.out_alg and row.out_bus)
