"""Whether a preview's time per resource grows with the number of pools."""

import gc
import time

from rdma_cluster.cli.preview import run_program
from rdma_cluster.cli.stack_file import read_stack

POOLS = (1, 16, 64)


def run() -> None:
    """Print the milliseconds per resource at 1, 16 and 64 pools, and their growth."""
    gc.disable()
    print(f"\n{'pools':>5}{'resources':>11}{'ms each':>9}{'growth':>8}   goal <= 1.10")
    first = None
    for pools in POOLS:
        each, resources = _milliseconds_each(pools)
        first = first or each
        print(f"{pools:>5}{resources:>11}{each:>9.2f}{each / first:>8.2f}")


def _milliseconds_each(pools: int) -> tuple[float, int]:
    """The best of some runs, the SDK and its types already loaded by the first."""
    overrides = [
        f"pools[{i}]={{name: a4-{i}, machine: a4-highgpu-8g, nodes: 2, capacity: {{spot: true}}}}" for i in range(pools)
    ]
    root, settings = read_stack("gke", None, overrides)
    best = float("inf")
    resources = len(run_program(root, settings).resources)
    for _ in range(5):
        gc.collect()
        started = time.perf_counter()
        run_program(root, settings)
        best = min(best, time.perf_counter() - started)
    return 1000 * best / resources, resources
