"""What the shape, the mode and the capacity decide for a pool, and each limit from both sides."""

from typing import Any

import pytest
from rdma_cluster.catalog.oke import MACHINES, OkeMachine
from rdma_cluster.oke.plan.capacity_modes import OkePoolMode
from rdma_cluster.oke.plan.machines import not_built
from tests.oke.plans import BUILT, DEDICATED, FABRIC, RACKS, ZONE, places, pool_plan, refused

ISLAND, HOSTS = "ocid1.hpcisland.oc1.eu-frankfurt-1.a", "ocid1.computehostgroup.oc1..a"
BLOCKS = [f"ocid1.computenetworkblock.oc1..{i}" for i in range(16)]
RESERVATION = "ocid1.capacityreservation.oc1..a"
NO_PLUGIN = "oci.oraclecloud.com/disable-gpu-device-plugin"


def refused_at(**args: Any) -> list[str]:
    """Where a pool is refused."""
    return places(refused(pool_plan, **args))


def racks(*nodes: int) -> dict[str, Any]:
    """A pool of racks with so many hosts each."""
    fabrics = [{"id": FABRIC.format(i), "nodes": of} for i, of in enumerate(nodes)]
    return {**RACKS, "nodes": sum(nodes), "memory_fabrics": fabrics}


@pytest.mark.parametrize("machine", BUILT, ids=lambda machine: machine.name)
def test_the_default_mode_is_one_that_the_shape_is_sold_by(machine: OkeMachine):
    """Racks are sold by GPU memory cluster alone, the others managed."""
    racks = {"memory_fabrics": [{"id": FABRIC.format(1), "nodes": 2}]} if machine.nvlink_domain > 8 else {}
    image = {} if machine.image_listed else {"image": {"id": "ocid1.image.oc1..a"}}
    plan = pool_plan(machine=machine.name, capacity=DEDICATED, **racks, **image)

    assert plan.mode is (OkePoolMode.GPU_MEMORY_CLUSTER if racks else OkePoolMode.MANAGED)
    for mode in set(OkePoolMode) - {plan.mode}:
        sold = not racks and mode is not OkePoolMode.GPU_MEMORY_CLUSTER
        assert ("mode" in refused_at(machine=machine.name, mode=mode.value, **image)) is not sold


@pytest.mark.parametrize("machine", [m for m in MACHINES if m.gpu and not_built(m)], ids=lambda machine: machine.name)
def test_a_shape_that_is_not_built_is_refused_with_its_reason(machine: OkeMachine):
    """AMD's GPUs, InfiniBand and a shape without published settings are in the catalogue, but not in a pool."""
    (error,) = [each for each in refused(pool_plan, machine=machine.name) if each.startswith("machine: ")]

    assert not_built(machine) in error and "choose one of BM.GPU" in error


def test_oracle_s_gpu_plugin_is_off_where_another_hands_out_the_gpus():
    for choice in ({"own_gpu_plugin": True}, {"gpu_allocation": "dra"}):
        assert pool_plan(**choice).labels[NO_PLUGIN] == "true"


def test_hosts_are_numbered_unless_they_are_named():
    """A name is what replaces one host alone."""
    assert pool_plan(mode="instances", nodes=3).hosts == ("0", "1", "2")
    assert pool_plan(mode="instances", hosts=["a", "c"]).hosts == ("a", "c")


def test_the_engine_waits_longer_for_more_nodes():
    """Bare metal takes from two hours on, and nothing more than six."""
    assert [pool_plan(nodes=nodes).create_minutes for nodes in (2, 100, 500)] == [122, 220, 360]


def test_a_managed_pool_warns_of_what_is_not_published_of_it():
    """Nobody says whether OKE turns the agent's RDMA plugins on."""
    (warning,) = pool_plan().warnings

    assert "RDMA plugins" in warning and "acceptance test" in warning
    assert pool_plan(mode="cluster-network").warnings == () == pool_plan(**RACKS).warnings


@pytest.mark.parametrize("mode", ["managed", "cluster-network", "instances"])
def test_each_mode_has_placement_but_a_cluster_network_no_spread(mode: str):
    plan = pool_plan(mode=mode, placement={"hpc_island": ISLAND, "network_blocks": BLOCKS[:15], "host_group": HOSTS})

    assert (plan.hpc_island, plan.network_blocks, plan.host_group) == (ISLAND, tuple(BLOCKS[:15]), HOSTS)
    errors = refused_at(mode=mode, placement={"spread": "packed"})
    assert errors == (["placement.spread"] if mode == "cluster-network" else [])


@pytest.mark.parametrize(
    ("args", "place"),
    [
        ({"max_pods": 110}, None),
        ({"max_pods": 111}, "max_pods"),
        ({"boot_volume": {"gb": 32_768}}, None),
        ({"boot_volume": {"gb": 32_769}}, "boot_volume.gb"),
        ({"mode": "instances", "boot_volume": {"vpus_per_gb": 10}}, None),
        ({"mode": "instances", "boot_volume": {"vpus_per_gb": 0}}, "boot_volume.vpus_per_gb"),
        ({"mode": "instances", "boot_volume": {"vpus_per_gb": 15}}, "boot_volume.vpus_per_gb"),
        ({"mode": "cluster-network", "boot_volume": {"vpus_per_gb": 120}}, None),
        ({"mode": "cluster-network", "boot_volume": {"vpus_per_gb": 130}}, "boot_volume.vpus_per_gb"),
        ({"nodes": 5000}, None),
        ({"nodes": 5001}, "nodes"),
        ({"labels": {NO_PLUGIN: "true"}}, f"labels.{NO_PLUGIN}"),
        (
            {"placement": {"hpc_island": ISLAND, "network_blocks": [*BLOCKS[:2], BLOCKS[0]]}},
            "placement.network_blocks[2]",
        ),
        ({"placement": {"network_blocks": []}}, None),
        # Oracle tells no kind of a host group's OCID.
        ({"placement": {"host_group": "ocid1.anything.oc1..a"}}, None),
        ({"mode": "instances", "hosts": ["a" * 32, "b_-9"]}, None),
        ({"mode": "instances", "hosts": ["a" * 33, "b"]}, "hosts[0]"),
        ({"mode": "instances", "hosts": ["a"]}, "hosts"),
        (racks(18, 1), None),
        (racks(19), "memory_fabrics[0].nodes"),
        (racks(18, 0), "memory_fabrics[1].nodes"),
        ({**racks(2, 2), "memory_fabrics": [{"id": FABRIC.format(1), "nodes": 2}] * 2}, "memory_fabrics[1].id"),
        ({**RACKS, "placement": {"hpc_island": ISLAND, "spread": "single-block"}}, None),
        ({"memory_fabrics": []}, None),
    ],
)
def test_a_pool_keeps_to_the_limits_of_oke(args: dict[str, Any], place: str | None):
    assert refused_at(**args) == ([] if place is None else [place])


@pytest.mark.parametrize("zone", ["3", "AD-3", ZONE])
@pytest.mark.parametrize(("of", "fits"), [("3", True), ("AD-3", True), (ZONE, True), ("2", False), (None, True)])
def test_a_reservation_is_where_its_pool_is(zone: str, of: str | None, fits: bool):
    """Its number and its full name are one place; one that does not say where it is is taken to be there."""
    capacity = {"reservation": {"id": RESERVATION, **({"zone": of} if of else {})}}

    assert refused_at(zone=zone, capacity=capacity) == ([] if fits else ["capacity.reservation.zone"])
    assert not fits or pool_plan(zone=zone, capacity=capacity).reservation == RESERVATION
