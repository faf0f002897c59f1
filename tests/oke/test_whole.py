"""A whole OKE stack hands each part its own: choices, links, providers, and what comes before it."""

from typing import Any

import pytest
from pulumi_offline import Graph
from tests.oke.variants import VARIANTS
from tests.stacks import graph_of

TENANCY, COMPARTMENT = "ocid1.tenancy.oc1..aaaaexample", "ocid1.compartment.oc1..aaaaexample"
PUBLIC = {"endpoint": "public", "publicCidrs": ["203.0.113.7/32"]}
SUBNET, GROUP = "ocid1.subnet.oc1..aaaaexample", "ocid1.networksecuritygroup.oc1..aaaaexample"


def part(graph: Graph, kind: str, name: str) -> dict[str, Any]:
    """What one component of a stack is given; links that come later are not in it."""
    return dict(graph.one(f"rdma-cluster:index:{kind}", name).inputs)


def after(graph: Graph, kind: str, name: str) -> set[str]:
    """What it comes after, as ``type name``."""
    waits = graph.one(f"rdma-cluster:index:{kind}", name).dependencies
    return {f"{urn.split('::')[2].rpartition(':')[2]} {urn.rpartition('::')[2]}" for urn in waits}


def variant(name: str) -> Graph:
    """The graph of a variant."""
    return graph_of(*VARIANTS[name])


@pytest.mark.parametrize(
    ("kind", "name", "inputs"),
    [
        ("OkeHpcNetwork", "oke", {"region": "eu-frankfurt-1", "compartment": COMPARTMENT, "cni": "vcn-native",
            "dualStack": False, "publicCidrs": ["203.0.113.7/32"]}),
        ("OkeCluster", "oke", PUBLIC),
        ("OkeIdentityPolicies", "oke", {}),
        ("OkeGpuNodePool", "oke-h100", {"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2,
            "mode": "cluster-network", "capacity": {"onDemand": True}}),
    ],
)  # fmt: skip
def test_part_of_a_stack(kind: str, name: str, inputs: dict[str, Any]):
    """A part shows what the user chose for it; a network of ours shows what it was cut for."""
    assert part(graph_of("oke"), kind, name) == inputs


def test_links_between_parts():
    """Cluster and nodes are in the network's own subnets and groups, nodes on the cluster that is made."""
    graph = graph_of("oke")
    cluster = graph.one("oci:ContainerEngine/cluster:Cluster", "oke").inputs
    system = graph.one("oci:ContainerEngine/nodePool:NodePool", "oke-system").inputs["nodeConfigDetails"]
    launch = graph.one("oci:Core/instanceConfiguration:InstanceConfiguration", "oke-h100").inputs
    details = launch["instanceDetails"]["launchDetails"]

    def subnet(name: str) -> str:
        return f"[id of oci:Core/subnet:Subnet oke-{name}]"

    def group(name: str) -> str:
        return f"[id of oci:Core/networkSecurityGroup:NetworkSecurityGroup oke-{name}]"

    assert (cluster["vcnId"], cluster["endpointConfig"]["subnetId"]) == ("[id of oci:Core/vcn:Vcn oke]", subnet("api"))
    assert cluster["endpointConfig"]["nsgIds"] == [group("api")]
    assert cluster["options"]["serviceLbSubnetIds"] == [subnet("load-balancers")]
    assert (system["placementConfigs"][0]["subnetId"], system["nsgIds"]) == (subnet("workers"), [group("workers")])
    pods = system["nodePoolPodNetworkOptionDetails"]
    assert (pods["podSubnetIds"], pods["podNsgIds"]) == ([subnet("pods")], [group("pods")])
    assert details["createVnicDetails"]["subnetId"] == subnet("workers")
    assert details["createVnicDetails"]["nsgIds"] == [group("workers")]
    assert (details["metadata"]["pod-subnets"], details["metadata"]["pod-nsgids"]) == (subnet("pods"), group("pods"))
    assert details["metadata"]["apiserver_host"] == "oke.cluster.invalid"
    assert details["sourceDetails"]["imageId"] == "[id of oci:Core/image:Image oke-ubuntu-24.04-595]"
    (statement,) = graph.one("oci:Identity/policy:Policy", "oke-nodes").inputs["statements"]
    assert "where target.cluster.id = '[id of oci:ContainerEngine/cluster:Cluster oke]'" in statement


@pytest.mark.parametrize(
    ("stack", "kind", "name", "waits"),
    [
        ("oke", "OkeCluster", "oke", set()),
        ("oke", "OkeGpuNodePool", "oke-h100", {"Policy oke-nodes"}),
        ("oke-gb200", "OkeGpuNodePool", "oke-gb200-gb200", {"Policy oke-gb200-nodes", "Policy oke-gb200-tenancy"}),
        (
            "oke-b200",
            "OkeVirtualFunctions",
            "oke-b200",
            {"Addon oke-b200-NodeFeatureDiscovery", "Addon oke-b200-NvidiaNetworkOperator", "NodePool oke-b200-b200"},
        ),
    ],
)
def test_what_a_part_waits_for(stack: str, kind: str, name: str, waits: set[str]):
    """Nodes for all policies, and virtual functions for the operator and the nodes."""
    assert after(graph_of(stack), kind, name) == waits


@pytest.mark.parametrize(
    ("stack", "token", "name", "waits"),
    [
        ("oke", "oci:Core/clusterNetwork:ClusterNetwork", "", {"Policy oke-nodes"}),
        ("oke-gb200", "oci:Core/computeGpuMemoryCluster:ComputeGpuMemoryCluster", "", {"Policy oke-gb200-tenancy"}),
        (
            "oke-b200",
            "kubernetes:batch/v1:Job",
            "oke-b200-definitions",
            {"Addon oke-b200-NvidiaNetworkOperator", "NodePool oke-b200-b200", "Namespace oke-b200-definitions"},
        ),
    ],
)
def test_what_goes_before_its_needs(stack: str, token: str, name: str, waits: set[str]):
    """Nodes leave before their policies, and what the operator made before the operator."""
    found = [each for each in graph_of(stack).of_type(token) if name in ("", each.name)]

    assert found
    for each in found:
        after = {f"{urn.split('::')[2].rpartition(':')[2]} {urn.rpartition('::')[2]}" for urn in each.dependencies}
        assert after >= waits


def test_parts_of_other_stacks():
    """Virtual functions come with the add-ons that they need, and racks with their fabrics."""
    b200, gb200 = graph_of("oke-b200"), graph_of("oke-gb200")
    functions = b200.one("rdma-cluster:index:OkeVirtualFunctions", "oke-b200")

    addons = [each.inputs["addonName"] for each in b200.of_type("oci:ContainerEngine/addon:Addon")]
    assert sorted(addons) == ["NodeFeatureDiscovery", "NvidiaNetworkOperator"]
    assert functions.inputs == {"machines": ["BM.GPU.B200.8"], "registries": {}, "resource": "nvidia.com/rdma-vf"}
    assert functions.options["deletedWith"].endswith("oci:ContainerEngine/cluster:Cluster::oke-b200")
    assert [each["nodes"] for each in part(gb200, "OkeGpuNodePool", "oke-gb200-gb200")["memoryFabrics"]] == [18, 18]


def test_adopted_nodes_alone():
    """The cluster exists, no network is needed, and IAM must say nothing."""
    graph = graph_of("oke-adopt")
    adopted = graph.one("rdma-cluster:index:OkeAdoptedNodes", "oke-adopt-h100pool")
    cluster = part(graph, "OkeCluster", "oke-adopt")

    assert cluster["existing"] == {"id": "ocid1.cluster.oc1.ap-melbourne-1.aaaaexample"}
    assert not graph.of_type("oci:Core/vcn:Vcn")
    assert adopted.inputs == {
        "name": "h100pool",
        "machine": "BM.GPU.H100.8",
        "nodes": 2,
        "names": ["10.140.64.12", "10.140.64.13"],
        "cuda": "12.8",
        "blueprints": True,
    }
    assert adopted.options["providers"].keys() == {"oci", "kubernetes"}
    assert graph.outputs["policies"] == []


def test_outputs_of_a_stack():
    """The cluster's id and name, and what IAM must say."""
    graph = graph_of("oke")
    whole = graph.one("rdma-cluster:index:OkeRdmaCluster", "oke").outputs

    assert whole["clusterId"] == "[id of oci:ContainerEngine/cluster:Cluster oke]"
    assert (graph.outputs["clusterName"], graph.outputs["skypilot"]) == ("oke", {})
    assert [each.partition(" to ")[0] for each in graph.outputs["policies"]] == ["Allow dynamic-group oke-nodes"]


def test_provider_is_the_stacks():
    """Its region and tenancy, and every resource of Oracle's has it, or that of the home region."""
    graph = graph_of("oke")
    provider = graph.one("pulumi:providers:oci", "oke")

    assert (provider.inputs["region"], provider.inputs["tenancyOcid"]) == ("eu-frankfurt-1", TENANCY)
    used = {each.provider for each in graph.resources if each.type.startswith("oci:")}
    assert used == {provider.urn, graph.one("pulumi:providers:oci", "oke-home").urn}


@pytest.mark.variant
def test_existing_network_and_cluster():
    """Its links and its version reach the nodes."""
    graph = variant("existing network and cluster")
    template = graph.one("oci:Core/instanceConfiguration:InstanceConfiguration", "oke-h100").inputs
    details = template["instanceDetails"]["launchDetails"]
    vnic, told = details["createVnicDetails"], details["metadata"]

    assert (vnic["subnetId"], vnic["nsgIds"]) == (SUBNET, [GROUP])
    assert (told["pod-subnets"], told["pod-nsgids"], told["oke-k8version"]) == (SUBNET, GROUP, "v1.35.2")
    assert not graph.of_type("oci:ContainerEngine/cluster:Cluster")
    assert not graph.of_type("rdma-cluster:index:OkeHpcNetwork")


@pytest.mark.variant
def test_file_system():
    """In the network's own subnet and group, after policies and nodes; Oracle's service may attach it."""
    graph = variant("405B from Lustre")
    files = graph.one("oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem", "oke-storage").inputs

    assert part(graph, "OkeStorage", "oke") == {"lustre": {"capacityGb": 41_600}}
    assert part(graph, "OkeHpcNetwork", "oke")["lustre"] is True
    assert any("service lustrefs" in each for each in graph.outputs["policies"])
    assert files["subnetId"] == "[id of oci:Core/subnet:Subnet oke-lustre]"
    assert files["nsgIds"] == ["[id of oci:Core/networkSecurityGroup:NetworkSecurityGroup oke-lustre]"]
    assert after(graph, "OkeStorage", "oke") == {"Policy oke-nodes", "Policy oke-tenancy"}


@pytest.mark.variant
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("host group", ["HOST_GROUP_LAUNCH_INSTANCE", "ocid1.computehostgroup.oc1..a"]),
        ("dual stack", ["use ipv6s"]),
        ("two machines, two modes", ["CLUSTER_JOIN", "COMPUTE_CLUSTER_LAUNCH_INSTANCE"]),
    ],
)
def test_choices_reach_the_policies(name: str, words: list[str]):
    """IAM says what the pools and the cluster of this stack need."""
    policies = " ".join(variant(name).outputs["policies"])

    assert [word for word in words if word not in policies] == []


@pytest.mark.variant
def test_nodes_of_both_families_are_told_so():
    """The cluster's choice reaches its nodes."""
    template = variant("dual stack").one("oci:Core/instanceConfiguration:InstanceConfiguration", "oke-h100").inputs

    assert template["instanceDetails"]["launchDetails"]["metadata"]["ip-families"] == "IPv4,IPv6"


@pytest.mark.variant
def test_flannel_needs_no_subnet_for_pods():
    """Nor does a node hear of one."""
    graph = variant("flannel")
    details = graph.one("oci:Core/instanceConfiguration:InstanceConfiguration", "oke-h100").inputs["instanceDetails"]

    assert "pod-subnets" not in details["launchDetails"]["metadata"]
    assert not [each for each in graph.of_type("oci:Core/subnet:Subnet") if each.name == "oke-pods"]
