"""A node whose devices claims hand out: slices, attributes that claims select on, and the claims that still fit."""

from collections.abc import Sequence
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
    """A claim that takes one rail a pod, so that as many fit as there are rails."""

    name: str

    def copies(self, devices: Sequence[Device], target: Target) -> int:
        """The pods whose claims fit on these devices."""
        nics = (each for each in devices if each.driver != "gpu.nvidia.com")
        return sum(each.attributes.get("dra.net/rdma") is not False for each in nics)


def found(devices: Any, target: Target = TARGET, pairs: int = 8, **changes: Any) -> Any:
    """What differs on a node of which drivers publish these devices."""
    pool = with_claims(target, claims=((Rails("few"), 1), (Rails("pairs"), pairs)), **changes)

    return judged(promised(pool), {**NODE, "devices": devices})


def without(name: str, *attributes: str, target: Target = TARGET) -> Any:
    """The devices without one, or with one that lacks attributes."""
    devices: Any = published(A4, target)
    for device in devices:
        if device["name"] == name:
            device["strings"] = {key: of for key, of in device["strings"].items() if key not in attributes}
    return [each for each in devices if attributes or each["name"] != name]


@pytest.mark.parametrize("target", [TARGET, PLUGGED, Target(NIC_DRIVERS["gke-managed"])])
def test_a_node_as_its_row_says_differs_in_nothing(target: Target):
    """Nor does one on which more pods fit than were promised."""
    assert told(found(published(A4, target), target)) == []
    assert told(found(published(A4, target), target, pairs=7)) == []


def test_claims_that_fit_no_more_break_what_they_rest_on():
    """Each is told with the pods that still fit."""
    moved: Any = without("rail-3")
    moved[0]["strings"][ROOT] = "pci0099:99"
    differences = found(moved)

    assert [(each.kind, each.breaks) for each in differences] == [("nics", True), ("gpu root", True), ("claims", True)]
    assert told(differences)[2] == ("claims", "pairs", "8 pods a node", "7")


def test_a_driver_without_a_slice_is_told_and_not_each_claim_that_waits_for_it():
    gpus = [each for each in published(A4, TARGET) if each["driver"] == "gpu.nvidia.com"]
    nics = [each for each in published(A4, TARGET) if each["driver"] == "dra.net"]

    assert [each[:2] for each in told(found(gpus))] == [("slice missing", "dra.net")]
    assert [each[:2] for each in told(found(nics))] == [("slice missing", "gpu.nvidia.com")]
    assert told(found(nics, PLUGGED)) == []  # a device plugin's GPUs are in no slice
    assert [each[1] for each in told(found([]))] == ["gpu.nvidia.com", "dra.net"]


@pytest.mark.parametrize(
    ("device", "attribute", "target", "lacks"),
    [
        ("rail-2", ROOT, TARGET, "dra.net: rail-2"),
        ("rail-2", "dra.net/ifName", TARGET, "dra.net: rail-2"),
        ("rail-2", "dra.net/pciVendor", TARGET, None),
        ("eth1", "dra.net/ifName", TARGET, None),  # no rail
        ("gpu-5", BUS_ID, TARGET, "gpu.nvidia.com: gpu-5"),
        ("gpu-5", BUS_ID, Target(nvidia="25.12.0"), None),  # this one does not publish it
        ("gpu-5", ROOT, Target(nvidia="25.3.0"), None),
    ],
)
def test_a_device_must_have_the_attributes_that_claims_select_on(
    device: str, attribute: str, target: Target, lacks: str | None
):
    """They are those that the planned drivers publish; as long as all claims fit nothing breaks."""
    differences = found(without(device, attribute, target=target), target)

    assert told(differences) == ([("attribute missing", lacks, attribute, "none")] if lacks else [])
    assert all(not each.breaks for each in differences)


def test_what_a_pod_and_the_drivers_both_say_is_told_once():
    devices: Any = published(A4, TARGET)
    (gpu,) = (each for each in devices if each["name"] == "gpu-2")
    gpu["strings"]["gpu.nvidia.com/productName"] = "NVIDIA T4"
    gpus: Any = [{"pci": pci, "model": "NVIDIA B200"} for pci in A4.gpu_pci or ()]
    gpus[2]["model"] = "NVIDIA T4"

    differences = judged(promised(with_claims(TARGET)), {**NODE, "devices": devices, "gpus": gpus})

    assert told(differences) == [("gpu model", "GPU 2", "NVIDIA B200", "NVIDIA T4")]
