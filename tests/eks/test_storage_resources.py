"""Where an EKS graph keeps data, in whole: buckets, Lustre, and who may use them."""

import json
from typing import Any

import pytest
from tests.eks.variants import CLUSTER, NETWORK
from tests.resources import one, waits_for
from tests.stacks import graph_of

HOUR = {"create": "60m", "update": "60m", "delete": "60m"}
BUCKET = ("storage={objectStore: {}}", "claims.namespaces=[default, team-a]")
LUSTRE = ("storage={lustre: {capacityGib: 4800}}",)


def inputs(token: str, name: str, *overrides: str) -> dict[str, Any]:
    """What a resource of the stack is made of."""
    return dict(one(graph_of("eks", *overrides), token, name).inputs)


def known_later(of: str, token: str, name: str) -> str:
    """What the engine fills in."""
    return f"[{of} of aws:{token} {name}]"


def subnet(name: str) -> str:
    """The id of a subnet."""
    return known_later("id", "ec2/subnet:Subnet", f"eks-{name}")


def role(name: str) -> str:
    """The ARN of a role."""
    return known_later("arn", "iam/role:Role", f"eks-{name}")


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
