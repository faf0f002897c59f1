"""A whole AKS stack hands each part its own: links, providers, and what comes before it."""

import pytest
from pulumi_offline import Graph
from tests.aks.plans import ID, SUBNET, inputs
from tests.aks.variants import VARIANTS
from tests.stacks import graph_of

CLUSTER = "azure-native:containerservice:ManagedCluster"


def variant(name: str) -> Graph:
    """The graph of a variant."""
    return graph_of(*VARIANTS[name])


def after(graph: Graph, kind: str, name: str) -> set[str]:
    """The names of what a component comes after."""
    return {urn.rpartition("::")[2] for urn in graph.one(f"rdma-cluster:index:{kind}", name).dependencies}


def test_cluster_and_nodes_share_a_subnet_a_group_and_a_provider():
    """The stack makes the group, and its provider has the stack's subscription and location."""
    graph = graph_of("aks")
    cluster, pool = inputs(graph, "ManagedCluster", "aks"), inputs(graph, "AgentPool", "aks-h100")
    provider = graph.one("pulumi:providers:azure-native", "aks")

    subnet = "[id of azure-native:network:Subnet aks-nodes]"
    assert cluster["agentPoolProfiles"][0]["vnetSubnetID"] == pool["vnetSubnetID"] == subnet
    assert pool["resourceGroupName"] == cluster["resourceGroupName"] == graph.outputs["resourceGroup"] == "aks"
    assert (provider.inputs["subscriptionId"], provider.inputs["location"]) == (ID, "southcentralus")
    assert {each.provider for each in graph.resources if each.type.startswith("azure-native:")} == {provider.urn}


def test_operators_come_after_their_nodes_and_go_with_the_cluster():
    """Where neither has work there are none."""
    graph = graph_of("aks")

    assert after(graph, "AksOperators", "aks") == {"aks-h100"}
    assert graph.one("rdma-cluster:index:AksOperators", "aks").options["deletedWith"].endswith(f"{CLUSTER}::aks")
    assert not graph_of("aks-dranet").of_type("rdma-cluster:index:AksOperators")


def test_reserved_nodes_come_after_the_role_by_which_they_are_consumed():
    found = after(graph_of("aks-dranet"), "AksGpuNodePool", "aks-dranet-h200")

    assert found == {f"aks-dranet-reservation-{ID[:8]}-reserved"}
    assert after(graph_of("aks"), "AksGpuNodePool", "aks-h100") == set()


@pytest.mark.variant
def test_an_existing_network_is_used_and_none_is_made():
    graph, behind = variant("existing network"), variant("existing network behind a firewall")
    (cluster,), (pool,) = graph.of_type(CLUSTER), graph.of_type("azure-native:containerservice:AgentPool")

    assert cluster.inputs["agentPoolProfiles"][0]["vnetSubnetID"] == pool.inputs["vnetSubnetID"] == SUBNET
    assert not graph.of_type("rdma-cluster:index:AksHpcNetwork")
    assert behind.of_type(CLUSTER)[0].inputs["networkProfile"]["outboundType"] == "userDefinedRouting"


@pytest.mark.variant
def test_an_existing_resource_group_holds_all_and_none_is_made():
    graph = variant("existing resource group")
    groups = {each.inputs["resourceGroupName"] for each in graph.resources if "resourceGroupName" in each.inputs}

    assert groups == {"mine"} and not graph.of_type("azure-native:resources:ResourceGroup")


@pytest.mark.variant
def test_a_file_system_has_a_chart_after_all_that_restarts_containers():
    """The network cuts a subnet for it, and AKS drives no blobs."""
    graph = variant("405B from Lustre")
    chart = graph.one("kubernetes:helm.sh/v3:Release", "aks-lustre")

    assert inputs(graph, "AmlFilesystem", "aks-storage")["filesystemSubnet"].endswith("Subnet aks-lustre]")
    assert "storageProfile" not in inputs(graph, "ManagedCluster", "aks")
    assert chart.options["deletedWith"].endswith(f"{CLUSTER}::aks")
    assert {urn.rpartition("::")[2] for urn in chart.dependencies} >= {"aks-h100", "aks-gpu-operator"}
