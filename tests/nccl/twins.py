"""Published runs with NCCL's own lines, written anew from their facts: who sent to whom by which NIC, and the figures.

What was seen in each stands in its source (read 2026-11-23). Its words are the publisher's and not here; neither are
its names, processes and rows below 256 MiB.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nccl_verdict.expectation import Expectation, SizeThreshold
from tests.nccl import render
from tests.nccl.forms import NETWORKS

MIB = 1 << 20
Channel = tuple[int, int, int, int]
"""Number, the rank that sends, the one that receives, the NIC: of the sender, or of the GPU that sends for it."""


@dataclass(frozen=True)
class Twin:
    """Two nodes, and what they print."""

    source: str
    expectation: Expectation
    told: tuple[str, ...]
    """The gates that the verdict tells."""
    network: str
    listed: tuple[str, ...]
    channels: tuple[Channel, ...] = ()
    figures: str = ""
    """Out of place and in place, GB/s, of each size."""
    sizes: tuple[int, int] = (256 * MIB, 0)
    """The first, and the step in bytes; 0 where each is double the last."""
    bus_ids: bool = False
    proxies: tuple[int, ...] = ()
    """The GPU of each NIC, where another may send by it (PXN): then its rank stands behind the NIC."""
    connection: int = 0
    shared: bool = False
    launcher: str = ""
    """What it puts before each line, and inside rows."""
    glued: bool = False
    """Whether NCCL's line stands inside the first row."""
    footer: bool = True

    def text(self) -> bytes:
        """The log."""
        lines = [*self._head(), *self._info(), *self._table()]
        return render.joined([f"{self.launcher}{line}" for line in lines])

    def _head(self) -> Iterator[str]:
        if not self.figures:
            return
        first, step = self.sizes
        sizes = self._sizes()
        yield render.banner(first, sizes[-1], step or 2, "bytes" if step else "factor")
        yield "# Using devices"
        yield from render.ranks(render.hosts(2), self._gpus, model=self.expectation.gpu_model)

    def _info(self) -> Iterator[str]:
        for rank in range(2 * self._gpus):
            yield from (self._said(rank, line) for line in (*self.listed, f"Using network {self.network}"))
        for channel in self.channels:
            yield self._send(channel)
            yield self._receive(channel)

    def _table(self) -> Iterator[str]:
        if not self.figures:
            return
        table = render.Table(label=self.launcher)
        yield table.head()
        for size, pair in zip(self._sizes(), self.figures.split(";"), strict=True):
            out, into = map(float, pair.split())
            row = render.row(size, out, into, 2 * self._gpus, "0", self._collective, table)
            if self.glued and size == self.sizes[0]:
                before, root, after = row.partition(" -1")
                yield f"{before}{root}{self._receive(self.channels[0])}"
                row = after
            yield row
        if self.footer:
            yield from render.footer([float(figure) for pair in self.figures.split(";") for figure in pair.split()])

    def _sizes(self) -> list[int]:
        first, step = self.sizes
        return [first + step * n if step else first << n for n in range(self.figures.count(";") + 1)]

    def _send(self, channel: Channel) -> str:
        _, one, _, nic = channel
        own = not self.proxies or self.proxies[nic] == one % self._gpus
        proxy = "" if own else f"({one - one % self._gpus + self.proxies[nic]})"
        return self._said(one, self._channel(channel, "send", proxy))

    def _receive(self, channel: Channel) -> str:
        return self._said(channel[2], self._channel(channel, "receive"))

    def _channel(self, channel: Channel, way: str, proxy: str = "") -> str:
        number, one, two, nic = channel
        ends = " -> ".join(f"{rank}[{'81000' if self.bus_ids else rank % self._gpus}]" for rank in (one, two))
        behind = "/GDRDMA" + "/Shared" * self.shared
        return f"Channel {number:02}/{self.connection} : {ends} [{way}] via NET/{self.network}/{nic}{proxy}{behind}"

    def _said(self, rank: int, line: str) -> str:
        process = f"{render.hosts(2)[rank // self._gpus]}:{700 + rank}:{900 + rank}"
        return f"{process} [{rank % self._gpus}] NCCL INFO {line}"

    @property
    def _gpus(self) -> int:
        return self.expectation.gpus_per_node

    @property
    def _collective(self) -> str:
        return self.expectation.collective or ""


def want(
    transport: str, gpus: int, model: str, nics: int, wire: float, collective: str, threshold: float
) -> Expectation:
    """What a run of two nodes must show."""
    return Expectation(
        machine="m", network=NETWORKS[transport], nodes=2, gpus_per_node=gpus, gpu_model=model, nics=nics,
        wire_gbytes=wire, collective=collective, thresholds={collective: (SizeThreshold(1 << 30, threshold),)},
    )  # fmt: skip


def both_ways(numbers: Sequence[int], gpus: int, nics: Sequence[int]) -> tuple[Channel, ...]:
    """Each GPU to the one of its number on the other node, by its own NIC."""
    return tuple(
        (number, one, (one + gpus) % (2 * gpus), nics[one % gpus]) for number in numbers for one in range(2 * gpus)
    )


_DOLPHIN = "thomaslie210/NCCL_Test_Results@83dd17d NCCL_Benchmarks/GDR_On"
_A100 = "NVIDIA A100-PCIE-40GB"
_BONDS = "NET/IB : Using [0]mlx5_bond_6:1/RoCE [1]mlx5_bond_7:1/RoCE [RO]; OOB bond0:10.0.0.1<0>"
_FIVE = " ".join(f"[{n}]mlx5_{n}:1/{'IB' if n else 'RoCE'}" for n in range(5))
_RAILS = (2, 1, 4, 3)
"""The NICs of four GPUs."""
_PAIRS = ((3, 4, 2), (7, 0, 2), (0, 5, 1), (4, 1, 1), (3, 6, 4), (7, 2, 4), (2, 7, 3), (6, 3, 3))
"""Sender, receiver and NIC, where a GPU sends by the NIC of another."""

TWINS = {
    "keita-p5-2223": Twin(
        "KeitaW/p5-nccl-test-2024-07-19@1c78584 nccl-test-output-v2.22.3-1.log",
        want("EFA", 8, "NVIDIA H100 80GB HBM3", 32, 400, "all_reduce", 349.0), (), "AWS Libfabric",
        ("NET/OFI Selected Provider is efa (found 32 nics)",), both_ways(range(16), 8, range(8)),
        "342.52 344.44; 388.08 392.14; 440.04 440.34; 444.48 443.94; 467.32 466.55; 479.43 480.38; 487.9 488.14",
        launcher="[1,0]<stdout>:",
    ),
    "odissei-ar": Twin(
        "odissei-benchmarks/nccl-tests@6df4cb5 runs/2nodes/all_reduce_mpi.log",
        want("InfiniBand", 4, "NVIDIA H100", 4, 100, "all_reduce", 120.0), (), "IB",
        (f"NET/IB : Using {_FIVE} [RO]; OOB eno0:10.0.0.1<0>",),
        tuple((number + more, one, two, nic) for more in (0, 4) for number, one, two, nic in (
            *((rank % 4, rank, (rank + 4) % 8, _RAILS[rank % 4]) for rank in range(8)),
            *((_RAILS.index(nic), one, two, nic) for one, two, nic in _PAIRS),
        )),
        "118.66 118.65; 150.7 150.94; 153.6 153.68; 154.71 155.11; 155.72 155.55; 156.14 156.3",
        proxies=(-1, 1, 0, 3, 2), glued=True,
    ),
    "dolphin-gdr-all_reduce": Twin(
        _DOLPHIN, want("InfiniBand", 1, _A100, 1, 25, "all_reduce", 8.0), (), "IB",
        ("NET/IB : Using [0]mlx5_2:1/IB [RO]; OOB ib0:10.0.0.1<0>",), both_ways(range(2), 1, [0]),
        "10.85 10.43; 10.77 12.04; 14.74 12.68; 10.49 10.45; 11.1 10.62; 12.97 11.83; 10.41 10.94; 11.59 12.35; "
        "10.57 10.83; 13.59 10.45; 10.86 13.05; 10.6 11.23; 11.53 10.84; 12.59 10.75; 12.62 10.64",
        (1 << 30, 500 * MIB), bus_ids=True,
    ),
    "dolphin-gdr-sendrecv": Twin(
        _DOLPHIN, want("InfiniBand", 1, _A100, 1, 25, "sendrecv", 9.0), (), "IB",
        ("NET/IB : Using [0]mlx5_2:1/IB [RO]; OOB ib0:10.0.0.1<0>",), both_ways(range(2), 1, [0]),
        "9.73 9.48; 9.36 9.68; 14.28 13.03; 9.3 9.28; 9.67 9.45; 14.09 9.62; 9.44 9.48; 13.27 9.27; 9.57 11.53; "
        "9.88 9.55; 12.34 9.33; 9.78 11.08; 9.51 11.72; 9.48 11.6; 9.48 11.38",
        (1 << 30, 500 * MIB), bus_ids=True, connection=1, shared=True,
    ),
    "nt321-roce-pxn-alltoall": Twin(
        "github.com/NVIDIA/nccl-tests issue 321",
        want("RoCE", 2, "NVIDIA H20-3e", 2, 100, "alltoall", 40.0), ("finished",), "NCCL RDMA Plugin v6",
        ("NET/Plugin: Loaded net plugin NCCL RDMA Plugin v6 (v6)", "P2P plugin IBext", _BONDS),
        tuple((number, one, two, two % 2) for number in (1, 3) for one in range(4) for two in range(4)
              if one // 2 != two // 2),
        "49.81 49.9; 50.11 50.14; 50.22 49.99; 47.05 48.35; 50.25 50.37",
        proxies=(0, 1), connection=1, shared=True, footer=False,
    ),
    "init-a3mega-fastrak": Twin(
        "elideng-sg/hypercomputer-internode-deepdive@db026b5f",
        want("GPUDirect-TCPXO", 8, "NVIDIA H100", 8, 200, "all_gather", 145.0), ("ran", "nodes"), "FasTrak",
        ("NET/FasTrak 2026-07-28T11:09:08.733195619+00:00: Initializing network FasTrak, version: 1.0.17",),
    ),
}  # fmt: skip
