"""What is read of an AKS cluster: its identities, which the SDK misreads under mocks, and its certificate."""

import json
from base64 import b64decode
from typing import Any

import pulumi

# The SDK's annotations name `outputs`; Pulumi resolves them in the module of the class that it is handed.
from pulumi_azure_native.containerservice import ManagedCluster, list_managed_cluster_user_credentials_output, outputs
from ..component.frame import computed

__all__ = ["ReadableManagedCluster", "certificate", "outputs"]


class ReadableManagedCluster(ManagedCluster):
    """An AKS cluster whose identities are read as they come.

    The SDK takes `identity.userAssignedIdentities` as a list of ids and reads it as a mapping. Azure answers with the
    mapping; a mock that returns its inputs answers with the list, and every output of the cluster would fail.
    """

    @property
    @pulumi.getter
    def identity(self) -> pulumi.Output[Any]:
        return pulumi.get(self, "identity")


def certificate(group: pulumi.Input[str], cluster: ManagedCluster, child: pulumi.ResourceOptions) -> pulumi.Output[str]:
    """The API's CA certificate, base64: it is in the kubeconfig that AKS hands out, and nowhere else."""
    handed_out = list_managed_cluster_user_credentials_output(
        resource_group_name=group,
        resource_name=cluster.name,
        format="exec",
        opts=pulumi.InvokeOutputOptions(parent=child.parent),
    )
    return computed(handed_out.kubeconfigs, lambda known: _read_certificate(known[0].value), "")


def _read_certificate(kubeconfig: str) -> str:
    import yaml

    text = b64decode(kubeconfig).decode()
    config = json.loads(text) if text.startswith("{") else yaml.safe_load(text)
    return config["clusters"][0]["cluster"]["certificate-authority-data"]
