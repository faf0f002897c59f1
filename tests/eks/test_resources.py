"""Cluster, nodes and roles of an EKS graph in whole: what is missing, misspelt or one too many is another cluster."""

import json
from typing import Any

import pytest
from pulumi_offline import preview
from tests.eks.plans import ADMIN
from tests.resources import one, waits_for
from tests.stacks import graph_of

HOUR = {"create": "60m", "update": "60m", "delete": "60m"}
ON_DEMAND = "pools[0].capacity={onDemand: true}"


def inputs(token: str, name: str, *overrides: str) -> dict[str, Any]:
    """What a resource of the stack is made of."""
    return dict(one(graph_of("eks", *overrides), token, name).inputs)


def known_later(of: str, token: str, name: str) -> str:
    """What the engine fills in."""
    return f"[{of} of aws:{token} {name}]"


VPC = known_later("id", "ec2/vpc:Vpc", "eks")
EFA = known_later("id", "ec2/securityGroup:SecurityGroup", "eks-efa")


def subnet(name: str) -> str:
    """The id of a subnet."""
    return known_later("id", "ec2/subnet:Subnet", f"eks-{name}")


def role(name: str) -> str:
    """The ARN of a role."""
    return known_later("arn", "iam/role:Role", f"eks-{name}")


def test_cluster():
    """Entries of its own, EKS's add-ons and none beside them, all logs, and a public endpoint for one block."""
    cluster = one(graph_of("eks"), "Cluster", "eks")

    assert cluster.inputs == {
        "name": "eks",
        "version": "1.35",
        "roleArn": role("cluster"),
        "vpcConfig": {
            "subnetIds": [subnet("cluster-us-east-2a"), subnet("cluster-us-east-2b")],
            "endpointPrivateAccess": True,
            "endpointPublicAccess": True,
            "publicAccessCidrs": ["203.0.113.7/32"],
        },
        "accessConfig": {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False},
        "bootstrapSelfManagedAddons": False,
        "kubernetesNetworkConfig": {"ipFamily": "ipv4", "serviceIpv4Cidr": "172.20.0.0/16"},
        "enabledClusterLogTypes": ["api", "audit", "authenticator", "controllerManager", "scheduler"],
    }
    assert cluster.options == {
        "customTimeouts": HOUR,
        # A cluster cannot follow its VPC.
        "replacementTrigger": "10.0.0.0/16",
        "deleteBeforeReplace": True,
    }
    assert {"eks-cluster-AmazonEKSClusterPolicy", "eks-cluster"} <= waits_for(cluster)


@pytest.mark.variant
def test_secrets_and_protection():
    """By the user's key, and where the user says so."""
    key = "arn:aws:kms:us-east-2:111122223333:key/ID"
    encrypted = inputs("Cluster", "eks", f"kubernetes.secretsKey={key}")
    protected = one(graph_of("eks", "kubernetes.protected=true"), "Cluster", "eks")

    assert encrypted["encryptionConfig"] == {"provider": {"keyArn": key}, "resources": ["secrets"]}
    assert protected.options["protect"] is True


def test_system_nodes():
    """Two to ten of the control plane's version in its zones, once what a node needs is there."""
    graph = graph_of("eks")
    nodes = one(graph, "NodeGroup", "eks-system")

    assert nodes.inputs == {
        "clusterName": "eks",
        "nodeRoleArn": role("nodes"),
        "subnetIds": [subnet("cluster-us-east-2a"), subnet("cluster-us-east-2b")],
        "version": "1.35",
        "amiType": "AL2023_x86_64_STANDARD",
        "instanceTypes": ["m7i.xlarge", "m6i.xlarge"],
        "scalingConfig": {"desiredSize": 2, "minSize": 2, "maxSize": 10},
        "updateConfig": {"maxUnavailable": 1},
        "nodeRepairConfig": {"enabled": True},
    }
    assert nodes.options == {"ignoreChanges": ["scalingConfig.desiredSize"]}
    assert {
        *("eks-vpc-cni", "eks-kube-proxy", "eks-eks-pod-identity-agent"),
        *("eks-nodes-AmazonEKSWorkerNodePolicy", "eks-nodes-AmazonEC2ContainerRegistryPullOnly"),
    } <= waits_for(nodes)


@pytest.mark.parametrize(
    ("name", "service", "actions", "policies"),
    [
        ("cluster", "eks.amazonaws.com", ["sts:AssumeRole", "sts:TagSession"], ["AmazonEKSClusterPolicy"]),
        (
            "nodes",
            "ec2.amazonaws.com",
            ["sts:AssumeRole"],
            ["AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly"],
        ),
        ("vpc-cni", "pods.eks.amazonaws.com", ["sts:AssumeRole", "sts:TagSession"], ["AmazonEKS_CNI_Policy"]),
    ],
)
def test_roles(name: str, service: str, actions: list[str], policies: list[str]):
    """Each is taken by one service and has AWS's policies for it; a session of pods is tagged with what they are."""
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": actions}

    assert {key: json.loads(value) for key, value in inputs("Role", f"eks-{name}").items()} == {
        "assumeRolePolicy": {"Version": "2012-10-17", "Statement": [statement]}
    }
    for policy in policies:
        assert inputs("RolePolicyAttachment", f"eks-{name}-{policy}") == {
            "role": f"eks-{name}",
            "policyArn": f"arn:aws:iam::aws:policy/{policy}",
        }


def test_administrators():
    """An entry for each, named after account, kind and path, and the policy of administrators on the whole cluster."""
    name = "eks-admin-111122223333-role-admin"

    assert inputs("AccessEntry", name) == {"clusterName": "eks", "principalArn": ADMIN, "type": "STANDARD"}
    assert inputs("AccessPolicyAssociation", name) == {
        "clusterName": "eks",
        "principalArn": ADMIN,
        "policyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
        "accessScope": {"type": "cluster"},
    }


@pytest.mark.parametrize(
    ("addon", "more", "after"),
    [
        (
            "vpc-cni",
            {
                "configurationValues": '{"enableNetworkPolicy": "true"}',
                "podIdentityAssociations": [{"roleArn": role("vpc-cni"), "serviceAccount": "aws-node"}],
            },
            {"eks-vpc-cni-AmazonEKS_CNI_Policy"},
        ),
        ("kube-proxy", {}, set()),
        ("eks-pod-identity-agent", {}, set()),
        ("coredns", {}, {"eks-system"}),
        ("eks-node-monitoring-agent", {}, {"eks-system"}),
    ],
)
def test_add_ons(addon: str, more: dict[str, Any], after: set[str]):
    """EKS's own, over whatever is there; what needs nodes waits for the system's."""
    made = one(graph_of("eks"), "Addon", f"eks-{addon}")

    assert made.inputs == {
        "clusterName": "eks",
        "addonName": addon,
        "resolveConflictsOnCreate": "OVERWRITE",
        "resolveConflictsOnUpdate": "OVERWRITE",
        **more,
    }
    assert waits_for(made) >= after and ("eks-system" in waits_for(made)) is ("eks-system" in after)


def test_node_group():
    """The pool's own template, capacity and taint; it can be emptied, and an update takes the old node first."""
    group = one(graph_of("eks"), "NodeGroup", "eks-p5")

    assert group.inputs == {
        "clusterName": "eks",
        "nodeGroupName": "p5",
        "nodeRoleArn": role("nodes"),
        "subnetIds": [subnet("gpu")],
        "amiType": "AL2023_x86_64_NVIDIA",
        "capacityType": "CAPACITY_BLOCK",
        "scalingConfig": {"desiredSize": 2, "minSize": 0, "maxSize": 2},
        "updateConfig": {"maxUnavailable": 1, "updateStrategy": "MINIMAL"},
        "nodeRepairConfig": {"enabled": False},
        "labels": {"vpc.amazonaws.com/efa.present": "true"},
        "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}],
        "launchTemplate": {"id": known_later("id", "ec2/launchTemplate:LaunchTemplate", "eks-p5"), "version": "0"},
    }
    assert group.options == {
        "customTimeouts": {"create": "61m", "update": "120m", "delete": "60m"},
        "deleteBeforeReplace": True,
    }


def test_launch_template():
    """An encrypted disk, tokens that no pod reaches, and names for what is billed."""
    template = one(graph_of("eks"), "LaunchTemplate", "eks-p5")
    told = {key: of for key, of in template.inputs.items() if key not in ("userData", "networkInterfaces")}

    assert told == {
        "updateDefaultVersion": True,
        "instanceType": "p5.48xlarge",
        "instanceMarketOptions": {"marketType": "capacity-block"},
        "capacityReservationSpecification": {
            "capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}
        },
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/xvda",
                "ebs": {"volumeType": "gp3", "volumeSize": 100, "encrypted": "true", "deleteOnTermination": "true"},
            }
        ],
        "metadataOptions": {"httpEndpoint": "enabled", "httpTokens": "required", "httpPutResponseHopLimit": 1},
        "tagSpecifications": [
            {"resourceType": kind, "tags": {"Name": "eks-p5"}} for kind in ("instance", "volume", "network-interface")
        ],
    }


@pytest.mark.variant
@pytest.mark.parametrize(
    ("overrides", "changed"),
    [
        (("pools[0].nodes=3",), {"scalingConfig": {"desiredSize": 3, "minSize": 0, "maxSize": 3}}),
        (("pools[0].labels={team: a}",), {"labels": {"vpc.amazonaws.com/efa.present": "true", "team": "a"}}),
        (("pools[0].releaseVersion=1.35.0-20260724",), {"releaseVersion": "1.35.0-20260724", "version": "1.35"}),
        ((ON_DEMAND,), {"capacityType": "ON_DEMAND", "instanceTypes": ["p5.48xlarge"]}),
        (("pools[0].capacity={spot: true}",), {"capacityType": "SPOT", "instanceTypes": ["p5.48xlarge"]}),
    ],
    ids=["nodes", "labels", "release", "on demand", "spot"],
)
def test_what_a_choice_changes_of_a_node_group(overrides: tuple[str, ...], changed: dict[str, Any]):
    """Its own properties, and no other but what goes with repair."""
    before, after = inputs("NodeGroup", "eks-p5"), inputs("NodeGroup", "eks-p5", *overrides)
    keys = {key for key in {*before, *after} if before.get(key) != after.get(key)} - {"nodeRepairConfig"}

    assert {key: after.get(key) for key in keys} == changed


@pytest.mark.variant
def test_placement_group():
    """On-demand nodes have one of their own, which is told; its name is free when it is gone."""
    graph = graph_of("eks", ON_DEMAND)
    group = one(graph, "PlacementGroup", "eks-p5")

    assert (group.inputs, group.options) == ({"strategy": "cluster"}, {"deleteBeforeReplace": True})
    assert graph.outputs["placementGroups"] == {"p5": "eks-p5"}
    assert graph_of("eks").outputs["placementGroups"] == {}
    assert inputs("LaunchTemplate", "eks-p5", ON_DEMAND)["placement"] == {"groupName": "eks-p5"}


def test_no_node_starts_without_its_way():
    """Nodes come after the way out of their subnet and the rules of EFA; the control plane needs neither."""
    graph = graph_of("eks")
    after = {
        (token, name): {urn.rpartition("$")[2].rpartition("::")[0] for urn in each.dependencies}
        for token, name in (("NodeGroup", "eks-system"), ("NodeGroup", "eks-p5"), ("LaunchTemplate", "eks-p5"))
        for each in [one(graph, token, name)]
    }
    routed = "aws:ec2/routeTableAssociation:RouteTableAssociation"

    assert routed in after["NodeGroup", "eks-system"] and routed in after["NodeGroup", "eks-p5"]
    assert {
        "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
    } <= after["LaunchTemplate", "eks-p5"]
    assert "eks-public" not in waits_for(one(graph, "Cluster", "eks"))


def test_administrators_are_named_after_who_they_are():
    """By account, kind and path, so that the others stay when one is removed."""
    from rdma_cluster.eks import EksCluster
    from tests.eks.components import COMPONENTS

    args: Any = {
        **COMPONENTS["EksCluster"],
        "admins": ["arn:aws:iam::111122223333:user/path/somebody", "arn:aws:iam::444455556666:role/admin"],
    }
    graph = preview(lambda: EksCluster("c", args))
    entries = [each for each in graph.resources if each.type.endswith(":AccessPolicyAssociation")]

    assert {each.name: each.inputs["principalArn"] for each in entries} == {
        "c-admin-111122223333-user-path-somebody": args["admins"][0],
        "c-admin-444455556666-role-admin": args["admins"][1],
    }
    provider = graph.one("pulumi:providers:kubernetes")
    assert {each.urn for each in entries} <= set(provider.dependencies)
