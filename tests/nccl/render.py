"""Whole logs in the format of nccl-tests and NCCL, for the parts that publishers leave out."""

from collections.abc import Callable, Sequence

from rdma_cluster.nccl import Expectation, FloorLine

GIB = 1 << 30
Change = Callable[[list[str]], list[str]]

NAMES = {
    "gIB": "gIB",
    "EFA": "Libfabric",
    "InfiniBand": "IB",
    "RoCE": "IB",
    "GPUDirect-TCPX": "GPUDirectTCPX_v7",
    "GPUDirect-TCPXO": "FasTrak",
}


def want(transport: str = "gIB", nodes: int = 2, gpus: int = 8, floor: float = 257.0, nics: int = 8) -> Expectation:
    """The expectation that a rendered log meets."""
    return Expectation(
        machine="m",
        transport=transport,
        nodes=nodes,
        gpus_per_node=gpus,
        gpu_model="NVIDIA H200",
        nics=nics,
        wire_gbytes=400.0,
        floors={"all_gather": (FloorLine(GIB, floor),)},
    )


def hosts(nodes: int) -> list[str]:
    return [f"node-{number}" for number in range(nodes)]


def banner(low: int = GIB, high: int = 8 * GIB) -> str:
    return (
        f"# nThread 1 nGpus 1 minBytes {low} maxBytes {high} step: 2(factor) warmup iters: 5 iters: 20 "
        "agg iters: 1 validation: 1 graph: 0"
    )


def ranks(names: Sequence[str], gpus: int, split: int = 0) -> list[str]:
    """The list of devices; ``split`` is the value of ``NCCL_TESTS_SPLIT="MOD n"``."""
    return [
        f"#  Rank {rank:2} Group {rank % split if split else 0:2} Pid {700 + rank:6} on {names[rank // gpus]} "
        f"device {rank % gpus:2} [0000:{0x8F + rank % gpus:02x}:00] NVIDIA H200"
        for rank in range(len(names) * gpus)
    ]


def fabric(names: Sequence[str], gpus: int, transport: str = "gIB", nics: int = 8) -> list[str]:
    """What NCCL prints of the network with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,NET."""
    lines = []
    network, total = NAMES[transport], len(names) * gpus
    for rank in range(total):
        prefix = f"{names[rank // gpus]}:{700 + rank}:{900 + rank} [{rank % gpus}] NCCL INFO "
        lines.append(f"{prefix}Bootstrap: Using eth0:10.0.0.{rank}<0>")
        lines += [f"{prefix}{line}" for line in _listed(transport, network, nics)]
        lines.append(f"{prefix}Using network {network}")
        after, before = (rank + gpus) % total, (rank - gpus) % total
        for channel, peer, way in ((0, (rank, after), "send"), (0, (before, rank), "receive")):
            pair = f"{peer[0]}[{peer[0] % gpus}] -> {peer[1]}[{peer[1] % gpus}]"
            lines.append(f"{prefix}Channel {channel:02}/0 : {pair} [{way}] via NET/{network}/{rank % gpus}/GDRDMA")
    return lines


def _listed(transport: str, network: str, nics: int) -> list[str]:
    if transport == "EFA":
        return [f"NET/OFI Selected provider is efa, fabric is efa-direct (found {nics} nics)"]
    if transport in ("InfiniBand", "RoCE"):
        link = "IB" if transport == "InfiniBand" else "RoCE"
        devices = " ".join(f"[{nic}]mlx5_{nic}:1/{link}" for nic in range(nics))
        return [f"NET/IB : Using {devices} [RO]; OOB eth0:10.0.0.1<0>"]
    name = "mlx5_" if transport == "gIB" else "eth"
    return [f"NET/{network} : GPU Direct RDMA Enabled for HCA {nic} '{name}{nic}'" for nic in range(nics)]


def row(size: int, out: float, into: float, total: int, wrong: str = "0") -> str:
    """An all_gather row whose bus bandwidth is given; the rest follows from it."""
    scale = (total - 1) / total
    body = "".join(
        f"{size / (bus / scale) / 1e3:>9.1f} {bus / scale:7.2f} {bus:7.2f} {bad:>6}"
        for bus, bad in ((out, wrong), (into, "0"))
    )
    return f"{size:>12} {size // total // 4:>13}     float    none      -1{body}"


def footer(figures: Sequence[float]) -> list[str]:
    return ["# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {sum(figures) / len(figures):g}"]


def log(
    names: Sequence[str] | None = None,
    gpus: int = 8,
    transport: str = "gIB",
    nics: int = 8,
    busbw: Sequence[float] = (322.23, 323.18, 324.30, 325.72),
    split: int = 0,
) -> list[str]:
    """A run from 1 GiB on; the default figures are those of the first table of source document 002."""
    names = names or hosts(2)
    total = len(names) * gpus
    group = total // split if split else total
    body = [row(GIB << power, bus, bus, group) for power, bus in enumerate(busbw)]
    return [
        banner(GIB, GIB << (len(busbw) - 1)),
        "#",
        "# Using devices",
        *ranks(names, gpus, split),
        *fabric(names, gpus, transport, nics),
        "#       size         count      type   redop    root" + "     time   algbw   busbw #wrong" * 2,
        *body,
        *footer(busbw),
    ]


def joined(lines: Sequence[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()
