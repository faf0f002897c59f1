"""How clients enter an AKS cluster: its certificate, and a token of Entra ID's."""

import json
from base64 import b64decode

import pulumi
from pulumi_azure_native import containerservice

from .plan.entry import AksLogin

# The application that AKS's API servers are in Entra ID, the same for every cluster.
# https://azure.github.io/kubelogin/concepts/aks.html
_SERVER_ID = "6dae42f8-4368-4678-94ff-3960e28e3630"


def certificate(
    group: pulumi.Input[str], cluster: containerservice.ManagedCluster, child: pulumi.ResourceOptions
) -> pulumi.Output[str]:
    """The API's CA certificate, base64: it is in the kubeconfig that AKS hands out, and nowhere else."""
    handed_out = containerservice.list_managed_cluster_user_credentials_output(
        resource_group_name=group,
        resource_name=cluster.name,
        format="exec",
        opts=pulumi.InvokeOutputOptions(parent=child.parent),
    )
    return handed_out.apply(lambda result: _read_certificate(result.kubeconfigs[0].value))


def _read_certificate(kubeconfig: str) -> str:
    import yaml

    text = b64decode(kubeconfig).decode()
    config = json.loads(text) if text.startswith("{") else yaml.safe_load(text)
    return config["clusters"][0]["cluster"]["certificate-authority-data"]


def token(login: AksLogin) -> dict[str, object]:
    """Kubelogin's command for a token."""
    return {
        "command": "kubelogin",
        "args": ["get-token", "--login", login.value, "--server-id", _SERVER_ID],
        "installHint": "install kubelogin: az aks install-cli, or https://azure.github.io/kubelogin/install.html",
    }
