"""Kubeconfigs for GKE that hold no credential: the client asks Google's plugin for one each time."""

import pulumi

_INSTALL_HINT = "install gke-gcloud-auth-plugin: gcloud components install gke-gcloud-auth-plugin"


def exec_kubeconfig(
    name: str, host: pulumi.Input[str], ca_certificate: pulumi.Input[str] | None = None
) -> pulumi.Output[str]:
    """A kubeconfig as JSON, secret in state. A DNS endpoint's certificate is public and needs no ``ca_certificate``."""
    cluster: dict[str, pulumi.Input[str]] = {"server": pulumi.Output.format("https://{0}", host)}
    if ca_certificate is not None:
        cluster["certificate-authority-data"] = ca_certificate
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "gke-gcloud-auth-plugin",
        "installHint": _INSTALL_HINT,
        "interactiveMode": "Never",
        "provideClusterInfo": True,
    }
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"exec": plugin}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
    return pulumi.Output.secret(pulumi.Output.json_dumps(config))
