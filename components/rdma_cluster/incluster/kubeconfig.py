"""How a cluster is reached: by a kubeconfig without credentials, whose client asks its cloud's plugin each time."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s
from ..component.frame import replaceable


def exec_kubeconfig(
    name: str,
    server: pulumi.Input[str],
    plugin: pulumi.Input[dict[str, Any]],
    ca_certificate: pulumi.Input[str] | None = None,
) -> pulumi.Output[str]:
    """A kubeconfig as JSON, secret in state.

    ``server`` is a URL, ``plugin`` the command that prints a token, as kubeconfigs write it, ``ca_certificate`` base64;
    an endpoint whose certificate is public needs none.
    """
    cluster = {"server": server}
    if ca_certificate is not None:
        cluster["certificate-authority-data"] = ca_certificate
    form = {"apiVersion": "client.authentication.k8s.io/v1beta1", "interactiveMode": "Never"}
    command = pulumi.Output.from_input(plugin).apply(lambda known: {**form, **known})
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"exec": command}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
    return pulumi.Output.secret(pulumi.Output.json_dumps(config))


def cluster_provider(
    name: str, kubeconfig: pulumi.Output[str], identifier: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> k8s.Provider:
    """The provider of what runs on a cluster, which is the same cluster as long as ``identifier`` is the same.

    Without one, a kubeconfig that is recomputed would replace the provider, and with it all that runs there.
    """
    return k8s.Provider(name, kubeconfig=kubeconfig, cluster_identifier=identifier, opts=replaceable(opts))
