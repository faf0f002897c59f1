"""The head of a page: a tile for each figure, and what is not known."""

from datetime import date
from typing import Any

import pytest
from rdma_cluster.cli.page.head import head
from rdma_cluster.common.summary import Section, Summary
from tests.cli.drawn import outline

PRICES = [
    {"pool": "a", "from_usd_an_hour": 1234.5, "to_usd_an_hour": 2000.0, "basis": "on demand", "as_of": "2026-01-01"},
    {"pool": "b", "from_usd_an_hour": None, "to_usd_an_hour": None, "basis": "contract", "as_of": None},
]
ALL = {"pool": "all pools", "from_usd_an_hour": 1234.5, "to_usd_an_hour": 1234.5, "as_of": None}
PRICE = "GPU nodes, an hour, by on-demand lists"


def pool(machine: str, nodes: int) -> dict[str, Any]:
    """A row of the plan's pools."""
    return {"name": "a", "machine": machine, "nodes": nodes}


def tiles(project: str = "", **sections: list[dict[str, Any]]) -> dict[str, str]:
    """The text of each tile by its heading; small print stands behind a bar."""
    summary = Summary(tuple(Section(name, rows) for name, rows in sections.items()), ())
    found, name = dict[str, str](), ""
    for line in map(str.strip, outline(head("lab", summary, "gke", project, date(2026, 2, 3)))):
        kind, _, text = line.partition(" ")
        if kind == "dt":
            name = text
        elif kind in ("dd", "small"):
            found[name] = f"{found[name]} | {text}" if kind == "small" else text
    return found


def test_figures_are_of_planned_and_adopted_pools_together():
    cluster = {"name": "lab", "region": "r", "zone": "z", "made": "new", "version": "1.35", "endpoint_kind": "dns"}
    pools, adopted = [pool("a4-highgpu-8g", 200), pool("none", 3)], [pool("p5.48xlarge", 1000)]

    assert tiles("proj", cluster=[cluster], pools=pools, adopted=adopted) == {
        "cloud": "GKE",
        "where": "r, z",
        "project": "proj",
        "date": "2026-02-03",
        "nodes": "1,200",
        "GPUs": "9,600",
        "bandwidth of a node": "3.2 Tb/s",
        "bandwidth of all": "3840 Tb/s",
        "cluster": "new | Kubernetes 1.35, endpoint kind dns",
    }


@pytest.mark.parametrize(
    ("pools", "one", "every"),
    [
        ([pool("a3-highgpu-8g", 2)], "800 Gb/s", "1.6 Tb/s"),
        ([pool("a4-highgpu-8g", 2), pool("a3-edgegpu-8g", 1)], "3.2 Tb/s, not published", "not published"),
    ],
    ids=["a thousand and more", "one rate unknown"],
)
def test_bandwidth_is_in_terabits_from_a_thousand_gigabits_on(pools: list[dict[str, Any]], one: str, every: str):
    found = tiles(pools=pools)

    assert (found["bandwidth of a node"], found["bandwidth of all"]) == (one, every)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([PRICES[0], {**ALL, "basis": "not in it"}], "1,234.50 USD | on demand; list of 2026-01-01. not in it"),
        ([PRICES[0], {**ALL, "to_usd_an_hour": 2000.0, "basis": "b"}],
         "1,234.50 to 2,000.00 USD | on demand; list of 2026-01-01. b"),
        ([PRICES[1], {**ALL, "from_usd_an_hour": None, "to_usd_an_hour": None, "basis": "without b; not in it"}],
         "no public price | contract. without b; not in it"),
        ([*PRICES, {**ALL, "basis": "without b; not in it"}],
         "1,234.50 USD for a part | a: 1,234.50 to 2,000.00 USD, on demand; list of 2026-01-01. b: no public price, "
         "contract. without b; not in it"),
    ],
    ids=["one pool", "a range", "no price", "a part"],
)  # fmt: skip
def test_the_price_is_of_all_pools_and_says_what_it_is_worth(rows: list[dict[str, Any]], told: str):
    """Where there are several pools each has its own price, and a sum that lacks a pool is called a part."""
    assert tiles(price=rows)[PRICE] == told
