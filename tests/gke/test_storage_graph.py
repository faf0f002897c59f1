"""Where a GKE graph keeps data: buckets, Lustre, and who may use them."""

import pytest
from tests.gke.variants import CLUSTER, NETWORKS
from tests.resources import one, options
from tests.stacks import graph_of

LUSTRE = "storage={lustre: {capacityGib: 18000}}"
THEIRS = "storage={objectStore: {bucket: weights-of-mine}}"


@pytest.mark.variant
def test_a_new_bucket_is_never_public_and_open_to_the_pods_of_its_namespaces():
    """It has folders and no rights by object."""
    graph = graph_of("gke", "storage={objectStore: {}}", "claims.namespaces=[default, team-a]")
    bucket = one(graph, "Bucket", "gke-storage")
    rights = graph.of_type("gcp:storage/bucketIAMMember:BucketIAMMember")

    assert bucket.inputs["publicAccessPrevention"] == "enforced"
    assert bucket.inputs["uniformBucketLevelAccess"] is bucket.inputs["hierarchicalNamespace"]["enabled"] is True
    assert (options(bucket), bucket.inputs["forceDestroy"]) == ({"protect": True}, False)
    assert bucket.inputs["location"] == "US-WEST8"
    assert {each.inputs["role"] for each in rights} == {"roles/storage.objectUser"}
    assert [each.inputs["member"].rpartition("workloadIdentityPools/")[2] for each in rights] == [
        "my-project.svc.id.goog/namespace/default",
        "my-project.svc.id.goog/namespace/team-a",
    ]


@pytest.mark.variant
@pytest.mark.parametrize(
    ("choice", "token"),
    [("objectStore: {deletable: true}", "Bucket"), ("lustre: {capacityGib: 9000, deletable: true}", "Instance")],
    ids=["bucket", "Lustre"],
)
def test_data_goes_with_the_stack_where_the_user_says_so(choice: str, token: str):
    store = one(graph_of("gke", f"storage={{{choice}}}"), token, "gke-storage")

    assert "protect" not in options(store) and store.inputs.get("forceDestroy", True) is True


@pytest.mark.variant
def test_rights_on_a_bucket_that_is_there_go_by_the_number_of_the_project():
    graph = graph_of("gke", THEIRS)
    right = one(graph, "BucketIAMMember", "gke-storage-default").inputs

    assert right["bucket"] == "weights-of-mine" and "/projects/[number of my-project]/" in right["member"]
    assert not [each for each in graph.resources if each.type.endswith(":Bucket")]


@pytest.mark.variant
def test_lustre_is_beside_the_gpus_and_reached_by_private_services_access():
    """The instance waits for the way to it, and its answers come in."""
    graph = graph_of("gke", LUSTRE)
    instance = one(graph, "Instance", "gke-storage")
    addresses = one(graph, "GlobalAddress", "gke-storage").inputs
    peering = one(graph, "Connection", "gke-storage").inputs
    answers = one(graph, "Firewall", "gke-storage").inputs

    assert (instance.inputs["location"], instance.inputs["instanceId"]) == ("us-west8-c", "gke")
    assert (instance.inputs["capacityGib"], instance.inputs["perUnitStorageThroughput"]) == ("18000", "1000")
    vpc = "projects/my-project/global/networks/gke-primary"
    assert {each["network"] for each in (instance.inputs, addresses, peering, answers)} == {vpc}
    assert addresses["prefixLength"] == 22 and peering["reservedPeeringRanges"] == ["gke-storage"]
    assert answers["allows"] == [{"protocol": "tcp", "ports": ["988"]}]
    assert answers["sourceRanges"] == ["[address of gcp:compute/globalAddress:GlobalAddress gke-storage]/22"]
    assert options(instance)["protect"] is options(instance)["deleteBeforeReplace"] is True
    assert options(instance)["customTimeouts"]["create"] == "60m"
    for token in ("Connection", "Firewall"):
        assert one(graph, token, "gke-storage").urn in instance.dependencies


@pytest.mark.variant
@pytest.mark.parametrize("more", [(), (CLUSTER,)], ids=["new cluster", "existing cluster"])
def test_an_existing_network_has_its_own_way_to_lustre(more: tuple[str, ...]):
    graph = graph_of("gke", LUSTRE, NETWORKS, *more)

    assert one(graph, "Instance", "gke-storage").inputs["network"] == "projects/my-project/global/networks/vpc"
    assert not [each for each in graph.resources if each.type.endswith((":GlobalAddress", ":Connection"))]


@pytest.mark.variant
@pytest.mark.parametrize(
    ("override", "handle", "store"),
    [(THEIRS, "weights-of-mine", "gs://weights-of-mine"), (LUSTRE, "my-project/us-west8-c/gke", "gke")],
    ids=["bucket", "Lustre"],
)
def test_pods_see_a_store_by_its_name_or_its_place(override: str, handle: str, store: str):
    graph = graph_of("gke", override)
    (volume,) = graph.of_type("kubernetes:core/v1:PersistentVolume")

    assert volume.inputs["spec"]["csi"]["volumeHandle"].startswith(handle)
    assert graph.outputs["storage"]["store"] == store
