"""A secret in a state is found where it can be read."""

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
def test_a_secret_is_found_by_its_content_or_by_its_name(outputs: dict[str, Any], path: str):
    """Kubeconfigs are found in base64, too."""
    assert plain_secrets(exported(outputs)) == [f"c: outputs.{path}"]
