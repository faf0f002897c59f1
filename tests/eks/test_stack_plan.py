"""An EKS stack as a whole: what its parts decide for each other, and what a person is warned of."""

from typing import Any

import pytest
from rdma_cluster.eks.plan.network import EksNetworkPlan
from rdma_cluster.eks.plan.rdma_cluster import EksRdmaClusterPlan
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.fabrics.efa import EFA, EFA_DEVICE_PLUGIN
from tests.eks.plans import ADMIN, EXISTING, GB200, P5, PUBLIC, refused, stack_plan

PLUGIN = {**P5, "gpu_allocation": "device-plugin"}
PRIVATE = {"kubernetes": {"admins": [ADMIN]}}


def prints(made: EksRdmaClusterPlan) -> list[str]:
    """What makes the test of each pool run again."""
    return [pool.fingerprint for pool in made.in_cluster.pools]


def test_a_stack_with_a_public_endpoint_warns_of_nothing():
    made = stack_plan()

    assert (made.storage, made.warnings, made.cluster.existing) == (None, (), None)
    assert isinstance(made.network, EksNetworkPlan)


@pytest.mark.parametrize(
    ("more", "told"),
    [(PRIVATE, True), ({**PRIVATE, "network": EXISTING["network"]}, False), (EXISTING, False)],
    ids=["new VPC", "existing network", "existing cluster"],
)
def test_a_private_api_in_a_new_vpc_is_warned_of(more: dict[str, Any], told: bool):
    """Nobody reaches it yet; a network that exists may have its way in."""
    assert any("API is private" in each for each in stack_plan(**more).warnings) is told


def test_node_images_follow_a_version_that_is_known():
    """The version of a cluster that exists is known only where the user names it."""
    newer = {**P5, "release_version": "1.36.0-20260101"}
    named = {**EXISTING, "kubernetes": {**EXISTING["kubernetes"], "version": "1.35"}}

    assert [refused(stack_plan, newer, **more) for more in ({}, EXISTING, named)] == [
        ["pools[0].release_version"],
        [],
        ["pools[0].release_version"],
    ]


def test_other_nodes_are_proved_again():
    """Other subnets, services, tags or node images are other nodes; an add-on's version is none."""
    first = prints(stack_plan())
    zones = {"control_plane_zones": ["us-east-2b"]}
    others = [
        stack_plan(kubernetes={**PUBLIC, "name": "other"}),
        stack_plan(network={**zones, "cidr": "172.16.0.0/16"}),
        stack_plan(network={**zones, "max_nodes": 10}),
        stack_plan(network={**zones, "service_cidr": "10.100.0.0/16"}),
        stack_plan(tags={"team": "a"}),
        stack_plan({**P5, "release_version": "1.35.0-20260101"}),
        stack_plan({**P5, "release_version": "1.35.0-20260102"}),
        stack_plan(zone="us-east-2c"),
    ]

    assert len({str(prints(each)) for each in others} - {str(first)}) == len(others)
    addons = {"coredns": "v1.12.1-eksbuild.2"}
    assert prints(stack_plan(kubernetes={**PUBLIC, "addon_versions": addons})) == first
    assert prints(stack_plan(network={"control_plane_zones": ["us-east-2c"]})) == first


def test_no_release_proves_again_for_nothing():
    """The digests are those of 0.1.0, whatever a plan holds since then."""
    group = {**P5, "capacity": {"on_demand": True}, "placement_group": "mine"}

    assert prints(stack_plan({**P5, "release_version": "1.35.0-20260101"}, tags={"team": "a"})) == ["091a2322efa4396b"]
    assert prints(stack_plan(group)) == ["5e226da7bb65c68c"]


def test_in_cluster_parts_know_the_fabric_the_levels_and_the_disk_of_a_pool():
    a10g = {"name": "a10g", "machine": "g5.8xlarge", "nodes": 1, "capacity": {"spot": True}}
    made = stack_plan(PLUGIN, {**GB200, "nodes": 18}, a10g).in_cluster.pools
    layers = tuple(f"topology.k8s.aws/network-node-layer-{i}" for i in (1, 2, 3))

    assert [(each.fabric, each.allocation) for each in made] == [
        (EFA_DEVICE_PLUGIN, GpuAllocation.DEVICE_PLUGIN),
        (EFA, GpuAllocation.DRA),
        (EFA, GpuAllocation.DRA),
    ]
    assert [each.levels for each in made] == [layers, (), ()]
    assert [each.disk_gb for each in made] == [30_400, 22_500, 900]
    assert not any(each.skip_reason or each.comes_later for each in made)


def test_skypilot_has_device_plugins_and_its_label_of_the_gpu():
    (asked,), (not_asked,) = (stack_plan(skypilot=asked).pools for asked in (True, False))

    assert (asked.gpu_allocation, not_asked.gpu_allocation) == (GpuAllocation.DEVICE_PLUGIN, GpuAllocation.DRA)
    assert asked.labels == {**not_asked.labels, "skypilot.co/accelerator": "h100"}


def test_services_may_be_chosen_beside_an_existing_network_and_not_beside_a_cluster():
    services = {"network": {**EXISTING["network"], "service_cidr": "10.100.0.0/16"}}

    assert refused(stack_plan, **services) == []
    assert refused(stack_plan, kubernetes=EXISTING["kubernetes"], **services) == ["network.service_cidr"]
