"""A piece of a page as lines that a person can read, and the pools that the drawings of the tests show."""

from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

from rdma_cluster.catalog.machine import PcieRoot
from rdma_cluster.common.use import PoolUse
from rdma_cluster.fabrics import fabric_of
from tests.machines import known_machine

Rows = Sequence[dict[str, Any]]


class _Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._depth = 0
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        classes = f".{told['class']}" if "class" in told else ""
        further = "".join(f" [{told[key] or key}]" for key in ("style", "open", "data-column") if key in told)
        if self._hidden or "card" in classes.split("."):
            self._hidden += 1
            return
        self.lines.append(f"{'  ' * self._depth}{tag}{classes}{further}")
        self._depth += 1

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            self._hidden -= 1
        else:
            self._depth -= 1

    def handle_data(self, data: str) -> None:
        if not self._hidden and data.strip():
            self.lines[-1] += f" {data.strip()}"


def outline(html: str) -> list[str]:
    """A line for each element, indented below its parent, with its tag, classes, style and text.

    Cards are left out: a reader sees them only on request.
    """
    found = _Outline()
    found.feed(html)
    found.close()
    return found.lines


def shown(html: str, *beginnings: str) -> list[str]:
    """The lines of the outline that begin with one of these, without their indentation."""
    return [line for line in map(str.strip, outline(html)) if line.startswith(beginnings)]


def use(name: str, nodes: int = 2, racks: tuple[int, ...] = (), **machine: Any) -> PoolUse:
    """A pool of a machine of the catalogue, with some of the machine's fields changed."""
    found = known_machine(name)
    made = replace(found, **machine)
    fabric = fabric_of(made)
    assert fabric is not None
    return PoolUse("a", made, nodes, fabric, racks, {"env": {}}, "into pods", gpu_by="gpus", nic_by="nics")


ROOTS = (PcieRoot("r0", 0, (0, 1), (0,)), PcieRoot(None, 1, (2,), (1,)))
PAIRED = use("a4-highgpu-8g", gpus=3, nics=2, roots=ROOTS, nvlink_domain=0)
"""Two GPUs of one root share a NIC; another root has one GPU and a NIC without a name."""
ROWS: Rows = (
    {"rail": 0, "gpu": "0, 1", "root": 0, "numa": 0, "nic": "n0"},
    {"rail": 1, "gpu": "2", "root": 1, "numa": 1, "nic": "-"},
)
"""The rails of ``PAIRED``, as a plan has them."""
