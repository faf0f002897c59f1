"""What Google's APIs do with requests that their documents take."""

from typing import Any

import pytest
from tests.google_api.asking import CLUSTER, CLUSTERS, COMPUTE, NETWORK, POOL, PROJECT, REGION, SUBNET, Client

NO_NETWORK = f"{PROJECT}/global/networks/x"
NO_RAIL = {"additionalNodeNetworkConfigs": [{"network": "x", "subnetwork": "s"}]}
NO_NAME = {"reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"}}
NODE_POOLS = f"{CLUSTERS}/c/nodePools"
ACCOUNTS = f"iam.googleapis.com/v1/{PROJECT}/serviceAccounts"
POLICY = f"cloudresourcemanager.googleapis.com/v1/{PROJECT}"


def test_an_operation_takes_its_time():
    """Until it is done there is no network."""
    client = Client(seconds=60)
    operation = client.take("POST", f"{COMPUTE}/global/networks", NETWORK)
    address = f"{COMPUTE}/global/operations/{operation['name']}"

    assert operation["status"] == client.take("GET", address)["status"] == "RUNNING"
    assert client.refused("GET", f"{COMPUTE}/global/networks/n")[:2] == (404, "notFound")
    client.apis.google.operations[operation["name"]].done_at = 0
    assert client.take("GET", address)["status"] == "DONE"
    assert client.take("GET", f"{COMPUTE}/global/networks/n")["mtu"] == 8896


def test_an_operation_names_its_place():
    """The provider asks for it there."""
    client = Client().with_cluster()
    made = client.take("POST", f"{REGION}/subnetworks", {**SUBNET, "name": "t", "ipCidrRange": "10.0.1.0/24"})

    assert made["region"].endswith("/regions/us-west8")
    assert client.take("GET", f"{REGION}/operations/{made['name']}")["status"] == "DONE"


def test_the_api_sets_what_is_its_own():
    """Of a subnet its gateway and a fingerprint; of a network how firewalls are asked."""
    client = Client().with_cluster()
    subnet = client.take("GET", f"{REGION}/subnetworks/s")

    assert subnet["kind"] == "compute#subnetwork" and subnet["stackType"] == "IPV4_ONLY"
    assert subnet["gatewayAddress"] == "10.0.0.1" and subnet["fingerprint"]
    network = client.take("GET", f"{COMPUTE}/global/networks/n")
    assert network["networkFirewallPolicyEnforcementOrder"] == "AFTER_CLASSIC_FIREWALL"


def test_zero_values_and_empty_maps_are_not_written():
    """What is false, 0 or empty is as if nobody had said it."""
    client = Client().with_cluster()
    config = {"machineType": "a4-highgpu-8g", "spot": False, "labels": {}}
    settings = {"maxSurge": 0, "maxUnavailable": 1}
    client.take("POST", NODE_POOLS, {"nodePool": {**POOL, "config": config, "upgradeSettings": settings}})

    pool = client.take("GET", f"{NODE_POOLS}/p")

    assert pool["upgradeSettings"] == {"strategy": "SURGE", "maxUnavailable": 1}
    assert not {"spot", "labels"} & pool["config"].keys()
    assert "legacyAbac" in client.take("GET", f"{CLUSTERS}/c")  # a message with nothing in it


def test_without_addresses_the_endpoint_is_private():
    """Whatever was asked: the difference that pulumi-gcp 9 shows at every preview."""
    client = Client().with_cluster()
    asked = {"ipEndpointsConfig": {"enabled": False, "enablePublicEndpoint": True}}
    client.take("POST", CLUSTERS, {"cluster": {**CLUSTER, "name": "d", "controlPlaneEndpointsConfig": asked}})

    endpoints = client.take("GET", f"{CLUSTERS}/d")["controlPlaneEndpointsConfig"]

    assert endpoints["ipEndpointsConfig"] == {} and endpoints["dnsEndpointConfig"]["endpoint"].endswith(".gke.goog")


def test_changes_of_a_pool():
    """Its size is its group's; labels are those of its nodes."""
    client = Client().with_cluster()
    client.take("POST", NODE_POOLS, {"nodePool": POOL})
    client.take("POST", f"{NODE_POOLS}/p:setSize", {"nodeCount": 3})
    client.take("PUT", f"{NODE_POOLS}/p", {"labels": {"labels": {"a": "b"}}})

    pool = client.take("GET", f"{NODE_POOLS}/p")
    (url,) = pool["instanceGroupUrls"]
    group = client.take(
        "GET", url.replace("https://www.googleapis.com/compute/v1", "compute.googleapis.com/compute/beta")
    )

    assert group["targetSize"] == 3 and pool["config"]["labels"] == {"a": "b"} and pool["status"] == "RUNNING"


def test_a_newer_version():
    """By its minor alone, as a stack names it."""
    client = Client().with_cluster()
    before = client.take("GET", f"{CLUSTERS}/c")["currentMasterVersion"]
    operation = client.take("PUT", f"{CLUSTERS}/c", {"update": {"desiredMasterVersion": "1.36"}})

    after = client.take("GET", f"{CLUSTERS}/c")["currentMasterVersion"]
    assert operation["operationType"] == "UPGRADE_MASTER" and before.startswith("1.35.") and after.startswith("1.36.")


@pytest.mark.parametrize(
    ("verb", "address", "body", "status", "says"),
    [
        ("POST", f"{COMPUTE}/global/networks", NETWORK, 409, "already exists"),
        (
            "POST",
            f"{REGION}/subnetworks",
            {**SUBNET, "name": "t", "network": f"{PROJECT}/global/networks/x"},
            404,
            "networks/x",
        ),
        ("POST", f"{REGION}/subnetworks", {**SUBNET, "name": "t"}, 400, "unique and non-overlapping"),
        ("POST", f"{COMPUTE}/global/networks", {**NETWORK, "name": "m", "mtu": 9000}, 400, "maximum value is 8896"),
        ("DELETE", f"{COMPUTE}/global/networks/n", None, 400, "is already being used by"),
        ("DELETE", f"{REGION}/subnetworks/s", None, 400, "is already being used by"),
        ("POST", CLUSTERS, {"cluster": CLUSTER}, 409, "Already exists"),
        ("POST", CLUSTERS, {"cluster": {**CLUSTER, "name": "d", "subnetwork": "x"}}, 404, "subnetworks/x"),
        ("POST", f"{CLUSTERS}/d/nodePools", {"nodePool": POOL}, 404, "Not found"),
        (
            "POST",
            NODE_POOLS,
            {
                "nodePool": {
                    **POOL,
                    "networkConfig": {"additionalNodeNetworkConfigs": [{"network": "x", "subnetwork": "s"}]},
                }
            },
            404,
            "networks/x",
        ),
        (
            "POST",
            NODE_POOLS,
            {
                "nodePool": {
                    **POOL,
                    "config": {"reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"}},
                }
            },
            400,
            "compute.googleapis.com/reservation-name",
        ),
        ("GET", f"{CLUSTERS}/c:checkAutopilotCompatibility", None, 501, "has no answer here"),
    ],
)
def test_what_is_refused_by_what_there_is(verb: str, address: str, body: Any, status: int, says: str):
    """A name that is taken, what is not there, what is in use, and what `constraints/` knows."""
    got, _, message = Client().with_cluster().refused(verb, address, body)

    assert (got, says in message) == (status, True), message


def test_a_cluster_goes_with_its_pools():
    """And their groups; then the network is free."""
    client = Client().with_cluster()
    client.take("POST", NODE_POOLS, {"nodePool": POOL})
    for address in (f"{CLUSTERS}/c", f"{REGION}/subnetworks/s", f"{COMPUTE}/global/networks/n"):
        client.take("DELETE", address)

    client.ask("GET", f"{CLUSTERS}/c")
    assert client.apis.google.resources == {}


def test_a_bucket_goes_with_its_policy():
    """Its project's own roles are in it from the beginning."""
    client, buckets = Client(), "storage.googleapis.com/storage/v1/b"
    client.take("POST", f"{buckets}?project=my-project", {"name": "gke-storage-1", "location": "us-west8"})
    policy = client.take("GET", f"{buckets}/gke-storage-1/iam")
    more = [*policy["bindings"], {"role": "roles/storage.objectUser", "members": ["user:a@example.com"]}]
    client.take("PUT", f"{buckets}/gke-storage-1/iam", {**policy, "bindings": more})
    client.take("DELETE", f"{buckets}/gke-storage-1")

    assert len(policy["bindings"]) == 1 and client.apis.google.resources == {}


def test_a_role_is_given_to_an_account_that_is_there():
    """And whoever writes a policy has read the last one."""
    client = Client()
    email = client.take("POST", ACCOUNTS, {"accountId": "gke-nodes", "serviceAccount": {}})["email"]
    old = client.take("POST", f"{POLICY}:getIamPolicy", {})["etag"]

    def give(member: str, etag: str) -> tuple[int, dict[str, Any]]:
        bindings = [{"role": "roles/logging.logWriter", "members": [f"serviceAccount:{member}"]}]
        return client.ask("POST", f"{POLICY}:setIamPolicy", {"policy": {"etag": etag, "bindings": bindings}})

    assert give("other@my-project.iam.gserviceaccount.com", old)[0] == 400
    assert give(email, old)[0] == 200
    assert give(email, old)[0] == 409


def test_what_there_is_of_a_kind_has_a_name():
    """By it others know that a cluster or a pool is there."""
    client = Client().with_cluster()
    client.take("POST", NODE_POOLS, {"nodePool": POOL})

    assert client.apis.google.resource_names("clusters") == ["c"]
    assert "p" in client.apis.google.resource_names("nodePools")
