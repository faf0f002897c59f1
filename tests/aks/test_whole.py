"""A whole AKS stack hands each part its own: choices, links, providers, and what comes before it."""

from typing import Any

import pytest
from pulumi_offline import Graph
from tests.aks.plans import ID, SUBNET
from tests.aks.variants import VARIANTS
from tests.stacks import graph_of

ADMIN = [{"id": "11111111-1111-1111-1111-111111111111"}]
PUBLIC = {"endpoint": "public", "publicCidrs": ["203.0.113.7/32"], "admins": ADMIN}
H200 = f"/subscriptions/{ID}/resourceGroups/reserved/providers/Microsoft.Compute/capacityReservationGroups/h200"
OUR_SUBNET = "[id of azure-native:network:Subnet aks-nodes]"


def part(graph: Graph, kind: str, name: str = "aks") -> dict[str, Any]:
    """What one component of a stack is given; links that come later are not in it."""
    return dict(graph.one(f"rdma-cluster:index:{kind}", name).inputs)


def after(graph: Graph, kind: str, name: str = "aks") -> set[str]:
    """What it comes after, as ``type name``."""
    waits = graph.one(f"rdma-cluster:index:{kind}", name).dependencies
    return {f"{urn.split('::')[2].rpartition(':')[2]} {urn.rpartition('::')[2]}" for urn in waits}


def variant(name: str) -> Graph:
    """The graph of a variant."""
    return graph_of(*VARIANTS[name])


@pytest.mark.parametrize(
    ("stack", "kind", "name", "inputs"),
    [
        ("aks", "AksHpcNetwork", "aks", {}),
        ("aks", "AksCluster", "aks", PUBLIC),
        ("aks", "AksGpuNodePool", "aks-h100", {"name": "h100", "machine": "Standard_ND96isr_H100_v5", "nodes": 2,
            "capacity": {"onDemand": True}, "gpuAllocation": "device-plugin"}),
        ("aks", "AksOperators", "aks", {}),
        ("aks-dranet", "AksGpuNodePool", "aks-dranet-h200", {"name": "h200", "machine": "Standard_ND96isr_H200_v5",
            "nodes": 2, "capacity": {"reservation": {"group": H200, "zone": "1"}}}),
    ],
)  # fmt: skip
def test_parts_show_the_choices_of_their_user(stack: str, kind: str, name: str, inputs: dict[str, Any]):
    """What the plan has decided stands in the resources."""
    assert part(graph_of(stack), kind, name) == inputs


def test_links_between_parts():
    """Cluster and nodes are in the network's own subnet and in one resource group, which the stack makes."""
    graph = graph_of("aks")
    cluster = graph.one("azure-native:containerservice:ManagedCluster", "aks").inputs
    pool = graph.one("azure-native:containerservice:AgentPool", "aks-h100").inputs

    assert cluster["agentPoolProfiles"][0]["vnetSubnetID"] == pool["vnetSubnetID"] == OUR_SUBNET
    assert cluster["apiServerAccessProfile"]["authorizedIPRanges"] == [
        "203.0.113.7/32",
        "[ipAddress of azure-native:network:PublicIPAddress aks-nat]/32",
    ]
    assert pool["resourceGroupName"] == cluster["resourceGroupName"] == graph.outputs["resourceGroup"] == "aks"
    assert graph.one("azure-native:resources:ResourceGroup", "aks").inputs == {"location": "southcentralus"}
    assert graph.outputs["skypilot"] == {}


@pytest.mark.parametrize(
    ("stack", "kind", "name", "waits"),
    [
        ("aks", "AksOperators", "aks", {"AgentPool aks-h100"}),
        ("aks", "AksGpuNodePool", "aks-h100", set()),
        (
            "aks-dranet",
            "AksGpuNodePool",
            "aks-dranet-h200",
            {f"RoleAssignment aks-dranet-reservation-{ID[:8]}-reserved"},
        ),
    ],
)
def test_what_a_part_waits_for(stack: str, kind: str, name: str, waits: set[str]):
    """Operators for their nodes, and nodes for the role by which they consume a reservation."""
    assert after(graph_of(stack), kind, name) == waits


def test_operators_go_with_the_cluster():
    """Where neither has work there are none."""
    operators = graph_of("aks").one("rdma-cluster:index:AksOperators", "aks")

    assert operators.options["deletedWith"].endswith("azure-native:containerservice:ManagedCluster::aks")
    assert not graph_of("aks-dranet").of_type("rdma-cluster:index:AksOperators")


def test_provider_is_the_stacks():
    """Its subscription and location, and every resource of Azure's has it."""
    graph = graph_of("aks")
    provider = graph.one("pulumi:providers:azure-native", "aks")

    assert provider.inputs["subscriptionId"] == ID and provider.inputs["location"] == "southcentralus"
    assert {each.provider for each in graph.resources if each.type.startswith("azure-native:")} == {provider.urn}


@pytest.mark.variant
def test_an_api_is_open_to_people_alone_where_nodes_have_no_address_of_ours():
    """AKS's load balancer brings one of its own, which AKS lets in by itself."""
    (cluster,) = variant("load balancer").of_type("azure-native:containerservice:ManagedCluster")

    assert cluster.inputs["apiServerAccessProfile"]["authorizedIPRanges"] == ["203.0.113.7/32"]


@pytest.mark.variant
def test_existing_network():
    """Its subnet goes to cluster and nodes, and none is made."""
    graph = variant("existing network")

    (cluster,) = graph.of_type("azure-native:containerservice:ManagedCluster")
    (pool,) = graph.of_type("azure-native:containerservice:AgentPool")
    assert cluster.inputs["agentPoolProfiles"][0]["vnetSubnetID"] == pool.inputs["vnetSubnetID"] == SUBNET
    assert cluster.inputs["networkProfile"]["outboundType"] == "loadBalancer"
    assert not graph.of_type("rdma-cluster:index:AksHpcNetwork")
    (behind,) = variant("existing network behind a firewall").of_type("azure-native:containerservice:ManagedCluster")
    assert behind.inputs["networkProfile"]["outboundType"] == "userDefinedRouting"
    assert "198.51.100.4/30" in behind.inputs["apiServerAccessProfile"]["authorizedIPRanges"]


@pytest.mark.variant
def test_existing_resource_group():
    """Holds all, and none is made."""
    graph = variant("existing resource group")

    assert not graph.of_type("azure-native:resources:ResourceGroup")
    assert {each.inputs["resourceGroupName"] for each in graph.resources if "resourceGroupName" in each.inputs} == {
        "mine"
    }


@pytest.mark.variant
def test_file_system():
    """In a subnet that the network cuts for it, by a chart after all that restarts containers; no driver of blobs."""
    graph = variant("405B from Lustre")
    files = graph.one("azure-native:storagecache:AmlFilesystem", "aks-storage").inputs
    chart = graph.one("kubernetes:helm.sh/v3:Release", "aks-lustre")

    assert files["filesystemSubnet"] == "[id of azure-native:network:Subnet aks-lustre]" and "zones" not in files
    assert "storageProfile" not in graph.one("azure-native:containerservice:ManagedCluster", "aks").inputs
    assert chart.options["deletedWith"].endswith("azure-native:containerservice:ManagedCluster::aks")
    assert {urn.rpartition("::")[2] for urn in chart.dependencies} >= {"aks-h100", "aks-gpu-operator"}


@pytest.mark.variant
def test_container_of_blobs():
    """AKS runs its driver, and the nodes' identity reads and writes for pods of all namespaces."""
    graph = variant("a container of blobs")
    role = graph.one("azure-native:authorization:RoleAssignment", "aks-storage").inputs

    assert graph.one("azure-native:containerservice:ManagedCluster", "aks").inputs["storageProfile"] == {
        "blobCSIDriver": {"enabled": True}
    }
    assert role["principalId"] == "[principalId of azure-native:managedidentity:UserAssignedIdentity aks-kubelet]"
