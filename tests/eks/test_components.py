"""How the components of an EKS stack hang together, and what each shows."""

from typing import Any

import pytest
from pulumi_offline import Graph
from tests.eks.plans import ADMIN, BLOCK
from tests.eks.variants import CLUSTER, NETWORK
from tests.stacks import graph_of

POOL = {"name": "p5", "machine": "p5.48xlarge", "nodes": 2, "capacity": {"capacityBlock": BLOCK["capacity_block"]}}


def shown(graph: Graph, component: str, name: str = "eks") -> dict[str, Any]:
    """The inputs of a component."""
    return dict(graph.one(f"rdma-cluster:index:{component}", name).inputs)


def test_parts_show_the_choices_of_their_user():
    """What the plan has decided stands in the resources."""
    graph = graph_of("eks")
    (cluster,) = graph.of_type("aws:eks/cluster:Cluster")

    assert shown(graph, "EksHpcNetwork") == {"controlPlaneZones": ["us-east-2b"]}
    assert shown(graph, "EksCluster") == {"admins": [ADMIN], "endpoint": "public", "publicCidrs": ["203.0.113.7/32"]}
    assert shown(graph, "EksGpuNodePool", "eks-p5") == POOL
    assert cluster.options["replacementTrigger"] == "10.0.0.0/16"


@pytest.mark.variant
def test_what_exists():
    """The user's network and cluster take the place of ours."""
    graph = graph_of("eks", NETWORK, CLUSTER)
    (group,) = graph.of_type("aws:eks/nodeGroup:NodeGroup")
    (template,) = graph.of_type("aws:ec2/launchTemplate:LaunchTemplate")

    assert (group.inputs["clusterName"], group.inputs["nodeRoleArn"]) == (
        "mine",
        "arn:aws:iam::111122223333:role/nodes",
    )
    assert group.inputs["subnetIds"] == ["subnet-0000000c"]
    assert template.inputs["networkInterfaces"][0]["securityGroups"] == ["sg-0000000f", "sg-0000000e"]
    assert graph.outputs["clusterName"] == "mine"


@pytest.mark.variant
def test_a_network_that_exists():
    """System nodes are in the subnets that the user names for them, or in those of the control plane."""
    own = NETWORK.replace("gpuSubnets", "systemSubnets: [{subnet: subnet-0000000d, zone: us-east-2b}], gpuSubnets")

    assert subnets_of_system_nodes(graph_of("eks", NETWORK)) == ["subnet-0000000a", "subnet-0000000b"]
    assert subnets_of_system_nodes(graph_of("eks", own)) == ["subnet-0000000d"]
    (cluster,) = graph_of("eks", own).of_type("aws:eks/cluster:Cluster")
    assert "replacementTrigger" not in cluster.options


def subnets_of_system_nodes(graph: Graph) -> list[str]:
    """Ids of the subnets that the system nodes are in."""
    return graph.one("aws:eks/nodeGroup:NodeGroup", "eks-system").inputs["subnetIds"]


@pytest.mark.variant
def test_storage_beside_the_nodes():
    """A file system is in the GPUs' subnet. The driver is an add-on of our cluster; an existing one has it already."""
    lustre = "storage={lustre: {capacityGib: 4800}}"
    new, existing = graph_of("eks", lustre), graph_of("eks", lustre, NETWORK, CLUSTER)

    (files,) = existing.of_type("aws:fsx/lustreFileSystem:LustreFileSystem")
    assert files.inputs["subnetIds"] == "subnet-0000000c"
    assert new.one("aws:eks/addon:Addon", "eks-aws-fsx-csi-driver").inputs["clusterName"] == "eks"
    assert not existing.of_type("aws:eks/addon:Addon")


def test_providers():
    """Amazon's in the stack's region, and one of the cluster, which is replaced with it alone."""
    graph = graph_of("eks")

    assert graph.one("pulumi:providers:aws").inputs["region"] == "us-east-2"
    assert graph.one("pulumi:providers:kubernetes").inputs == {
        "clusterIdentifier": "eks/us-east-2/eks",
        "kubeconfig": "[secret]",
    }
