"""A threshold of the user's own, ``all_reduce:1G=300``: for machines of which no run is published."""

import re

from ....nccl.busbw import COLLECTIVES
from ....nccl.expectation import GIB, SizeThreshold

_FORM = re.compile(r"(\w+):(\d+)([KMGT]?)=(\d+(?:\.\d+)?)", re.ASCII)
_SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": GIB, "T": 1 << 40}
_BUFFERS = 3
"""Buffers of the largest size that nccl-tests allocates, beside a GiB for the rest; it runs no row that does not fit
(NVIDIA/nccl-tests@01d6761 src/common.cu, memMaxBytes)."""


def row_from(size: int) -> int:
    """The first row from a size on: rows go from 1 GiB by powers of 2."""
    return max(GIB, 1 << (size - 1).bit_length())


def largest_row(memory_gib: int) -> int:
    """The last row that GPUs of some memory hold."""
    most = (memory_gib - 1) * GIB // _BUFFERS
    return 1 << (most.bit_length() - 1)


class BadThresholdError(ValueError):
    """Words that are no threshold; says what would be one."""


def parse_thresholds(words: list[str]) -> dict[str, tuple[SizeThreshold, ...]]:
    """``COLLECTIVE:SIZE=GBPS`` of each word: the least out-of-place bus bandwidth in GB/s from a message size on."""
    thresholds: dict[str, dict[int, float]] = {}
    for word in words:
        match = _FORM.fullmatch(word)
        if match is None:
            raise BadThresholdError(f"got {word!r}; write COLLECTIVE:SIZE=GBPS, e.g. all_reduce:1G=300")
        collective, size, threshold = match[1], int(match[2]) * _SIZES[match[3]], float(match[4])
        if collective not in COLLECTIVES:
            raise BadThresholdError(f"got {word!r}; nccl-tests has {', '.join(COLLECTIVES)}")
        if size < GIB:
            raise BadThresholdError(f"got {word!r}; sizes from 1G on are judged")
        if threshold <= 0:
            raise BadThresholdError(f"got {word!r}; a threshold of 0 proves nothing, waive the gate bandwidth instead")
        if size in thresholds.setdefault(collective, {}):
            raise BadThresholdError(f"got {word!r}; that size of {collective} has a threshold already")
        thresholds[collective][size] = threshold
    return {
        collective: tuple(SizeThreshold(size, threshold) for size, threshold in sorted(sizes.items()))
        for collective, sizes in thresholds.items()
    }
