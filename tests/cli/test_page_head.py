"""The head of a page: a tile for each figure, and what is not known."""

from datetime import date
from typing import Any

import pytest
from rdma_cluster.cli.page.head import _gbps, head
from rdma_cluster.common.summary import Section, Summary
from tests.cli.drawn import outline

DAY = date(2026, 2, 3)
PRICES = [
    {"pool": "a", "from_usd_an_hour": 1234.5, "to_usd_an_hour": 2000.0, "basis": "on demand", "as_of": "2026-01-01"},
    {"pool": "b", "from_usd_an_hour": None, "to_usd_an_hour": None, "basis": "contract", "as_of": None},
]
ALL = {"pool": "all pools", "from_usd_an_hour": 1234.5, "to_usd_an_hour": 1234.5, "as_of": None}


def section(name: str, *rows: dict[str, Any], of: str = "") -> Section:
    """Of a plan."""
    return Section(name, list(rows), of)


def pool(machine: str, nodes: int) -> dict[str, Any]:
    return {"name": "a", "machine": machine, "nodes": nodes}


def tiles(*sections: Section, cloud: str = "gke", project: str = "") -> dict[str, str]:
    """Text of each tile by its heading; what is small stands behind a bar."""
    lines = outline(head("lab", Summary(sections, ()), cloud, project, DAY))
    found, name = dict[str, str](), ""
    for line in map(str.strip, lines):
        kind, _, text = line.partition(" ")
        if kind == "dt":
            name = text
        elif kind in ("dd", "small"):
            found[name] = f"{found[name]} | {text}" if kind == "small" else text
    return found


def test_the_head_has_a_tile_for_each_figure():
    """Of planned and adopted pools together; half of them in a row, rounded up."""
    cluster = {"name": "lab", "region": "r", "zone": "z", "made": "new", "version": "1.35", "endpoint_kind": "dns"}
    total = {**ALL, "to_usd_an_hour": 2000.0, "basis": "without b; not in it"}
    sections = (
        section("cluster", cluster),
        section("pools", pool("a4-highgpu-8g", 200), pool("none", 3)),
        section("adopted", pool("p5.48xlarge", 1000)),
        section("price", PRICES[0], total),
    )

    assert (
        outline(head("lab", Summary(sections, ()), "gke", "proj", DAY))
        == """\
dl.head [--half: 4]
  div
    dt cloud
    dd GKE
  div
    dt where
    dd r, z
  div
    dt project
    dd proj
  div
    dt date
    dd 2026-02-03
  div
    dt nodes
    dd 1,200
  div
    dt GPUs
    dd 9,600
  div
    dt bandwidth of a node
    dd 3.2 Tb/s
  div
    dt bandwidth of all
    dd 3840 Tb/s
dl.head more
  div
    dt cluster
    dd new
      small Kubernetes 1.35, endpoint kind dns
  div.price
    dt GPU nodes, an hour, by on-demand lists
    dd 1,234.50 to 2,000.00 USD for a part
      small on demand; list of 2026-01-01. without b; not in it
""".splitlines()
    )


def test_what_is_not_known_is_left_out():
    """A project, a place, a cluster, prices; a rate that nobody published is named, also where it is of one pool."""
    assert (
        outline(head("lab", Summary((section("pools", pool("a3-edgegpu-8g", 1)),), ()), "gce", "", DAY))
        == """\
dl.head [--half: 3]
  div
    dt cloud
    dd GCE
  div
    dt date
    dd 2026-02-03
  div
    dt nodes
    dd 1
  div
    dt GPUs
    dd 8
  div
    dt bandwidth of a node
    dd not published
  div
    dt bandwidth of all
    dd not published
dl.head more
""".splitlines()
    )
    mixed = tiles(section("pools", pool("a4-highgpu-8g", 2), pool("a3-edgegpu-8g", 1), pool("a4-highgpu-8g", 1)))
    assert mixed["bandwidth of a node"] == "3.2 Tb/s, not published"
    assert mixed["bandwidth of all"] == "not published"


@pytest.mark.parametrize(
    ("machine", "nodes", "one", "every"),
    [
        ("a3-highgpu-8g", 1, "800 Gb/s", "800 Gb/s"),
        ("a3-highgpu-8g", 2, "800 Gb/s", "1.6 Tb/s"),
        ("a4-highgpu-8g", 1, "3.2 Tb/s", "3.2 Tb/s"),
    ],
)
def test_bandwidth(machine: str, nodes: int, one: str, every: str):
    """In Tb/s from a thousand Gb/s on; of one node and of all."""
    found = tiles(section("pools", pool(machine, nodes)))

    assert (found["bandwidth of a node"], found["bandwidth of all"]) == (one, every)


@pytest.mark.parametrize(
    ("rate", "told"), [(None, "not published"), (999, "999 Gb/s"), (1000, "1 Tb/s"), (3200, "3.2 Tb/s")]
)
def test_a_rate(rate: int | None, told: str):
    """A thousand Gb/s are one Tb/s."""
    assert _gbps(rate) == told


@pytest.mark.parametrize(
    ("cluster", "told"),
    [
        ({"name": "lab", "made": "new"}, "new"),
        ({"name": "other", "made": "new"}, "new other"),
        ({"made": "existing", "version": "1.35", "pods_block": "p", "location": "l"},
         "existing | Kubernetes 1.35, pods block p"),
        ({"name": "other", "version": "1.35"}, None),
    ],
)  # fmt: skip
def test_the_cluster(cluster: dict[str, str], told: str | None):
    """Whether it is new; its name where that is not the stack's, and what no other tile tells."""
    assert tiles(section("cluster", cluster)).get("cluster") == told


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([PRICES[0], {**ALL, "basis": "not in it"}],
         "1,234.50 USD | on demand; list of 2026-01-01. not in it"),
        ([PRICES[1], {**ALL, "from_usd_an_hour": None, "to_usd_an_hour": None, "basis": "without b; not in it"}],
         "no public price | contract. without b; not in it"),
        ([*PRICES, {**ALL, "basis": "without b; not in it"}],
         "1,234.50 USD for a part | a: 1,234.50 to 2,000.00 USD, on demand; list of 2026-01-01. b: no public price, "
         "contract. without b; not in it"),
        (PRICES, None),
    ],
)  # fmt: skip
def test_the_price(rows: list[dict[str, Any]], told: str | None):
    """Of all pools, and of each where there are several; a sum that lacks a pool is for a part."""
    assert tiles(section("price", *rows)).get("GPU nodes, an hour, by on-demand lists") == told
