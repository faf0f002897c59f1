"""What a pool of GKE nodes needs of its cluster, what it may run into, and one in whole."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.common.google.names import Place
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.gke.plan.fabric import GkeNetworkMode, pool_fabric
from rdma_cluster.gke.plan.machines import BUILDABLE, machine_for
from rdma_cluster.gke.plan.node_pool import GkeNodePoolPlan, plan_pool

PLACE = Place("my-project", "us-west8-c", "us-west8")
A4: dict[str, Any] = {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"reservation": {"name": "r"}}}


def pool(version: str = "1.35", mode: GkeNetworkMode | None = None, **more: Any) -> tuple[Any, list[str]]:
    """The plan of one pool, and what is refused of it."""
    errors = ErrorList()
    listed: Any = {**A4, **more}
    made = plan_pool(listed, pool_fabric(listed, mode), PLACE, version, errors)
    return made, [f"{each.path[0]}: {each.reason}" for each in errors.found()]


@pytest.mark.parametrize(
    ("version", "more", "needs"),
    [
        ("1.35", {}, []),
        ("1.31.5-gke.1", {}, ["a4-highgpu-8g with gIB needs GKE 1.32.2-gke.1475000"]),
        ("1.32.2-gke.1475000", {}, []),
        ("1.32.2-gke.1475000", {"capacity": {"flex_start": True}}, ["flex-start needs GKE 1.32.2-gke.1652000"]),
        ("1.32.2-gke.1652000", {"capacity": {"flex_start": True}}, []),
        ("1.34.1-gke.1829000", {"mode": GkeNetworkMode.MANAGED}, ["managed DRANET needs GKE 1.34.1-gke.1829001"]),
        ("1.34.1-gke.1829001", {"mode": GkeNetworkMode.MANAGED}, []),
        ("1.34.1-gke.1829000", {}, []),
        (
            "1.31",
            {"capacity": {"queued": True}, "mode": GkeNetworkMode.MANAGED},
            ["a4-highgpu-8g with gIB", "flex-start", "managed DRANET"],
        ),
        ("no version", {}, []),
    ],
)
def test_versions_that_a_pool_needs(version: str, more: dict[str, Any], needs: list[str]):
    """Of the machine's fabric, of flex-start and of GKE's own driver of NICs, each on its own."""
    _, told = pool(version, **more)

    assert [line.startswith(f"machine: {need}") for line, need in zip(told, needs, strict=True)] == [True] * len(needs)


@pytest.mark.parametrize(
    ("more", "repaired"),
    [
        ({}, True),
        ({"auto_repair": True}, True),
        ({"auto_repair": False}, False),
        ({"capacity": {"flex_start": True}}, False),
        ({"capacity": {"queued": True}, "auto_repair": False}, False),
    ],
)
def test_repair(more: dict[str, Any], repaired: bool):
    """GKE repairs nodes unless the user says no; nodes of flex-start cannot be repaired in place."""
    made, told = pool(**more)

    assert (made.auto_repair, told) == (repaired, [])


_GROWS = "pool a4: growing from 0 nodes for resource claims depends on"
_HANGS = "pool a4: deleting a pool of mode managed-auto was seen to hang"
_SPOT = "pool a4: one preempted spot node stops every job"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, []),
        ({"capacity": {"flex_start": True}}, [_GROWS]),
        ({"capacity": {"flex_start": True}, "gpu_allocation": GpuAllocation.DEVICE_PLUGIN}, []),
        ({"mode": GkeNetworkMode.MANAGED_AUTO}, [_HANGS]),
        ({"mode": GkeNetworkMode.MANAGED}, []),
        ({"capacity": {"spot": True}, "mode": GkeNetworkMode.MANAGED_AUTO}, [_SPOT, _HANGS]),
        ({"capacity": {"spot": True}, "nodes": 1}, []),
    ],
)
def test_what_a_pool_may_run_into(more: dict[str, Any], words: list[str]):
    """What only may not work is told, with the pool's name."""
    made, told = pool(**more)

    assert told == [] and isinstance(made, GkeNodePoolPlan)
    assert [each.startswith(word) for each, word in zip(made.warnings, words, strict=True)] == [True] * len(words)


def test_a_whole_pool():
    """All that is decided of one, with each choice that is the user's."""
    made, _ = pool(
        nodes=60,
        min_nodes=1,
        placement_policy="dense",
        labels={"team": "a"},
        node_version="1.35.2-gke.1842000",
        gpu_allocation=GpuAllocation.DEVICE_PLUGIN,
        version="1.36",
    )
    (fabric,) = (each for each in [made.fabric] if each.name == "gib")

    assert made == GkeNodePoolPlan(
        held=False,
        name="a4",
        machine=BUILDABLE["a4-highgpu-8g"],
        place=PLACE,
        accelerator="nvidia-b200",
        local_ssds=32,
        nodes=60,
        fabric=fabric,
        gpu_allocation=GpuAllocation.DEVICE_PLUGIN,
        capacity=made.capacity,
        reservation="r",
        begun=True,
        min_nodes=1,
        run_seconds=None,
        compact=True,
        placement_policy="dense",
        auto_repair=True,
        gpu_driver="DEFAULT",
        auto_networks=False,
        rack_region=None,
        labels={"rdma-cluster/pool": "a4", "team": "a"},
        create_minutes=90,
        warnings=(),
        node_version="1.35.2-gke.1842000",
    )


@pytest.mark.parametrize(
    ("machine", "more", "region"),
    [
        ("a4x-highgpu-4g", {}, "us-west8"),
        ("a4x-highgpu-4g", {"placement_policy": "mine"}, None),
        ("a4-highgpu-8g", {}, None),
    ],
)
def test_a_policy_of_our_own(machine: str, more: dict[str, Any], region: str | None):
    """A rack's pool gets one, in the region, unless the user names one."""
    made, told = pool(machine=machine, **more)

    assert (made.rack_region, made.compact, told) == (region, "placement_policy" in more, [])


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a4-highgpu-8g", None),
        ("h4d-highmem-192-lssd", "h4d-highmem-192-lssd is in the catalogue, but its Falcon fabric is not built yet; "),
        ("a4-highgpu", "unknown machine 'a4-highgpu'; nearest are a4-highgpu-8g"),
        ("p5.48xlarge", "p5.48xlarge is a machine of EKS; nearest on GKE are "),
    ],
)
def test_machines(name: str, told: str | None):
    """One that can be built is found; of another it is said why not, and which can."""
    errors = ErrorList()
    found = machine_for(name, errors)

    assert (found is BUILDABLE.get(name)) and (found is not None) is (told is None)
    assert [each.reason.startswith(told or "") for each in errors.found()] == ([True] if told else [])
