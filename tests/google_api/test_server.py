"""The APIs of Google over HTTP, as a provider's process asks them."""

import json
import shutil
import ssl
from http.client import HTTPSConnection
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from rdma_rehearsal.real.proxy import Authority
from tests.google_api.asking import COMPUTE, NETWORK
from tools.google_server.fake_google import FakeGoogle
from tools.google_server.server import GoogleApis, serving


def test_an_api_is_asked_below_its_hosts_name():
    apis = GoogleApis(FakeGoogle(0))
    with serving(apis) as port:
        body = json.dumps(NETWORK).encode()
        asked = Request(f"http://127.0.0.1:{port}/{COMPUTE}/global/networks?alt=json", body, method="POST")
        with urlopen(asked, timeout=10) as answered:
            assert json.load(answered)["kind"] == "compute#operation"

    assert apis.asked == {"compute.networks.insert": 1} and not apis.wrong


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl: apt-get install openssl")
def test_an_address_of_googles_own_is_answered(tmp_path: Path):
    """The provider lists the blocks of a reservation by such an address."""
    authority = Authority(tmp_path)
    path = "projects/p/zones/us-west8-c/reservations/r/reservationBlocks"
    apis = GoogleApis(FakeGoogle(0, seeded={f"{path}/b": {"kind": "compute#reservationBlock", "name": "b"}}))
    with serving(apis, authority) as port:
        trusting = ssl.create_default_context(cafile=authority.certificate)
        client = HTTPSConnection("127.0.0.1", port, timeout=10, context=trusting)
        client.set_tunnel("compute.googleapis.com")
        client.request("GET", f"/compute/v1/{path}?alt=json")
        listed = json.load(client.getresponse())
        client.close()

    assert [each["name"] for each in listed["items"]] == ["b"] and apis.asked == {"compute.reservationBlocks.list": 1}
