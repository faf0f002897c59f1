"""What counts as a secret that can be read."""

import json
from base64 import b64encode
from typing import Any

import pytest
from pulumi_offline.computed import kubeconfig
from rdma_rehearsal.secret_leaks import plain_secrets
from tests.simulated.engine import urn

CONFIG = kubeconfig("cluster.invalid", "a certificate")
KEY = "-----BEGIN RSA PRIVATE KEY-----\nabc"


def exported(outputs: dict[str, Any]) -> str:
    """A state with one resource."""
    resource = {"urn": urn("gcp:container/cluster:Cluster", "c"), "inputs": {}, "outputs": outputs}
    return json.dumps({"deployment": {"resources": [resource]}})


@pytest.mark.parametrize(
    ("outputs", "path"),
    [
        ({"config": CONFIG}, "config"),
        ({"list": [{"value": b64encode(CONFIG.encode()).decode()}]}, "list[0].value"),
        ({"masterAuth": {"clientKey": "x"}}, "masterAuth.clientKey"),
        ({"tls": KEY}, "tls"),
    ],
)
def test_plain_secret_is_found(outputs: dict[str, Any], path: str):
    """Kubeconfigs by their content, also in base64; keys by theirs; and whatever is called by such a name."""
    assert plain_secrets(exported(outputs)) == [f"c: outputs.{path}"]
