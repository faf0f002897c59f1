"""What the machine, the capacity and the drivers decide for a node pool, each limit from both sides."""

from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.catalog.aks import AksMachine
from rdma_cluster.catalog.machine import Capacity
from tests.aks.plans import BUILDABLE, RESERVATIONS, places, pool_plan, refused

H100, A100, GB300 = "Standard_ND96isr_H100_v5", "Standard_ND96asr_v4", "Standard_ND128isr_GB300_v6"
RESERVED = {"capacity": {"reservation": {"group": RESERVATIONS}}}


def test_a_pool_without_choices_hands_out_gpus_by_claims():
    """The operator brings the driver, and the subscription's feature is looked up."""
    plan = pool_plan()

    assert (plan.capacity, plan.zone, plan.held, plan.warnings) == (Capacity.ON_DEMAND, None, False, ())
    assert (plan.gpu_allocation.value, plan.fabric.name, plan.gpu_driver.in_pool) == ("dra", "infiniband", "None")
    assert (plan.os_disk.value, plan.infiniband_feature.value) == ("Managed", "look-up")
    assert pool_plan(gpu_allocation="device-plugin").fabric.name == "infiniband-rdma-ib"
    assert pool_plan(**RESERVED).reservation == "h100"


@pytest.mark.parametrize(
    ("machine", "version", "os_sku"),
    [
        (H100, {"version": "1.34.2"}, "Ubuntu2404"),
        (H100, {"version": "1.35"}, "Ubuntu"),
        (H100, {"version": "1.36", "node_version": "1.34"}, "Ubuntu2404"),
        (GB300, {"version": "1.35"}, "Ubuntu2404"),
        (A100, {"version": "1.37.1"}, "Ubuntu"),
        # From here on Ubuntu is 26.04 (AKS release 2026-10-25).
        (A100, {"version": "1.38"}, "Ubuntu2404"),
        (A100, {"version": "1.38", "node_version": "1.37"}, "Ubuntu"),
    ],
)
def test_nodes_run_ubuntu_24(machine: str, version: dict[str, str], os_sku: str):
    """The node's own version decides; NRI, which DraNet needs, is on in its containerd."""
    made = pool_plan(machine=machine, **version)

    assert made.os_sku == os_sku
    assert any("osSKU Ubuntu2404" in warning for warning in made.warnings) is (os_sku == "Ubuntu2404")


@pytest.mark.parametrize(
    ("name", "fits"),
    [("a", True), ("a" * 12, True), ("a1", True), ("a" * 13, False), ("1a", False), ("A", False), ("a-b", False)],
)
def test_a_name_is_as_aks_takes_it(name: str, fits: bool):
    assert places(pool_plan, name=name) == ([] if fits else ["name"])


@pytest.mark.parametrize(("gb", "fits"), [(128, True), (127, False), (2048, True), (2049, False)])
def test_a_disk_holds_a_driver_and_images(gb: int, fits: bool):
    """AKS has none that is larger."""
    assert places(pool_plan, os_disk_gb=gb) == ([] if fits else ["os_disk_gb"])


@pytest.mark.parametrize(
    ("machine", "gb", "size"),
    [(H100, 1024, None), (H100, 1025, "1024 GiB"), (A100, 2048, None), (GB300, 128, "no temporary disk")],
)
def test_an_ephemeral_disk_fits_the_temporary_one(machine: str, gb: int, size: str | None):
    """Azure tells its size; a managed disk may have any."""
    errors = refused(pool_plan, machine=machine, os_disk="Ephemeral", os_disk_gb=gb)

    assert len(errors) == (size is not None) and all(f"{size}" in each for each in errors)
    assert refused(pool_plan, machine=machine, os_disk="Managed", os_disk_gb=gb) == []


@pytest.mark.parametrize("machine", BUILDABLE, ids=lambda machine: machine.name)
def test_a_pool_is_one_fabric(machine: AksMachine):
    """It has as many nodes as a placement group or a rack holds, and not one more."""
    assert pool_plan(machine=machine.name, nodes=machine.max_nodes).nodes == machine.max_nodes
    with pytest.raises(Refused, match=f"holds {machine.max_nodes} nodes"):
        pool_plan(machine=machine.name, nodes=machine.max_nodes + 1)


@pytest.mark.parametrize(
    ("args", "remedy"),
    [
        ({"nodes": 101}, "set largePlacementGroup: true"),
        ({"nodes": 300, "large_placement_group": True}, None),
        ({"nodes": 301, "large_placement_group": True}, "list a second pool"),
        ({"machine": GB300, "nodes": 19}, "list one pool a rack"),
        ({"machine": GB300, "nodes": 18, "large_placement_group": True}, "pools are racks of 18 nodes"),
    ],
)
def test_more_nodes_take_another_pool_or_a_raised_limit(args: dict[str, Any], remedy: str | None):
    """Azure's support raises a placement group to 300 nodes; racks have none to raise."""
    errors = refused(pool_plan, **args)

    assert len(errors) == (remedy is not None)
    assert all(f"{remedy}" in each for each in errors)


@pytest.mark.parametrize("machine", BUILDABLE, ids=lambda machine: machine.name)
def test_aks_installs_drivers_where_it_can(machine: AksMachine):
    """It has none for arm64."""
    fits = "Install" in machine.gpu_drivers

    assert places(pool_plan, machine=machine.name, gpu_driver="aks") == ([] if fits else ["machine"])


RACK = ["osSKU Ubuntu2404 is newer", "were seen in different placement groups"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"capacity": {"spot": True}, "nodes": 1}, []),
        ({"capacity": {"spot": True}}, ["one preempted spot node stops every job"]),
        (RESERVED, ["may take 60 minutes to reach AKS", "are made on demand"]),
        ({"machine": GB300, "nodes": 18}, RACK),
        ({"machine": GB300, "nodes": 17}, [*RACK, "leave one in parts"]),
        ({"infiniband_feature": "taken-as-right"}, ["taken as registered and not looked up"]),
        ({"machine": GB300, "nodes": 18, "infiniband_feature": "taken-as-right"}, [*RACK, "taken as not registered"]),
    ],
)
def test_what_a_pool_risks_is_warned_of(args: dict[str, Any], words: list[str]):
    """No warning is given without its cause."""
    warnings = pool_plan(**args).warnings

    assert len(warnings) == len(words)
    assert all(word in warning for word, warning in zip(words, warnings, strict=True))
