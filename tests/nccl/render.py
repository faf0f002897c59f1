"""Whole logs in the format of nccl-tests and NCCL, written out from figures and a few quirks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nccl_verdict.busbw import factor
from nccl_verdict.expectation import Expectation, SizeThreshold
from tests.nccl.forms import FABRICS, NETWORKS, Fabric

GIB = 1 << 30
Change = Callable[[list[str]], list[str]]
BUSBW = (322.23, 323.18, 324.30, 325.72)
"""1 to 8 GiB of the first table of source document 002."""


def want(
    fabric: str = "gIB", nodes: int = 2, gpus: int = 8, threshold: float = 257.0, collective: str = "all_gather"
) -> Expectation:
    """The expectation that a rendered log meets."""
    form = FABRICS[fabric]
    return Expectation(
        machine="m",
        network=NETWORKS[form.transport],
        nodes=nodes,
        gpus_per_node=gpus,
        gpu_model=form.gpu,
        nics=form.nics * gpus // 8 if gpus < 8 else form.nics,
        wire_gbytes=400.0 * gpus / 8,
        thresholds={collective: (SizeThreshold(GIB, threshold),)},
    )


def hosts(nodes: int) -> list[str]:
    return [f"node-{number}" for number in range(nodes)]


def banner(low: int = GIB, high: int = 8 * GIB, step: int = 2, kind: str = "factor") -> str:
    return (
        f"# nThread 1 nGpus 1 minBytes {low} maxBytes {high} step: {step}({kind}) warmup iters: 5 iters: 20 "
        "agg iters: 1 validation: 1 graph: 0"
    )


def ranks(
    names: Sequence[str], gpus: int, split: int = 0, model: str = "NVIDIA H200", short: bool = False
) -> list[str]:
    """The list of devices; ``split`` is the value of ``NCCL_TESTS_SPLIT="MOD n"``, ``short`` prints buses alone."""
    return [
        f"#  Rank {rank:2} Group {rank % split if split else 0:2} Pid {700 + rank:6} on {names[rank // gpus]} "
        f"device {rank % gpus:2} [{bus(rank % gpus, short)}] {model}"
        for rank in range(len(names) * gpus)
    ]


def bus(device: int, short: bool) -> str:
    """A GPU's address; two GPUs of a p4d share a bus, and until 2025-02 no more than that was printed."""
    return f"0x{0x10 + device // 2:02x}" if short else f"0000:{0x8F + device:02x}:00"


def fabric(names: Sequence[str], gpus: int, form: Fabric) -> list[str]:
    """What NCCL prints of the network with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,NET."""
    lines = []
    total = len(names) * gpus
    for rank in range(total):
        prefix = f"{names[rank // gpus]}:{700 + rank}:{900 + rank} [{rank % gpus}] NCCL INFO "
        lines.append(f"{prefix}Bootstrap: Using eth0:10.0.0.{rank}<0>")
        lines += [f"{prefix}{line}" for line in form.listed(form.nics * gpus // 8 if gpus < 8 else form.nics)]
        lines.append(f"{prefix}Using network {form.network}")
        if form.assigned:
            lines.append(f"{prefix}Assigned NET plugin {form.network} to comm")
        lines += [f"{prefix}{line}" for line in _channels(rank, total, gpus, form)]
        if form.sharp:
            lines += [f"{prefix}CollNet 00/0 : {rank} [{way}] via COLLNET/SHARP/{rank % gpus}/GDRDMA" for way in _WAYS]
    return lines


_WAYS = ("send", "receive")


def _channels(rank: int, total: int, gpus: int, form: Fabric) -> list[str]:
    """A ring through every GPU's own NICs, so that all of a node's are in use."""
    after, before, device = (rank + gpus) % total, (rank - gpus) % total, rank % gpus
    used = form.used * gpus // 8 if gpus < 8 else form.used
    own = [nic for nic in range(used) if nic * gpus // max(used, gpus) == device] or [device * used // gpus]
    lines = []
    for place, nic in enumerate(own):
        channel = device + gpus * place  # a ring leaves each node once
        for one, two, way in ((rank, after, "send"), (before, rank, "receive")):
            pair = " -> ".join(f"{each}[{_gpu(each % gpus, form)}]" for each in (one, two))
            behind = "" if way == "send" and form.after.startswith("/flush") else form.after
            lines.append(f"Channel {channel:02}/0 : {pair} [{way}] via NET/{form.network}/{nic}/GDRDMA{behind}")
    return lines


def _gpu(device: int, form: Fabric) -> str:
    return f"{0x81 + device:x}000" if form.bus_ids else str(device)


@dataclass(frozen=True)
class Table:
    """How a table is printed."""

    root: bool = True
    redop: bool = True
    wrong: str = "0"
    old_errors: bool = False
    """The column of rounding errors of early versions."""
    per_iteration: bool = False
    """``-I 1``"""
    stamps: bool = False
    """``-S 1``"""
    label: str = ""
    """What a launcher puts between the parts of a row."""
    comments: bool = True
    """Whether ``#`` is there; Markdown eats it."""
    announced: bool = False
    """Whether start and end are announced, as by nccl-tests from 2025 on."""

    def head(self) -> str:
        last = "error" if self.old_errors else "#wrong"
        columns = "#       size         count      type" + "   redop" * self.redop + "    root" * self.root
        return columns + f"     time   algbw   busbw {last}" * 2


def row(
    size: int, out: float | None, into: float | None, total: int, wrong: str = "0",
    collective: str = "all_gather", table: Table = Table(), alg: bool = True,
) -> str:  # fmt: skip
    """A row whose bus bandwidth is given; the rest follows from it."""
    scale = factor(collective, total) or 1.0
    reduces = collective in ("all_reduce", "reduce_scatter", "reduce", "sendrecv")
    per_rank = collective in ("all_gather", "reduce_scatter", "alltoall", "gather", "scatter")
    parts = [f"{size:>12} {size // (total if per_rank else 1) // 4:>13}     float"]
    parts[0] += ("     sum" if reduces else "    none") * table.redop + "      -1" * table.root
    later = "N/A" if collective in ("alltoall", "alltoallv", "sendrecv") else "0"
    more = " 4500.1 4700.2 4699.0 1.2" * table.per_iteration
    for figure, bad in ((out, wrong), (into, table.wrong if wrong == table.wrong != "0" else later)):
        parts.append(_half(size, figure, scale, alg) + f" {bad:>6}{more}")
    return table.label.join(parts) + "  2026-07-09 16:03:21" * table.stamps


def _half(size: int, bus_gbytes: float | None, scale: float, alg: bool) -> str:
    if bus_gbytes is None:
        return "    XXXXX  XXX.XX  XXX.XX" if alg else "      N/A     N/A     N/A"
    if not alg:
        return f"      N/A     N/A {bus_gbytes:7.2f}"
    if bus_gbytes == 0:
        return f"  {'1000.0' if size else '0.26':>7}    0.00    0.00"
    micros = size / (bus_gbytes / scale) / 1e3
    fitting = (f"{micros:7.{places}f}" for places in (2, 1, 0))
    return f"  {next(text for text in fitting if len(text) <= 7)} {bus_gbytes / scale:7.2f} {bus_gbytes:7.2f}"


def footer(figures: Sequence[float]) -> list[str]:
    return ["# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {sum(figures) / len(figures):g}"]


def log(
    names: Sequence[str] | None = None,
    gpus: int = 8,
    form: str = "gIB",
    busbw: Sequence[float] = BUSBW,
    split: int = 0,
    collective: str = "all_gather",
    table: Table = Table(),
    short: bool = False,
) -> list[str]:
    """A run from 1 GiB on."""
    names = names or hosts(2)
    total = len(names) * gpus
    group = total // split if split else total
    body = [row(GIB << power, bus, bus, group, table.wrong, collective, table) for power, bus in enumerate(busbw)]
    lines = [
        *([f"# Collective test starting: {collective}_perf"] * table.announced),
        banner(GIB, GIB << (len(busbw) - 1)),
        "#",
        "# Using devices",
        *ranks(names, gpus, split, FABRICS[form].gpu, short),
        *fabric(names, gpus, FABRICS[form]),
        table.head(),
        *body,
        *footer(busbw),
        *([f"# Collective test concluded: {collective}_perf"] * table.announced),
    ]
    return lines if table.comments else [line.lstrip("#").lstrip() if line[0] == "#" else line for line in lines]


def joined(lines: Sequence[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()
