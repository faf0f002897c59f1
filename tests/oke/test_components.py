"""The resources of the components: what only a program shows."""

from typing import Any

import pytest
from rdma_cluster.oke.launch import PLUGINS
from tests.oke.plans import FABRIC, NETWORK, OF_CLUSTER, POOL, RACKS, built, inputs, names
from tests.oke.readers import launches

AUTHENTICATION = "Compute HPC RDMA Authentication"
CONFIGURATION = "Compute HPC RDMA Auto-Configuration"
ISLAND = "ocid1.hpcisland.oc1.eu-frankfurt-1.aaaaexample"
RESERVED = {"capacity": {"reservation": {"id": "ocid1.capacityreservation.oc1..a"}}}


def pool(**args: Any) -> Any:
    """What a pool makes."""
    return built("OkeGpuNodePool", {**POOL, **args})


@pytest.mark.parametrize(
    ("args", "made"),
    [
        ({"mode": "managed"}, {"ComputeCluster": 1, "NodePool": 1}),
        ({"mode": "cluster-network"}, {"ClusterNetwork": 1, "InstanceConfiguration": 1}),
        ({"mode": "instances"}, {"ComputeCluster": 1, "Instance": 2}),
        (RACKS, {"ComputeCluster": 1, "InstanceConfiguration": 1, "ComputeGpuMemoryCluster": 2}),
    ],
    ids=["managed", "cluster network", "instances", "GPU memory clusters"],
)
def test_each_mode_makes_its_own(args: dict[str, Any], made: dict[str, int]):
    """And nothing of another."""
    graph = pool(**args)
    kinds = ("ComputeCluster", "NodePool", "ClusterNetwork", "InstanceConfiguration", "Instance")
    found = {kind: len(names(graph, kind)) for kind in (*kinds, "ComputeGpuMemoryCluster")}

    assert {kind: count for kind, count in found.items() if count} == made


def test_managed():
    """In its compute cluster; what the API has no field for is not there."""
    made = inputs(pool(), "NodePool", "oke")
    details = made["nodeConfigDetails"]

    assert details["computeClusterId"] == "[id of oci:Core/computeCluster:ComputeCluster oke]"
    assert details["placementConfigs"] == [{"availabilityDomain": POOL["zone"], "subnetId": "w"}]
    assert (details["size"], details["nsgIds"]) == (2, ["wg"])
    assert details["nodePoolPodNetworkOptionDetails"] == {
        "cniType": "OCI_VCN_IP_NATIVE",
        "maxPodsPerNode": 64,
        "podSubnetIds": ["ocid1.subnet.oc1..pods"],
        "podNsgIds": ["pg"],
    }
    assert made["nodeSourceDetails"]["bootVolumeSizeInGbs"] == "512"
    assert made["nodeMetadata"]["areLegacyImdsEndpointsDisabled"] == "true"
    assert {"key": "rdma-cluster/pool", "value": "h100"} in made["initialNodeLabels"]


def test_flannel_has_no_pod_subnet():
    """Nor its groups and its count of pods."""
    details = inputs(pool(cni="flannel"), "NodePool", "oke")["nodeConfigDetails"]

    assert details["nodePoolPodNetworkOptionDetails"] == {"cniType": "FLANNEL_OVERLAY"}


@pytest.mark.parametrize("args", [{"mode": "cluster-network"}, RACKS], ids=["cluster network", "racks"])
def test_template_of_self_managed_nodes(args: dict[str, Any]):
    """They join by their metadata, with the agent's two RDMA plugins on and the old metadata service off."""
    launch = inputs(pool(**args), "InstanceConfiguration", "oke")["instanceDetails"]["launchDetails"]
    plugins = {each["name"]: each["desiredState"] for each in launch["agentConfig"]["pluginsConfigs"]}

    assert (plugins[AUTHENTICATION], plugins[CONFIGURATION]) == ("ENABLED", "ENABLED")
    assert plugins == PLUGINS
    assert launch["instanceOptions"] == {"areLegacyImdsEndpointsDisabled": True}
    assert launch["metadata"] | {"user_data": ""} == {
        "apiserver_host": "10.140.0.2",
        "cluster_ca_cert": "eA==",
        "oke-k8version": "v1.36.1",
        "oke-kubeproxy-proxy-mode": "ipvs",
        "oke-tenancy-id": POOL["tenancy"],
        "oke-initial-node-labels": "rdma-cluster/pool=h100,oci.oraclecloud.com/disable-gpu-device-plugin=false",
        "oke-native-pod-networking": "true",
        "oke-max-pods": "64",
        "pod-subnets": "ocid1.subnet.oc1..pods",
        "pod-nsgids": "pg",
        "user_data": "",
    }
    assert launch["createVnicDetails"]["assignPublicIp"] is False


def test_template_is_replaced_before_it_goes():
    """The API refuses to delete one that a pool uses (terraform-provider-oci#989); the network moves to the new one."""
    graph = pool(mode="cluster-network")
    template = graph.one("oci:Core/instanceConfiguration:InstanceConfiguration", "oke")
    network = graph.one("oci:Core/clusterNetwork:ClusterNetwork", "oke")

    assert "deleteBeforeReplace" not in template.options
    assert network.options["deleteBeforeReplace"] is True
    (of_pool,) = network.inputs["instancePools"]
    assert of_pool["instanceConfigurationId"] == "[id of oci:Core/instanceConfiguration:InstanceConfiguration oke]"


@pytest.mark.parametrize(
    ("args", "token"),
    [
        ({}, "oci:ContainerEngine/nodePool:NodePool"),
        ({"mode": "cluster-network"}, "oci:Core/clusterNetwork:ClusterNetwork"),
    ],
)
def test_bare_metal_takes_hours(args: dict[str, Any], token: str):
    """The provider's own 20 and 50 minutes end before a host has tested its hardware."""
    assert pool(**args).one(token, "oke").options["customTimeouts"]["create"] == "122m"


def test_one_broken_host_is_replaced_alone():
    """Each node is a resource of its own; a name that is left out takes its node with it, and no other moves."""
    before, after = (pool(mode="instances", hosts=hosts) for hosts in (["a", "b"], ["a", "c"]))

    assert names(before, "Instance") == {"oke-a", "oke-b"} and names(after, "Instance") == {"oke-a", "oke-c"}
    assert inputs(before, "Instance", "oke-a") == inputs(after, "Instance", "oke-a")
    node = after.one("oci:Core/instance:Instance", "oke-a")
    # The API changes neither on an instance that runs (terraform-provider-oci#1476).
    assert set(node.options["ignoreChanges"]) == {"agentConfig", "metadata", "sourceDetails.sourceId"}


def test_racks_scale_where_they_are():
    """A fabric's count is an update; its fabric is its identity."""
    less = {
        **RACKS,
        "nodes": 34,
        "memory_fabrics": [{"id": FABRIC.format(i), "nodes": n} for i, n in ((1, 16), (2, 18))],
    }
    before, after = pool(**RACKS), pool(**less)
    name = next(n for n in names(before, "ComputeGpuMemoryCluster") if n.endswith("1"))
    one, other = (inputs(graph, "ComputeGpuMemoryCluster", name) for graph in (before, after))

    assert one["gpuMemoryClusterScaleConfig"] == {
        "isUpsizeEnabled": True,
        "isDownsizeEnabled": True,
        "targetSize": "18",
    }
    assert other == {**one, "gpuMemoryClusterScaleConfig": {**one["gpuMemoryClusterScaleConfig"], "targetSize": "16"}}
    kept = before.one("oci:Core/computeGpuMemoryCluster:ComputeGpuMemoryCluster", name).options["ignoreChanges"]
    assert kept == ["size"]


@pytest.mark.parametrize("mode", ["managed", "cluster-network", "instances"])
def test_reservation(mode: str):
    """Each mode has a place of its own for it."""
    graph = pool(mode=mode, **RESERVED)
    reserved = RESERVED["capacity"]["reservation"]["id"]
    if mode == "managed":
        (placement,) = inputs(graph, "NodePool", "oke")["nodeConfigDetails"]["placementConfigs"]
        found = placement["capacityReservationId"]
    elif mode == "instances":
        found = inputs(graph, "Instance", "oke-0")["capacityReservationId"]
    else:
        details = inputs(graph, "InstanceConfiguration", "oke")["instanceDetails"]
        found = details["launchDetails"]["capacityReservationId"]

    assert found == reserved


def test_island_of_a_cluster_network_and_of_a_compute_cluster():
    """The one by its configuration, the other by a constraint."""
    within = {"hpc_island": ISLAND, "network_blocks": ["ocid1.computenetworkblock.oc1..a"]}
    network = pool(mode="cluster-network", placement=within)
    cluster = pool(placement={**within, "spread": "single-block"})

    assert inputs(network, "ClusterNetwork", "oke")["clusterConfiguration"] == {
        "hpcIslandId": ISLAND,
        "networkBlockIds": ["ocid1.computenetworkblock.oc1..a"],
    }
    assert inputs(cluster, "ComputeCluster", "oke")["placementConstraintDetails"] == {
        "type": "COMPUTE_CLUSTER",
        "hpcIslandId": ISLAND,
        "targetNetworkBlockIds": ["ocid1.computenetworkblock.oc1..a"],
        "logicalPlacementConstraint": "SINGLE_BLOCK",
    }


def test_domain_by_number():
    """The full name has the tenancy's prefix, which only Oracle knows."""
    (placement,) = inputs(pool(zone="2"), "NodePool", "oke")["nodeConfigDetails"]["placementConfigs"]

    assert placement["availabilityDomain"] == "Abcd:REGION-1-AD-2"


def test_imported_image_of_others_is_used():
    """Several pools boot one import."""
    graph = pool(image_id="ocid1.image.oc1..a")

    assert not names(graph, "Image")
    assert inputs(graph, "NodePool", "oke")["nodeSourceDetails"]["imageId"] == "ocid1.image.oc1..a"


def test_cluster():
    """Enhanced, private, with services' block; its nodes have no old metadata service."""
    graph = built("OkeCluster", OF_CLUSTER)
    cluster, system = inputs(graph, "Cluster", "oke"), inputs(graph, "NodePool", "oke-system")

    assert (cluster["type"], cluster["kubernetesVersion"]) == ("ENHANCED_CLUSTER", "v1.36.1")
    assert cluster["endpointConfig"] == {"subnetId": "a", "isPublicIpEnabled": False, "nsgIds": []}
    assert cluster["options"]["kubernetesNetworkConfig"] == {"servicesCidr": "10.96.0.0/16"}
    assert cluster["clusterPodNetworkOptions"] == [{"cniType": "OCI_VCN_IP_NATIVE"}]
    assert system["nodeConfigDetails"]["nodePoolPodNetworkOptionDetails"]["maxPodsPerNode"] == 93
    assert system["nodeMetadata"] == {"areLegacyImdsEndpointsDisabled": "true", "oke-kubeproxy-proxy-mode": "ipvs"}
    assert "OKE-1.36.1-" in system["nodeSourceDetails"]["imageId"]
    options = graph.one("oci:ContainerEngine/nodePool:NodePool", "oke-system").options
    assert options["ignoreChanges"] == ["nodeSourceDetails.imageId"]


def test_families_of_a_cluster():
    """IPv4 first, and IPv6 only where it is asked for; what OKE calls them."""
    of = [inputs(built("OkeCluster", {**OF_CLUSTER, **more}), "Cluster", "oke") for more in ({}, {"dual_stack": True})]

    assert [each["options"].get("ipFamilies") for each in of] == [None, ["IPv4", "IPv6"]]


@pytest.mark.parametrize("mode", ["cluster-network", "instances", "managed"])
def test_nodes_of_both_families(mode: str):
    """Nodes that join by themselves ask for an address; those of a managed pool are told by OKE."""
    graph = pool(mode=mode, dual_stack=True)
    launched = [launch for _, launch in launches(graph)]
    (places, *_) = [
        each.inputs["placementConfiguration"]["primaryVnicSubnets"]
        for each in graph.of_type("oci:Core/clusterNetwork:ClusterNetwork")
    ] or [{}]

    assert bool(launched) is (mode != "managed")
    assert all(each["createVnicDetails"]["assignIpv6ip"] for each in launched)
    assert all(each["metadata"]["ip-families"] == "IPv4,IPv6" for each in launched)
    assert places.get("isAssignIpv6ip", False) is (mode == "cluster-network")


def test_addons_wait_for_a_node_and_for_each_other():
    """Oracle's operators stall while every node has GPUs, and both read what feature discovery says."""
    graph = built("OkeCluster", {**OF_CLUSTER, "addons": ["NvidiaNetworkOperator", "NodeFeatureDiscovery"]})
    first = graph.one("oci:ContainerEngine/addon:Addon", "oke-NodeFeatureDiscovery")
    second = graph.one("oci:ContainerEngine/addon:Addon", "oke-NvidiaNetworkOperator")

    assert any(urn.endswith("NodePool::oke-system") for urn in first.dependencies)
    assert first.urn in second.dependencies
    assert ("version" in first.inputs, second.inputs["version"]) == (False, "v25.10.0")


def test_addon_that_oracle_does_not_offer():
    """Its versions follow the cluster's: told in the preview, with those that there are."""
    offered = {"addonOptions": [{"name": "NvidiaNetworkOperator", "versions": [{"versionNumber": "v25.7.0"}]}]}
    token = "oci:ContainerEngine/getAddonOptions:getAddonOptions"

    with pytest.raises(Exception, match=r"OKE does not offer v25\.10\.0, it has v25\.7\.0"):
        built("OkeCluster", {**OF_CLUSTER, "addons": ["NvidiaNetworkOperator"]}, **{token: offered})


def test_existing_cluster_is_looked_up():
    """Its OCID is enough: no cluster, no nodes, no add-ons of ours."""
    cluster = "ocid1.cluster.oc1.eu-frankfurt-1.aaaaexample"
    graph = built("OkeCluster", {**OF_CLUSTER, "version": "1.35.2", "existing": {"id": cluster}})
    provider = graph.one("pulumi:providers:kubernetes", "oke")

    assert not names(graph, "Cluster") and not names(graph, "NodePool")
    assert provider.inputs["clusterIdentifier"] == f"oke/eu-frankfurt-1/{cluster}"


def test_subnets_are_private_and_closed():
    """No public address, no way in, and not the VCN's own list, which lets ssh in from everywhere."""
    graph = built("OkeHpcNetwork", NETWORK)

    for name in names(graph, "Subnet"):
        subnet = inputs(graph, "Subnet", name)
        assert (subnet["prohibitPublicIpOnVnic"], subnet["prohibitInternetIngress"]) == (True, True)
        assert subnet["securityListIds"] == ["[id of oci:Core/securityList:SecurityList oke-closed]"]
        assert subnet["routeTableId"] == "[id of oci:Core/routeTable:RouteTable oke-private]"
    assert not inputs(graph, "SecurityList", "oke-closed").keys() & {"ingressSecurityRules", "egressSecurityRules"}
    assert not names(graph, "InternetGateway")


def test_public_api_is_for_its_callers():
    """One subnet is public, and one rule lets them in."""
    graph = built("OkeHpcNetwork", {**NETWORK, "public_cidrs": ["203.0.113.7/32"]})
    public = [name for name in names(graph, "Subnet") if not inputs(graph, "Subnet", name)["prohibitPublicIpOnVnic"]]
    rule = inputs(graph, "NetworkSecurityGroupSecurityRule", "oke-api-from-203-0-113-7-32-tcp-6443")

    assert public == ["oke-api"] and names(graph, "InternetGateway") == {"oke-internet"}
    assert (rule["source"], rule["sourceType"], rule["direction"]) == ("203.0.113.7/32", "CIDR_BLOCK", "INGRESS")
    assert rule["tcpOptions"] == {"destinationPortRange": {"min": 6443, "max": 6443}}


def test_oracles_services_stay_in_its_network():
    """By the service gateway; the internet by NAT."""
    routes = inputs(built("OkeHpcNetwork", NETWORK), "RouteTable", "oke-private")["routeRules"]

    assert [(each["destination"], each["destinationType"]) for each in routes] == [
        ("0.0.0.0/0", "CIDR_BLOCK"),
        ("all-reg-services-in-oracle-network", "SERVICE_CIDR_BLOCK"),
    ]


def test_groups_wait_for_their_rules():
    """A node in a group without rules reaches nothing, and does not join."""
    from pulumi_offline import preview
    from rdma_cluster import oke

    def program():
        import pulumi_oci

        network = oke.OkeHpcNetwork("oke", {"region": NETWORK["region"], "compartment": NETWORK["compartment"]})
        pulumi_oci.core.Instance(
            "probe",
            availability_domain="a",
            compartment_id="c",
            create_vnic_details={"nsg_ids": [network.groups["workers"]]},
        )

    probe = preview(program, project="foreign").one("oci:Core/instance:Instance", "probe")
    rules = [urn for urn in probe.dependencies if "SecurityRule::oke-workers-" in urn]

    assert len(rules) >= 10
