"""The kubeconfig of a GKE cluster."""

from tests.gke.cloud import CLOUD
from tests.kubeconfigs import kubeconfig_of


def test_google_plugin():
    """It is told of the cluster; a DNS endpoint's certificate is public."""
    said = kubeconfig_of(CLOUD)

    command = said["users"][0]["user"]["exec"]
    assert (command["command"], command["provideClusterInfo"]) == ("gke-gcloud-auth-plugin", True)
    assert list(said["clusters"][0]["cluster"]) == ["server"]
