"""Drawings of a page as outlines: what joins nodes, racks, and the shapes of claims."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from rdma_cluster.catalog import find
from rdma_cluster.catalog.machine import PcieRoot
from rdma_cluster.claims import Nics, Pairs
from rdma_cluster.cli.page.between import between, racks
from rdma_cluster.cli.page.page import claims
from rdma_cluster.common.use import PoolUse
from rdma_cluster.fabrics import fabric_of
from tests.cli.drawn import outline

Rows = Sequence[dict[str, Any]]


def use(name: str, nodes: int = 2, racks: tuple[int, ...] = (), **machine: Any) -> PoolUse:
    """A pool of a machine that differs in this from one of the catalogue."""
    found = find(name)
    assert found is not None
    made = replace(found, **machine)
    fabric = fabric_of(made)
    assert fabric is not None
    return PoolUse("a", made, nodes, fabric, racks, {"env": {}}, "into pods", gpu_by="gpus", nic_by="nics")


ROOTS = (PcieRoot("r0", 0, (0, 1), (0,)), PcieRoot(None, 1, (2,), (1,)))
PAIRED = use("a4-highgpu-8g", gpus=3, nics=2, roots=ROOTS, nvlink_domain=0)
ROWS: Rows = (
    {"rail": 0, "gpu": "0, 1", "root": 0, "numa": 0, "nic": "n0"},
    {"rail": 1, "gpu": "2", "root": 1, "numa": 1, "nic": "-"},
)
"""Two GPUs of one root share a NIC; another root has a GPU and a NIC without a name."""
HEADS = "  b one node\n  b network\n  b other nodes\n"
UNKNOWN = "which switches the cloud has between them, the plan does not know"
RAILS = f"""\
p.dim pool a: 2 nodes
div.between [--rows: 2]
{HEADS}  div.end n0
    small GPU 0, 1
  i.line across
  div.net
    div.part rail
      button rail 0
  i.line across
  div.end n0
    small GPU 0, 1
  div.end NIC
    small GPU 2
  i.line across
  div.net
    div.part rail
      button rail 1
  i.line across
  div.end NIC
    small GPU 2
ul.legend
  li
    i.key across gIB, 400 Gb/s a NIC
p.dim a NIC reaches the same rail of other nodes; {UNKNOWN}
"""
ONE_NETWORK = f"""\
p.dim pool b: 1 nodes; pool a: 3 nodes
div.between whole [--rows: 2]
{HEADS}  div.end n0
    small GPU 0, 1
  i.line across
  div.net
    div.part rail
      button one EFA network
        small every rail
  i.line across
  div.end n0
    small GPU 0, 1
  div.end NIC
    small GPU 2
  i.line across
  i.line across
  div.end NIC
    small GPU 2
ul.legend
  li
    i.key across EFA, 100 Gb/s a NIC
p.dim every NIC reaches every NIC of other nodes; no rail is a network of its own; {UNKNOWN}
"""


def test_rails_that_are_networks_of_their_own():
    """A line a rail from its NIC to the same of other nodes, with the GPUs that are near."""
    assert outline(between(ROWS, [PAIRED])) == RAILS.splitlines()


def test_one_network_for_all():
    """Where every NIC reaches every other: it stands in the first row alone."""
    uses = [replace(use("p5.48xlarge", nodes=1), pool="b"), use("p5.48xlarge", nodes=3)]

    assert outline(between(ROWS, uses)) == ONE_NETWORK.splitlines()


def test_pools_of_one_node():
    """Nothing is between them; a rate that nobody published is named as such."""
    alone = ["p.dim one node: nothing between nodes"]
    assert outline(between(ROWS, [replace(PAIRED, nodes=1)] * 2)) == alone
    assert "    i.key across GPUDirect-TCPX, rate not published" in outline(between(ROWS, [use("a3-edgegpu-8g")]))


@pytest.mark.parametrize(
    ("rails", "known", "ends", "names"),
    [
        (8, True, [f"card {i}" for i in range(8)], [f"rail {i}" for i in range(8)]),
        (9, True, ["card 0 to 2", "card 3 to 5", "card 6 to 8"], ["rails 0 to 2", "rails 3 to 5", "rails 6 to 8"]),
        (9, False, [f"card {i}" for i in range(9)], [f"rail {i}" for i in range(9)]),
        (10, True, ["card 0 to 2", "card 3 to 5", "card 6 to 8", "card 9"],
         ["rails 0 to 2", "rails 3 to 5", "rails 6 to 8", "rail 9"]),
    ],
)  # fmt: skip
def test_many_rails_share_lines(rails: int, known: bool, ends: list[str], names: list[str]):
    """Those of one GPU, where there are more than eight and all are near one; a line of several says how many."""
    rows = [{"rail": i, "gpu": str(i // 3), "nic": f"card {i}", "cidr": f"10.0.{i}.0/24"} for i in range(rails)]
    rows[1]["gpu"] = rows[1]["gpu"] if known else "-"

    drawn = [line.strip() for line in outline(between(rows, [PAIRED]))]
    assert drawn[1] == f"div.between [--rows: {len(names)}]"
    assert [line.removeprefix("div.end ") for line in drawn if line.startswith("div.end ")][::2] == ends
    assert [line.removeprefix("button ") for line in drawn if line.startswith("button ")] == names
    beside = ["small 3 lines" if " to " in name else f"small 10.0.{name.split()[1]}.0/24" for name in names]
    assert [line for line in drawn if line.endswith(("lines", "/24"))] == beside


def test_racks_that_the_plan_knows():
    """A frame for each NVLink domain, the rest of it empty; a rack's nodes and GPUs are counted."""
    rack = use("p6e-gb200.36xlarge", 3, (2, 1), gpus=4, nvlink_domain=12)
    head = "    div.nvswitch NVLink switches of the rack\n    div.nodes"

    assert (
        "\n".join(outline(racks([use("a4-highgpu-8g"), rack])))
        == f"""\
div.racks
  div.rack
    b NVLink domain 1, pool a
    span.dim 2 nodes, 8 GPUs
{head}
      span.cell 1
      span.cell 2
      span.cell empty 3
  div.rack
    b NVLink domain 2, pool a
    span.dim 1 nodes, 4 GPUs
{head}
      span.cell 1
      span.cell empty 2
      span.cell empty 3"""
    )


def test_racks_that_are_known_when_they_are_up():
    """One sentence for each such pool; without racks there is nothing."""
    rack = use("p6e-gb200.36xlarge", 3, gpus=4, nvlink_domain=12)
    told = (
        "p.dim pool a: which of its 3 nodes share a rack is known when they are up, from their label "
        "nvidia.com/gpu.clique; a rack has 3 nodes at the most"
    )
    assert outline(racks([rack])) == [told]
    assert racks([use("a4-highgpu-8g")]) == ""
    drawn = outline(racks([replace(rack, racks=(3,)), rack]))
    assert (drawn[0], drawn[-1]) == ("div.racks", told)


OFFERS: Any = (
    SimpleNamespace(intent=Pairs(1), pods_per_node=2, windows=[
        [SimpleNamespace(name="t0", window="rail-0")],
        [SimpleNamespace(name="t1", window="rail-1"), SimpleNamespace(name="t2", window="x")]]),
    SimpleNamespace(intent=Nics(), pods_per_node=1, windows=[[SimpleNamespace(name="n", window="all")]]),
    SimpleNamespace(intent=Pairs(2), pods_per_node=3, windows=[[SimpleNamespace(name="q", window="w")]]),
)  # fmt: skip
SHAPES = """\
div.shapes
  div.shape
    b 1 aligned GPU+NIC pair
    span.dim 2 a node
    div.tiles
      span.tile rail-0
      span.tile rail-1 + x
    p.names
      code t0 ,
      code t1 +
      code t2
  div.shape
    b all NICs
    span.dim 1 a node
    div.tiles
      span.tile nic
    p.names
      code n
  div.shape
    b 2 aligned GPU+NIC pairs
    span.dim 3 a node
    div.tiles
      span.tile
      span.tile
      span.tile
    p.names
      code q
"""


def test_shapes_of_claims():
    """A tile a pod, with its window where each pod has its own; the templates that a pod takes together."""
    assert outline(claims(replace(PAIRED, offers=OFFERS))) == SHAPES.splitlines()
