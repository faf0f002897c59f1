"""A pool's choices on OKE: what each becomes, and each limit from both sides."""

from typing import Any

import pytest
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog.machine import Capacity
from rdma_cluster.oke.plan.capacity_modes import OkePoolMode
from rdma_cluster.oke.plan.node_pool import OkeGpuNodePoolArgs, plan_node_pool
from tests.oke.plans import DEDICATED, FABRIC, ON_DEMAND, POOL, RACKS, ZONE, pool_plan, refused

ISLAND, HOSTS = "ocid1.hpcisland.oc1.eu-frankfurt-1.a", "ocid1.computehostgroup.oc1..a"
BLOCK = "ocid1.computenetworkblock.oc1..{}"
OF_A_RACK = "must be 1 to 18, the hosts of BM.GPU.GB200-v3.4 that a fabric has"
RESERVATION = "ocid1.capacityreservation.oc1..a"


def told(**args: Any) -> list[str]:
    """What is refused of a pool."""
    return refused(pool_plan, **args)


def places(**args: Any) -> list[str]:
    """Where something is refused."""
    return [each.partition(": ")[0] for each in told(**args)]


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ({"capacity": DEDICATED}, {"capacity": Capacity.CAPACITY_TOPOLOGY, "reservation": None}),
        (
            {"capacity": {"reservation": {"id": RESERVATION}}},
            {"capacity": Capacity.RESERVATION, "reservation": RESERVATION},
        ),
        ({"zone": "2", "version": "1.35.2"}, {"zone": "2", "version": "1.35.2"}),
        ({"placement": {"host_group": HOSTS}}, {"host_group": HOSTS, "hpc_island": None, "network_blocks": ()}),
        ({"placement": {"spread": "single-tier"}}, {"spread": "SINGLE_TIER"}),
        ({"placement": {"spread": "packed"}}, {"spread": "PACKED_DISTRIBUTION_MULTI_BLOCK"}),
        ({}, {"spread": None, "hosts": (), "memory_fabrics": (), "auto_repair": False, "held": False}),
        ({"boot_volume": {"gb": 100}}, {"boot_volume_gb": 100, "vpus_per_gb": None}),
        ({"boot_volume": {"vpus_per_gb": 120}, "mode": "instances"}, {"boot_volume_gb": 512, "vpus_per_gb": 120}),
        ({"mode": "cluster-network"}, {"mode": OkePoolMode.CLUSTER_NETWORK, "compute_cluster": False, "hosts": ()}),
        ({"mode": "instances"}, {"compute_cluster": True, "hosts": ("0", "1")}),
        ({"max_pods": 110}, {"max_pods": 110}),
        ({"dual_stack": True}, {"dual_stack": True}),
        (RACKS, {"racks": (18, 18), "compute_cluster": True}),
    ],
)
def test_each_choice(args: dict[str, Any], found: dict[str, Any]):
    """Becomes what the pool is built of."""
    plan = pool_plan(**args)

    assert {key: getattr(plan, key) for key in found} == found


@pytest.mark.parametrize(("pods", "fits"), [(11, False), (12, True), (110, True), (111, False)])
def test_pods_of_a_node(pods: int, fits: bool):
    """The system's and a job's, up to OKE's own ceiling."""
    words = "take 12 to 110: a GPU node runs up to 9 pods of the system itself, and OKE ends at 110"

    assert told(max_pods=pods) == ([] if fits else [f"max_pods: got {pods}; {words}"])


@pytest.mark.parametrize(("gb", "fits"), [(49, False), (50, True), (32_768, True), (32_769, False)])
def test_size_of_a_boot_volume(gb: int, fits: bool):
    """As OCI has them."""
    assert told(boot_volume={"gb": gb}) == (
        [] if fits else [f"boot_volume.gb: got {gb}; a boot volume has 50 to 32768 GB"]
    )


@pytest.mark.parametrize(("vpus", "fits"), [(0, False), (10, True), (15, False), (120, True), (130, False)])
def test_speed_of_a_boot_volume(vpus: int, fits: bool):
    """In tens, of nodes that are not OKE's own."""
    errors = [] if fits else [f"boot_volume.vpus_per_gb: got {vpus}; take 10 to 120, in tens"]
    assert told(boot_volume={"vpus_per_gb": vpus}, mode="instances") == errors
    assert "boot_volume.vpus_per_gb: not allowed with managed nodes" in "".join(
        told(boot_volume={"vpus_per_gb": vpus}, mode="managed")
    )


@pytest.mark.parametrize(
    ("mode", "key", "value", "fits"),
    [
        ("managed", "spread", "packed", True),
        ("instances", "spread", "packed", True),
        ("cluster-network", "spread", "packed", False),
        ("managed", "host_group", HOSTS, True),
        ("cluster-network", "host_group", HOSTS, True),
        ("instances", "host_group", HOSTS, True),
    ],
)
def test_placement_in_each_mode(mode: str, key: str, value: str, fits: bool):
    """A cluster network has no choice of how far apart its nodes are."""
    assert places(mode=mode, placement={key: value}) == ([] if fits else [f"placement.{key}"])


def test_placement_of_racks():
    """A rack's fabric names its hosts, and leaves all else to be chosen."""
    assert places(**RACKS, placement={"host_group": HOSTS}) == ["placement.host_group"]
    assert places(**RACKS, placement={"hpc_island": ISLAND, "spread": "single-block"}) == []


@pytest.mark.parametrize(
    ("placement", "errors"),
    [
        ({"hpc_island": ISLAND}, []),
        ({"hpc_island": ISLAND, "network_blocks": [BLOCK.format(i) for i in range(15)]}, []),
        (
            {"hpc_island": ISLAND, "network_blocks": [BLOCK.format(i) for i in range(16)]},
            ["placement.network_blocks: got 16; Oracle takes 15 at the most"],
        ),
        (
            {"network_blocks": [BLOCK.format(1)]},
            ["placement.network_blocks: needs hpcIsland; a block is named within its island"],
        ),
        ({"network_blocks": []}, []),
        (
            {"hpc_island": ISLAND, "network_blocks": [BLOCK.format(1), BLOCK.format(2), BLOCK.format(1)]},
            [f"placement.network_blocks[2]: {BLOCK.format(1)} is listed twice; list each once"],
        ),
    ],
)
def test_blocks_of_an_island(placement: dict[str, Any], errors: list[str]):
    """Fifteen at the most, each once, within the island that is named."""
    assert told(placement=placement) == errors


@pytest.mark.parametrize(
    ("placement", "place"),
    [
        ({"hpc_island": HOSTS}, "placement.hpc_island"),
        ({"hpc_island": ISLAND, "network_blocks": [BLOCK.format(1), ISLAND]}, "placement.network_blocks[1]"),
        ({"host_group": "mine"}, "placement.host_group"),
    ],
)
def test_ocids_of_a_placement(placement: dict[str, Any], place: str):
    """Each of its kind; Oracle tells none of a host group's."""
    assert places(placement=placement) == [place]
    assert places(placement={"host_group": "ocid1.anything.oc1..a"}) == []


@pytest.mark.parametrize(
    ("hosts", "errors"),
    [
        (["a", "b_-9"], []),
        (["a" * 32, "b"], []),
        (["a" * 33, "b"], [f"hosts[0]: got {'a' * 33!r}; write 1 to 32 letters, digits, hyphens and underscores"]),
        (["a", ""], ["hosts[1]: got ''; write 1 to 32 letters, digits, hyphens and underscores"]),
        (["a", "a"], ["hosts[1]: a is listed twice; list each once"]),
        (["a"], ["hosts: got 1 names for 2 nodes; name each node"]),
        (["a", "b", "c"], ["hosts: got 3 names for 2 nodes; name each node"]),
    ],
)
def test_names_of_hosts(hosts: list[str], errors: list[str]):
    """One for each node of a pool whose nodes are made one by one, and of no other pool."""
    assert told(mode="instances", hosts=hosts) == errors
    assert "hosts: not allowed with mode: cluster-network, which names its nodes itself; remove it" in told(
        mode="cluster-network", hosts=hosts
    )


def racks(*nodes: int, total: int | None = None) -> dict[str, Any]:
    """A pool of racks with so many hosts each."""
    fabrics = [{"id": FABRIC.format(i), "nodes": of} for i, of in enumerate(nodes)]
    return {**RACKS, "nodes": sum(nodes) if total is None else total, "memory_fabrics": fabrics}


@pytest.mark.parametrize(
    ("args", "errors"),
    [
        (racks(18, 1), []),
        (racks(19), ["memory_fabrics[0].nodes: got 19; " + OF_A_RACK]),
        (racks(18, 0), ["memory_fabrics[1].nodes: got 0; " + OF_A_RACK]),
        (racks(18, 2, total=19), ["memory_fabrics: 20 hosts in all, and the pool has 19 nodes; make the two agree"]),
        (
            racks(total=2),
            [
                "memory_fabrics: missing; name the GPU memory fabrics, e.g. "
                "{id: ocid1.computegpumemoryfabric..., nodes: 18}"
            ],
        ),
    ],
)
def test_hosts_of_racks(args: dict[str, Any], errors: list[str]):
    """As many as a rack has, and in all as many as the pool says."""
    assert told(**args) == errors


def test_racks_are_of_their_mode():
    """Each once, by their own kind of OCID; no other mode has any."""
    fabric = {"id": FABRIC.format(1), "nodes": 2}
    assert places(memory_fabrics=[fabric]) == ["memory_fabrics"]
    assert places(memory_fabrics=[]) == []
    twice = {**RACKS, "nodes": 4, "memory_fabrics": [fabric, fabric]}
    assert places(**twice) == ["memory_fabrics[1].id"]
    assert places(**{**racks(2, 2), "memory_fabrics": [fabric, {"id": HOSTS, "nodes": 2}]}) == ["memory_fabrics[1].id"]


@pytest.mark.parametrize(
    ("machine", "mode", "words"),
    [
        ("BM.GPU.H100.8", "gpu-memory-cluster", "is to be had by managed, cluster-network, instances"),
        ("BM.GPU.GB200-v3.4", "managed", "is to be had by gpu-memory-cluster"),
        ("BM.GPU.GB200-v3.4", "cluster-network", "is to be had by gpu-memory-cluster"),
    ],
)
def test_modes_that_a_shape_is_sold_by(machine: str, mode: str, words: str):
    """Another one is refused with those that there are."""
    (error,) = [each for each in told(machine=machine, mode=mode) if each.startswith("mode: ")]

    assert error == f"mode: got {mode}; {machine} {words}"


@pytest.mark.parametrize(
    ("reservation", "zone", "told_zone"),
    [
        ({}, "2", False),
        ({"zone": "2"}, "2", False),
        ({"zone": "TrcQ:EU-FRANKFURT-1-AD-2"}, "AD-2", False),
        ({"zone": "1"}, ZONE, True),
        ({"zone": ZONE}, "2", True),
    ],
)
def test_zone_of_a_reservation(reservation: dict[str, str], zone: str, told_zone: bool):
    """The pool's; a reservation that does not say where it is is taken to be there."""
    errors = places(zone=zone, capacity={"reservation": {"id": RESERVATION, **reservation}})

    assert errors == (["capacity.reservation.zone"] if told_zone else [])
    assert places(capacity={"reservation": {"id": HOSTS}}) == ["capacity.reservation.id"]


@pytest.mark.parametrize(
    ("args", "place"),
    [
        ({"nodes": 0}, "nodes"),
        ({"nodes": 1}, "nodes"),
        ({"nodes": 5001}, "nodes"),
        ({"name": "a-"}, "name"),
        ({"name": "a" * 33}, "name"),
        ({"labels": {"rdma-cluster/pool": "x"}}, "labels.rdma-cluster/pool"),
        (
            {"labels": {"oci.oraclecloud.com/disable-gpu-device-plugin": "true"}},
            "labels.oci.oraclecloud.com/disable-gpu-device-plugin",
        ),
        ({"kubelet_args": ["--v=2", "v=2"]}, "kubelet_args[1]"),
        ({"ssh_public_key": "mine"}, "ssh_public_key"),
        ({"version": "1.36"}, "version"),
        ({"region": "x", "zone": "1"}, "region"),
        ({"zone": "5"}, "zone"),
        ({"tenancy": "x"}, "tenancy"),
        ({"dual_stack": True, "cni": "flannel"}, "dual_stack"),
        ({**RACKS, "dual_stack": True}, "machine"),
        ({"capacity": {**ON_DEMAND, **DEDICATED}}, "capacity"),
    ],
)
def test_what_is_refused(args: dict[str, Any], place: str):
    """At its place, and nothing beside it."""
    assert places(**args) == [place]


def test_neighbours_of_what_is_refused():
    """The longest name, the most nodes, a label and an argument of the user's, a key, and one node that is meant."""
    key = "ssh-ed25519 AAAAC3Nz me@here"
    plan = pool_plan(
        name="a" * 32, nodes=5000, labels={"team": "a"}, kubelet_args=["--v=2"], ssh_public_key=key, dual_stack=True
    )

    assert (plan.name, plan.nodes, plan.labels["team"]) == ("a" * 32, 5000, "a")
    assert told(nodes=1, single_node=True) == []
    assert places(nodes=1, single_node=False) == ["nodes"]


def test_pods_of_the_vcn_need_a_subnet():
    """Those of flannel do not."""
    without: Any = {key: value for key, value in POOL.items() if key != "pod_subnet"}

    (error,) = refused(plan_from, OkeGpuNodePoolArgs, plan_node_pool, without)
    assert error == "pod_subnet: missing; vcn-native pods take their addresses from a subnet of their own"
    assert refused(plan_from, OkeGpuNodePoolArgs, plan_node_pool, {**without, "cni": "flannel"}) == []
