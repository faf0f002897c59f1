"""What a GPU pool makes in each of its modes, and what happens to it when something changes."""

from functools import cache
from typing import Any

import pytest
from pulumi_offline import Graph
from tests.oke.plans import CLUSTER, FABRIC, POOL, RACKS, built, inputs, made, names
from tests.oke.readers import launches

ISLAND, HOSTS = "ocid1.hpcisland.oc1.eu-frankfurt-1.aaaaexample", "ocid1.computehostgroup.oc1..a"
BLOCK, RESERVED = "ocid1.computenetworkblock.oc1..a", "ocid1.capacityreservation.oc1..a"
COMPUTE_CLUSTER = "[id of oci:Core/computeCluster:ComputeCluster oke]"
TEMPLATE = "[id of oci:Core/instanceConfiguration:InstanceConfiguration oke]"
MODES = {
    "managed": {"ComputeCluster": 1, "NodePool": 1},
    "cluster-network": {"ClusterNetwork": 1, "InstanceConfiguration": 1},
    "instances": {"ComputeCluster": 1, "Instance": 2},
}


@cache
def usual(mode: str) -> Graph:
    """What a pool of a mode makes without further choices."""
    return pool(mode=mode)


def pool(**args: Any) -> Graph:
    """What a pool makes."""
    return built("OkeGpuNodePool", {**POOL, **args})


def launch(graph: Graph) -> dict[str, Any]:
    """How the first self-managed node is launched."""
    return next(launch for _, launch in launches(graph))


@pytest.mark.parametrize(
    ("args", "made"),
    [
        *(({"mode": mode}, made) for mode, made in MODES.items()),
        (RACKS, {"ComputeCluster": 1, "InstanceConfiguration": 1, "ComputeGpuMemoryCluster": 2}),
    ],
    ids=[*MODES, "gpu-memory-cluster"],
)
def test_each_mode_makes_its_own_kind_of_nodes_and_no_other(args: dict[str, Any], made: dict[str, int]):
    graph = pool(**args)
    kinds = ("ComputeCluster", "NodePool", "ClusterNetwork", "InstanceConfiguration", "Instance")
    found = {kind: len(names(graph, kind)) for kind in (*kinds, "ComputeGpuMemoryCluster")}

    assert {kind: count for kind, count in found.items() if count} == made
    outputs = graph.one("rdma-cluster:index:OkeGpuNodePool", "oke").outputs
    assert outputs["computeCluster"] == (COMPUTE_CLUSTER if "ComputeCluster" in made else "")


@pytest.mark.parametrize(
    "args", [{"mode": "cluster-network"}, {"mode": "instances"}, RACKS], ids=["cluster-network", "instances", "racks"]
)
def test_self_managed_nodes_join_by_their_metadata(args: dict[str, Any]):
    """They have no public address, no old metadata service, and no plugin that restarts or updates a host."""
    told = launch(pool(**args, max_pods=40, ssh_public_key="ssh-ed25519 AAAA me"))
    plugins = {each["name"]: each["desiredState"] for each in told["agentConfig"]["pluginsConfigs"]}
    metadata = told["metadata"]

    assert {name for name, state in plugins.items() if state == "DISABLED"} == {
        "Bastion",
        "Block Volume Management",
        "Oracle Autonomous Linux",
        "OS Management Service Agent",
    }
    assert {plugins[f"Compute HPC RDMA {name}"] for name in ("Authentication", "Auto-Configuration")} == {"ENABLED"}
    assert told["instanceOptions"] == {"areLegacyImdsEndpointsDisabled": True}
    assert str(told["createVnicDetails"]["assignPublicIp"]).lower() == "false"
    assert (metadata["apiserver_host"], metadata["cluster_ca_cert"]) == (POOL["api_host"], POOL["ca_certificate"])
    assert (metadata["oke-max-pods"], metadata["pod-subnets"], metadata["pod-nsgids"]) == (
        "40",
        "ocid1.subnet.oc1..pods",
        "pg",
    )
    assert metadata["oke-initial-node-labels"].startswith("rdma-cluster/pool=h100,")
    assert (metadata["oke-tenancy-id"], metadata["ssh_authorized_keys"]) == (POOL["tenancy"], "ssh-ed25519 AAAA me")


def test_flannel_s_nodes_hear_nothing_of_pods():
    managed = inputs(pool(cni="flannel"), "NodePool", "oke")["nodeConfigDetails"]["nodePoolPodNetworkOptionDetails"]
    alone = launch(pool(cni="flannel", mode="instances"))["metadata"]

    assert managed == {"cniType": "FLANNEL_OVERLAY"}
    assert not alone.keys() & {"oke-native-pod-networking", "oke-max-pods", "pod-subnets", "pod-nsgids"}


def test_a_template_goes_last_and_its_network_moves_to_the_new_one():
    """The API refuses to delete a template that a pool uses (terraform-provider-oci#989)."""
    template, options, _ = made(usual("cluster-network"), "InstanceConfiguration", "oke")
    network, of_network, after = made(usual("cluster-network"), "ClusterNetwork", "oke")
    other = inputs(pool(mode="cluster-network", kubelet_args=["--v=2"]), "InstanceConfiguration", "oke")

    assert (options, after) == ({}, {"InstanceConfiguration oke"})
    assert template["displayName"] != other["displayName"]
    assert of_network["deleteBeforeReplace"] and of_network["replacementTrigger"] == CLUSTER
    (of_pool,) = network["instancePools"]
    assert (of_pool["instanceConfigurationId"], of_pool["size"]) == (TEMPLATE, 2)


@pytest.mark.parametrize(
    ("mode", "token"), [("managed", "NodePool"), ("cluster-network", "ClusterNetwork"), ("instances", "Instance")]
)
def test_bare_metal_is_given_hours_and_makes_room_before_it_is_replaced(mode: str, token: str):
    """The provider's own 20 and 50 minutes end before a host has tested its hardware."""
    (name, *_) = sorted(names(usual(mode), token))
    options = made(usual(mode), token, name)[1]

    assert options["customTimeouts"] == {"create": "122m", "update": "122m", "delete": "2h"}
    assert (options["deleteBeforeReplace"], options["replacementTrigger"]) == (True, CLUSTER)


def test_one_broken_host_is_replaced_alone():
    """A name that is left out takes its node with it, and no other moves."""
    before, after = (pool(mode="instances", hosts=hosts) for hosts in (["a", "b"], ["a", "c"]))

    assert names(before, "Instance") == {"oke-a", "oke-b"} and names(after, "Instance") == {"oke-a", "oke-c"}
    assert inputs(before, "Instance", "oke-a") == inputs(after, "Instance", "oke-a")
    assert inputs(after, "Instance", "oke-a")["preserveBootVolume"] is False
    # The API changes none of these on an instance that runs (terraform-provider-oci#1476).
    ignored = made(after, "Instance", "oke-a")[1]["ignoreChanges"]
    assert set(ignored) == {"agentConfig", "metadata", "sourceDetails.sourceId"}


def test_racks_scale_where_they_are():
    """A fabric's count is an update, and its fabric is its identity."""
    fabrics = [{"id": FABRIC.format(i), "nodes": n} for i, n in ((1, 16), (2, 18))]
    before, after = pool(**RACKS), pool(**{**RACKS, "nodes": 34, "memory_fabrics": fabrics})
    (one, options, waits), (other, *_) = (
        made(of, "ComputeGpuMemoryCluster", "oke-aaaexample1") for of in (before, after)
    )
    scale = one.pop("gpuMemoryClusterScaleConfig")

    assert scale == {"isUpsizeEnabled": True, "isDownsizeEnabled": True, "targetSize": "18"}
    assert other == {**one, "gpuMemoryClusterScaleConfig": {**scale, "targetSize": "16"}}
    assert (one["gpuMemoryFabricId"], one["computeClusterId"]) == (FABRIC.format(1), COMPUTE_CLUSTER)
    assert options["ignoreChanges"] == ["size"] and waits == {"ComputeCluster oke", "InstanceConfiguration oke"}


@pytest.mark.parametrize("mode", MODES)
def test_each_mode_has_a_place_of_its_own_for_a_reservation_and_a_host_group(mode: str):
    reserved = pool(mode=mode, capacity={"reservation": {"id": RESERVED}})
    grouped = pool(mode=mode, placement={"host_group": HOSTS})
    if mode == "managed":
        (place,), (host,) = (
            inputs(graph, "NodePool", "oke")["nodeConfigDetails"]["placementConfigs"] for graph in (reserved, grouped)
        )
        found = place["capacityReservationId"], host["hostGroupId"]
    else:
        constraint = launch(grouped)["placementConstraintDetails"]
        found = launch(reserved)["capacityReservationId"], constraint["computeHostGroupId"]

    assert found == (RESERVED, HOSTS)


def test_an_island_is_a_cluster_network_s_configuration_and_a_compute_cluster_s_constraint():
    within = {"hpc_island": ISLAND, "network_blocks": [BLOCK]}
    network = inputs(pool(mode="cluster-network", placement=within), "ClusterNetwork", "oke")
    cluster = inputs(pool(placement={**within, "spread": "single-block"}), "ComputeCluster", "oke")

    assert network["clusterConfiguration"] == {"hpcIslandId": ISLAND, "networkBlockIds": [BLOCK]}
    assert cluster["placementConstraintDetails"] == {
        "type": "COMPUTE_CLUSTER",
        "hpcIslandId": ISLAND,
        "targetNetworkBlockIds": [BLOCK],
        "logicalPlacementConstraint": "SINGLE_BLOCK",
    }
    assert "placementConstraintDetails" not in inputs(usual("managed"), "ComputeCluster", "oke")
    apart = inputs(pool(placement={"spread": "packed"}), "ComputeCluster", "oke")["placementConstraintDetails"]
    assert apart["logicalPlacementConstraint"] == "PACKED_DISTRIBUTION_MULTI_BLOCK" and "hpcIslandId" not in apart


def test_a_domain_by_number_gets_the_tenancy_s_prefix():
    """Only Oracle knows it."""
    (placement,) = inputs(pool(zone="2"), "NodePool", "oke")["nodeConfigDetails"]["placementConfigs"]

    assert placement["availabilityDomain"] == "Abcd:REGION-1-AD-2"


def test_a_pool_imports_its_image_unless_another_has():
    graph, shared = usual("managed"), pool(image_id="ocid1.image.oc1..a")
    image = inputs(graph, "NodePool", "oke")["nodeSourceDetails"]["imageId"]
    _, _, after = made(graph, "NodePool", "oke")

    assert image == "[id of oci:Core/image:Image oke-ubuntu-24.04-595]"
    assert after >= {"Image oke-ubuntu-24.04-595", "ShapeManagement oke-ubuntu-24.04-595-BM.GPU.H100.8"}
    assert not names(shared, "Image")
    assert inputs(shared, "NodePool", "oke")["nodeSourceDetails"]["imageId"] == "ocid1.image.oc1..a"


@pytest.mark.parametrize("mode", MODES)
def test_self_managed_nodes_ask_for_an_address_of_both_families(mode: str):
    """OKE itself tells those of a managed pool."""
    graph = pool(mode=mode, dual_stack=True)
    launched = [launch for _, launch in launches(graph)]

    assert bool(launched) is (mode != "managed")
    assert all(each["createVnicDetails"]["assignIpv6ip"] for each in launched)
    assert all(each["metadata"]["ip-families"] == "IPv4,IPv6" for each in launched)
    for network in graph.of_type("oci:Core/clusterNetwork:ClusterNetwork"):
        assert network.inputs["placementConfiguration"]["primaryVnicSubnets"]["isAssignIpv6ip"]
