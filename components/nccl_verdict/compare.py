"""Two logs of the same test, with a fabric's plugin and without it, size by size; no verdict.

``python3 -m nccl_verdict.compare NAME WITH.log WITHOUT.log``
"""

import sys

from .expectation import size_text
from .files import read_log


def figures(log: str) -> dict[int, float]:
    """Out-of-place bus bandwidth in GB/s by message size."""
    rows = (row for run in read_log(log) for row in run.rows.values())
    return {row.size: row.out_bus.value for row in rows if row.out_bus is not None}


def lines(name: str, on: dict[int, float], off: dict[int, float]) -> list[str]:
    """A line for each size that both have, and from which size on the plugin is the faster; ``name`` is its name."""
    sizes = [size for size in sorted(on) if off.get(size)]
    if not sizes:
        return [f"with {name} and without it: no size has figures of both"]
    figures = "{}: {:g} GB/s with {}, {:g} without, {:.1f} x"
    compared = [figures.format(size_text(each), on[each], name, off[each], on[each] / off[each]) for each in sizes]
    slower = [i for i, size in enumerate(sizes) if on[size] <= off[size]]
    faster = sizes[slower[-1] + 1 :] if slower else sizes
    return [*compared, f"{name} is the faster from {size_text(faster[0])} on" if faster else f"{name} wins nowhere"]


if __name__ == "__main__":
    print("\n".join(lines(sys.argv[1], *map(figures, sys.argv[2:4]))))
