"""The picture in README: one node, its PCIe roots, GPUs, NICs and rails, as SVG for light and for dark pages.

Rows and colours are those of the page that ``plan --html`` writes. The picture has its own ground below all words:
an index that strips ``<picture>`` shows the light one on dark pages, too (pypi/warehouse#11251, astral-sh/ty#2422).
"""

import re
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from rdma_cluster.catalog import Machine, machines
from rdma_cluster.cli.page.devices import nic_name
from rdma_cluster.common.summary import Row, machine_rows

FOLDER = Path(__file__).with_name("pictures")
MACHINE = "a4-highgpu-8g"
"""The machine of the stack that README plans. It has an NVLink domain, and a NIC and a rail for each GPU."""
SCHEMES = ("light", "dark")
_BOX, _GAP, _PAD, _TOP = 92, 8, 10, 44
_COLOUR = re.compile(r"--(\w+): light-dark\((#\w+), (#\w+)\)")


def pictures() -> dict[Path, str]:
    """The text of each file."""
    (machine,) = (each for each in machines() if each.name == MACHINE)
    return {FOLDER / f"node-{scheme}.svg": _svg(machine, scheme) for scheme in SCHEMES}


def _svg(machine: Machine, scheme: str) -> str:
    rows = machine_rows(machine)
    roots = [(key, list(each)) for key, each in groupby(rows, key=lambda row: (row["root"], row["numa"]))]
    width = sum(_wide(each) + _GAP for _, each in roots) + _GAP
    gpu = machine.gpu.model if machine.gpu else ""
    title = f"A node of {machine.name}: {machine.gpus} GPUs, each with a {machine.nic_gbps} Gb/s NIC of its own rail"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 290" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
        f"<style>{_style(scheme)}</style>",
        f'<rect class="node" x="2" y="2" width="{width - 4}" height="286" rx="10"/>',
        f'<text class="head" x="{_PAD + 4}" y="26">{escape(machine.name)}: {machine.gpus} x {escape(gpu)}, '
        "joined by NVLink</text>",
    ]
    left = _GAP
    for (root, numa), each in roots:
        lines += _root(f"PCIe root {root}, NUMA {numa}", each, left)
        left += _wide(each) + _GAP
    below = f"A rail joins the same NIC of every node, at {machine.nic_gbps} Gb/s."
    return "\n".join([*lines, f'<text x="{_PAD + 4}" y="274">{below}</text>', "</svg>", ""])


def _wide(rows: list[Row]) -> int:
    return len(rows) * (_BOX + _GAP) - _GAP + 2 * _PAD


def _root(title: str, rows: list[Row], left: int) -> Iterator[str]:
    yield f'<rect class="root" x="{left}" y="{_TOP}" width="{_wide(rows)}" height="206" rx="8"/>'
    yield f'<text class="dim" x="{left + _PAD}" y="{_TOP + 20}">{escape(title)}</text>'
    yield f'<rect class="bus" x="{left}" y="{_TOP + 28}" width="{_wide(rows)}" height="4"/>'
    for number, row in enumerate(rows):
        x = left + _PAD + number * (_BOX + _GAP)
        named = {"gpu": f"GPU {row['gpu']}", "nic": nic_name(row), "rail": f"rail {row['rail']}"}
        for style, start, end in (("nvlink", 74, 84), ("pcie", 124, 148), ("wire", 180, 200)):
            yield f'<line class="{style}" x1="{x + _BOX // 2}" y1="{start}" x2="{x + _BOX // 2}" y2="{end}"/>'
        for (style, words), top, height in zip(named.items(), (84, 148, 200), (40, 32, 32), strict=True):
            yield f'<rect class="{style}" x="{x}" y="{top}" width="{_BOX}" height="{height}" rx="5"/>'
            yield f'<text class="of" x="{x + _BOX // 2}" y="{top + height // 2 + 5}">{escape(words)}</text>'


def _style(scheme: str) -> str:
    """The page's colours, as plain values: an image on another page has no scheme of its own."""
    css = files("rdma_cluster.cli.page").joinpath("style.css").read_text(encoding="utf-8")
    found = {name: pair[SCHEMES.index(scheme)] for name, *pair in _COLOUR.findall(css)}
    rules = {
        "text": f"fill: {found['ink']}; font: 14px system-ui, sans-serif",
        ".head": "font-weight: 600",
        ".of": "text-anchor: middle",
        "text.dim": f"fill: {found['dim']}; font-size: 13px",
        ".node": f"fill: {found['page']}; stroke: {found['nvlink']}; stroke-width: 4",
        ".bus": f"fill: {found['nvlink']}",
        ".nvlink": f"stroke: {found['nvlink']}; stroke-width: 4",
        ".root": f"fill: {found['soft']}; stroke: {found['line']}",
        ".gpu": f"fill: {found['gpu']}; stroke: {found['line']}",
        ".nic": f"fill: {found['nic']}; stroke: {found['line']}",
        "rect.rail": f"fill: {found['page']}; stroke: {found['wire']}; stroke-dasharray: 4",
        ".pcie": f"stroke: {found['wire']}; stroke-width: 2",
        ".wire": f"stroke: {found['wire']}; stroke-width: 2; stroke-dasharray: 3",
    }
    return " ".join(f"{name} {{ {rule} }}" for name, rule in rules.items())
