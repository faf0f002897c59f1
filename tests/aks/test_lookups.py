"""What AKS's components ask of Azure, by which provider, and what they read in its answers."""

import json
from base64 import b64encode
from typing import Any

import pytest
from tests.aks.plans import ID, OF_AZURE, SUBNET
from tests.asked import MINE, Question, Told, told

CREDENTIALS = "azure-native:containerservice:listManagedClusterUserCredentials"
FEATURE = "azure-native:features:getSubscriptionFeatureRegistration"
SDK = "pulumi_azure_native"


def pool(machine: str, **answers: Any) -> Told:
    """What a pool of this machine asks."""
    args = {"name": "gpu", "machine": machine, "nodes": 2, "capacity": {"on_demand": True}, "subnet": SUBNET}
    return told("aks", SDK, "AksGpuNodePool", {**args, "resource_group": "g", "cluster": "c"}, **answers)


def test_what_a_cluster_asks():
    """For its users' kubeconfig, which alone has the certificate, with a command in the place of a password."""
    args = {**OF_AZURE, "subnet": SUBNET, "admins": [{"id": ID}]}

    assert told("aks", SDK, "AksCluster", args).asked == [
        Question(CREDENTIALS, {"resourceGroupName": "g", "resourceName": "aks", "format": "exec"}, MINE)
    ]


YAML = "clusters:\n- cluster: {certificate-authority-data: one}\n- cluster: {certificate-authority-data: two}\n"
JSON = json.dumps({"clusters": [{"cluster": {"certificate-authority-data": each}} for each in ("one", "two")]})


@pytest.mark.parametrize("text", [YAML, JSON], ids=["YAML", "JSON"])
def test_certificate_in_either_form(text: str):
    """A kubeconfig is YAML, or JSON, and the certificate is that of its first cluster."""
    from rdma_cluster.aks.managed_cluster import _read_certificate

    assert _read_certificate(b64encode(text.encode()).decode()) == "one"


@pytest.mark.parametrize(
    ("machine", "wanted"),
    [("Standard_ND96isr_H100_v5", "registered"), ("Standard_ND128isr_NDR_GB200_v6", "not registered")],
)
def test_a_pool_asks_for_its_feature(machine: str, wanted: str):
    """Of the subscription of the provider; who may not read it is told the state that the machine needs."""
    found = pool(machine)
    question = {"featureName": "AKSInfinibandSupport", "providerNamespace": "Microsoft.ContainerService"}

    assert found.asked == [Question(FEATURE, question, MINE)]
    assert [each for each in found.warnings if "could not be looked up" in each] == [
        f"the subscription's feature AKSInfinibandSupport must be {wanted}, and could not be looked up; check it: "
        "az feature show --namespace Microsoft.ContainerService --name AKSInfinibandSupport"
    ]


def test_a_feature_in_its_state_is_no_warning():
    """Of a machine that needs it."""
    found = pool("Standard_ND96isr_H100_v5", **{FEATURE: {"properties": {"state": "Registered"}}})

    assert found.asked and not [each for each in found.warnings if "AKSInfinibandSupport" in each]
    (scale_set,) = found.graph.of_type("azure-native:containerservice:AgentPool")
    assert scale_set.inputs["vmSize"] == "Standard_ND96isr_H100_v5"
