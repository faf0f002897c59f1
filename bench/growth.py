"""Whether a preview's time per resource grows with the number of pools."""

import gc
import time
from collections.abc import Sequence

from rdma_cluster.cli.preview import run_program
from rdma_cluster.cli.stack_file import read_stack

POOLS = (1, 16, 64)
Stack = tuple[str, str, tuple[str, ...]]
# A stack, one of its pools, and what else so many of them need.
STACKS: tuple[Stack, ...] = (
    ("gke", "{{name: a4-{}, machine: a4-highgpu-8g, nodes: 2, capacity: {{spot: true}}}}", ()),
    ("eks", "{{name: p5-{}, machine: p5.48xlarge, nodes: 2, capacity: {{onDemand: true}}}}", ("network.maxNodes=300",)),
    ("aks", "{{name: h100n{}, machine: Standard_ND96isr_H100_v5, nodes: 2, capacity: {{onDemand: true}}}}", ()),
)


def run(pools: Sequence[int] = POOLS, stacks: Sequence[Stack] = STACKS, rounds: int = 5) -> None:
    """Print the milliseconds per resource at 1, 16 and 64 pools, their growth, and what each further pool costs.

    A pool's own resources are not the mix of the whole stack: their cost alone, from row to row, tells what grows.
    """
    gc.disable()
    further = f"{'ms a further pool':>19}{'ms each of it':>15}"
    print(f"\n{'stack':<6}{'pools':>5}{'resources':>11}{'ms each':>9}{'growth':>8}{further}   goal: growth <= 1.10")
    for stack, pool, others in stacks:
        rows: list[tuple[int, int, float]] = []
        for count in pools:
            overrides = [*others, *(f"pools[{i}]={pool.format(i)}" for i in range(count))]
            resources, milliseconds = _measured(stack, overrides, rounds)
            each, first = milliseconds / resources, rows[0] if rows else (count, resources, milliseconds)
            line = f"{stack:<6}{count:>5}{resources:>11}{each:>9.2f}{each / (first[2] / first[1]):>8.2f}"
            if rows:
                before = rows[-1]
                more = milliseconds - before[2]
                line += f"{more / (count - before[0]):>19.1f}{more / (resources - before[1]):>15.2f}"
            print(line)
            rows.append((count, resources, milliseconds))


def _measured(stack: str, overrides: list[str], rounds: int) -> tuple[int, float]:
    """Resources and milliseconds: the best of some runs, the SDK and its types already loaded by the first."""
    root, settings = read_stack(stack, None, overrides)
    best = float("inf")
    resources = len(run_program(root, settings).resources)
    for _ in range(rounds):
        gc.collect()
        started = time.perf_counter()
        run_program(root, settings)
        best = min(best, time.perf_counter() - started)
    return resources, 1000 * best
