"""The cluster of an EKS graph: who enters, what it runs as, and what its nodes wait for."""

import json
from typing import Any

import pytest
from pulumi_offline import preview
from tests.eks.components import COMPONENTS
from tests.eks.plans import ADMIN
from tests.eks.variants import CLUSTER, NETWORK
from tests.resources import one, waits_for
from tests.stacks import graph_of

KEY = "arn:aws:kms:us-east-2:111122223333:key/k"


def inputs(token: str, name: str, *overrides: str) -> dict[str, Any]:
    """The inputs of a resource of the stack."""
    return dict(one(graph_of("eks", *overrides), token, name).inputs)


def test_a_cluster_is_made_anew_with_its_vpc_and_logs_everything():
    """It cannot follow its VPC; what EKS would install unmanaged is left out."""
    cluster = one(graph_of("eks"), "Cluster", "eks")

    assert cluster.options["replacementTrigger"] == "10.0.0.0/16" and cluster.options["deleteBeforeReplace"] is True
    assert cluster.options["customTimeouts"] == {"create": "60m", "update": "60m", "delete": "60m"}
    assert cluster.inputs["bootstrapSelfManagedAddons"] is False
    assert len(cluster.inputs["enabledClusterLogTypes"]) == 5
    # Without its policy the cluster cannot take its interfaces down again; it needs no way out.
    assert "eks-cluster-AmazonEKSClusterPolicy" in waits_for(cluster) and "eks-public" not in waits_for(cluster)


def test_a_cluster_is_private_unless_the_user_says_so():
    """A public endpoint is for the named blocks alone."""
    named = inputs("Cluster", "eks")["vpcConfig"]
    closed = inputs("Cluster", "eks", f"kubernetes={{admins: ['{ADMIN}']}}")["vpcConfig"]

    assert (named["endpointPublicAccess"], named["publicAccessCidrs"]) == (True, ["203.0.113.7/32"])
    assert (closed["endpointPrivateAccess"], closed["endpointPublicAccess"]) == (True, False)
    assert "publicAccessCidrs" not in closed


@pytest.mark.variant
def test_secrets_are_encrypted_by_the_users_key_where_one_is_named():
    encrypted = inputs("Cluster", "eks", f"kubernetes.secretsKey={KEY}")

    assert encrypted["encryptionConfig"] == {"provider": {"keyArn": KEY}, "resources": ["secrets"]}
    assert "encryptionConfig" not in inputs("Cluster", "eks")


def test_administrators_enter_by_entries_that_are_named_after_them():
    """The others stay when one is removed, and the provider waits for all."""
    from rdma_cluster.eks import EksCluster

    admins = ["arn:aws:iam::111122223333:user/path/somebody", "arn:aws:iam::444455556666:role/admin"]
    args: Any = {**COMPONENTS["EksCluster"], "admins": admins}
    graph = preview(lambda: EksCluster("c", args))
    entries = graph.of_type("aws:eks/accessPolicyAssociation:AccessPolicyAssociation")
    access = graph.one("aws:eks/cluster:Cluster").inputs["accessConfig"]

    assert {each.name: each.inputs["principalArn"] for each in entries} == {
        "c-admin-111122223333-user-path-somebody": admins[0],
        "c-admin-444455556666-role-admin": admins[1],
    }
    assert {each.inputs["accessScope"]["type"] for each in entries} == {"cluster"}
    assert {each.urn for each in entries} <= set(graph.one("pulumi:providers:kubernetes").dependencies)
    assert access == {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False}


@pytest.mark.parametrize(
    ("name", "service", "tags"),
    [
        ("cluster", "eks.amazonaws.com", True),
        ("nodes", "ec2.amazonaws.com", False),
        ("vpc-cni", "pods.eks.amazonaws.com", True),
    ],
)
def test_each_role_is_taken_by_one_service(name: str, service: str, tags: bool):
    """A session of pods is tagged with what they are."""
    (statement,) = json.loads(inputs("Role", f"eks-{name}")["assumeRolePolicy"])["Statement"]

    assert statement["Principal"] == {"Service": service}
    assert statement["Action"] == ["sts:AssumeRole", *(["sts:TagSession"] if tags else [])]


def test_add_ons_come_before_the_nodes_that_need_them_and_after_the_nodes_they_need():
    """They are EKS's own, over whatever is there."""
    graph = graph_of("eks")
    addons = {each.inputs["addonName"]: each for each in graph.of_type("aws:eks/addon:Addon")}
    system, gpu = one(graph, "NodeGroup", "eks-system"), one(graph, "EksGpuNodePool", "eks-p5")
    before = {"eks-vpc-cni", "eks-kube-proxy", "eks-eks-pod-identity-agent", "eks-nodes-AmazonEKSWorkerNodePolicy"}

    assert {name for name, each in addons.items() if "eks-system" in waits_for(each)} == {
        "coredns",
        "eks-node-monitoring-agent",
    }
    assert before <= waits_for(system) and before <= waits_for(gpu)
    assert {each.inputs["resolveConflictsOnUpdate"] for each in addons.values()} == {"OVERWRITE"}
    assert addons["vpc-cni"].inputs["podIdentityAssociations"][0]["serviceAccount"] == "aws-node"
    assert "eks-vpc-cni-AmazonEKS_CNI_Policy" in waits_for(addons["vpc-cni"])


def test_add_on_versions_are_pinned_where_the_user_asks():
    """Else EKS takes its own default once."""
    pinned = "kubernetes.addonVersions={coredns: v1.12.1-eksbuild.2}"

    assert inputs("Addon", "eks-coredns", pinned)["addonVersion"] == "v1.12.1-eksbuild.2"
    assert "addonVersion" not in inputs("Addon", "eks-vpc-cni", pinned)


def test_system_nodes_follow_the_control_plane_and_an_autoscaler():
    nodes = one(graph_of("eks"), "NodeGroup", "eks-system")

    assert nodes.inputs["version"] == "1.35" and nodes.inputs["nodeRepairConfig"] == {"enabled": True}
    assert nodes.inputs["scalingConfig"] == {"desiredSize": 2, "minSize": 2, "maxSize": 10}
    assert nodes.options == {"ignoreChanges": ["scalingConfig.desiredSize"]}


@pytest.mark.variant
def test_an_existing_network_and_cluster_take_the_place_of_ours():
    """Pools and drivers are made, and nothing below them."""
    graph = graph_of("eks", NETWORK, CLUSTER)
    made = {each.type.rpartition(":")[2] for each in graph.resources if each.type.startswith("aws:")}
    group = one(graph, "NodeGroup", "eks-p5").inputs
    first, second, *_ = one(graph, "LaunchTemplate", "eks-p5").inputs["networkInterfaces"]

    assert made == {"NodeGroup", "LaunchTemplate"} and graph.outputs["clusterName"] == "mine"
    assert (group["clusterName"], group["nodeRoleArn"]) == ("mine", "arn:aws:iam::111122223333:role/nodes")
    assert group["subnetIds"] == ["subnet-0000000c"]
    assert (first["securityGroups"], second["securityGroups"]) == (["sg-0000000f", "sg-0000000e"], ["sg-0000000e"])


@pytest.mark.variant
def test_system_nodes_are_in_the_subnets_that_the_user_names_for_them():
    """Else they are in those of the control plane; a network that exists replaces no cluster."""
    own = NETWORK.replace("gpuSubnets", "systemSubnets: [{subnet: subnet-0000000d, zone: us-east-2b}], gpuSubnets")

    assert inputs("NodeGroup", "eks-system", NETWORK)["subnetIds"] == ["subnet-0000000a", "subnet-0000000b"]
    assert inputs("NodeGroup", "eks-system", own)["subnetIds"] == ["subnet-0000000d"]
    assert "replacementTrigger" not in one(graph_of("eks", own), "Cluster", "eks").options
