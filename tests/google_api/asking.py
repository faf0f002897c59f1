"""Requests of Google's APIs as a client writes them, without a provider and without a socket."""

import json
from typing import Any

from tools.google_server.fake_google import FakeGoogle
from tools.google_server.server import GoogleApis

PROJECT = "projects/my-project"
COMPUTE = f"compute.googleapis.com/compute/beta/{PROJECT}"
REGION = f"{COMPUTE}/regions/us-west8"
CLUSTERS = f"container.googleapis.com/v1beta1/{PROJECT}/locations/us-west8/clusters"
NETWORK = {"name": "n", "autoCreateSubnetworks": False, "mtu": 8896}
SUBNET = {"name": "s", "network": f"{PROJECT}/global/networks/n", "ipCidrRange": "10.0.0.0/24"}
RANGES = [{"rangeName": "pods", "ipCidrRange": "10.4.0.0/14"}, {"rangeName": "services", "ipCidrRange": "10.1.0.0/20"}]
CLUSTER = {
    "name": "c",
    "initialNodeCount": 1,
    "initialClusterVersion": "1.35",
    "network": f"{PROJECT}/global/networks/n",
    "subnetwork": f"{PROJECT}/regions/us-west8/subnetworks/s",
    "controlPlaneEndpointsConfig": {"ipEndpointsConfig": {"enabled": False}},
}
POOL = {"name": "p", "initialNodeCount": 2, "locations": ["us-west8-c"], "config": {"machineType": "a4-highgpu-8g"}}


class Client:
    """Asks an API that answers at once, or after ``seconds``."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.apis = GoogleApis(FakeGoogle(seconds))

    def ask(self, verb: str, address: str, body: Any = None) -> tuple[int, dict[str, Any]]:
        """Status and answer."""
        host, _, target = address.partition("/")
        return self.apis.answer(verb, host, target, b"" if body is None else json.dumps(body).encode())

    def take(self, verb: str, address: str, body: Any = None) -> dict[str, Any]:
        """The answer to what must be taken."""
        status, answer = self.ask(verb, address, body)
        assert status == 200, answer
        return answer

    def refused(self, verb: str, address: str, body: Any = None) -> tuple[int, str, str]:
        """Status, reason and message of what must be refused."""
        status, answer = self.ask(verb, address, body)
        assert status != 200, answer
        return status, answer["error"]["errors"][0]["reason"], answer["error"]["message"]

    def with_cluster(self) -> "Client":
        """With a network, its subnet and a cluster in it."""
        self.take("POST", f"{COMPUTE}/global/networks", NETWORK)
        self.take("POST", f"{REGION}/subnetworks", {**SUBNET, "secondaryIpRanges": RANGES})
        self.take("POST", CLUSTERS, {"cluster": CLUSTER})
        return self
