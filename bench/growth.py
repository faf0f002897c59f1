"""Whether a preview's time per resource grows with the number of pools."""

import gc
import time

from rdma_cluster.cli.preview import run_program
from rdma_cluster.cli.stack_file import read_stack

POOLS = (1, 16, 64)
# A stack, one of its pools, and what else so many of them need.
STACKS = (
    ("gke", "{{name: a4-{}, machine: a4-highgpu-8g, nodes: 2, capacity: {{spot: true}}}}", ()),
    ("eks", "{{name: p5-{}, machine: p5.48xlarge, nodes: 2, capacity: {{onDemand: true}}}}", ("network.maxNodes=300",)),
    ("aks", "{{name: h100n{}, machine: Standard_ND96isr_H100_v5, nodes: 2, capacity: {{onDemand: true}}}}", ()),
)


def run() -> None:
    """Print the milliseconds per resource at 1, 16 and 64 pools, their growth, and what each further pool costs.

    A pool's own resources are not the mix of the whole stack: their cost alone, from row to row, tells what grows.
    """
    gc.disable()
    further = f"{'ms a further pool':>19}{'ms each of it':>15}"
    print(f"\n{'stack':<6}{'pools':>5}{'resources':>11}{'ms each':>9}{'growth':>8}{further}   goal: growth <= 1.10")
    for stack, pool, others in STACKS:
        rows: list[tuple[int, int, float]] = []
        for pools in POOLS:
            overrides = [*others, *(f"pools[{i}]={pool.format(i)}" for i in range(pools))]
            resources, milliseconds = _measured(stack, overrides)
            each, first = milliseconds / resources, rows[0] if rows else (pools, resources, milliseconds)
            line = f"{stack:<6}{pools:>5}{resources:>11}{each:>9.2f}{each / (first[2] / first[1]):>8.2f}"
            if rows:
                before = rows[-1]
                more = milliseconds - before[2]
                line += f"{more / (pools - before[0]):>19.1f}{more / (resources - before[1]):>15.2f}"
            print(line)
            rows.append((pools, resources, milliseconds))


def _measured(stack: str, overrides: list[str]) -> tuple[int, float]:
    """Resources and milliseconds: the best of some runs, the SDK and its types already loaded by the first."""
    root, settings = read_stack(stack, None, overrides)
    best = float("inf")
    resources = len(run_program(root, settings).resources)
    for _ in range(5):
        gc.collect()
        started = time.perf_counter()
        run_program(root, settings)
        best = min(best, time.perf_counter() - started)
    return resources, 1000 * best
