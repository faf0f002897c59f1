"""Where an EKS graph keeps data: buckets, Lustre, and who may use them."""

import json
from typing import Any

import pytest
from pulumi_offline import Graph
from tests.eks.variants import CLUSTER, NETWORK
from tests.resources import one, waits_for
from tests.stacks import graph_of

LUSTRE = "storage={lustre: {capacityGib: 4800, mbpsPerTib: 250}}"
THEIRS = "storage={objectStore: {bucket: weights-of-mine}}"


def volume(graph: Graph) -> dict[str, Any]:
    """The attributes by which the driver mounts the store."""
    (made,) = graph.of_type("kubernetes:core/v1:PersistentVolume")
    return made.inputs["spec"]["csi"]["volumeAttributes"]


@pytest.mark.variant
def test_a_new_bucket_is_closed_kept_and_open_to_the_drivers_pods():
    """The role of these pods is for this bucket alone."""
    graph = graph_of("eks", "storage={objectStore: {}}", "claims.namespaces=[default, team-a]")
    name = "[bucket of aws:s3/bucket:Bucket eks-storage]"
    bucket, closed = one(graph, "Bucket", "eks-storage"), one(graph, "BucketPublicAccessBlock", "eks-storage").inputs
    addon = one(graph, "Addon", "eks-aws-mountpoint-s3-csi-driver")
    listed, written = json.loads(one(graph, "RolePolicy", "eks-storage").inputs["policy"])["Statement"]

    assert (bucket.inputs, bucket.options) == ({"forceDestroy": False}, {"protect": True})
    assert len(closed) == 5 and all(value is True for key, value in closed.items() if key != "bucket")
    assert (listed["Action"], listed["Resource"]) == (["s3:ListBucket"], f"arn:aws:s3:::{name}")
    assert written["Resource"] == f"arn:aws:s3:::{name}/*"
    assert {each.rpartition(":")[2] for each in written["Action"]} == {
        "AbortMultipartUpload",
        "DeleteObject",
        "GetObject",
        "PutObject",
    }
    assert addon.inputs["podIdentityAssociations"][0]["serviceAccount"] == "s3-csi-driver-sa"
    assert {"eks-system", "eks-storage"} <= waits_for(addon)
    assert graph.outputs["storage"]["store"] == f"s3://{name}"


@pytest.mark.variant
def test_lustre_is_beside_the_gpus_in_the_clusters_own_group():
    graph = graph_of("eks", LUSTRE)
    files = one(graph, "LustreFileSystem", "eks-storage")

    assert files.inputs["subnetIds"] == "[id of aws:ec2/subnet:Subnet eks-gpu]"
    assert files.inputs["securityGroupIds"] == ["[clusterSecurityGroupId of aws:eks/cluster:Cluster eks]"]
    assert (files.inputs["storageCapacity"], files.inputs["perUnitStorageThroughput"]) == (4800, 250)
    assert files.inputs["deploymentType"] == "PERSISTENT_2" and files.inputs["fileSystemTypeVersion"] == "2.15"
    assert files.options["protect"] is True and files.options["customTimeouts"]["update"] == "120m"
    assert "podIdentityAssociations" not in one(graph, "Addon", "eks-aws-fsx-csi-driver").inputs
    assert graph.outputs["storage"]["store"] == "[id of aws:fsx/lustreFileSystem:LustreFileSystem eks-storage]"
    assert set(volume(graph)) == {"dnsname", "mountname"}


@pytest.mark.variant
def test_the_driver_on_a_cluster_that_exists_is_the_users_to_install():
    """The role is the user's, too; the file system is in the cluster's own group."""
    lustre, bucket = (graph_of("eks", NETWORK, CLUSTER, store) for store in (LUSTRE, THEIRS))
    files = one(lustre, "LustreFileSystem", "eks-storage").inputs

    assert (files["securityGroupIds"], files["subnetIds"]) == (["sg-0000000f"], "subnet-0000000c")
    tokens = {each.type.rpartition(":")[2] for graph in (lustre, bucket) for each in graph.resources}
    assert not tokens & {"Addon", "RolePolicy", "Bucket"}
    assert bucket.outputs["storage"]["store"] == "s3://weights-of-mine"
    assert volume(bucket) == {"bucketName": "weights-of-mine"}
