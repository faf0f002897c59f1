"""A node whose devices claims hand out: slices, attributes that claims select on, and the claims that still fit."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from rdma_cluster.claims import Target
from rdma_cluster.claims.device import Device
from rdma_cluster.fabrics import NIC_DRIVERS, GpuAllocation
from tests.conform.pools import A4, NODE, judged, promised, published, told, with_claims

ROOT, BUS_ID = "resource.kubernetes.io/pcieRoot", "resource.kubernetes.io/pciBusID"
TARGET = Target()
PLUGGED = Target(gpus=GpuAllocation.DEVICE_PLUGIN)


class Rails(NamedTuple):
    """Claims that take one rail a pod, as `fits.Claim` offers them."""

    name: str

    def copies(self, devices: Sequence[Device], target: Target) -> int:
        """As many as there are rails."""
        nics = (each for each in devices if each.driver != "gpu.nvidia.com")
        return sum(each.attributes.get("dra.net/rdma") is not False for each in nics)


def found(devices: Any, target: Target = TARGET, pairs: int = 8, **changes: Any) -> Any:
    """What a node differs in, of whose devices drivers publish these."""
    pool = with_claims(target, claims=((Rails("few"), 1), (Rails("pairs"), pairs)), **changes)

    return judged(promised(pool), {**NODE, "devices": devices})


def without(name: str, *attributes: str, target: Target = TARGET) -> Any:
    """The devices without one, or with one that lacks attributes."""
    devices: Any = published(A4, target)
    for device in devices:
        if device["name"] == name:
            device["strings"] = {key: of for key, of in device["strings"].items() if key not in attributes}
    return [each for each in devices if attributes or each["name"] != name]


@pytest.mark.parametrize("target", [TARGET, PLUGGED])
def test_a_node_as_its_row_says(target: Target):
    """Nothing differs; nor where more pods fit than were promised."""
    assert told(found(published(A4, target), target)) == []
    assert told(found(published(A4, target), target, pairs=7)) == []


def test_claims_that_fit_no_more():
    """Each is told with as many pods as it still has."""
    differences = found(without("rail-3"))

    assert told(differences) == [("nics", "rail 3", "8", "7"), ("claims", "pairs", "8 pods a node", "7")]


def test_a_driver_that_publishes_nothing():
    """Is told, and not each claim that waits for it; a device plugin's GPUs are nobody's slice."""
    gpus = [each for each in published(A4, TARGET) if each["driver"] == "gpu.nvidia.com"]
    nics = [each for each in published(A4, TARGET) if each["driver"] == "dra.net"]

    assert told(found(gpus)) == [("slice missing", "dra.net", "a ResourceSlice", "none")]
    assert told(found(nics)) == [("slice missing", "gpu.nvidia.com", "a ResourceSlice", "none")]
    assert told(found(nics, PLUGGED)) == []
    assert [each[1] for each in told(found([]))] == ["gpu.nvidia.com", "dra.net"]


@pytest.mark.parametrize(
    ("device", "attribute", "target", "lacks"),
    [
        ("rail-2", ROOT, TARGET, "dra.net: rail-2"),
        ("rail-2", "dra.net/ifName", TARGET, "dra.net: rail-2"),
        ("rail-2", "dra.net/pciVendor", TARGET, None),
        ("eth1", "dra.net/ifName", TARGET, None),  # no rail
        ("gpu-5", ROOT, TARGET, "gpu.nvidia.com: gpu-5"),
        ("gpu-5", BUS_ID, TARGET, "gpu.nvidia.com: gpu-5"),
        ("gpu-5", BUS_ID, Target(nvidia="25.12.0"), None),  # this one does not publish it
        ("gpu-5", ROOT, Target(nvidia="25.12.0"), "gpu.nvidia.com: gpu-5"),
        ("gpu-5", ROOT, Target(nvidia="25.3.0"), None),
        ("rail-2", ROOT, Target(nvidia="25.3.0"), None),
    ],
)
def test_attributes_that_claims_select_on(device: str, attribute: str, target: Target, lacks: str | None):
    """Those that the planned drivers publish, of GPUs and rails; claims that fit decide that nothing breaks."""
    differences = found(without(device, attribute, target=target), target)

    assert told(differences) == ([("attribute missing", lacks, attribute, "none")] if lacks else [])
    assert all(not each.breaks for each in differences)


@pytest.mark.parametrize(
    ("row", "lacking"),
    [
        ({}, ["gpu.nvidia.com: gpu-1", "dra.net: rail-1"]),
        ({"nics_publish_root": False}, ["gpu.nvidia.com: gpu-1"]),
        ({"pcie_root_comparable": False}, []),
        ({"roots": None}, ["gpu.nvidia.com: gpu-1"]),
        ({"roots": ()}, ["gpu.nvidia.com: gpu-1"]),
    ],
)
def test_roots_are_asked_for_where_they_are_shared(row: dict[str, Any], lacking: list[str]):
    """Of rails only where their driver publishes them."""
    devices: Any = published(A4, TARGET)
    for device in devices:
        if device["name"] in ("gpu-1", "rail-1"):
            del device["strings"][ROOT]

    assert [each.what for each in found(devices, machine=replace(A4, **row))] == lacking


def test_a_driver_that_names_no_nics_is_asked_for_no_names():
    """GKE's own tells no rail from another."""
    target = Target(NIC_DRIVERS["gke-managed"])
    devices = published(A4, target)

    assert {each["driver"] for each in devices} == {"gpu.nvidia.com", "mrdma.google.com"}
    assert told(found(devices, target)) == []


def test_failing_claims_break_what_they_rest_on():
    """Where nobody publishes devices, no claim says so, and nothing breaks."""
    moved: Any = without("rail-3")
    moved[0]["strings"][ROOT] = "pci0099:99"
    looked = {**NODE, "gpus": [{"pci": pci, "numa": 7} for pci in A4.gpu_pci or ()]}
    pool = with_claims(TARGET, claims=((Rails("pairs"), 8),))

    assert [(each.kind, each.breaks) for each in found(moved)] == [("nics", True), ("gpu root", True), ("claims", True)]
    unread = judged(promised(pool), looked)
    assert {each.kind for each in unread} == {"gpu NUMA node"} and not any(each.breaks for each in unread)


def test_what_two_witnesses_say_is_told_once():
    """A pod that looked, and the drivers."""
    devices: Any = published(A4, TARGET)
    (gpu,) = (each for each in devices if each["name"] == "gpu-2")
    gpu["strings"]["gpu.nvidia.com/productName"] = "NVIDIA T4"
    gpus: Any = [{"pci": pci, "model": "NVIDIA B200"} for pci in A4.gpu_pci or ()]
    gpus[2]["model"] = "NVIDIA T4"

    differences = judged(promised(with_claims(TARGET)), {**NODE, "devices": devices, "gpus": gpus})

    assert told(differences) == [("gpu model", "GPU 2", "NVIDIA B200", "NVIDIA T4")]
