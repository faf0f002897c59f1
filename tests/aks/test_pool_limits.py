"""A node pool's choices on AKS: what each becomes, and each limit from both sides."""

from typing import Any

import pytest
from rdma_cluster.aks.plan.drivers import AksGpuDriver
from rdma_cluster.aks.plan.features import AksFeatureCheck
from rdma_cluster.aks.plan.node_pool import AksOsDisk
from rdma_cluster.catalog.machine import Capacity
from rdma_cluster.fabrics import GpuAllocation
from tests.aks.plans import RESERVATIONS, SUBNET, pool_plan, refused

GB300 = "Standard_ND128isr_GB300_v6"
A100 = "Standard_ND96asr_v4"


def places(**args: Any) -> list[str]:
    """Where a pool is refused."""
    return [each.partition(": ")[0] for each in refused(pool_plan, **args)]


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ({}, {"reservation": None, "held": False, "auto_repair": True, "node_version": None, "labels": {}}),
        ({"capacity": {"spot": True}}, {"capacity": Capacity.SPOT, "reservation": None}),
        (
            {"capacity": {"reservation": {"group": RESERVATIONS}}},
            {"capacity": Capacity.RESERVATION, "reservation": "h100"},
        ),
        ({"zone": "3"}, {"zone": "3"}),
        ({"gpu_allocation": "device-plugin"}, {"gpu_allocation": GpuAllocation.DEVICE_PLUGIN}),
        ({"gpu_driver": "aks"}, {"gpu_driver": AksGpuDriver.AKS}),
        ({"infiniband_feature": "taken-as-right"}, {"infiniband_feature": AksFeatureCheck.TAKEN_AS_RIGHT}),
        ({"os_disk": "Ephemeral"}, {"os_disk": AksOsDisk.EPHEMERAL, "os_disk_gb": 512}),
        ({"os_disk_gb": 128}, {"os_disk": AksOsDisk.MANAGED, "os_disk_gb": 128}),
        ({"labels": {"team": "a"}}, {"labels": {"team": "a"}}),
        ({"nodes": 40}, {"nodes": 40, "create_minutes": 80}),
        ({"machine": GB300, "nodes": 18}, {"racks": (18,)}),
        # The node's own version decides its image.
        ({"version": "1.36", "node_version": "1.34"}, {"node_version": "1.34", "os_sku": "Ubuntu2404"}),
        ({"version": "1.38", "node_version": "1.37"}, {"node_version": "1.37", "os_sku": "Ubuntu"}),
    ],
)
def test_each_choice(args: dict[str, Any], found: dict[str, Any]):
    """Becomes what the pool is made of."""
    plan = pool_plan(**args)

    assert {key: getattr(plan, key) for key in found} == found


def test_fabric_follows_from_who_hands_out():
    """Claims, or the device plugin's resource."""
    assert pool_plan().fabric.name == "infiniband"
    assert pool_plan(gpu_allocation="device-plugin").fabric.name == "infiniband-rdma-ib"


@pytest.mark.parametrize(
    ("name", "fits"),
    [("a", True), ("a" * 12, True), ("a1", True), ("a" * 13, False), ("1a", False), ("A", False), ("a-b", False)],
)
def test_names(name: str, fits: bool):
    """As AKS takes them."""
    words = f"name: got {name!r}; AKS wants 1 to 12 lower-case letters and digits, a letter first"

    assert refused(pool_plan, name=name) == ([] if fits else [words])


@pytest.mark.parametrize(
    ("gb", "words"),
    [
        (128, ""),
        (127, "got 127; drivers are compiled on the node and GPU images are large: take 128 or more"),
        (2048, ""),
        (2049, "got 2049; AKS takes 2048 GB at the most; take it, or less"),
    ],
)
def test_size_of_a_disk(gb: int, words: str):
    """Large enough for a driver and images, and one that AKS has."""
    assert refused(pool_plan, os_disk_gb=gb) == ([f"os_disk_gb: {words}"] if words else [])


@pytest.mark.parametrize(
    ("machine", "gb", "size"),
    [
        ("Standard_ND96isr_H100_v5", 1024, ""),
        ("Standard_ND96isr_H100_v5", 1025, "1024 GiB"),
        (A100, 2048, ""),
        (GB300, 128, "no size that is known"),
    ],
)
def test_an_ephemeral_disk(machine: str, gb: int, size: str):
    """It fits the temporary one, whose size Azure tells; a managed one may have any."""
    words = f"os_disk: got Ephemeral; the temporary disk of {machine} has {size}, and {gb} GB are asked for; "

    errors = refused(pool_plan, machine=machine, os_disk="Ephemeral", os_disk_gb=gb)
    assert errors == ([f"{words}take Managed, or a smaller osDiskGb"] if size else [])
    assert refused(pool_plan, machine=machine, os_disk="Managed", os_disk_gb=gb) == []


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"nodes": 100}, ""),
        (
            {"nodes": 101},
            "holds 100 nodes of Standard_ND96isr_H100_v5; list a second pool, which is a fabric of its own, or have "
            "Azure's support raise the limit to 300 and set largePlacementGroup: true",
        ),
        ({"nodes": 300, "large_placement_group": True}, ""),
        (
            {"nodes": 301, "large_placement_group": True},
            "holds 300 nodes of Standard_ND96isr_H100_v5; list a second pool, which is a fabric of its own",
        ),
        ({"nodes": 101, "large_placement_group": False}, "set largePlacementGroup: true"),
        ({"machine": GB300, "nodes": 18}, ""),
        (
            {"machine": GB300, "nodes": 19},
            f"nodes: got 19; an NVLink rack holds 18 nodes of {GB300}; list one pool a rack",
        ),
    ],
)
def test_a_pool_is_one_fabric(args: dict[str, Any], words: str):
    """A placement group or a rack, and what to do about more nodes."""
    errors = refused(pool_plan, **args)

    assert len(errors) == bool(words)
    assert all(each.startswith("nodes: ") and each.endswith(words.removeprefix("nodes: ")) for each in errors)


def test_racks_have_no_placement_groups_to_raise():
    """Nor more nodes by it."""
    assert places(machine=GB300, nodes=18, large_placement_group=True) == ["large_placement_group"]
    assert places(machine=GB300, nodes=19, large_placement_group=True) == ["large_placement_group", "nodes"]


@pytest.mark.parametrize(
    ("args", "place"),
    [
        ({"nodes": 0}, "nodes"),
        ({"machine": "x"}, "machine"),
        ({"machine": "Standard_HB368rs_v5"}, "machine"),
        ({"machine": "Standard_ND96isr_MI300X_v5"}, "machine"),
        ({"machine": GB300, "gpu_driver": "aks"}, "machine"),
        ({"machine": GB300, "gpu_allocation": "device-plugin"}, "gpu_allocation"),
        ({"capacity": {}}, "capacity"),
        ({"capacity": {"spot": True, "on_demand": True}}, "capacity"),
        ({"capacity": {"reservation": {"group": SUBNET}}}, "capacity.reservation.group"),
        ({"capacity": {"reservation": {"group": RESERVATIONS, "zone": "1"}}}, "capacity.reservation.zone"),
        ({"capacity": {"reservation": {"group": RESERVATIONS, "zone": "1"}}, "zone": "2"}, "capacity.reservation.zone"),
        ({"labels": {"kubernetes.azure.com/agentpool": "a"}}, "labels.kubernetes.azure.com/agentpool"),
        ({"labels": {"a b": "a"}}, "labels.a b"),
        ({"node_version": "1.37"}, "node_version"),
        ({"node_version": "1.32"}, "node_version"),
        ({"node_version": "v1"}, "node_version"),
        ({"version": "1.33"}, "version"),
        ({"version": "v1"}, "version"),
        ({"zone": "4"}, "zone"),
        ({"subnet": RESERVATIONS}, "subnet"),
    ],
)
def test_what_is_refused(args: dict[str, Any], place: str):
    """At its place, and nothing beside it."""
    assert places(**args) == [place]


@pytest.mark.parametrize(
    "args",
    [
        {"capacity": {"reservation": {"group": RESERVATIONS, "zone": "2"}}, "zone": "2"},
        {"capacity": {"reservation": {"group": RESERVATIONS}}, "zone": "2"},
        {"node_version": "1.36"},
        {"node_version": "1.33"},
        {"version": "1.34"},
        {"labels": {"azure.com/a": "b"}},
        {"machine": GB300, "gpu_driver": "operator", "gpu_allocation": "dra"},
    ],
)
def test_neighbours_of_what_is_refused(args: dict[str, Any]):
    """They are let in."""
    assert places(**args) == []


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({}, []),
        ({"capacity": {"spot": True}, "nodes": 1}, []),
        ({"capacity": {"spot": True}}, ["one preempted spot node stops every job"]),
        (
            {"capacity": {"reservation": {"group": RESERVATIONS}}},
            ["may take 60 minutes to reach AKS", "are made on demand, with no more than a warning"],
        ),
        (
            {"machine": GB300, "nodes": 18, "version": "1.37"},
            ["osSKU Ubuntu2404 is newer", "were seen in different placement groups"],
        ),
        (
            {"machine": GB300, "nodes": 17, "version": "1.37"},
            [
                "osSKU Ubuntu2404 is newer",
                "were seen in different placement groups",
                "is ordered in racks of 18 nodes; 17 nodes leave one in parts",
            ],
        ),
        ({"infiniband_feature": "taken-as-right"}, ["AKSInfinibandSupport is taken as registered and not looked up"]),
        (
            {"machine": GB300, "nodes": 18, "infiniband_feature": "taken-as-right"},
            ["osSKU", "placement groups", "AKSInfinibandSupport is taken as not registered and not looked up"],
        ),
    ],
)
def test_warnings(args: dict[str, Any], words: list[str]):
    """Each has its cause, and none is told without it."""
    warnings = pool_plan(**args).warnings

    assert len(warnings) == len(words)
    assert all(word in warning for word, warning in zip(words, warnings, strict=True))
