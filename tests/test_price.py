"""What a plan says that its nodes cost."""

from datetime import date
from typing import NamedTuple

import pytest
from rdma_cluster.catalog import Capacity, Machine, find
from rdma_cluster.common.price import NOT_IN_IT, aged, price_rows


class Pool(NamedTuple):
    """As much of a pool as has a price."""

    name: str
    machine: Machine
    nodes: int
    capacity: Capacity


def pool(machine: str, nodes: int = 2, capacity: Capacity = Capacity.ON_DEMAND) -> Pool:
    """A pool that is called as its machine."""
    row = find(machine)
    assert row is not None
    return Pool(machine, row, nodes, capacity)


def test_rows_of_pools_and_their_sum():
    """All nodes of a pool; the sum says what is not in it, and has the date of the oldest."""
    first, second, whole = price_rows([pool("p5.48xlarge"), pool("p5en.48xlarge", 3)], "us-east-2")
    assert first == {
        "pool": "p5.48xlarge",
        "region": "us-east-2",
        "from_usd_an_hour": 110.08,
        "to_usd_an_hour": 110.08,
        "as_of": "2026-07-09",
        "basis": "on demand",
    }
    assert (second["from_usd_an_hour"], second["as_of"]) == (189.89, "2026-08-06")
    assert whole == {
        **first,
        "pool": "all pools",
        "from_usd_an_hour": 299.97,
        "to_usd_an_hour": 299.97,
        "basis": NOT_IN_IT,
    }


def test_a_sum_without_a_pool_says_so():
    """What is unknown is not nothing."""
    first, second, whole = price_rows([pool("a3-megagpu-8g"), pool("a4x-highgpu-4g")], "us-east4")
    assert (first["from_usd_an_hour"], second["from_usd_an_hour"], whole["from_usd_an_hour"]) == (185.88, None, 185.88)
    assert second["basis"].startswith("sold by contract: ")
    assert whole["basis"].startswith("without a4x-highgpu-4g; not in it: ")


def test_no_price_at_all():
    """No sum either, and no date."""
    _, whole = price_rows([pool("a4x-highgpu-4g")], "us-east4")
    assert (whole["from_usd_an_hour"], whole["to_usd_an_hour"], whole["as_of"]) == (None, None, None)


@pytest.mark.parametrize(
    ("machine", "region", "basis"),
    [
        ("a3-ultragpu-8g", "us-central1", "on demand; lists differ"),
        (
            "a3-ultragpu-8g",
            "us-west8",
            "on demand in 5 regions, from us-central1 to asia-south1: no list that was read has us-west8",
        ),
        ("g5.48xlarge", "eu-west-1", "on demand in us-east-1: no list that was read has eu-west-1"),
        ("BM.GPU.H100.8", "eu-frankfurt-1", "on demand"),
        # Three are named, four are counted.
        (
            "p6-b300.48xlarge",
            "eu-west-1",
            "on demand in us-east-1, us-gov-east-1, us-west-2: no list that was read has eu-west-1",
        ),
        (
            "Standard_HB368rs_v5",
            "westeurope",
            "on demand in 4 regions, from centralus to swedencentral: no list that was read has westeurope",
        ),
    ],
)
def test_where_a_price_is_from(machine: str, region: str, basis: str):
    """A range tells why it is one."""
    row, _ = price_rows([pool(machine)], region)
    assert row["basis"] == basis


@pytest.mark.parametrize(
    ("capacity", "remark"),
    [
        (Capacity.SPOT, "an upper reference: spot nodes cost less, by a price that changes"),
        (Capacity.RESERVATION, "an upper reference: what a commitment or contract takes off is not known"),
        (Capacity.CAPACITY_BLOCK, "a reference only: capacity-block has a price of its own"),
        (Capacity.FLEX_START, "a reference only: flex-start has a price of its own"),
        (Capacity.CAPACITY_TOPOLOGY, "a reference only: this capacity is sold by contract"),
    ],
)
def test_what_the_price_is_worth(capacity: Capacity, remark: str):
    """Nodes that are not on demand cost something else."""
    row, _ = price_rows([pool("BM.GPU.H100.8", 1, capacity)], "eu-frankfurt-1")
    assert row["basis"] == f"on demand; {remark}"


def test_an_old_price_tells_its_age():
    """From 121 days on, each pool once, and never the sum."""
    rows = price_rows([pool("p5.48xlarge"), pool("a4x-highgpu-4g")], "us-east-2")
    assert aged(rows, date(2026, 11, 6)) == []
    assert aged(rows, date(2026, 11, 7)) == [
        "the price of pool p5.48xlarge is of 2026-07-09, 121 days ago; look at the cloud's own list"
    ]
