"""A plan says what its nodes cost, by which list, and what is not in the sum."""

from datetime import date
from typing import NamedTuple

import pytest
from rdma_cluster.catalog import Capacity, Machine
from rdma_cluster.common.price import NOT_IN_IT, aged, price_rows
from tests.machines import known_machine


class Pool(NamedTuple):
    """The part of a pool that has a price."""

    name: str
    machine: Machine
    nodes: int
    capacity: Capacity


def pool(machine: str, nodes: int = 2, capacity: Capacity = Capacity.ON_DEMAND) -> Pool:
    """A pool that is called as its machine."""
    row = known_machine(machine)
    return Pool(machine, row, nodes, capacity)


def test_the_sum_is_of_all_pools_and_as_old_as_the_oldest_price():
    first, second, whole = price_rows([pool("p5.48xlarge"), pool("p5en.48xlarge", 3)], "us-east-2")

    assert first["from_usd_an_hour"] == 110.08 and second["from_usd_an_hour"] == 189.89
    assert whole["from_usd_an_hour"] == whole["to_usd_an_hour"] == 299.97
    assert whole["as_of"] == min(first["as_of"], second["as_of"]) and whole["basis"] == NOT_IN_IT


def test_the_sum_names_the_pools_whose_price_is_unknown():
    first, second, whole = price_rows([pool("a3-megagpu-8g"), pool("a4x-highgpu-4g")], "us-east4")

    assert second["from_usd_an_hour"] is None and second["basis"].startswith("sold by contract")
    assert whole["from_usd_an_hour"] == first["from_usd_an_hour"] and "without a4x-highgpu-4g" in whole["basis"]
    _, nothing = price_rows([pool("a4x-highgpu-4g")], "us-east4")
    assert (nothing["from_usd_an_hour"], nothing["to_usd_an_hour"], nothing["as_of"]) == (None, None, None)


@pytest.mark.parametrize(
    ("machine", "region", "words"),
    [
        ("a3-ultragpu-8g", "us-central1", ["lists differ"]),
        ("a3-ultragpu-8g", "us-west8", ["in 5 regions, from us-central1 to asia-south1", "has us-west8"]),
        ("g5.48xlarge", "eu-west-1", ["in us-east-1", "has eu-west-1"]),
        ("p6-b300.48xlarge", "eu-west-1", ["in us-east-1, us-gov-east-1, us-west-2"]),
        ("Standard_HB368rs_v5", "westeurope", ["in 4 regions, from centralus to swedencentral"]),
    ],
)
def test_a_price_says_where_it_is_from(machine: str, region: str, words: list[str]):
    """Up to three regions are named, and more are counted."""
    row, _ = price_rows([pool(machine)], region)

    assert [each for each in words if each not in row["basis"]] == []


def test_a_price_says_that_nodes_cost_something_else_where_they_are_not_on_demand():
    def basis(capacity: Capacity) -> str:
        return price_rows([pool("BM.GPU.H100.8", 1, capacity)], "eu-frankfurt-1")[0]["basis"]

    assert basis(Capacity.ON_DEMAND) == "on demand"
    assert "spot nodes cost less" in basis(Capacity.SPOT) and "a commitment" in basis(Capacity.RESERVATION)
    assert "flex-start has a price of its own" in basis(Capacity.FLEX_START)
    assert "sold by contract" in basis(Capacity.CAPACITY_TOPOLOGY)


def test_a_price_older_than_120_days_tells_its_age():
    rows = price_rows([pool("p5.48xlarge"), pool("a4x-highgpu-4g")], "us-east-2")

    assert aged(rows, date(2026, 11, 6)) == []
    (told,) = aged(rows, date(2026, 11, 7))
    assert "p5.48xlarge is of 2026-07-09, 121 days ago" in told
