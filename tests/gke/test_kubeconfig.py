"""The kubeconfig of a GKE cluster."""

import json
from base64 import b64encode
from typing import Any

import pulumi
import pytest
from pulumi_offline import preview
from tests.gke.cloud import CLOUD
from tests.kubeconfigs import kubeconfig_of


def test_googles_plugin_is_told_of_the_cluster():
    """A DNS endpoint's certificate is public, so none is named."""
    said = kubeconfig_of(CLOUD)
    command = said["users"][0]["user"]["exec"]

    assert (command["command"], command["provideClusterInfo"]) == ("gke-gcloud-auth-plugin", True)
    assert "gcloud components install gke-gcloud-auth-plugin" in command["installHint"]
    assert said["clusters"] == [{"name": "c", "cluster": {"server": "https://c.cluster.invalid"}}]


@pytest.mark.parametrize(
    ("args", "cluster", "account"),
    [
        ({}, {"server": "https://c.cluster.invalid"}, "c-nodes@c-nodes.account.invalid"),
        (
            {"endpoint": "private"},
            {
                "server": "https://c.cluster.invalid",
                "certificate-authority-data": b64encode(
                    b"[clusterCaCertificate of gcp:container/cluster:Cluster c]"
                ).decode(),
            },
            "c-nodes@c-nodes.account.invalid",
        ),
        (
            {
                "existing": {
                    "location": "us-west8",
                    "endpoint": "10.0.0.2",
                    "ca_certificate": "eA==",
                    "node_service_account": "mine@x.example",
                }
            },
            {"server": "https://10.0.0.2", "certificate-authority-data": "eA=="},
            "mine@x.example",
        ),
    ],
    ids=["by name", "by address", "existing"],
)
def test_an_address_needs_the_clusters_own_certificate(args: dict[str, Any], cluster: dict[str, str], account: str):
    """Nodes run as the account that is named, or as a new one."""
    from rdma_cluster.gke import GkeCluster

    made: list[Any] = []

    def program() -> None:
        given: Any = {**CLOUD.components["GkeCluster"], **args}
        component = GkeCluster("c", given)
        pulumi.Output.all(component.kubeconfig, component.node_service_account, component.endpoint).apply(made.append)

    preview(program)
    ((text, as_account, endpoint),) = made
    told = json.loads(text)["clusters"][0]["cluster"]

    assert (told, as_account, f"https://{endpoint}") == (cluster, account, cluster["server"])
