"""The drawing of a node as an outline: cards of roots or NUMA nodes, lines, and what is listed below."""

import pytest
from rdma_cluster.catalog.machine import PcieRoot
from rdma_cluster.cli.page.node import listed, node
from tests.cli.drawn import outline
from tests.cli.test_page_drawings import PAIRED, ROWS, use

NODES = {
    "cards": (ROWS, PAIRED, """\
div.node
  div.roots of2
    div.root
      p.dim PCIe root 0, NUMA 0
      div.groups
        div.group
          div.cells [--n: 2]
            div
              div.part gpu
                button GPU 0
            div
              div.part gpu
                button GPU 1
          div.cells [--n: 2]
            div
              i.line pcie
            div
              i.line pcie
          div.cells [--n: 1]
            div
              div.part nic
                button n0
              i.line wire
              div.part rail
                button rail 0
    div.root
      p.dim PCIe root 1, NUMA 1
      div.groups
        div.group
          div.cells [--n: 1]
            div
              div.part gpu
                button GPU 2
          div.cells [--n: 1]
            div
              i.line pcie
          div.cells [--n: 1]
            div
              div.part nic
                button NIC
              i.line wire
              div.part rail
                button rail 1
ul.legend
  li
    i.key pcie one PCIe root
  li
    i.key wire to the rail
"""),
    "NUMA nodes": (
        tuple({"rail": i, "gpu": "-", "root": "-", "numa": i // 2, "card": i} for i in range(4)),
        use("a4-highgpu-8g", gpus=4, nvlink_domain=4, roots=(
            PcieRoot(None, 0, (0, 1), ()), PcieRoot(None, 1, (2, 3), ()))), """\
div.node fabric
  div.nvlinked NVLink, by NVSwitch: all 4 GPUs of the node
  div.roots of2
    div.root
      p.dim NUMA 0
      div.bus
      div.groups
        div.group
          div.cells [--n: 2]
            div
              i.line nvlink
              div.part gpu
                button GPU 0
            div
              i.line nvlink
              div.part gpu
                button GPU 1
          div.cells [--n: 2]
            div
              i.line none
            div
              i.line none
          div.cells [--n: 2]
            div
              div.part nic
                button card 0
              i.line wire
              div.part rail
                button rail 0
            div
              div.part nic
                button card 1
              i.line wire
              div.part rail
                button rail 1
    div.root
      p.dim NUMA 1
      div.bus
      div.groups
        div.group
          div.cells [--n: 2]
            div
              i.line nvlink
              div.part gpu
                button GPU 2
            div
              i.line nvlink
              div.part gpu
                button GPU 3
          div.cells [--n: 2]
            div
              i.line none
            div
              i.line none
          div.cells [--n: 2]
            div
              div.part nic
                button card 2
              i.line wire
              div.part rail
                button rail 2
            div
              div.part nic
                button card 3
              i.line wire
              div.part rail
                button rail 3
ul.legend
  li
    i.key nvlink NVLink
  li
    i.key none no line: which GPU is near which NIC is not known, or they share no root
  li
    i.key wire to the rail
"""),
    "nothing known": (({"rail": 0, "gpu": "-"},), use("a4-highgpu-8g", gpus=2, nvlink_domain=0, roots=None), """\
div.node
  div.roots of1
    div.root
      p.dim PCIe roots not known
      div.groups
        div.group
          div.cells [--n: 2]
            div
              div.part gpu
                button GPU 0
            div
              div.part gpu
                button GPU 1
          div.cells [--n: 2]
            div
              i.line none
            div
              i.line none
          div.cells [--n: 1]
            div
              div.part nic
                button NIC
              i.line wire
              div.part rail
                button rail 0
ul.legend
  li
    i.key none no line: which GPU is near which NIC is not known, or they share no root
  li
    i.key wire to the rail
"""),
    "neighbours": (
        ({"rail": 0, "gpu": "0", "numa": 0, "nic": "x"},),
        use("a4-highgpu-8g", gpus=1, nvlink_domain=0, roots=None), """\
div.node
  div.roots of1
    div.root
      p.dim NUMA 0
      div.groups
        div.group
          div.cells [--n: 1]
            div
              div.part gpu
                button GPU 0
          div.cells [--n: 1]
            div
              i.line near
          div.cells [--n: 1]
            div
              div.part nic
                button x
              i.line wire
              div.part rail
                button rail 0
ul.legend
  li
    i.key near near, but no shared PCIe root is visible
  li
    i.key wire to the rail
"""),
}  # fmt: skip


@pytest.mark.parametrize("name", NODES)
def test_a_node(name: str):
    """A card for each root, else each NUMA node; lines say whether GPU and NIC share a root, or are near."""
    rows, pool, drawn = NODES[name]

    assert outline(node(rows, pool)) == drawn.splitlines()


def test_a_nic_that_is_near_no_gpu():
    """In the card of its root it stands below that root's GPUs, without a line; in one of its own below none."""
    rows = (
        {"rail": 0, "gpu": "0", "root": 0, "numa": 0, "nic": "a"},
        {"rail": 1, "gpu": "-", "root": 0, "numa": 0, "nic": "b"},
        {"rail": 2, "gpu": "-", "root": "-", "numa": 1, "nic": "c"},
    )
    drawn = outline(node(rows, use("a4-highgpu-8g", gpus=1, nvlink_domain=0, roots=None)))

    parts = [line.strip() for line in drawn if line.strip().startswith(("p.dim", "button", "i.line"))]
    assert parts == [
        "p.dim PCIe root 0, NUMA 0", "button GPU 0", "i.line pcie", "button a", "i.line wire", "button rail 0",
        "button GPU 0", "i.line none", "button b", "i.line wire", "button rail 1",
        "p.dim NUMA 1", "i.line none", "button c", "i.line wire", "button rail 2",
    ]  # fmt: skip


def test_a_gpu_knows_the_rails_that_it_is_near():
    """On its card; not those of a card where nobody knows."""
    assert node(ROWS, PAIRED).count("<dt>rails</dt><dd>0</dd>") == 2
    assert "<dt>rails</dt>" not in node(({"rail": 0, "gpu": "-"},), use("a4-highgpu-8g", roots=None))


@pytest.mark.parametrize(("numas", "columns"), [(1, 1), (2, 2), (3, 1), (4, 4), (6, 2), (8, 4)])
def test_cards_stand_in_full_rows(numas: int, columns: int):
    """Four, two or one beside each other. GPUs of no card stand on none of several."""
    rows = [{"rail": i, "gpu": "-", "numa": i} for i in range(numas)]
    drawn = outline(node(rows, use("a4-highgpu-8g", roots=None)))

    assert f"  div.roots of{columns}" in drawn
    assert ("button GPU 7" in [line.strip() for line in drawn]) == (numas == 1)


@pytest.mark.parametrize(
    ("gpus", "domain", "told"),
    [(4, 72, "NVLink, by switches of the rack: 72 GPUs, 4 of them in this node"),
     (8, 8, "NVLink, by NVSwitch: all 8 GPUs of the node")],
)  # fmt: skip
def test_nvlink_has_a_line_of_its_own(gpus: int, domain: int, told: str):
    """Above the cards, with what switches it."""
    drawn = outline(node(ROWS, use("a4-highgpu-8g", gpus=gpus, nvlink_domain=domain)))

    assert drawn[:2] == ["div.node fabric", f"  div.nvlinked {told}"]


def test_what_cards_hold_is_listed():
    """What is alike as a sentence, the rest as tables; a table of nothing is left out."""
    drawn = outline(listed(ROWS, PAIRED))

    alike = "model NVIDIA B200, memory 180 GiB, asked for by gpus"
    assert drawn[0] == f"p.dim every GPU: {alike}"
    assert drawn[1].startswith("p.dim every NIC and rail: transport gIB, line rate 400 Gb/s, reaches the same rail of")
    cells = [line.strip().split("] ") for line in drawn if line.strip().startswith("td")]
    by_gpu = [what for where, what in cells if where.endswith(("[GPU", "[rails"))]
    assert by_gpu == ["0", "0", "1", "0", "2", "1"]
    one = use("a4-highgpu-8g", gpus=1, nics=1, roots=None, gpu_pci=None)
    single = outline(listed([{"rail": 0, "gpu": "-"}], one))
    assert [line.split()[0] for line in single] == ["p.dim", "p.dim", "details", "summary"]
