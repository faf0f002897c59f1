"""What Google's APIs do with requests that their documents take."""

from typing import Any

import pytest
from tests.google_api.asking import CLUSTER, CLUSTERS, COMPUTE, NETWORK, POOL, PROJECT, REGION, SUBNET, Client

NO_NETWORK = f"{PROJECT}/global/networks/x"
NO_RAIL = {"additionalNodeNetworkConfigs": [{"network": "x", "subnetwork": "s"}]}
NO_NAME = {"reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"}}
NODE_POOLS = f"{CLUSTERS}/c/nodePools"
POLICY = f"cloudresourcemanager.googleapis.com/v1/{PROJECT}"


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
