"""Bus bandwidth over algorithm bandwidth: the factor tells how many ranks took part, and the wire what can be."""

from .rows import Cell, Row

_TWICE = ("all_reduce",)
_ONCE = ("all_gather", "reduce_scatter", "alltoall", "alltoallv", "gather", "scatter")
_FLAT = ("broadcast", "reduce", "sendrecv", "hypercube")
COLLECTIVES = _TWICE + _ONCE + _FLAT
NOT_IN_PLACE = ("alltoall", "alltoallv", "sendrecv")
"""Collectives whose in-place column nccl-tests never checks: it prints N/A there (``reportErrors`` in its sources)."""


def factor(collective: str, ranks: int) -> float | None:
    """busbw / algbw of a collective over a number of ranks; ``None`` for one nccl-tests does not have."""
    if collective in _TWICE:
        return 2 * (ranks - 1) / ranks
    return (ranks - 1) / ranks if collective in _ONCE else 1.0 if collective in _FLAT else None


def most_busbw(collective: str, nodes: int, gpus: int, wire_gbytes: float, in_network: bool) -> float | None:
    """The most bus bandwidth, GB/s, that NICs of ``wire_gbytes`` a node can carry; ``None`` where no bound is known.

    A reduction adds up inside the node first, so that a node sends 2 (N-1)/N of the message, or all of it once where
    the switches add up (SHARP). Of gather and scatter each rank has one part, and the parts of the root's own node need
    no wire. All else goes round in rings, whose every byte crosses each node's wire.
    """
    ranks = nodes * gpus
    scale = factor(collective, ranks)
    if scale is None or nodes < 2:
        return None
    if collective in _TWICE:
        sent = 1.0 if in_network else 2 * (nodes - 1) / nodes
    elif collective in ("alltoall", "alltoallv"):
        sent = gpus * (ranks - gpus) / ranks
    elif collective in ("gather", "scatter"):
        sent = (ranks - gpus) / ranks
    elif collective in _ONCE and in_network:
        sent = (nodes - 1) / nodes
    else:
        sent = scale
    return wire_gbytes * scale / sent


def fits(alg: Cell, bus: Cell, wanted: float) -> bool:
    """Whether two printed figures can have that factor, given how they were rounded."""
    low, high = max(bus.value - bus.half, 0.0), bus.value + bus.half
    return (alg.value - alg.half) * wanted <= high + 1e-9 and low <= (alg.value + alg.half) * wanted + 1e-9


def fits_time(size: int, micros: Cell, alg: Cell) -> bool:
    """Whether a printed time and algorithm bandwidth, GB/s, belong to a message of that size."""
    most = size / max(micros.value - micros.half, 1e-9) / 1e3
    least = size / (micros.value + micros.half) / 1e3
    return least <= alg.value + alg.half + 1e-9 and alg.value - alg.half <= most + 1e-9


def implied_ranks(collective: str, alg: Cell, bus: Cell) -> float | None:
    """The number of ranks that the two figures stand for; ``None`` where the factor says nothing."""
    if alg.value <= 0:
        return None
    ratio = bus.value / alg.value
    whole = 2.0 if collective in _TWICE else 1.0
    return None if collective in _FLAT or ratio >= whole else whole / (whole - ratio)


def could_be(collective: str, row: Row) -> bool:
    """Whether a row's own columns fit a collective: its reduction, and its count against its size.

    sendrecv reduces nothing and prints ``sum`` or ``none`` all the same.
    """
    reduces = collective in ("all_reduce", "reduce_scatter", "reduce")
    if row.redop is not None and collective != "sendrecv" and reduces == (row.redop == "none"):
        return False
    if collective in ("all_gather", "reduce_scatter", "alltoall", "gather", "scatter") and row.size:
        return row.count * row.width < row.size
    return collective == "alltoallv" or row.count * row.width == row.size
