"""Kubeconfigs for EKS that hold no credential: the client asks the AWS CLI for one each time."""

import pulumi

_INSTALL_HINT = "install the AWS CLI: https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html"


def exec_kubeconfig(
    name: str, region: str, endpoint: pulumi.Input[str], ca_certificate: pulumi.Input[str]
) -> pulumi.Output[str]:
    """A kubeconfig as JSON, secret in state. ``endpoint`` is a URL."""
    cluster: dict[str, pulumi.Input[str]] = {"server": endpoint, "certificate-authority-data": ca_certificate}
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": ["eks", "get-token", "--region", region, "--cluster-name", name, "--output", "json"],
        "installHint": _INSTALL_HINT,
        "interactiveMode": "Never",
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
