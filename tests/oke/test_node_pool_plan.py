"""What the shape, the mode and the capacity decide for a pool."""

from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.catalog.machine import Capacity
from rdma_cluster.catalog.oke import MACHINES, OkeMachine
from rdma_cluster.oke.plan.capacity_modes import OkePoolMode
from rdma_cluster.oke.plan.machines import not_built
from tests.oke.plans import BUILT, DEDICATED, FABRIC, RACKS, ZONE, pool_plan

ISLAND = "ocid1.hpcisland.oc1.eu-frankfurt-1.aaaaexample"


def test_default():
    """Managed, in a compute cluster, with OKE's own GPU plugin and the newest image."""
    plan = pool_plan()

    assert (plan.mode, plan.compute_cluster) == (OkePoolMode.MANAGED, True)
    assert (plan.boot_volume_gb, plan.vpus_per_gb, plan.max_pods, plan.create_minutes) == (512, None, 64, 122)
    assert plan.labels == {"rdma-cluster/pool": "h100", "oci.oraclecloud.com/disable-gpu-device-plugin": "false"}
    assert (plan.capacity, plan.image.title, plan.host_group) == (Capacity.ON_DEMAND, "ubuntu-24.04-595", None)


@pytest.mark.parametrize("machine", BUILT, ids=lambda machine: machine.name)
def test_default_mode_is_one_that_the_shape_is_sold_by(machine: OkeMachine):
    """Racks by GPU memory cluster alone, the others managed."""
    racks = {"memory_fabrics": [{"id": FABRIC.format(1), "nodes": 2}]} if machine.nvlink_domain > 8 else {}
    image = {} if machine.image_listed else {"image": {"id": "ocid1.image.oc1..a"}}
    plan = pool_plan(machine=machine.name, capacity=DEDICATED, **racks, **image)

    assert plan.mode is (OkePoolMode.GPU_MEMORY_CLUSTER if racks else OkePoolMode.MANAGED)


@pytest.mark.parametrize("machine", [m for m in MACHINES if m.gpu and not_built(m)], ids=lambda machine: machine.name)
def test_what_is_not_built_says_why(machine: OkeMachine):
    """AMD's GPUs, InfiniBand, and a shape without published settings are in the catalogue, but not in a pool."""
    with pytest.raises(Refused) as caught:
        pool_plan(machine=machine.name)

    assert not_built(machine) in str(caught.value) and "choose one of BM.GPU" in str(caught.value)


@pytest.mark.parametrize(
    ("args", "vpus"),
    [
        ({"mode": "cluster-network"}, 10),
        ({"mode": "instances"}, 10),
        ({"mode": "cluster-network", "boot_volume": {"vpus_per_gb": 30}}, 30),
        ({"mode": "managed"}, None),
    ],
)
def test_speed_of_the_boot_volume_is_a_self_managed_nodes(args: dict[str, Any], vpus: int | None):
    """The node pool's API has no such field."""
    assert pool_plan(**args).vpus_per_gb == vpus


def test_hosts_are_numbered_unless_named():
    """Names are what replaces one host alone."""
    assert pool_plan(mode="instances", nodes=3).hosts == ("0", "1", "2")
    assert pool_plan(mode="instances", hosts=["a", "c"]).hosts == ("a", "c")
    assert pool_plan().hosts == ()


def test_racks():
    """One GPU memory cluster a fabric, with its own count."""
    plan = pool_plan(**RACKS)

    assert plan.memory_fabrics == ((FABRIC.format(1), 18), (FABRIC.format(2), 18))
    assert plan.warnings == ()


@pytest.mark.parametrize("mode", ["managed", "cluster-network", "instances"])
def test_placement(mode: str):
    """An island and blocks of it, in every mode that has them."""
    blocks = ["ocid1.computenetworkblock.oc1..a", "ocid1.computenetworkblock.oc1..b"]
    plan = pool_plan(mode=mode, placement={"hpc_island": ISLAND, "network_blocks": blocks})

    assert (plan.hpc_island, plan.network_blocks) == (ISLAND, tuple(blocks))


@pytest.mark.parametrize("zone", ["3", "AD-3", ZONE])
@pytest.mark.parametrize("of", ["3", "AD-3", ZONE])
def test_a_reservation_is_where_the_pool_is(zone: str, of: str):
    """Its number and its full name are one place."""
    reservation = {"id": "ocid1.capacityreservation.oc1..a", "zone": of}

    assert pool_plan(zone=zone, capacity={"reservation": reservation}).capacity is Capacity.RESERVATION


def test_one_node_has_to_be_meant():
    """And what is made can grow."""
    with pytest.raises(Refused) as caught:
        pool_plan(nodes=1)

    assert "a pool that is made without rdma cannot become one with it" in str(caught.value).lower()
    assert pool_plan(nodes=1, single_node=True).nodes == 1


def test_own_gpu_plugin_turns_oracles_off():
    """Two plugins on one node would both hand out its GPUs."""
    label = "oci.oraclecloud.com/disable-gpu-device-plugin"

    assert pool_plan(own_gpu_plugin=True).labels[label] == "true"
    assert pool_plan(gpu_allocation="dra").labels[label] == "true"


def test_time_grows_with_the_nodes():
    """From two hours on, six at the most."""
    assert [pool_plan(nodes=nodes).create_minutes for nodes in (2, 100, 500)] == [122, 220, 360]


def test_what_is_not_published_of_managed_pools_is_said():
    """Whether OKE turns the agent's RDMA plugins on."""
    assert "whether" not in pool_plan(mode="cluster-network").warnings
    (warning,) = pool_plan().warnings

    assert "has no field for the agent's RDMA plugins" in warning and "acceptance test" in warning
