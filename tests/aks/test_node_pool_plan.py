"""What the machine, the capacity and the drivers decide for a node pool."""

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.aks.plan.drivers import AksGpuDriver
from rdma_cluster.aks.plan.features import AksFeatureCheck
from rdma_cluster.aks.plan.node_pool import AksOsDisk
from rdma_cluster.catalog.aks import AksMachine
from rdma_cluster.catalog.machine import Capacity
from rdma_cluster.fabrics import GpuAllocation
from tests.aks.plans import BUILDABLE, RESERVATIONS, pool_plan, row


def test_default():
    """H100 on demand: GPUs by claims, no driver by AKS, no zone."""
    made = pool_plan()

    assert (made.capacity, made.zone, made.gpu_allocation) == (Capacity.ON_DEMAND, None, GpuAllocation.DRA)
    assert (made.gpu_driver.in_pool, made.os_sku, made.os_disk_gb) == ("None", "Ubuntu", 512)
    assert made.infiniband_feature is AksFeatureCheck.LOOK_UP
    assert made.warnings == ()


@pytest.mark.parametrize(
    ("machine", "version", "os_sku"),
    [
        ("Standard_ND96isr_H100_v5", "1.34.2", "Ubuntu2404"),
        ("Standard_ND96isr_H100_v5", "1.35", "Ubuntu"),
        ("Standard_ND128isr_GB300_v6", "1.35", "Ubuntu2404"),
        ("Standard_ND96asr_v4", "1.37.1", "Ubuntu"),
        # From here on Ubuntu is 26.04 (AKS release 2026-10-25).
        ("Standard_ND96asr_v4", "1.38", "Ubuntu2404"),
    ],
)
def test_nodes_run_ubuntu_24(machine: str, version: str, os_sku: str):
    """NRI, which DraNet needs, is on in its containerd; and a name newer than the API's is warned of."""
    made = pool_plan(machine=machine, version=version)

    assert made.os_sku == os_sku
    assert any("osSKU Ubuntu2404" in warning for warning in made.warnings) is (os_sku == "Ubuntu2404")


@pytest.mark.parametrize("machine", BUILDABLE, ids=lambda machine: machine.name)
def test_a_pool_is_one_fabric(machine: AksMachine):
    """As many nodes as a placement group or a rack holds, and not one more."""
    assert pool_plan(machine=machine.name, nodes=machine.max_nodes).nodes == machine.max_nodes
    with pytest.raises(Refused, match=f"holds {machine.max_nodes} nodes"):
        pool_plan(machine=machine.name, nodes=machine.max_nodes + 1)


def test_raised_placement_group():
    """300 nodes when Azure's support has said so."""
    assert pool_plan(nodes=300, large_placement_group=True).nodes == 300
    with pytest.raises(Refused, match="holds 300 nodes"):
        pool_plan(nodes=301, large_placement_group=True)


def test_reservation_takes_time():
    """A role that AKS learns of late is told of."""
    made = pool_plan(capacity={"reservation": {"group": RESERVATIONS, "zone": "2"}}, zone="2")

    assert (made.capacity, made.zone) == (Capacity.RESERVATION, "2")
    assert [warning for warning in made.warnings if "60 minutes" in warning]


def test_racks_are_warned_of():
    """Placement groups inside a pool of GB300, and racks in parts."""
    half = pool_plan(machine="Standard_ND128isr_GB300_v6", nodes=9).warnings
    whole = pool_plan(machine="Standard_ND128isr_GB300_v6", nodes=18).warnings

    assert len(half) == len(whole) + 1
    assert [warning for warning in whole if "placement groups" in warning]


@pytest.mark.parametrize("machine", BUILDABLE, ids=lambda machine: machine.name)
def test_aks_installs_drivers_where_it_can(machine: AksMachine):
    """Not on arm64."""
    if "Install" in machine.gpu_drivers:
        assert pool_plan(machine=machine.name, gpu_driver="aks").gpu_driver is AksGpuDriver.AKS
        return
    with pytest.raises(Refused, match="installs no driver"):
        pool_plan(machine=machine.name, gpu_driver="aks")


def test_ephemeral_disk_fits_the_temporary_one():
    """A TiB on H100, and nothing known of GB300."""
    assert pool_plan(os_disk="Ephemeral").os_disk is AksOsDisk.EPHEMERAL
    with pytest.raises(Refused, match="1024 GiB"):
        pool_plan(os_disk="Ephemeral", os_disk_gb=2048)
    with pytest.raises(Refused, match="no size that is known"):
        pool_plan(machine=row("Standard_ND128isr_GB300_v6").name, os_disk="Ephemeral")


def test_feature_that_is_not_looked_up_is_warned_of():
    """With the command that tells."""
    (warning,) = pool_plan(infiniband_feature="taken-as-right").warnings

    assert "az feature show" in warning and "taken as registered" in warning
