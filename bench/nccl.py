"""How fast a large log of nccl-tests is judged: MB/s, as a ratio to reading its lines, and the growth of memory.

python bench/nccl.py [SIZE_MB]
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rdma_cluster.nccl import Expectation, FloorLine

COMPONENTS = Path(__file__).resolve().parent.parent / "components"
NODES, GPUS, CHANNELS = 16, 8, 16
WANT = Expectation(
    machine="bench",
    transport="InfiniBand",
    nodes=NODES,
    gpus_per_node=GPUS,
    gpu_model="NVIDIA H100",
    nics=8,
    floors={"all_reduce": (FloorLine(1 << 30, 360.0),)},
)
HOSTS = [f"worker-{node}" for node in range(NODES)]


def head() -> list[str]:
    """The test's own lines."""
    lines = ["# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20"]
    for rank in range(NODES * GPUS):
        host, device = HOSTS[rank // GPUS], rank % GPUS
        place = f"on {host} device {device:2} [0000:{device:02x}:00] NVIDIA H100"
        lines.append(f"#  Rank {rank:2} Group  0 Pid {4000 + rank} {place}")
    return lines


def noise(turn: int) -> list[str]:
    """What NCCL prints at start-up, in about the mixture of a real log: a fifth are channels between nodes."""
    lines = []
    listed = " ".join(f"[{n}]mlx5_{n}:1/IB" for n in range(8))
    for rank in range(NODES * GPUS):
        device, far = rank % GPUS, (rank + GPUS) % (NODES * GPUS)
        prefix = f"[1,{rank}]<stdout>:{HOSTS[rank // GPUS]}:{4000 + rank}:{4900 + rank} [{device}] NCCL INFO "
        lines += [
            f"{prefix}NCCL_IB_GID_INDEX set by environment to 3.",
            f"{prefix}NET/IB : Using {listed} [RO]; OOB eth0:10.0.{turn % 256}.4<0>",
            f"{prefix}Using network IB",
            f"{prefix}Trees [0] 1/-1/-1->0->8 [1] 1/-1/-1->0->8 [2] 3/-1/-1->0->2 [3] 3/-1/-1->0->2",
        ]
        for channel in range(CHANNELS):
            lines += [
                f"{prefix}Channel {channel:02}/0 : {rank}[{device}] -> {rank + 1}[{device + 1}] via P2P/CUMEM",
                f"{prefix}             + NVL[360.0] - NVS/0 ({channel})",
                f"{prefix}GPU/{device}000 :GPU/1B000 (2/360.0/NVL) CPU/0 (2/24.0/PHB) NET/0 (3/24.0/PHB)",
                f"{prefix}Connected all rings, use ring PXN 0 GDR 1 round {channel}",
                f"{prefix}NCCL_PROTO {channel} latency {turn + channel} time {channel * 1.5:.3f} algorithm Ring",
                f"{prefix}proxyProgressAsync opId=0x{turn:x}{channel:04x} op.type=3 op.reqBuff=(nil) done",
            ]
            if channel % 2 == 0:
                pair = f"Channel {channel:02}/0 : {rank}[{device}] -> {far}[{device}]"
                peer = f"[1,{far}]<stdout>:{HOSTS[far // GPUS]}:{4000 + far}:{4900 + far} [{device}] NCCL INFO "
                lines += [f"{prefix}{pair} [send] via NET/IB/{device}/GDRDMA"]
                lines += [f"{peer}{pair} [receive] via NET/IB/{device}/GDRDMA"]
    return lines


def tail() -> list[str]:
    lines, scale = [], 2 * (NODES * GPUS - 1) / (NODES * GPUS)
    figures = []
    for power in range(30, 34):
        alg = 195.0 + power
        bus = round(alg * scale, 2)
        figures += [bus, bus]
        block = f"{2**power / alg / 1e3:.1f} {alg:.2f} {bus:.2f} 0"
        lines.append(f"{2**power:12} {2**power // 4:12} float sum -1 {block} {block}")
    mean = sum(figures) / len(figures)
    return [*lines, "# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {mean:.6g}"]


def write(path: Path, size: int) -> None:
    with path.open("w", encoding="ascii") as file:
        file.write("\n".join(head()) + "\n")
        turn = 0
        while file.tell() < size:
            file.write("\n".join(noise(turn)) + "\n")
            turn += 1
        file.write("\n".join(tail()) + "\n")


def judged(folder: Path, log: Path) -> tuple[float, float]:
    """Seconds and peak MiB of a process of its own that judges a log."""
    command = [sys.executable, "-m", "rdma_cluster.nccl", "--expect", str(folder / "expect.json"), str(log)]
    started = time.perf_counter()
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(COMPONENTS)}, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"the generated log did not pass: status {done.returncode}")
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def read_lines(path: Path) -> float:
    started = time.perf_counter()
    with path.open("rb") as file:
        for _ in file:
            pass
    return time.perf_counter() - started


def run(size_mb: float = 1000) -> None:
    """Print the figures; whoever reads them compares the ratio, which holds on any machine."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, large = folder / "small.log", folder / "large.log"
        (folder / "expect.json").write_text(WANT.to_json())
        write(small, 5_000_000)
        write(large, int(size_mb * 1e6))
        start, peak_small = judged(folder, small)
        read_lines(large)
        reading = read_lines(large)
        judging, peak_large = judged(folder, large)
        size = large.stat().st_size / 1e6
    judging = max(judging - start, 1e-9)
    print(f"nccl verdict: {size:.0f} MB of log in {judging:.1f} s, {size / judging:.0f} MB/s")
    print(f"  {judging / reading:.1f} times as long as reading its lines ({size / reading:.0f} MB/s)")
    print(f"  peak memory {peak_large:.1f} MiB, {peak_large - peak_small:+.1f} MiB against a log of 5 MB")


if __name__ == "__main__":
    run(float(sys.argv[1]) if len(sys.argv) > 1 else 1000)
