"""The SDK's AKS cluster, but for one output that it cannot read when a unit test's mocks echo the inputs."""

from typing import Any

import pulumi

# The SDK's annotations name `outputs`; Pulumi resolves them in the module of the class that it is handed.
from pulumi_azure_native.containerservice import ManagedCluster, outputs

__all__ = ["ReadableManagedCluster", "outputs"]


class ReadableManagedCluster(ManagedCluster):
    """An AKS cluster whose identities are read as they come.

    The SDK takes `identity.userAssignedIdentities` as a list of ids and reads it as a mapping. Azure answers with the
    mapping; a mock that returns its inputs answers with the list, and every output of the cluster would fail.
    """

    @property
    @pulumi.getter
    def identity(self) -> pulumi.Output[Any]:
        return pulumi.get(self, "identity")
