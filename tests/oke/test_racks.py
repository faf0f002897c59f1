"""Racks: IMEX channels by claims, while OKE's device plugin hands out the GPUs."""

from typing import Any

from tests.oke.plans import ON_DEMAND, RACKS, whole_plan

_RACKS: dict[str, Any] = {**RACKS, "name": "gb200"}
_H100: dict[str, Any] = {"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2, "capacity": ON_DEMAND}
_CLAIMS: dict[str, Any] = {"rdma": {"nic_attachment": "dranet"}}


def driver_of(pools: list[dict[str, Any]], **choices: Any) -> dict[str, Any] | None:
    """Which devices NVIDIA's DRA driver hands out, where it is installed."""
    drivers = whole_plan(pools, **choices).in_cluster.drivers
    return drivers.plan.gpu.values["resources"] if drivers and drivers.plan.gpu else None


def test_racks_get_channels_alone():
    """The GPUs have an owner already."""
    assert driver_of([_RACKS]) == {"gpus": {"enabled": False}, "computeDomains": {"enabled": True}}


def test_nodes_without_racks_get_no_driver():
    """NVLink ends at the node, and nothing is claimed."""
    assert driver_of([_H100]) is None


def test_somebody_else_brings_it():
    """Oracle's own stack does."""
    assert driver_of([_RACKS], drivers={"gpu": "existing"}) is None


def test_claimed_gpus_and_channels_are_of_one_driver():
    """Where claims hand out the GPUs of a rack."""
    claimed = {**_RACKS, "gpu_allocation": "dra"}

    assert driver_of([claimed], **_CLAIMS) == {"gpus": {"enabled": True}, "computeDomains": {"enabled": True}}


def test_one_rack_beside_others_needs_channels():
    """Whichever pool comes first; where no pool is a rack nobody pays for channels."""
    rack, other = ({**pool, "gpu_allocation": "dra"} for pool in (_RACKS, _H100))

    for pools, channels in (([rack, other], True), ([other, rack], True), ([other], False)):
        found = driver_of(pools, **_CLAIMS)
        assert found == {"gpus": {"enabled": True}, "computeDomains": {"enabled": channels}}, pools
