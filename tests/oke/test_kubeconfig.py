"""The kubeconfig of an OKE cluster."""

from tests.kubeconfigs import kubeconfig_of
from tests.oke.cloud import CLOUD


def test_oci_command():
    """For this cluster and region; the certificate is the cluster's own."""
    said = kubeconfig_of(CLOUD)

    command = said["users"][0]["user"]["exec"]
    assert command["command"] == "oci"
    assert command["args"][:3] == ["ce", "cluster", "generate-token"]
    assert command["args"][command["args"].index("--region") + 1] == "eu-frankfurt-1"
    assert sorted(said["clusters"][0]["cluster"]) == ["certificate-authority-data", "server"]
