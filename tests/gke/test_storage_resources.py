"""Where a GKE graph keeps data, in whole: buckets, Lustre, and who may use them."""

import pytest
from tests.gke.variants import CLUSTER, NETWORKS
from tests.resources import one, options
from tests.stacks import graph_of

HOUR = {"create": "60m", "update": "60m", "delete": "60m"}
LUSTRE = "storage={lustre: {capacityGib: 18000}}"


@pytest.mark.variant
def test_bucket():
    """Never public, without rights by object, with folders; pods of each namespace may read and write, nobody else."""
    graph = graph_of("gke", "storage={objectStore: {}}", "claims.namespaces=[default, team-a]")
    bucket = one(graph, "Bucket", "gke-storage")

    assert bucket.inputs == {
        "project": "my-project",
        "location": "US-WEST8",
        "uniformBucketLevelAccess": True,
        "publicAccessPrevention": "enforced",
        "hierarchicalNamespace": {"enabled": True},
        "forceDestroy": False,
    }
    assert options(bucket) == {"protect": True}
    for namespace in ("default", "team-a"):
        assert one(graph, "BucketIAMMember", f"gke-storage-{namespace}").inputs == {
            "bucket": "gke-storage",
            "role": "roles/storage.objectUser",
            "member": "principalSet://iam.googleapis.com/projects/0/locations/global/workloadIdentityPools/"
            f"my-project.svc.id.goog/namespace/{namespace}",
        }


@pytest.mark.variant
def test_lustre():
    """An instance of the asked size in the GPUs' zone, reached by private services access, whose answers come in."""
    graph = graph_of("gke", LUSTRE)
    vpc = "projects/my-project/global/networks/gke-primary"
    instance = one(graph, "Instance", "gke-storage")

    assert instance.inputs == {
        "project": "my-project",
        "instanceId": "gke",
        "location": "us-west8-c",
        "filesystem": "data",
        "capacityGib": "18000",
        "perUnitStorageThroughput": "1000",
        "network": vpc,
    }
    assert options(instance) == {"protect": True, "customTimeouts": HOUR, "deleteBeforeReplace": True}
    assert one(graph, "GlobalAddress", "gke-storage").inputs == {
        "project": "my-project",
        "network": vpc,
        "purpose": "VPC_PEERING",
        "addressType": "INTERNAL",
        "prefixLength": 22,
    }
    assert one(graph, "Connection", "gke-storage").inputs == {
        "network": vpc,
        "service": "servicenetworking.googleapis.com",
        "reservedPeeringRanges": ["gke-storage"],
        "deletionPolicy": "ABANDON",
        "updateOnCreationFail": True,
    }
    assert one(graph, "Firewall", "gke-storage").inputs == {
        "project": "my-project",
        "network": vpc,
        "allows": [{"protocol": "tcp", "ports": ["988"]}],
        "sourceRanges": ["[address of gcp:compute/globalAddress:GlobalAddress gke-storage]/22"],
    }
    after = {
        urn.rpartition(":")[0].rpartition("/")[2] for urn in instance.dependencies if urn.endswith("::gke-storage")
    }
    assert after == {"connection:Connection:", "firewall:Firewall:"}


@pytest.mark.variant
@pytest.mark.parametrize("more", [(), (CLUSTER,)], ids=["new cluster", "existing cluster"])
def test_lustre_in_a_network_that_exists(more: tuple[str, ...]):
    """It has its private services access: none is made."""
    graph = graph_of("gke", LUSTRE, NETWORKS, *more)

    assert one(graph, "Instance", "gke-storage").inputs["network"] == "projects/my-project/global/networks/vpc"
    assert not [each for each in graph.resources if each.type.endswith((":GlobalAddress", ":Connection"))]


@pytest.mark.variant
def test_storage_as_pods_see_it():
    """A bucket by its address; an instance by its place, with the address and the name that its driver asks for."""
    for overrides, handle, store in (
        ("storage={objectStore: {bucket: weights-of-mine}}", "weights-of-mine", "gs://weights-of-mine"),
        (LUSTRE, "my-project/us-west8-c/gke", "gke"),
    ):
        graph = graph_of("gke", overrides)
        (volume,) = graph.of_type("kubernetes:core/v1:PersistentVolume")

        assert volume.inputs["spec"]["csi"]["volumeHandle"].startswith(handle)
        assert graph.outputs["storage"]["store"] == store
        assert not [each for each in graph.resources if each.type.endswith(":Bucket")]


@pytest.mark.variant
def test_a_bucket_that_is_there():
    """Its rights go by the number of the cluster's project, which is asked for."""
    graph = graph_of("gke", "storage={objectStore: {bucket: weights-of-mine}}")

    assert one(graph, "BucketIAMMember", "gke-storage-default").inputs == {
        "bucket": "weights-of-mine",
        "role": "roles/storage.objectUser",
        "member": "principalSet://iam.googleapis.com/projects/[number of my-project]/locations/global/"
        "workloadIdentityPools/my-project.svc.id.goog/namespace/default",
    }
