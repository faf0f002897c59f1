"""What nobody has seen work, or what works at a price, is told with the plan; and only where it is so."""

from typing import Any

import pytest
from tests.aks.plans import ID, RESERVATIONS, pool, stack_plan

PRIVATE = {"kubernetes": {"admins": [{"id": ID}]}}
ENDING = {"kubernetes": {**PRIVATE["kubernetes"], "version": "1.34"}}
NEWEST = {"kubernetes": {**PRIVATE["kubernetes"], "version": "1.37"}}
CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("published no bandwidth", {"drivers": {"rdma_driver": "inbox"}}, {}),
    ("picks NICs by PCI id", {"drivers": {"rdma_driver": "inbox"}}, {}),
    ("nvidia-peermem of AKS's driver", {"drivers": {"gpu_driver": "aks"}}, {}),
    ("NVIDIA_VISIBLE_DEVICES=all", {"drivers": {"gpu_driver": "aks"}}, {}),
    ("node problem detector", {}, {"drivers": {"gpu_driver": "aks"}}),
    ("once this machine reaches the network", PRIVATE, {}),
    ("ends its support soon", ENDING, {}),
    ("the newest that AKS was seen to offer", {"kubernetes": {**PRIVATE["kubernetes"], "version": "1.99"}}, NEWEST),
    ("must exist, or pods stay pending", {"pools": [pool()], "drivers": {"nic": "existing"}}, {"pools": [pool()]}),
    ("made on demand", {"pools": [pool(capacity={"reservation": {"group": RESERVATIONS}})]}, {"pools": [pool()]}),
    ("osSKU Ubuntu2404", ENDING, {}),
]


def told(args: dict[str, Any]) -> str:
    """All warnings of a stack."""
    pools = args.get("pools", [])
    return "\n".join(stack_plan(*pools, **{key: of for key, of in args.items() if key != "pools"}).warnings)


@pytest.mark.parametrize(("words", "with_it", "without"), CASES, ids=[words for words, *_ in CASES])
def test_it_is_told_where_it_is_so(words: str, with_it: dict[str, Any], without: dict[str, Any]):
    """And not beside it."""
    assert words in told(with_it)
    assert words not in told(without)
