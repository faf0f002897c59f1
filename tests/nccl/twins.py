"""Published runs with NCCL's own lines, written anew from their facts in twins.toml.

The publishers' words are not here; neither are their names, processes and rows below 256 MiB.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


def _twin(data: dict[str, Any]) -> Twin:
    """One of the file: two nodes of a machine, and what they printed."""
    collective, threshold = data.pop("collective"), SizeThreshold(1 << 30, data.pop("threshold"))
    of_machine = {key: data.pop(key) for key in ("gpus_per_node", "gpu_model", "nics", "wire_gbytes")}
    network = NETWORKS[data.pop("transport")]
    wanted = Expectation(
        machine="m",
        network=network,
        nodes=2,
        collective=collective,
        thresholds={collective: (threshold,)},
        **of_machine,
    )
    figures = ";".join(data.pop("figures", "").split("\n")).strip(";")
    given: dict[str, Any] = {
        **data,
        **{key: tuple(data[key]) for key in ("listed", "sizes", "proxies") if key in data},
        "channels": tuple(map(tuple, data.get("channels", ()))),
        "told": tuple(data["told"].split()),
    }
    return Twin(expectation=wanted, figures=figures, **given)


_FILE = Path(__file__).parent / "twins.toml"
TWINS = {name: _twin(data) for name, data in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()}
"""Every published run with NCCL's own lines."""
