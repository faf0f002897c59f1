"""The kubeconfig of an AKS cluster."""

from tests.aks.cloud import CLOUD
from tests.kubeconfigs import kubeconfig_of


def test_a_kubeconfig_logs_in_as_whoever_ran_az_login():
    """The token is for AKS's own application, and the certificate is what AKS hands out."""
    said = kubeconfig_of(CLOUD)

    command = said["users"][0]["user"]["exec"]
    assert command["command"] == "kubelogin"
    assert command["args"] == [
        "get-token",
        "--login",
        "azurecli",
        "--server-id",
        "6dae42f8-4368-4678-94ff-3960e28e3630",
    ]
    assert sorted(said["clusters"][0]["cluster"]) == ["certificate-authority-data", "server"]
    assert said["clusters"][0]["cluster"]["server"].endswith(":443")
