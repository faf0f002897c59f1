"""The kubeconfig of a GKE cluster."""

from tests.gke.cloud import CLOUD
from tests.kubeconfigs import kubeconfig_of


def test_google_plugin():
    """It is told of the cluster; a DNS endpoint's certificate is public."""
    said = kubeconfig_of(CLOUD)

    command = said["users"][0]["user"]["exec"]
    assert (command["command"], command["provideClusterInfo"]) == ("gke-gcloud-auth-plugin", True)
    assert list(said["clusters"][0]["cluster"]) == ["server"]


def test_whole():
    """One cluster, user and context by the cluster's name; the plugin gets the token, and says how to install it."""
    plugin = "gke-gcloud-auth-plugin"
    user = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "interactiveMode": "Never",
        "command": plugin,
        "installHint": f"install {plugin}: gcloud components install {plugin}",
        "provideClusterInfo": True,
    }

    assert kubeconfig_of(CLOUD) == {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "https://c.cluster.invalid"}}],
        "users": [{"name": "c", "user": {"exec": user}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
        "current-context": "c",
    }
