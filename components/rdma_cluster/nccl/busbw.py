"""Bus bandwidth over algorithm bandwidth: the factor tells how many ranks really took part."""

from .rows import Cell, Row

_TWICE = ("all_reduce",)
_ONCE = ("all_gather", "reduce_scatter", "alltoall", "alltoallv", "gather", "scatter")
_FLAT = ("broadcast", "reduce", "sendrecv", "hypercube")
COLLECTIVES = _TWICE + _ONCE + _FLAT


def factor(collective: str, ranks: int) -> float | None:
    """busbw / algbw of a collective over a number of ranks; ``None`` for one nccl-tests does not have."""
    if collective in _TWICE:
        return 2 * (ranks - 1) / ranks
    if collective in _ONCE:
        return (ranks - 1) / ranks
    return 1.0 if collective in _FLAT else None


def fits(alg: Cell, bus: Cell, wanted: float) -> bool:
    """Whether two printed figures can have that factor, given how they were rounded."""
    low, high = max(bus.value - bus.half, 0.0), bus.value + bus.half
    return (alg.value - alg.half) * wanted <= high + 1e-9 and low <= (alg.value + alg.half) * wanted + 1e-9


def implied_ranks(collective: str, alg: Cell, bus: Cell) -> float | None:
    """The number of ranks that the two figures stand for; ``None`` where the factor says nothing."""
    if alg.value <= 0:
        return None
    ratio = bus.value / alg.value
    whole = 2.0 if collective in _TWICE else 1.0
    if collective in _FLAT or ratio >= whole:
        return None
    return whole / (whole - ratio)


def could_be(collective: str, row: Row) -> bool:
    """Whether a row's own columns fit a collective: its reduction, and its count against its size."""
    reduces = collective in ("all_reduce", "reduce_scatter", "reduce")
    if row.redop is not None and reduces == (row.redop == "none"):
        return False
    if collective in ("all_gather", "reduce_scatter", "alltoall", "gather", "scatter") and row.size:
        return row.count * row.width < row.size
    return row.count * row.width == row.size
