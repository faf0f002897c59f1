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


def test_there_is_no_network_until_its_operation_is_done():
    client = Client(seconds=60)
    operation = client.take("POST", f"{COMPUTE}/global/networks", NETWORK)
    address = f"{COMPUTE}/global/operations/{operation['name']}"

    assert operation["status"] == client.take("GET", address)["status"] == "RUNNING"
    assert client.refused("GET", f"{COMPUTE}/global/networks/n")[:2] == (404, "notFound")
    client.apis.google.operations[operation["name"]].done_at = 0
    assert client.take("GET", address)["status"] == "DONE"
    assert client.take("GET", f"{COMPUTE}/global/networks/n")["mtu"] == 8896


def test_a_pools_size_is_its_groups_and_its_labels_are_its_nodes():
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


@pytest.mark.parametrize(
    ("verb", "address", "body", "status", "says"),
    [
        ("POST", f"{COMPUTE}/global/networks", NETWORK, 409, "already exists"),
        ("POST", f"{REGION}/subnetworks", {**SUBNET, "name": "t", "network": NO_NETWORK}, 404, "networks/x"),
        ("POST", f"{REGION}/subnetworks", {**SUBNET, "name": "t"}, 400, "unique and non-overlapping"),
        ("POST", f"{COMPUTE}/global/networks", {**NETWORK, "name": "m", "mtu": 9000}, 400, "maximum value is 8896"),
        ("DELETE", f"{COMPUTE}/global/networks/n", None, 400, "already being used"),
        ("POST", CLUSTERS, {"cluster": {**CLUSTER, "name": "d", "subnetwork": "x"}}, 404, "subnetworks/x"),
        ("POST", f"{CLUSTERS}/d/nodePools", {"nodePool": POOL}, 404, "Not found"),
        ("POST", NODE_POOLS, {"nodePool": {**POOL, "networkConfig": NO_RAIL}}, 404, "networks/x"),
        ("POST", NODE_POOLS, {"nodePool": {**POOL, "config": NO_NAME}}, 400, "compute.googleapis.com/reservation-name"),
        ("GET", f"{CLUSTERS}/c:checkAutopilotCompatibility", None, 501, "has no answer here"),
    ],
)
def test_a_request_is_refused_by_what_is_there(verb: str, address: str, body: Any, status: int, says: str):
    """A name may be taken, a network missing or in use, and `constraints/` knows more."""
    got, _, message = Client().with_cluster().refused(verb, address, body)

    assert (got, says in message) == (status, True), message


def test_a_cluster_goes_with_its_pools_and_frees_its_network():
    client = Client().with_cluster()
    client.take("POST", NODE_POOLS, {"nodePool": POOL})
    for address in (f"{CLUSTERS}/c", f"{REGION}/subnetworks/s", f"{COMPUTE}/global/networks/n"):
        client.take("DELETE", address)

    client.ask("GET", f"{CLUSTERS}/c")
    assert client.apis.google.resources == {}


def test_a_role_is_given_to_an_account_that_is_there():
    """Whoever writes a policy has read the last one."""
    client = Client()
    email = client.take("POST", ACCOUNTS, {"accountId": "gke-nodes", "serviceAccount": {}})["email"]
    old = client.take("POST", f"{POLICY}:getIamPolicy", {})["etag"]

    def give(member: str, etag: str) -> tuple[int, dict[str, Any]]:
        bindings = [{"role": "roles/logging.logWriter", "members": [f"serviceAccount:{member}"]}]
        return client.ask("POST", f"{POLICY}:setIamPolicy", {"policy": {"etag": etag, "bindings": bindings}})

    assert give("other@my-project.iam.gserviceaccount.com", old)[0] == 400
    assert give(email, old)[0] == 200
    assert give(email, old)[0] == 409
