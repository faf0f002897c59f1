"""Every price is from a dated list; a machine without a price says why."""

from datetime import date
from importlib import import_module
from typing import Any

import pytest
from rdma_cluster.catalog import Capacity, Machine, machines
from rdma_cluster.catalog.clouds import CLOUD_FACTS
from rdma_cluster.catalog.prices import PriceList, price_of, prices, why_unlisted
from tests.machines import known_machine

LISTS: list[tuple[str, PriceList]] = [
    (cloud, each) for cloud in CLOUD_FACTS for each in import_module(f"rdma_cluster.catalog.prices.{cloud}").LISTS
]
DOLLARS_A_GPU = {
    "Tesla T4": (0.9, 5),
    "NVIDIA A10G": (1, 5),
    "NVIDIA L4": (1, 4),
    "NVIDIA L40S": (2.5, 8),
    "NVIDIA RTX PRO 4500 Blackwell Server Edition": (3, 5),
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": (4, 6),
    "NVIDIA A100-SXM4-40GB": (2.7, 5),
    "NVIDIA A100-SXM4-80GB": (3, 9),
    "NVIDIA H100 80GB HBM3": (6.8, 24),
    "NVIDIA H200": (7.5, 22),
    "NVIDIA B200": (13, 18),
    "NVIDIA B300 SXM6 AC": (14, 22),
    "NVIDIA GB200": (15, 55),
    "NVIDIA GB300": (17, 60),
    "AMD Instinct MI300X": (5, 13),
    "AMD Instinct MI355X": (8, 10),
}
"""What an hour of one GPU may cost: a price of a GPU written for the machine, or the reverse, is outside."""


def unlisted(cloud: str) -> dict[str, str]:
    """The reasons why machines of a cloud have no price."""
    module: Any = import_module(f"rdma_cluster.catalog.prices.{cloud}")
    return module.UNLISTED


@pytest.mark.parametrize(("cloud", "listed"), LISTS, ids=lambda each: getattr(each, "value", ""))
def test_every_list_has_a_source_and_a_day(cloud: str, listed: PriceList):
    """Its machines are the cloud's, its prices are above nothing, and a region stands once."""
    assert listed.source.ref
    assert date.fromisoformat(listed.source.seen) >= date(2026, 1, 1)
    for name, by_price in listed.machines.items():
        regions = " ".join(by_price.values()).split()
        assert known_machine(name).cloud == cloud
        assert regions and len(set(regions)) == len(regions), name
        assert min(by_price) > 0


@pytest.mark.parametrize("name", [each.name for each in machines() if each.gpus and prices(each)])
def test_a_gpu_costs_what_its_model_may(name: str):
    """A price of one GPU written for a whole machine is outside."""
    row = known_machine(name)
    assert row.gpu is not None
    low, high = DOLLARS_A_GPU[row.gpu.model.removesuffix(" VF")]
    for price in prices(row):
        assert low <= price.least / row.gpus <= price.most / row.gpus <= high, (price.regions, price.least)


@pytest.mark.parametrize("row", [each for each in machines() if each.gpus], ids=lambda each: each.name)
def test_a_gpu_machine_has_a_price_or_a_reason(row: Machine):
    assert bool(prices(row)) != (row.name in unlisted(row.cloud))


@pytest.mark.parametrize("row", [each for each in machines() if each.gpus], ids=lambda each: each.name)
def test_a_machine_that_is_sold_by_contract_alone_says_so(row: Machine):
    if row.capacity in ((Capacity.RESERVATION,), (Capacity.CAPACITY_BLOCK,)):
        assert price_of(row, "us-east-1") is None
        assert "sold by contract" in why_unlisted(row) or "Capacity Blocks" in why_unlisted(row)


def test_lists_that_differ_are_a_range():
    """Nobody decides which is right."""
    price = price_of(known_machine("a3-ultragpu-8g"), "us-central1")
    assert price is not None
    assert (price.least, price.most, price.as_of) == (83.492, 86.7599, "2026-10-13")
    assert len(price.sources) == 3


def test_a_region_that_no_list_has_is_a_range_over_those_listed():
    """It has the date of the oldest."""
    price = price_of(known_machine("p6-b300.48xlarge"), "eu-north-1")
    assert price is not None
    assert (price.least, price.most, price.as_of) == (142.416, 170.9, "2026-07-09")
    assert price.regions == ("us-east-1", "us-gov-east-1", "us-west-2")
