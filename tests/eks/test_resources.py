"""Each resource of an EKS graph in whole: a property that is missing, misspelt or one too many is another cluster."""

import json
from typing import Any

import pytest
from rdma_cluster.offline import Graph, Resource, preview

from tests.eks.plans import ADMIN
from tests.eks.variants import CLUSTER, NETWORK
from tests.stacks import graph_of

HOUR = {"create": "60m", "update": "60m", "delete": "60m"}
BUCKET = ("storage={objectStore: {}}", "claims.namespaces=[default, team-a]")
LUSTRE = ("storage={lustre: {capacityGib: 4800}}",)
ON_DEMAND = "pools[0].capacity={onDemand: true}"


def one(graph: Graph, token: str, name: str) -> Resource:
    """A resource; ``token`` is the end of its type."""
    (found,) = [each for each in graph.resources if each.type.endswith(f":{token}") and each.name == name]
    return found


def inputs(token: str, name: str, *overrides: str) -> dict[str, Any]:
    """What a resource of the stack is made of."""
    return dict(one(graph_of("eks", *overrides), token, name).inputs)


def waits_for(resource: Resource) -> set[str]:
    """Names of what it comes after."""
    return {urn.rpartition("::")[2] for urn in resource.dependencies}


def known_later(of: str, token: str, name: str) -> str:
    """What the engine fills in."""
    return f"[{of} of aws:{token} {name}]"


VPC = known_later("id", "ec2/vpc:Vpc", "eks")
EFA = known_later("id", "ec2/securityGroup:SecurityGroup", "eks-efa")


def subnet(name: str) -> str:
    """The id of a subnet."""
    return known_later("id", "ec2/subnet:Subnet", f"eks-{name}")


def table(name: str) -> str:
    """The id of a route table."""
    return known_later("id", "ec2/routeTable:RouteTable", f"eks-{name}")


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


def test_subnets():
    """Private ones for GPUs and control plane, where controllers find them, and a small one for the way out."""
    graph = graph_of("eks")
    inside = {"kubernetes.io/role/internal-elb": "1"}
    for name, zone, block, tags in (
        ("gpu", "us-east-2a", "10.0.0.0/18", inside),
        ("cluster-us-east-2a", "us-east-2a", "10.0.248.0/22", inside),
        ("cluster-us-east-2b", "us-east-2b", "10.0.244.0/22", inside),
        ("public", "us-east-2a", "10.0.255.240/28", {}),
    ):
        made = one(graph, "Subnet", f"eks-{name}")
        assert made.inputs == {
            "vpcId": VPC,
            "availabilityZone": zone,
            "cidrBlock": block,
            "tags": {"Name": f"eks-{name}", **tags},
        }
        # A subnet that moves lets go of its addresses first; the control plane's never moves.
        assert made.options == ({} if name.startswith("cluster") else {"deleteBeforeReplace": True})
        routes = "public" if name == "public" else "private"
        association = one(graph, "RouteTableAssociation", f"eks-{name}")
        assert association.inputs == {"subnetId": subnet(name), "routeTableId": table(routes)}


def test_ways_out():
    """Out through one NAT gateway, to S3 beside it, and in from nowhere."""
    gateway = known_later("id", "ec2/internetGateway:InternetGateway", "eks")
    nat = known_later("id", "ec2/natGateway:NatGateway", "eks-nat")
    everywhere = {"cidrBlock": "0.0.0.0/0"}

    assert inputs("Vpc", "eks") == {
        "cidrBlock": "10.0.0.0/16",
        "enableDnsSupport": True,
        "enableDnsHostnames": True,
        "tags": {"Name": "eks"},
    }
    assert inputs("InternetGateway", "eks") == {"vpcId": VPC, "tags": {"Name": "eks"}}
    for name, way in (("public", {"gatewayId": gateway}), ("private", {"natGatewayId": nat})):
        assert inputs("RouteTable", f"eks-{name}") == {
            "vpcId": VPC,
            "routes": [{**everywhere, **way}],
            "tags": {"Name": f"eks-{name}"},
        }
    assert inputs("Eip", "eks-nat") == {"domain": "vpc", "tags": {"Name": "eks-nat"}}
    assert inputs("NatGateway", "eks-nat") == {
        "subnetId": subnet("public"),
        "allocationId": known_later("id", "ec2/eip:Eip", "eks-nat"),
        "tags": {"Name": "eks-nat"},
    }
    assert {"eks", "eks-public"} <= waits_for(one(graph_of("eks"), "NatGateway", "eks-nat"))
    assert inputs("VpcEndpoint", "eks-s3") == {
        "vpcId": VPC,
        "serviceName": "com.amazonaws.us-east-2.s3",
        "vpcEndpointType": "Gateway",
        "routeTableIds": [table("private")],
        "tags": {"Name": "eks-s3"},
    }


def test_group_of_efa():
    """All traffic among its members, both ways by the group's id."""
    assert inputs("SecurityGroup", "eks-efa") == {
        "vpcId": VPC,
        "description": "EFA traffic between GPU nodes",
        "tags": {"Name": "eks-efa"},
    }
    for token, direction in (("SecurityGroupIngressRule", "from"), ("SecurityGroupEgressRule", "to")):
        assert inputs(token, "eks-efa") == {
            "securityGroupId": EFA,
            "referencedSecurityGroupId": EFA,
            "ipProtocol": "-1",
            "description": f"EFA {direction} members",
        }


@pytest.mark.variant
def test_bucket():
    """Closed to the public and kept; the driver's pods alone read and write it, by a role for it alone."""
    graph = graph_of("eks", *BUCKET)
    name = known_later("bucket", "s3/bucket:Bucket", "eks-storage")

    bucket = one(graph, "Bucket", "eks-storage")
    assert (bucket.inputs, bucket.options) == ({"forceDestroy": False}, {"protect": True})
    assert one(graph, "BucketPublicAccessBlock", "eks-storage").inputs == {
        "bucket": name,
        "blockPublicAcls": True,
        "blockPublicPolicy": True,
        "ignorePublicAcls": True,
        "restrictPublicBuckets": True,
    }
    policy = one(graph, "RolePolicy", "eks-storage").inputs
    objects = ["s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:PutObject"]
    assert policy["role"] == "eks-storage" and json.loads(policy["policy"]) == {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": f"arn:aws:s3:::{name}"},
            {"Effect": "Allow", "Action": objects, "Resource": f"arn:aws:s3:::{name}/*"},
        ],
    }
    addon = one(graph, "Addon", "eks-aws-mountpoint-s3-csi-driver")
    assert addon.inputs["podIdentityAssociations"] == [
        {"roleArn": role("storage"), "serviceAccount": "s3-csi-driver-sa"}
    ]
    assert {"eks-system", "eks-storage"} <= waits_for(addon)
    assert graph.outputs["storage"]["store"] == f"s3://{name}"


@pytest.mark.variant
def test_lustre():
    """A file system beside the GPUs, in the cluster's own group, and the driver's add-on."""
    graph = graph_of("eks", *LUSTRE)
    files = one(graph, "LustreFileSystem", "eks-storage")

    assert files.inputs == {
        "subnetIds": subnet("gpu"),
        "securityGroupIds": [known_later("clusterSecurityGroupId", "eks/cluster:Cluster", "eks")],
        "deploymentType": "PERSISTENT_2",
        "storageType": "SSD",
        "storageCapacity": 4800,
        "perUnitStorageThroughput": 125,
        "fileSystemTypeVersion": "2.15",
        "tags": {"Name": "eks-storage"},
    }
    assert files.options == {"protect": True, "customTimeouts": {**HOUR, "update": "120m"}}
    assert "podIdentityAssociations" not in one(graph, "Addon", "eks-aws-fsx-csi-driver").inputs
    assert graph.outputs["storage"]["store"] == known_later(
        "id", "fsx/lustreFileSystem:LustreFileSystem", "eks-storage"
    )
    (volume,) = graph.of_type("kubernetes:core/v1:PersistentVolume")
    assert set(volume.inputs["spec"]["csi"]["volumeAttributes"]) == {"dnsname", "mountname"}


@pytest.mark.variant
def test_storage_on_a_cluster_that_exists():
    """The driver is the user's to install, and with it the role; the file system is in the cluster's own group."""
    graph = graph_of("eks", NETWORK, CLUSTER, *LUSTRE)
    bucket = graph_of("eks", NETWORK, CLUSTER, "storage={objectStore: {bucket: weights-of-mine}}")

    assert one(graph, "LustreFileSystem", "eks-storage").inputs["securityGroupIds"] == ["sg-0000000f"]
    assert one(graph, "LustreFileSystem", "eks-storage").inputs["subnetIds"] == "subnet-0000000c"
    aws = [each.type for made in (graph, bucket) for each in made.resources if each.type.startswith("aws:")]
    assert not [token for token in aws if token.endswith((":Addon", ":Role"))]
    assert bucket.outputs["storage"]["store"] == "s3://weights-of-mine"
    (volume,) = bucket.of_type("kubernetes:core/v1:PersistentVolume")
    assert volume.inputs["spec"]["csi"]["volumeAttributes"] == {"bucketName": "weights-of-mine"}


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
