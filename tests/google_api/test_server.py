"""The same over HTTP, as a provider's process asks."""

import json
from http.client import HTTPConnection
from urllib.request import Request, urlopen

from rdma_cluster.rehearsal.real.google.server import Google, serving
from rdma_cluster.rehearsal.real.google.world import World

from tests.google_api.asking import COMPUTE, NETWORK


def test_a_request_over_http():
    """The address of an API below its host's name."""
    google = Google(World(0))
    with serving(google) as port:
        body = json.dumps(NETWORK).encode()
        asked = Request(f"http://127.0.0.1:{port}/{COMPUTE}/global/networks?alt=json", body, method="POST")
        with urlopen(asked, timeout=10) as answered:
            assert json.load(answered)["kind"] == "compute#operation"

    assert google.asked == {"compute.networks.insert": 1} and not google.wrong


def test_an_address_that_no_endpoint_changes_is_told():
    """A provider that goes around its endpoints comes to the proxy, which leads nowhere."""
    google = Google(World(0))
    with serving(google) as port:
        client = HTTPConnection("127.0.0.1", port, timeout=10)
        client.request("CONNECT", "tpu.googleapis.com:443")
        assert client.getresponse().status == 502
        client.close()

    assert google.wrong == ["CONNECT tpu.googleapis.com:443: an address that no endpoint changes"]
