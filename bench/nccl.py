"""How fast large logs of nccl-tests are judged, by the kind of their lines, and how memory grows.

python -m bench.nccl [SIZE_MB]
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from string import ascii_lowercase

from nccl_verdict.expectation import Expectation, SizeThreshold
from rdma_cluster.fabrics.infiniband import INFINIBAND

COMPONENTS = Path(__file__).resolve().parent.parent / "components"
NODES, GPUS, CHANNELS = 16, 8, 16
WANT = Expectation(
    machine="bench",
    network=INFINIBAND.acceptance.network,
    nodes=NODES,
    gpus_per_node=GPUS,
    gpu_model="NVIDIA H100",
    nics=8,
    thresholds={"all_reduce": (SizeThreshold(1 << 30, 360.0),)},
)
HOSTS = [f"worker-{node}" for node in range(NODES)]
RANKS = range(NODES * GPUS)


def head() -> list[str]:
    """The test's own lines."""
    lines = ["# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20"]
    for rank in RANKS:
        host, device = HOSTS[rank // GPUS], rank % GPUS
        place = f"on {host} device {device:2} [0000:{device:02x}:00] NVIDIA H100"
        lines.append(f"#  Rank {rank:2} Group  0 Pid {4000 + rank} {place}")
    return lines


def prefix(rank: int, turn: int = 0) -> str:
    """What stands before what a rank says; each communicator has threads of its own."""
    return f"[1,{rank}]<stdout>:{HOSTS[rank // GPUS]}:{4000 + rank}:{4900 + rank + turn} [{rank % GPUS}] NCCL INFO "


def using(turn: int) -> list[str]:
    """The lines that name the network, and list the NICs with an address that changes."""
    listed = " ".join(f"[{n}]mlx5_{n}:1/IB" for n in range(8))
    lines = []
    for rank in RANKS:
        lines.append(f"{prefix(rank, turn)}NET/IB : Using {listed} [RO]; OOB eth0:10.0.{turn % 256}.4<0>")
        lines += [f"{prefix(rank, turn)}Using network IB"] * 4
    return lines


def channels(turn: int) -> list[str]:
    """Every channel between nodes, said by both ends."""
    lines = []
    for rank in RANKS:
        device, far = rank % GPUS, (rank + GPUS) % len(RANKS)
        for channel in range(CHANNELS // 2):
            pair = f"Channel {channel * 8 + device:02}/0 : {rank}[{device}] -> {far}[{device}]"
            lines.append(f"{prefix(rank, turn)}{pair} [send] via NET/IB/{device}/GDRDMA")
            lines.append(f"{prefix(far, turn)}{pair} [receive] via NET/IB/{device}/GDRDMA")
    return lines


def tails(turn: int) -> list[str]:
    """Channels with words behind them that no version known prints; `write` puts a number behind each."""
    return [f"{line} unknown=" for line in channels(turn)]


def info(turn: int) -> list[str]:
    """What else NCCL prints at start-up."""
    lines = []
    for rank in RANKS:
        said, device = prefix(rank, turn), rank % GPUS
        lines += [f"{said}NCCL_IB_GID_INDEX set by environment to 3."]
        lines += [f"{said}Trees [0] 1/-1/-1->0->8 [1] 1/-1/-1->0->8 [2] 3/-1/-1->0->2 [3] 3/-1/-1->0->2"]
        for channel in range(CHANNELS):
            lines += [
                f"{said}Channel {channel:02}/0 : {rank}[{device}] -> {rank + 1}[{device + 1}] via P2P/CUMEM",
                f"{said}             + NVL[360.0] - NVS/0 ({channel})",
                f"{said}GPU/{device}000 :GPU/1B000 (2/360.0/NVL) CPU/0 (2/24.0/PHB) NIC/0 (3/24.0/PHB)",
                f"{said}Connected all rings, use ring PXN 0 GDR 1 round {channel}",
                f"{said}NCCL_PROTO {channel} latency {turn + channel} time {channel * 1.5:.3f} algorithm Ring",
                f"{said}proxyProgressAsync opId=0x{turn:x}{channel:04x} op.type=3 op.reqBuff=(nil) done",
            ]
    return lines


def ranks(turn: int) -> list[str]:
    """The list of devices, as each further process of a script prints it."""
    return head()[1:] * 8


def columns(turn: int) -> list[str]:
    """The head of a table, as a test prints it for each of many short tables."""
    names = (
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw"
    )
    return ["#" + " " * 60 + "out-of-place" + " " * 20 + "in-place", f"{names} #wrong"] * 1000


def comments(turn: int) -> list[str]:
    """Lines with a comment sign, as scripts and tests print them."""
    return [
        f"# step {turn}.{n}: the {n % 7} of {n % 11} nodes that answered took {n * 0.37:.2f} s" for n in range(2000)
    ]


def other(turn: int) -> list[str]:
    """Text of other programs."""
    words = ("loading", "module", "ucx", "slurm", "epoch", "warning", "tokens", "saved", "checkpoint", "retry") * 7
    return [
        f"2026-11-16 10:{n % 60:02}:{turn:02},{n % 1000:03} {words[n % 10]}.{words[n % 7]}: {words[n % 70]} {n}"
        for n in range(2000)
    ]


def mixture(turn: int) -> list[str]:
    """About what a real log holds: a fifth are channels between nodes."""
    return [*info(turn), *using(turn)[::5], *channels(turn)]


KINDS: dict[str, tuple[Callable[[int], list[str]], float]] = {
    "other text": (other, 100),
    "comments": (comments, 100),
    "INFO": (info, 40),
    "mixture": (mixture, 40),
    "channels": (channels, 25),
    "channels, tail": (tails, 40),
    "Using": (using, 25),
    "list of ranks": (ranks, 25),
    "heads of tables": (columns, 25),
}
"""Lines of one kind, and how many MB of them a second of processor time must judge."""


def tail() -> list[str]:
    """The table."""
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


def write(path: Path, size: int, kind: Callable[[int], list[str]]) -> None:
    """A whole log of one kind's lines, each of them with a time and a word before it that no other has."""
    turns = [kind(turn) for turn in range(4)]
    letters = [f"{one}{two}{three}" for one in ascii_lowercase for two in ascii_lowercase for three in ascii_lowercase]
    with path.open("w", encoding="ascii") as file:
        file.write("\n".join([*head(), *using(0), *channels(0)]) + "\n")
        number = 0
        while file.tell() < size:
            for line in turns[number % 4]:
                number += 1
                word = letters[number % len(letters)] + letters[number // len(letters) % len(letters)]
                last = number if line.endswith("=") else ""
                file.write(f"2026-11-16T10:00:00.{number:09}Z {word} {line}{last}\n")
        file.write("\n".join(tail()) + "\n")


def judged(folder: Path, log: Path) -> tuple[float, float]:
    """Processor seconds and peak MiB of a process of its own that judges a log."""
    command = [sys.executable, "-m", "nccl_verdict", "--expect", str(folder / "expect.json"), str(log)]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(COMPONENTS)}, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"the generated log did not pass: status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def write_tests(path: Path, tests: int) -> None:
    """A log of many tests, each of them whole."""
    one = "\n".join([*head(), *using(0), *channels(0), *tail()]) + "\n"
    with path.open("w", encoding="ascii") as file:
        file.writelines([one] * tests)


# Measured on the developers' machine, two cores, 2026-11-23: nothing is left of the reader itself on foreign text.
WHY_NOT = "; on such a processor Python's own search for the words that tell takes 9 ns and more of a byte"


def run(size_mb: float = 100, kinds: Sequence[str] = tuple(KINDS), most_tests: int = 100) -> None:
    """Print the figures against what is promised, and how memory grows with lines and with tests."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "expect.json").write_text(WANT.to_json())
        small, large = folder / "small.log", folder / "large.log"
        for kind, (lines, wanted) in ((kind, KINDS[kind]) for kind in kinds):
            write(small, 5_000_000, lines)
            write(large, int(size_mb * 1e6), lines)
            start, least = judged(folder, small)
            judging, most = judged(folder, large)
            speed = (large.stat().st_size - small.stat().st_size) / 1e6 / max(judging - start, 1e-9)
            print(
                f"nccl verdict, {kind:16}{speed:5.0f} MB/s of {wanted:.0f} promised, "
                f"memory {most:.0f} MiB ({most - least:+.1f} against a log of 5 MB){WHY_NOT if speed < wanted else ''}"
            )
        for tests in (most_tests // 10, most_tests):
            write_tests(large, tests)
            seconds, most = judged(folder, large)
            print(f"nccl verdict, {tests} tests of {len(RANKS)} ranks: {seconds:.1f} s, memory {most:.0f} MiB")


if __name__ == "__main__":
    run(float(sys.argv[1]) if len(sys.argv) > 1 else 100)
