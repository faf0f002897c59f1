"""Published runs as test data: figures, quirks and source from published.toml, written out by the renderer."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from nccl_verdict.expectation import Expectation, SizeThreshold
from tests.nccl import render
from tests.nccl.forms import NETWORKS
from tests.nccl.render import GIB, Table

_SIZES = {"K": 1 << 10, "M": 1 << 20, "G": GIB}


@dataclass(frozen=True)
class Case:
    """One published run with its outcome."""

    name: str
    data: Mapping[str, Any]

    @property
    def fails(self) -> tuple[str, ...]:
        return tuple(self.data["fails"].split())

    @property
    def expectation(self) -> Expectation:
        data = self.data
        collective = data.get("collective")
        thresholds = {str(collective): (SizeThreshold(GIB, data["threshold"]),)} if "threshold" in data else {}
        names = ("machine", "nodes", "gpus_per_node", "gpu_model", "wire_gbytes")
        given = {name: data[name] for name in names if name in data}
        return Expectation(
            **given,
            network=NETWORKS[data["transport"]],
            nics=data.get("nics"),
            collective=collective,
            thresholds=thresholds,
        )

    @property
    def figures(self) -> list[tuple[int, float | None, float | None]]:
        """Size, out-of-place and in-place."""
        entries = self.data.get("figures", "").replace("\n", ";").split(";")
        return [(_size(size), _figure(out), _figure(into)) for size, out, into in map(str.split, filter(None, entries))]

    @property
    def largest(self) -> tuple[int, float | None, float | None] | None:
        return max(self.figures, default=None)

    @cached_property
    def text(self) -> bytes:
        return render.joined(self.lines())

    def lines(self, table: Table | None = None) -> list[str]:
        """The log, in the form that it was published in or in another."""
        data, label = self.data, self.data.get("prefix", "")
        prefix = "[0]" if label == "label" else label
        old = Table(
            root=data.get("columns") != "no root",
            old_errors=data.get("wrong") == "4e-07",
            wrong=data.get("wrong", "0"),
            label="[0]" if label == "label" else "",
        )
        table = table or old
        lines = []
        if data.get("started"):
            lines.append(f"# Collective test starting: {data.get('collective')}_perf")
        if "banner" in data:
            low, high, step, kind = data["banner"].split()
            lines.append(render.banner(_size(low), _size(high), int(step), kind))
        lines += [*self._devices(), *self._channels(), table.head(), *self._rows(table)]
        if data.get("footer"):
            lines.append("# Out of bounds values : 0 OK")
        if "average" in data:
            lines.append(f"# Avg bus bandwidth    : {data['average']:g}")
        if data.get("concluded"):
            lines.append(f"# Collective test concluded: {data.get('collective')}_perf")
        return [f"{prefix}{line}" for line in lines]

    def _devices(self) -> list[str]:
        model = self.data.get("listed_model", self.data["gpu_model"])
        lines = []
        for node in self.data.get("devices", []):
            host, *held = node.split()
            for each in held:
                rank, device, pci = each.split(":", 2)
                lines.append(
                    f"#  Rank {rank:>2} Group  0 Pid {700 + int(rank):6} on {host} device {device:>2} [{pci}] {model}"
                )
        return lines

    def _channels(self) -> list[str]:
        count = self.data.get("channels_without_gdr", 0)
        prefix = "node0:22901:22901 [0] NCCL INFO Channel"
        return [f"{prefix} {n:02}/0 : 0[0] -> 1[0] [send] via NET/IB/{4 + n % 2}" for n in range(count)]

    def _rows(self, table: Table) -> list[str]:
        data = self.data
        total = data.get("figures_of", data["nodes"] * data["gpus_per_node"])
        collective = data.get("collective", "all_gather")
        return [
            render.row(size, out, into, total, table.wrong, collective, table, data.get("alg", True))
            for size, out, into in self.figures
        ]


def _size(word: str) -> int:
    return int(word[:-1]) * _SIZES[word[-1]] if word[-1] in _SIZES else int(word)


def _figure(word: str) -> float | None:
    return None if word == "-" else float(word)


def _load() -> list[Case]:
    published = tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))
    return [Case(name, data) for name, data in published.items()]


CASES = _load()
"""Every published run."""
