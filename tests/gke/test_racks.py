"""A4X and A4X Max: pools that are racks, their networks, what runs on them, and what stands beside them."""

from typing import Any

import pytest
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog import find
from rdma_cluster.gke.plan.fabric import GkeNetworkMode, modes_of
from rdma_cluster.gke.plan.placement import policy_name
from rdma_cluster.gke.plan.rdma_cluster import GkeRdmaClusterArgs, GkeRdmaClusterPlan, plan_rdma_cluster

_RESERVED: dict[str, Any] = {"reservation": {"name": "r", "block": "b", "sub_block": "s"}}
_A4X: dict[str, Any] = {"name": "rack", "machine": "a4x-highgpu-4g", "nodes": 18, "capacity": _RESERVED}
_METAL: dict[str, Any] = {**_A4X, "name": "metal", "machine": "a4x-maxgpu-4g-metal"}
_A4: dict[str, Any] = {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"spot": True}}


def plan_of(*pools: dict[str, Any], **more: Any) -> GkeRdmaClusterPlan:
    """The whole plan, which must be possible."""
    given = {"project": "my-project", "zone": "us-central1-a", "pools": list(pools), **more}
    return plan_from(GkeRdmaClusterArgs, lambda args, errors: plan_rdma_cluster(args, "gke", errors), given)


def drivers_of(plan: GkeRdmaClusterPlan) -> dict[str, Any]:
    """What NVIDIA's DRA driver hands out, and whether ours installs the kernel driver."""
    assert plan.in_cluster.drivers is not None
    made = plan.in_cluster.drivers.plan
    assert made.gpu is not None
    return {**made.gpu.values["resources"], "kernel": made.kernel is not None, "tolerates": made.gpu.values}


@pytest.mark.parametrize("pool", [_A4X, _METAL])
def test_channels_beside_the_device_plugin(pool: dict[str, Any]):
    """As Google's guides have it: GKE's driver and plugin for the GPUs, NVIDIA's for the channels, on Arm nodes too."""
    drivers = drivers_of(plan_of(pool))

    assert (drivers["gpus"], drivers["computeDomains"]) == ({"enabled": False}, {"enabled": True})
    assert drivers["kernel"] is False
    assert {each["key"] for each in drivers["tolerates"]["kubeletPlugin"]["tolerations"]} == {
        "nvidia.com/gpu",
        "kubernetes.io/arch",
    }


def test_claims_for_the_gpus_of_a_rack():
    """The same driver hands out both; Google's manual installer serves A4X with the node image's default driver."""
    drivers = drivers_of(plan_of({**_A4X, "gpu_allocation": "dra"}))

    assert (drivers["gpus"], drivers["computeDomains"], drivers["kernel"]) == (
        {"enabled": True},
        {"enabled": True},
        True,
    )


def test_pods_tolerate_arm():
    """GKE taints Arm nodes by itself; a pod of a cluster without any tolerates nothing of the kind."""
    for pools, tolerated in (((_A4X,), True), ((_A4,), False)):
        (work,) = plan_of(*pools).in_cluster.workloads.values()

        keys = {each["key"] for each in work.pod_patch()["tolerations"]}
        assert ("kubernetes.io/arch" in keys) is tolerated


def test_a_rack_is_of_one_region():
    """Its workload policy is the region's; other pools have none."""
    rack, a4 = plan_of({**_A4X, "gpu_allocation": "dra"}, _A4, network={"mode": "managed"}).pools

    assert (rack.rack_region, a4.rack_region) == ("us-central1", None)


def test_pools_attach_their_own_rails():
    """A4 has eight rails and A4X four: the network has eight, and the racks take the first."""
    plan = plan_of({**_A4X, "gpu_allocation": "dra"}, _A4, network={"mode": "managed"})
    assert plan.network is not None

    assert [len(vpc.subnets) for vpc in plan.network.vpcs] == [1, 8]
    assert [pool.machine.node_networks for pool in plan.pools] == [5, 9]


def test_networks_by_name_are_those_of_the_widest():
    """A pod on A4X names the first rails of those that A4 has."""
    plan = plan_of(_A4X, {**_A4, "gpu_allocation": "device-plugin"}, network={"mode": "pod-networks"})

    assert [each.name for each in plan.pod_networks] == ["gvnic-1", *(f"rdma-{i}" for i in range(8))]
    named = [str(work.pod_patch()["annotations"]) for work in plan.in_cluster.workloads.values()]
    assert ["rdma-4" in each for each in named] == [False, True]


def test_bare_metal_has_one_subnet():
    """All eight rails are in the IPv6 subnet that Google makes with the VPC, so nothing is cut for them."""
    plan = plan_of(_METAL)
    assert plan.network is not None
    second, rails = plan.network.vpcs

    assert rails.profile == "projects/my-project/global/networkProfiles/us-central1-a-vpc-roce-metal"
    assert {(subnet.name, subnet.cidr) for subnet in rails.subnets} == {("default-subnet-1", None)}
    assert (len(rails.subnets), len(second.subnets)) == (8, 1)
    assert (second.mtu_bytes, rails.mtu_bytes) == (8896, 8896)


def test_bare_metal_pool():
    """What Google's guide asks of the pool and no other machine has."""
    (pool,) = plan_of(_METAL).pools

    assert pool.labels == {
        "cloud.google.com/gke-networking-dra-driver": "true",
        "cloud.google.com/gke-dpv2-unified-cni": "cni-migration",
    }
    assert (pool.gpu_driver, pool.local_ssds, pool.machine.huge_pages) == ("LATEST", 0, 4096)


def test_bare_metal_brings_its_daemon_and_no_plugin():
    """The plugin is in the image; without the daemon no NIC has an interface."""
    plan = plan_of(_METAL)
    (installer,) = plan.in_cluster.installers.values()
    (work,) = plan.in_cluster.workloads.values()

    assert installer.plan.plugin is None
    assert [daemon.name for daemon in installer.plan.daemons] == ["asapd-lite"]
    assert [mount["name"] for mount in work.pod_patch()["volumeMounts"]] == ["nvidia", "shared-memory"]
    assert installer.plan.daemons[0].image in work.fabric.acceptance.also


@pytest.mark.parametrize(
    ("machine", "modes"),
    [
        ("a4x-highgpu-4g", ["managed", "managed-auto", "pod-networks"]),
        ("a4x-maxgpu-4g-metal", ["managed", "managed-auto"]),
        ("a4-highgpu-8g", ["dranet", "managed", "managed-auto", "pod-networks"]),
    ],
)
def test_modes(machine: str, modes: list[str]):
    """The usual one first."""
    row = find(machine, "gke")
    assert row is not None

    assert modes_of(row) == [GkeNetworkMode(mode) for mode in modes]  # ty: ignore[invalid-argument-type]


def test_both_plugins_in_one_cluster():
    """One build a processor, each on its own nodes."""
    plan = plan_of({**_A4X, "gpu_allocation": "dra"}, _A4, network={"mode": "managed"})

    on = {name: each.plan.nodes["values"] for name, each in plan.in_cluster.installers.items()}
    plugins = {name: each.plan.plugin for name, each in plan.in_cluster.installers.items()}
    assert on == {"gib": ["a4"], "gib-arm64": ["rack"]}
    assert {name: plugin and plugin.release.architecture for name, plugin in plugins.items()} == {
        "gib": "amd64",
        "gib-arm64": "arm64",
    }


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"nodes": 17}, ["the other 1 stay idle"]),
        ({"capacity": {"reservation": {"name": "r"}}}, ["names no subBlock"]),
        ({}, []),
    ],
)
def test_warnings(change: dict[str, Any], words: list[str]):
    """A part of a rack, and a reservation that leaves open which."""
    warnings = plan_of({**_A4X, **change}).warnings

    assert [word in warning for word, warning in zip(words, warnings, strict=True)] == [True] * len(words)


def test_a_cluster_that_is_there():
    """What cannot be seen of it is said: bare metal does not join where Shielded Nodes are on."""
    for pool, rails, told in ((_METAL, 1, True), (_A4X, 4, False)):
        plan = plan_of(
            pool,
            kubernetes={"name": "c", "existing": {"location": "us-central1", "endpoint": "gke.example"}},
            network={
                "existing": {
                    **dict.fromkeys(("network", "subnetwork", "pod_range", "service_range"), "n"),
                    "gvnic": {"network": "second", "subnetwork": "second"},
                    "rails": [{"network": "roce", "subnetwork": f"s{i}"} for i in range(rails)],
                }
            },
        )

        assert ("Shielded GKE Nodes" in " ".join(plan.warnings)) is told


@pytest.mark.parametrize("length", [10, 55, 56, 81])
def test_policy_names_fit(length: int):
    """With the eight characters that are made up they have 63 at the most, and stay apart."""
    names = {policy_name("a" * (length - 1) + last) for last in "xy"}

    assert len(names) == 2
    assert max(map(len, names)) <= 55
