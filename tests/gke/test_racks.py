"""A4X and A4X Max: pools that are racks, their networks, what runs on them, and what stands beside them."""

from typing import Any

import pytest
from tests.gke.plans import A4, METAL, PRIMARY, RACK, RESERVED, SECOND, rails, stack_plan

MANAGED: dict[str, Any] = {"network": {"mode": "managed"}}
BY_CLAIMS = {**RACK, "gpu_allocation": "dra"}


def drivers_of(*pools: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The values of NVIDIA's DRA driver, and whether the kernel driver is ours."""
    drivers = stack_plan(*pools).in_cluster.drivers
    assert drivers is not None and drivers.plan.gpu is not None
    return drivers.plan.gpu.values, drivers.plan.kernel is not None


@pytest.mark.parametrize("pool", [RACK, METAL], ids=["A4X", "A4X Max"])
def test_nvidias_driver_hands_out_channels_beside_gkes_device_plugin(pool: dict[str, Any]):
    """It runs on Arm nodes, too, and the kernel driver is GKE's."""
    values, ours = drivers_of(pool)

    assert (values["resources"]["gpus"], values["resources"]["computeDomains"]) == (
        {"enabled": False},
        {"enabled": True},
    )
    assert {each["key"] for each in values["kubeletPlugin"]["tolerations"]} == {"nvidia.com/gpu", "kubernetes.io/arch"}
    assert not ours


def test_one_driver_hands_out_gpus_and_channels_of_a_rack_by_claims():
    values, ours = drivers_of(BY_CLAIMS)

    assert values["resources"]["gpus"] == values["resources"]["computeDomains"] == {"enabled": True}
    assert ours


@pytest.mark.parametrize(("pool", "tolerated"), [(RACK, True), (A4, False)], ids=["Arm", "x86"])
def test_pods_tolerate_arm_where_a_pool_has_it(pool: dict[str, Any], tolerated: bool):
    (work,) = stack_plan(pool).in_cluster.workloads.values()

    assert ("kubernetes.io/arch" in {each["key"] for each in work.pod_patch()["tolerations"]}) is tolerated


def test_a_rack_has_a_policy_in_its_region_unless_the_user_names_one():
    rack, a4 = stack_plan(BY_CLAIMS, A4, **MANAGED).pools
    (named,) = stack_plan({**RACK, "placement_policy": "mine"}).pools

    assert (rack.rack_region, a4.rack_region, named.rack_region) == ("us-west8", None, None)


def test_pods_on_racks_name_the_first_networks_of_the_widest_machine():
    plan = stack_plan(RACK, {**A4, "gpu_allocation": "device-plugin"}, network={"mode": "pod-networks"})

    assert [each.name for each in plan.pod_networks] == ["gvnic-1", *(f"rdma-{i}" for i in range(8))]
    named = [str(work.pod_patch()["annotations"]) for work in plan.in_cluster.workloads.values()]
    assert ["rdma-4" in each for each in named] == [False, True]


def test_bare_metal_has_what_googles_guide_asks_of_its_pool():
    (pool,) = stack_plan(METAL).pools

    assert pool.labels == {
        "cloud.google.com/gke-networking-dra-driver": "true",
        "cloud.google.com/gke-dpv2-unified-cni": "cni-migration",
    }
    assert (pool.gpu_driver, pool.local_ssds, pool.machine.huge_pages) == ("LATEST", 0, 4096)


def test_bare_metal_brings_the_daemon_of_its_nics_and_no_plugin():
    """The plugin is in the image; without the daemon no NIC has an interface."""
    plan = stack_plan(METAL)
    (installer,) = plan.in_cluster.installers.values()
    (work,) = plan.in_cluster.workloads.values()

    assert installer.plan.plugin is None
    assert [daemon.name for daemon in installer.plan.daemons] == ["asapd-lite"]
    assert [mount["name"] for mount in work.pod_patch()["volumeMounts"]] == ["nvidia", "shared-memory"]
    assert installer.plan.daemons[0].image in work.fabric.acceptance.also


def test_each_processor_has_its_own_build_of_the_plugin():
    found = stack_plan(BY_CLAIMS, A4, **MANAGED).in_cluster.installers.values()

    assert {each.plan.plugin.release.architecture: each.plan.nodes["values"] for each in found if each.plan.plugin} == {
        "amd64": ["a4"],
        "arm64": ["rack"],
    }


@pytest.mark.parametrize(
    ("change", "words"),
    [({}, []), ({"nodes": 16}, ["the other 2 stay idle"]), ({"capacity": RESERVED}, ["names no subBlock"])],
    ids=["whole", "part", "any rack"],
)
def test_a_user_hears_what_a_rack_leaves_idle_or_open(change: dict[str, Any], words: list[str]):
    warnings = stack_plan({**RACK, **change}).warnings

    assert [word in each for word, each in zip(words, warnings, strict=True)] == [True] * len(words)


@pytest.mark.parametrize(("pool", "subnets", "told"), [(METAL, 1, True), (RACK, 4, False)], ids=["metal", "guests"])
def test_bare_metal_joins_no_existing_cluster_with_shielded_nodes(pool: dict[str, Any], subnets: int, told: bool):
    """Whether it has them cannot be seen, so the user is told."""
    plan = stack_plan(
        pool,
        kubernetes={"name": "c", "existing": {"location": "us-west8", "endpoint": "gke.example"}},
        network={"existing": {**PRIMARY, "gvnic": SECOND, "rails": rails(subnets)}},
    )

    assert ("Shielded GKE Nodes" in " ".join(plan.warnings)) is told
