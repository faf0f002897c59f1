"""Who brings which driver on GKE, what that needs of the cluster, and what else the pools tell the in-cluster part."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.common.google.names import Place
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.gke.plan.drivers import check_drivers, check_owners, drivers_of, minimum_versions
from rdma_cluster.gke.plan.fabric import GkeNetworkMode, PoolFabric, check_mode, mode_used, pool_fabric
from rdma_cluster.gke.plan.gpu_pools import gpu_pools, other_taints
from rdma_cluster.gke.plan.node_pool import GkeNodePoolPlan, plan_pool
from rdma_cluster.incluster.plan.dra_drivers import ManagedBy
from rdma_cluster.incluster.plan.pool import ProvisioningClass

MODES = [None, *GkeNetworkMode]
DRA, PLUGIN = GpuAllocation.DRA, GpuAllocation.DEVICE_PLUGIN


def pool(machine: str = "a4-highgpu-8g", **more: Any) -> Any:
    """As a stack lists it."""
    return {"name": "x", "machine": machine, "nodes": 2, "capacity": {"reservation": {"name": "r"}}, **more}


A4, A3_MEGA, RACK, METAL, UNKNOWN = (
    pool(name)
    for name in ("a4-highgpu-8g", "a3-megagpu-8g", "a4x-highgpu-4g", "a4x-maxgpu-4g-metal", "h4d-highmem-192-lssd")
)


def fabrics(pools: list[Any], mode: GkeNetworkMode | None) -> list[PoolFabric]:
    """What is decided of each pool's NICs and GPUs."""
    return [pool_fabric(each, mode) for each in pools]


@pytest.mark.parametrize(
    ("mode", "pools", "used"),
    [
        (None, [A4], "dranet"),
        (None, [A3_MEGA], "pod-networks"),
        (None, [UNKNOWN, RACK, A4], "managed"),
        (None, [UNKNOWN], None),
        (GkeNetworkMode.MANAGED_AUTO, [A4], "managed-auto"),
        (GkeNetworkMode.MANAGED_AUTO, [UNKNOWN], "managed-auto"),
    ],
)
def test_mode_that_is_used(mode: GkeNetworkMode | None, pools: list[Any], used: str | None):
    """The one that is chosen, or the usual one of the first machine that can be built."""
    found = mode_used(mode, fabrics(pools, mode))

    assert (found and found.value) == used


def test_driver_of_the_nics():
    """GKE brings it in its managed modes; ours can be named as existing in the one mode that has it."""
    for mode in MODES:
        errors = ErrorList()
        check_drivers({"nic": ManagedBy.EXISTING}, mode, errors)
        check_drivers({}, mode, errors)
        told = [str(each) for each in errors.found()]
        wrong = mode not in (None, GkeNetworkMode.DRANET)
        assert len(told) == wrong
        assert not wrong or f"not allowed with network.mode: {mode.value}," in told[0]

        managed = mode in (GkeNetworkMode.MANAGED, GkeNetworkMode.MANAGED_AUTO)
        made = drivers_of({"gpu": ManagedBy.EXISTING}, mode)
        assert made == {"gpu": ManagedBy.EXISTING, **({"nic": ManagedBy.MANAGED} if managed else {})}


@pytest.mark.parametrize(
    ("pools", "mode", "needs"),
    [
        ([A4], None, ["claims for GPUs need 1.34.2"]),
        ([pool(gpu_allocation=PLUGIN)], None, ["claims for NICs need 1.34"]),
        ([pool(gpu_allocation=PLUGIN), A4], None, ["claims for GPUs need 1.34.2"]),
        ([A4, pool(gpu_allocation=PLUGIN)], GkeNetworkMode.MANAGED, ["claims for GPUs need 1.34.2"]),
        ([RACK], GkeNetworkMode.MANAGED, ["claims for NICs need 1.34"]),
        ([RACK], GkeNetworkMode.POD_NETWORKS, ["claims for IMEX channels need 1.34"]),
        ([A4, RACK], GkeNetworkMode.POD_NETWORKS, ["claims for IMEX channels need 1.34"]),
        ([A4], GkeNetworkMode.POD_NETWORKS, []),
        ([A3_MEGA], None, []),
        # What is not known counts as a machine with claims.
        ([UNKNOWN], None, ["claims for GPUs need 1.34.2"]),
        ([A3_MEGA, UNKNOWN], None, ["claims for GPUs need 1.34.2"]),
    ],
)
def test_versions_that_claims_need(pools: list[Any], mode: GkeNetworkMode | None, needs: list[str]):
    """Claims for GPUs are the youngest; networks by name need none, and a rack's channels do."""
    assert [f"{each.what} {each.least}" for each in minimum_versions(fabrics(pools, mode))] == needs


@pytest.mark.parametrize(
    ("pools", "refused"),
    [
        ([RACK, A4], [0]),
        ([A4, RACK, pool("a4x-highgpu-4g")], [1, 2]),
        ([A4, METAL], [1]),
        ([A4, A4], []),
        ([RACK, METAL], []),
        ([RACK, pool(gpu_allocation=PLUGIN)], []),
        ([{**RACK, "gpu_allocation": DRA}, A4], []),
        ([{**RACK, "gpu_allocation": DRA}, RACK], [1]),
        # Bare metal that asks for claims has that error alone.
        ([{**METAL, "gpu_allocation": DRA}, RACK], []),
        ([UNKNOWN, RACK], []),
        ([UNKNOWN, RACK, A4], [1]),
    ],
)
def test_one_setting_of_nvidias_driver(pools: list[Any], refused: list[int]):
    """A rack's channels come beside device plugins or beside claims for GPUs, one of the two for a cluster."""
    errors = ErrorList()
    check_owners(fabrics(pools, GkeNetworkMode.MANAGED), errors)

    assert [each.path for each in errors.found()] == [(i, "gpu_allocation") for i in refused]


def test_who_keeps_a_rack_from_plugins_is_told():
    """By the machine whose GPUs are claimed."""
    errors = ErrorList()
    check_owners(fabrics([RACK, A4], GkeNetworkMode.MANAGED), errors)

    (told,) = errors.found()
    assert told.reason.startswith(
        "the GPUs of a4x-highgpu-4g are handed out by GKE's device plugin and those of a4-highgpu-8g by claims; "
    )


@pytest.mark.parametrize(
    ("machine", "can"),
    [
        ("a3-megagpu-8g", "pod-networks"),
        ("a4x-maxgpu-4g-metal", "managed or managed-auto"),
        ("a4x-highgpu-4g", "managed, managed-auto or pod-networks"),
    ],
)
def test_a_mode_that_a_machine_cannot_have(machine: str, can: str):
    """What it can have is said; who chooses none has the usual one."""
    errors = ErrorList()
    check_mode(pool_fabric(pool(machine), None), errors)
    assert not errors

    check_mode(pool_fabric(pool(machine), GkeNetworkMode.DRANET), errors)
    assert [each.reason for each in errors.found()] == [
        f"{machine} has no network mode dranet; set network.mode to {can}, or leave it out"
    ]


@pytest.mark.parametrize(
    ("pools", "taints"),
    [
        ([A4, A4], {}),
        ([A4, RACK], {"kubernetes.io/arch": "arm64"}),
        ([A4, pool(capacity={"queued": True})], {"cloud.google.com/gke-queued": "true"}),
        ([A4, pool(capacity={"queued": False, "spot": True})], {}),
        (
            [pool(capacity={"queued": True}), A4, RACK],
            {"cloud.google.com/gke-queued": "true", "kubernetes.io/arch": "arm64"},
        ),
        ([UNKNOWN], {}),
    ],
)
def test_taints_of_some_nodes(pools: list[Any], taints: dict[str, str]):
    """One pool with them is enough: what runs on all nodes must tolerate them."""
    assert other_taints(pools, fabrics(pools, None)) == taints


def test_pools_as_the_in_cluster_part_reads_them():
    """Each machine that can be built, with its own disk and levels, and why nothing is proved of it yet."""
    future = {"reservation": {"name": "r", "active": False}}
    listed: list[Any] = [
        pool(name="now"),
        {**UNKNOWN, "name": "none"},
        pool("a3-megagpu-8g", name="later", capacity=future),
        pool(name="asked", nodes=3, capacity={"queued": True}, gpu_allocation=PLUGIN),
        pool("a3-ultragpu-8g", name="spot", capacity={"spot": True}),
        {**RACK, "name": "rack"},
        {**METAL, "name": "metal"},
    ]
    made = gpu_pools(listed, fabrics(listed, GkeNetworkMode.POD_NETWORKS), [None] * len(listed), {})
    queued = ProvisioningClass(
        "queued-provisioning.gke.io", "autoscaling.gke.io/provisioning-request", "ResizeRequestName"
    )
    levels = ("cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock")
    waits = "a queued pool has no nodes until a job asks for them"
    begins = "the pool has no nodes until its reservation begins"

    # Bare metal has no networks by name, and so no fabric in this mode.
    assert [(each.name, each.machine.name, each.nodes) for each in made] == [
        ("now", "a4-highgpu-8g", 2),
        ("later", "a3-megagpu-8g", 2),
        ("asked", "a4-highgpu-8g", 3),
        ("spot", "a3-ultragpu-8g", 2),
        ("rack", "a4x-highgpu-4g", 2),
    ]
    assert [(each.skip_reason, each.comes_later, each.scales_from_zero, each.provisioning) for each in made] == [
        ("", False, False, None),
        (begins, True, False, None),
        (waits, True, True, queued),
        ("", False, False, None),
        ("", False, False, None),
    ]
    assert [each.levels for each in made] == [levels, levels, (), (), levels]
    assert [each.disk_gb for each in made] == [32 * 375, 16 * 375, 32 * 375, 32 * 375, 4 * 375]
    assert [each.fingerprint for each in made] == [""] * 5


def test_other_nodes_have_another_fingerprint():
    """The test runs again where the machines or their place are others."""
    listed = pool()
    of_pool = pool_fabric(listed, None)
    plan = plan_pool(listed, of_pool, Place("p", "us-west8-c", "us-west8"), "1.35", ErrorList())
    assert plan is not None

    def prints(plan: GkeNodePoolPlan, **place: object) -> str:
        (made,) = gpu_pools([listed], [of_pool], [plan], place)
        return made.fingerprint

    first = prints(plan, zone="a", network=1)
    assert first and first == prints(plan, zone="a", network=1)
    assert len({first, prints(plan, zone="b", network=1), prints(plan, zone="a", network=2)}) == 3
    assert prints(replace(plan, reservation="other"), zone="a", network=1) != first
