"""How fast claims are proved: the largest cases, an impossible one, and the growth with the number of devices.

python -m bench.claims
"""

import gc
import sys
import time
from collections.abc import Callable

from rdma_cluster.catalog import find
from rdma_cluster.claims import Constraint, Groups, Intent, Pairs, Request, Target, Template, Whole, driver_of, solve
from rdma_cluster.claims.allocator import Allocation, allocate
from rdma_cluster.claims.cel import matches
from rdma_cluster.claims.device import Device
from rdma_cluster.claims.target import PCIE_ROOT
from bench.processes import ratios

CASES: tuple[tuple[str, Intent], ...] = (
    ("p5.48xlarge", Groups(8, 1, 4)),
    ("p5.48xlarge", Groups(1, 1, 4)),
    ("p5.48xlarge", Whole()),
    ("BM.GPU.H100.8", Groups(8, 1, 2)),
    ("BM.GPU.H100.8", Pairs(1)),
    ("a4-highgpu-8g", Pairs(8)),
    ("a4-highgpu-8g", Pairs(1)),
    ("Standard_ND96isr_H100_v5", Pairs(1)),
)
CLASSES = {"gpu": 'device.driver == "gpu"', "nic": 'device.driver == "nic"'}
MACHINE = "p5.48xlarge"
PROOF = f"""
from rdma_cluster.catalog import find
from rdma_cluster.claims import Groups, Target, solve
from rdma_cluster.fabrics.efa import AWS_DRANET
solve(find("{MACHINE}"), Groups(8, 1, 4), Target(AWS_DRANET)).explain()
"""


def run(rounds: int = 5) -> None:
    """Print everything; goals stand beside what has one."""
    gc.disable()
    print(f"\n{'proof: all windows, until the node is full':<58}{'ms':>8}   goal <= 50")
    for name, intent in CASES:
        machine = find(name)
        assert machine is not None
        target = Target(driver_of(machine))
        took = _best(lambda m=machine, i=intent, t=target: solve(m, i, t), rounds)
        print(f"  {name}: {intent!s:<56}"[:58] + f"{took:>8.1f}")
    print(f"\n{'impossible: k pairs, k/2 roots of 2 + 2, one NIC elsewhere':<58}{'ms':>8}")
    for k in (2, 4, 8, 12, 16):
        template, devices = pairs(k, spoiled=True)
        took = _best(lambda t=template, d=devices: allocate([t], d, CLASSES), rounds)
        print(f"  {k:>2} pairs, {len(devices)} devices{took:>35.1f}".replace("devices", f"{'devices':<19}"))
    print(f"\n{'possible: claims of 16 pairs each':<40}{'ms':>8}{'us a device':>14}{'growth':>8}")
    first = None
    for claims in (1, 2, 4):
        templates, devices = many(claims)
        took = _best(lambda t=templates, d=devices: allocate(t, d, CLASSES), rounds)
        each = 1000 * took / len(devices)
        first = first or each
        print(f"  {len(devices):>4} devices{took:>34.1f}{each:>14.1f}{each / first:>8.2f}")
    print("\nwhole processes, as ratios to an empty one")
    commands = {
        "import claims": [sys.executable, "-c", "import rdma_cluster.claims"],
        f"prove {MACHINE}": [sys.executable, "-c", PROOF],
    }
    for name, (seconds, ratio) in ratios(commands, rounds).items():
        print(f"  {name:<24}{1000 * seconds:>8.0f} ms{ratio:>8.1f}x   goal <= 20")


def pairs(k: int, spoiled: bool = False, first: int = 0) -> tuple[Template, list[Device]]:
    """A claim of k pairs and 2k devices for it; spoiled, one NIC is on a root without a GPU."""
    numbers = range(first, first + k)
    gpus = [Device("gpu", f"g{i}", {PCIE_ROOT: f"r{i // 2}"}) for i in numbers]
    nics = [
        Device("nic", f"n{i}", {PCIE_ROOT: "elsewhere" if spoiled and i == first else f"r{i // 2}"}) for i in numbers
    ]
    requests = tuple(Request(f"{kind}-{i}", kind) for i in range(k) for kind in ("gpu", "nic"))
    constraints = tuple(Constraint(PCIE_ROOT, (f"gpu-{i}", f"nic-{i}")) for i in range(k))
    return Template(f"pairs-{first}", requests, constraints), [*gpus, *nics]


def many(claims: int) -> tuple[list[Template], list[Device]]:
    """As many claims of 16 pairs as asked, and the node that holds them all."""
    made = [pairs(16, first=16 * number) for number in range(claims)]
    templates, devices = [template for template, _ in made], [device for _, each in made for device in each]
    assert isinstance(allocate(templates, devices, CLASSES), Allocation)
    return templates, devices


def _best(work: Callable[[], object], rounds: int) -> float:
    """Milliseconds of the best of some runs, the CEL library loaded but no verdict remembered."""
    best = float("inf")
    for _ in range(rounds):
        matches.cache_clear()
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return 1000 * best


if __name__ == "__main__":
    run()
