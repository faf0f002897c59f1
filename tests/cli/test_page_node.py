"""The drawing of one node: cards of roots or NUMA nodes, the lines in them, and what is listed below."""

import pytest
from rdma_cluster.catalog.machine import PcieRoot
from rdma_cluster.cli.page.node import listed, node
from tests.cli.drawn import PAIRED, ROWS, shown, use

NEIGHBOURS = ({"rail": 0, "gpu": "0", "numa": 0, "nic": "x"},)
"""A GPU and a NIC that are near each other on a node without published roots."""


def test_each_root_is_a_card_whose_lines_join_its_gpus_and_its_nic():
    assert shown(node(ROWS, PAIRED), "div.roots", "p.dim", "button", "i.") == [
        "div.roots of2", "p.dim PCIe root 0, NUMA 0", "button GPU 0", "button GPU 1", "i.line pcie", "i.line pcie",
        "button n0", "i.line wire", "button rail 0", "p.dim PCIe root 1, NUMA 1", "button GPU 2", "i.line pcie",
        "button NIC", "i.line wire", "button rail 1", "i.key pcie one PCIe root", "i.key wire to the rail",
    ]  # fmt: skip


def test_a_numa_node_is_a_card_where_no_rail_has_a_root():
    """GPUs stand on the card of their NUMA node, and no line claims that one is near a NIC."""
    roots = (PcieRoot(None, 0, (0, 1), ()), PcieRoot(None, 1, (2, 3), ()))
    rows = tuple({"rail": i, "gpu": "-", "root": "-", "numa": i // 2, "card": i} for i in range(4))
    drawn = shown(node(rows, use("a4-highgpu-8g", gpus=4, nvlink_domain=4, roots=roots)), "p.dim", "button", "i.line")

    assert drawn[0] == "p.dim NUMA 0"
    assert [line for line in drawn if "GPU" in line] == [f"button GPU {i}" for i in range(4)]
    assert drawn.index("button GPU 1") < drawn.index("p.dim NUMA 1") < drawn.index("button GPU 2")
    assert drawn.count("i.line none") == drawn.count("i.line nvlink") == 4 and "button card 3" in drawn


@pytest.mark.parametrize(
    ("rows", "title", "kind"),
    [(({"rail": 0, "gpu": "-"},), "p.dim PCIe roots not known", "none"), (NEIGHBOURS, "p.dim NUMA 0", "near")],
    ids=["nothing known", "near without a root"],
)
def test_a_line_claims_no_more_than_is_known(rows, title: str, kind: str):
    drawn = shown(node(rows, use("a4-highgpu-8g", gpus=1, nvlink_domain=0, roots=None)), "p.dim", "i.")

    assert drawn[0] == title and f"i.line {kind}" in drawn
    assert any(line.startswith(f"i.key {kind} ") for line in drawn)


def test_what_the_cards_hold_is_listed_below_the_drawing():
    """Facts that all devices share are sentences, the others are tables; a table of nothing is left out."""
    alike, rails, *tables = shown(listed(ROWS, PAIRED), "p.dim", "td")
    cells = [cell.split("] ") for cell in tables]

    assert alike == "p.dim every GPU: model NVIDIA B200, memory 180 GiB, asked for by gpus"
    assert rails.startswith("p.dim every NIC and rail: transport gIB, ")
    assert [what for where, what in cells if where.endswith(("[GPU", "[rails"))] == ["0", "0", "1", "0", "2", "1"]
    one = use("a4-highgpu-8g", gpus=1, nics=1, roots=None, gpu_pci=None)
    assert shown(listed([{"rail": 0, "gpu": "-"}], one), "table") == []
