"""A whole OKE stack hands each part its own: links, providers, choices, and what comes before it."""

import pytest
from pulumi_offline import Graph, Resource
from tests.oke.readers import ADDON, CLUSTER, FILES, NETWORK, NODE_POOL, POLICY, RACK, VCN, launches
from tests.oke.variants import VARIANTS
from tests.stacks import graph_of

OF = "rdma-cluster:index:Oke"
OCID = "ocid1.{}.oc1..aaaaexample"


def after(part: Resource) -> set[str]:
    """What a part comes after, as ``type name``."""
    return {f"{urn.split('::')[2].rpartition(':')[2]} {urn.rpartition('::')[2]}" for urn in part.dependencies}


def variant(name: str) -> Graph:
    """The graph of a variant."""
    return graph_of(*VARIANTS[name])


def subnet(name: str) -> str:
    return f"[id of oci:Core/subnet:Subnet oke-{name}]"


def group(name: str) -> str:
    return f"[id of oci:Core/networkSecurityGroup:NetworkSecurityGroup oke-{name}]"


def test_cluster_and_nodes_are_in_the_network_s_own_subnets_and_groups():
    graph = graph_of("oke")
    cluster = graph.one(CLUSTER, "oke").inputs
    system = graph.one(NODE_POOL, "oke-system").inputs["nodeConfigDetails"]
    ((_, launch),) = launches(graph)
    vnic, told = launch["createVnicDetails"], launch["metadata"]

    assert (cluster["vcnId"], cluster["endpointConfig"]["subnetId"]) == ("[id of oci:Core/vcn:Vcn oke]", subnet("api"))
    assert cluster["endpointConfig"]["nsgIds"] == [group("api")]
    assert cluster["options"]["serviceLbSubnetIds"] == [subnet("load-balancers")]
    assert (system["placementConfigs"][0]["subnetId"], system["nsgIds"]) == (subnet("workers"), [group("workers")])
    pods = system["nodePoolPodNetworkOptionDetails"]
    assert (pods["podSubnetIds"], pods["podNsgIds"]) == ([subnet("pods")], [group("pods")])
    assert (vnic["subnetId"], vnic["nsgIds"]) == (subnet("workers"), [group("workers")])
    assert (told["pod-subnets"], told["pod-nsgids"]) == (subnet("pods"), group("pods"))
    assert told["apiserver_host"] == "oke.cluster.invalid"
    (statement,) = graph.one(POLICY, "oke-nodes").inputs["statements"]
    assert "where target.cluster.id = '[id of oci:ContainerEngine/cluster:Cluster oke]'" in statement


@pytest.mark.parametrize(
    ("stack", "token", "waits"),
    [
        ("oke", f"{OF}GpuNodePool", {"Policy oke-nodes"}),
        ("oke", NETWORK, {"Policy oke-nodes"}),
        ("oke-gb200", f"{OF}GpuNodePool", {"Policy oke-gb200-nodes", "Policy oke-gb200-tenancy"}),
        ("oke-gb200", RACK, {"Policy oke-gb200-tenancy"}),
        ("oke-b200", f"{OF}VirtualFunctions", {"Addon oke-b200-NvidiaNetworkOperator", "NodePool oke-b200-b200"}),
    ],
)
def test_nodes_come_after_all_policies_and_functions_after_their_operator(stack: str, token: str, waits: set[str]):
    """They also leave before these."""
    found = graph_of(stack).of_type(token)

    assert found and all(after(each) >= waits for each in found)


def test_virtual_functions_come_with_the_add_ons_that_they_need_and_go_with_the_cluster():
    graph = graph_of("oke-b200")
    functions = graph.one(f"{OF}VirtualFunctions", "oke-b200")

    addons = sorted(each.inputs["addonName"] for each in graph.of_type(ADDON))
    assert addons == ["NodeFeatureDiscovery", "NvidiaNetworkOperator"]
    assert functions.inputs["machines"] == ["BM.GPU.B200.8"]
    assert functions.options["deletedWith"].endswith(f"{CLUSTER}::oke-b200")


def test_adopted_nodes_alone_need_no_network_and_no_policy():
    graph = graph_of("oke-adopt")
    adopted = graph.one(f"{OF}AdoptedNodes", "oke-adopt-h100pool")

    assert graph.one(f"{OF}Cluster", "oke-adopt").inputs["existing"]["id"].startswith("ocid1.cluster.")
    assert not graph.of_type(VCN) and graph.outputs["policies"] == []
    assert adopted.inputs["names"] == ["10.140.64.12", "10.140.64.13"]
    assert adopted.options["providers"].keys() == {"oci", "kubernetes"}


def test_every_resource_of_oracle_s_has_the_stack_s_provider_or_that_of_the_home_region():
    graph = graph_of("oke")
    provider = graph.one("pulumi:providers:oci", "oke")

    assert (provider.inputs["region"], provider.inputs["tenancyOcid"]) == ("eu-frankfurt-1", OCID.format("tenancy"))
    used = {each.provider for each in graph.resources if each.type.startswith("oci:")}
    assert used == {provider.urn, graph.one("pulumi:providers:oci", "oke-home").urn}


@pytest.mark.variant
def test_links_and_version_of_an_existing_cluster_reach_the_nodes():
    graph = variant("existing network and cluster")
    ((_, launch),) = launches(graph)
    vnic, told = launch["createVnicDetails"], launch["metadata"]
    here, security = OCID.format("subnet"), OCID.format("networksecuritygroup")

    assert (vnic["subnetId"], vnic["nsgIds"]) == (here, [security])
    assert (told["pod-subnets"], told["pod-nsgids"], told["oke-k8version"]) == (here, security, "v1.35.2")
    assert not graph.of_type(CLUSTER) and not graph.of_type(f"{OF}HpcNetwork")


@pytest.mark.variant
def test_a_file_system_is_in_its_own_subnet_and_group_after_the_policies():
    graph = variant("405B from Lustre")
    (files,) = graph.of_type(FILES)

    assert (files.inputs["subnetId"], files.inputs["nsgIds"]) == (subnet("lustre"), [group("lustre")])
    assert any("service lustrefs" in each for each in graph.outputs["policies"])
    assert after(graph.one(f"{OF}Storage", "oke")) == {"Policy oke-nodes", "Policy oke-tenancy"}


@pytest.mark.variant
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("host group", ["HOST_GROUP_LAUNCH_INSTANCE", "ocid1.computehostgroup.oc1..a"]),
        ("dual stack", ["use ipv6s"]),
        ("two machines, two modes", ["CLUSTER_JOIN", "COMPUTE_CLUSTER_LAUNCH_INSTANCE"]),
    ],
)
def test_policies_say_what_the_pools_and_the_cluster_need(name: str, words: list[str]):
    policies = " ".join(variant(name).outputs["policies"])

    assert [word for word in words if word not in policies] == []
