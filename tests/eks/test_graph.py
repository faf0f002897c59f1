"""The resources of the EKS stacks: what only the program shows."""

from typing import Any

import pytest
from tests.eks.plans import inputs, names
from tests.eks.variants import CLUSTER, NETWORK
from tests.stacks import graph_of

ON_DEMAND = "pools[0].capacity={onDemand: true}"


@pytest.mark.parametrize(
    ("override", "capacity_type", "in_template", "in_group"),
    [
        (
            "pools[0].capacity={capacityBlock: {id: cr-0123456789abcdef0}}",
            "CAPACITY_BLOCK",
            {
                "instanceType": "p5.48xlarge",
                "instanceMarketOptions": {"marketType": "capacity-block"},
                "capacityReservationSpecification": {
                    "capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}
                },
            },
            None,
        ),
        (
            "pools[0].capacity={reservation: {id: cr-0123456789abcdef0}}",
            "ON_DEMAND",
            {
                "capacityReservationSpecification": {
                    "capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}
                }
            },
            ["p5.48xlarge"],
        ),
        (
            "pools[0].capacity={reservation: {group: 'arn:aws:resource-groups:us-east-2:111122223333:group/g'}}",
            "ON_DEMAND",
            {
                "capacityReservationSpecification": {
                    "capacityReservationTarget": {
                        "capacityReservationResourceGroupArn": "arn:aws:resource-groups:us-east-2:111122223333:group/g"
                    }
                }
            },
            ["p5.48xlarge"],
        ),
        (ON_DEMAND, "ON_DEMAND", {"placement": {"groupName": "eks-p5"}}, ["p5.48xlarge"]),
        ("pools[0].capacity={spot: true}", "SPOT", {}, ["p5.48xlarge"]),
    ],
    ids=["capacity block", "reservation", "group of reservations", "on demand", "spot"],
)
def test_capacity(override: str, capacity_type: str, in_template: dict[str, Any], in_group: list[str] | None):
    """Each source says its own in the template and the node group, and nothing of the others."""
    graph = graph_of("eks", override)
    template = inputs(graph, "LaunchTemplate", "eks-p5")
    group = inputs(graph, "NodeGroup", "eks-p5")

    of_capacity = {"instanceType", "instanceMarketOptions", "capacityReservationSpecification", "placement"}
    assert {key: template[key] for key in of_capacity & template.keys()} == in_template
    assert group["capacityType"] == capacity_type
    assert group.get("instanceTypes") == in_group


def test_template_of_p5():
    """32 EFA devices on one address; the cluster's group on the interface with an address alone."""
    template = inputs(graph_of("eks"), "LaunchTemplate", "eks-p5")
    first, *others = template["networkInterfaces"]
    efa = "[id of aws:ec2/securityGroup:SecurityGroup eks-efa]"

    assert first == {
        "networkCardIndex": 0,
        "deviceIndex": 0,
        "interfaceType": "interface",
        "securityGroups": ["[clusterSecurityGroupId of aws:eks/cluster:Cluster eks]", efa],
        "associatePublicIpAddress": "false",
        "deleteOnTermination": "true",
    }
    assert others == [
        {
            "networkCardIndex": card,
            "deviceIndex": 0 if card else 1,
            "interfaceType": "efa-only",
            "securityGroups": [efa],
            "deleteOnTermination": "true",
        }
        for card in range(32)
    ]
    assert not template.keys() & {"vpcSecurityGroupIds", "imageId", "iamInstanceProfile"}


def test_managed_group_takes_the_template():
    """What EKS refuses beside a launch template is not there; the roll-out needs no second node."""
    group = inputs(graph_of("eks"), "NodeGroup", "eks-p5")

    assert not group.keys() & {"diskSize", "remoteAccess", "version"}
    assert group["updateConfig"] == {"maxUnavailable": 1, "updateStrategy": "MINIMAL"}
    assert group["taints"] == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}]
    assert group["subnetIds"] == ["[id of aws:ec2/subnet:Subnet eks-gpu]"]


def test_network_has_names_and_one_way_out():
    """DNS for nodes to join by; private subnets routed through NAT; S3 beside it."""
    graph = graph_of("eks")
    vpc = inputs(graph, "Vpc", "eks")

    assert (vpc["enableDnsSupport"], vpc["enableDnsHostnames"]) == (True, True)
    (route,) = inputs(graph, "RouteTable", "eks-private")["routes"]
    assert route["natGatewayId"] == "[id of aws:ec2/natGateway:NatGateway eks-nat]"
    assert inputs(graph, "VpcEndpoint", "eks-s3")["serviceName"] == "com.amazonaws.us-east-2.s3"
    gpu = inputs(graph, "Subnet", "eks-gpu")
    assert gpu["availabilityZone"] == "us-east-2a" and "mapPublicIpOnLaunch" not in gpu


def test_cluster_is_private_unless_told():
    """No public endpoint by default; with one, for the named blocks alone."""
    named = inputs(graph_of("eks"), "Cluster", "eks")["vpcConfig"]
    private = graph_of("eks", "kubernetes={admins: ['arn:aws:iam::111122223333:role/admin']}")

    assert (named["endpointPublicAccess"], named["publicAccessCidrs"]) == (True, ["203.0.113.7/32"])
    closed = inputs(private, "Cluster", "eks")["vpcConfig"]
    assert (closed["endpointPrivateAccess"], closed["endpointPublicAccess"]) == (True, False)
    assert "publicAccessCidrs" not in closed


def test_entry_is_explicit():
    """Nobody is an administrator by having made the cluster, and the provider waits for those who are."""
    graph = graph_of("eks")
    access = inputs(graph, "Cluster", "eks")["accessConfig"]
    provider = graph.one("pulumi:providers:kubernetes", "eks")

    assert access == {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False}
    assert (
        inputs(graph, "AccessEntry", "eks-admin-111122223333-role-admin")["principalArn"]
        == "arn:aws:iam::111122223333:role/admin"
    )
    assert any(
        urn.endswith("AccessPolicyAssociation::eks-admin-111122223333-role-admin") for urn in provider.dependencies
    )
    assert provider.inputs["clusterIdentifier"] == "eks/us-east-2/eks"


def test_nodes_come_after_what_they_need():
    """CNI, proxy, identities and the node role's policies before a node; names and monitoring after."""
    graph = graph_of("eks")
    pool = graph.one("rdma-cluster:index:EksGpuNodePool", "eks-p5")
    needed = {urn.rpartition("::")[2] for urn in pool.dependencies}

    assert {"eks-vpc-cni", "eks-kube-proxy", "eks-eks-pod-identity-agent"} < needed
    assert "eks-nodes-AmazonEKSWorkerNodePolicy" in needed
    assert "eks-coredns" not in needed
    coredns = graph.one("aws:eks/addon:Addon", "eks-coredns")
    assert any(urn.endswith("NodeGroup::eks-system") for urn in coredns.dependencies)


def test_addon_versions_are_pinned_where_asked():
    """Else they are EKS's own default, once."""
    pinned = graph_of("eks", "kubernetes.addonVersions={coredns: v1.12.1-eksbuild.2}")

    assert inputs(pinned, "Addon", "eks-coredns")["addonVersion"] == "v1.12.1-eksbuild.2"
    assert "addonVersion" not in inputs(pinned, "Addon", "eks-vpc-cni")


def test_existing_network_and_cluster():
    """Brown field: pools and drivers, and nothing below them."""
    graph = graph_of("eks", NETWORK, CLUSTER)

    assert not names(graph, "EksHpcNetwork") and not names(graph, "Cluster") and not names(graph, "Addon")
    group = inputs(graph, "NodeGroup", "eks-p5")
    assert (group["clusterName"], group["nodeRoleArn"]) == ("mine", "arn:aws:iam::111122223333:role/nodes")
    assert group["subnetIds"] == ["subnet-0000000c"]
    first, second, *_ = inputs(graph, "LaunchTemplate", "eks-p5")["networkInterfaces"]
    assert (first["securityGroups"], second["securityGroups"]) == (["sg-0000000f", "sg-0000000e"], ["sg-0000000e"])


def test_placement_groups_are_told():
    """A reservation can be made in the group that a pool has."""
    assert graph_of("eks").outputs["placementGroups"] == {}
    told = graph_of("eks", ON_DEMAND).outputs["placementGroups"]
    assert told == {"p5": "eks-p5"}


def test_encryption_with_a_key_of_the_user():
    """EKS encrypts with a key of its own; with the user's where one is named."""
    key = "arn:aws:kms:us-east-2:111122223333:key/k"
    cluster = inputs(graph_of("eks", f"kubernetes.secretsKey={key}"), "Cluster", "eks")

    assert cluster["encryptionConfig"] == {"provider": {"keyArn": key}, "resources": ["secrets"]}
    assert "encryptionConfig" not in inputs(graph_of("eks"), "Cluster", "eks")


def test_fabric_is_proved_before_up_ends():
    """By MPIJob, with AWS's image, after the drivers; the stack says what came of it."""
    graph = graph_of("eks")
    job = graph.one("kubernetes:batch/v1:Job", "eks-p5")

    assert names(graph, "MPIJob") == {"eks-p5"}
    assert any(urn.endswith("Release::eks-nic") for urn in job.dependencies)
    assert graph.outputs["proofs"]["p5"]["collective"] == "all_reduce"
    assert graph_of("eks-b200").outputs["proofs"]["b200"]["waived"] == ["bandwidth"]
