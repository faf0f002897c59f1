"""Each resource of an AKS cluster whole: what Azure's API and the engine are told, and what it comes after."""

from functools import cache
from typing import Any

import pulumi
import pytest
from pulumi_offline import Graph, preview
from tests.aks.plans import ID, IN_GROUP, OF_AZURE, RESERVATIONS, ROLE, SUBNET, built, made

HOUR = {"customTimeouts": {"create": "60m", "update": "60m", "delete": "60m"}}
GROUP = f"/subscriptions/{ID}/resourceGroups/r/providers"
VAULT, REGISTRY = f"{GROUP}/Microsoft.KeyVault/vaults/v", f"{GROUP}/Microsoft.ContainerRegistry/registries/images"
KEY = f"https://my-vault.vault.azure.net/keys/aks/{'0' * 32}"
IDENTITY = "[{} of azure-native:managedidentity:UserAssignedIdentity aks-{}]"
CHOICES: dict[str, Any] = {
    "metrics": True,
    "protected": True,
    "blobs": True,
    "secrets_key": KEY,
    "secrets_vault": VAULT,
    "zone": "2",
    "name": "mine",
    "outbound": "routes",
    "node_os_upgrades": "SecurityPatch",
    "container_registries": [REGISTRY],
    "reservations": [RESERVATIONS],
    "admins": [{"id": ID}, {"id": ID.replace("0", "1"), "type": "User"}],
}


@cache
def cluster(plain: bool = False) -> Graph:
    """A cluster with all its choices, or with none."""
    base = {**OF_AZURE, "subnet": SUBNET, "admins": [{"id": ID}]}
    return built("AksCluster", base if plain else {**base, **CHOICES})


POOL = {
    "name": "system",
    "mode": "System",
    "type": "VirtualMachineScaleSets",
    "vmSize": "Standard_D8s_v5",
    "osType": "Linux",
    "osSKU": "Ubuntu",
    "vnetSubnetID": SUBNET,
    "count": 3,
    "enableAutoScaling": True,
    "minCount": 3,
    "maxCount": 10,
    "upgradeSettings": {"maxSurge": "1"},
}
"""Of system nodes, on which the controllers of drivers run: three or more, and one new one at a time."""


@pytest.mark.parametrize("plain", [False, True])
def test_cluster(plain: bool):
    """Private, by Entra ID alone, over Cilium; what costs or changes it is there where it is asked for."""
    inputs, options, after = made(cluster(plain), "ManagedCluster", "aks")
    network = inputs.pop("networkProfile")
    security = {"azureKeyVaultKms": {"enabled": True, "keyId": KEY, "keyVaultNetworkAccess": "Public"}}
    further = {
        "storageProfile": {"blobCSIDriver": {"enabled": True}},
        "azureMonitorProfile": {"metrics": {"enabled": True}},
    }

    assert inputs == {
        **IN_GROUP,
        "resourceName": "aks" if plain else "mine",
        "kubernetesVersion": "1.36",
        "dnsPrefix": "aks" if plain else "mine",
        "sku": {"name": "Base", "tier": "Standard"},
        "identity": {"type": "UserAssigned", "userAssignedIdentities": [IDENTITY.format("id", "control")]},
        "identityProfile": {
            "kubeletidentity": {
                "resourceId": IDENTITY.format("id", "kubelet"),
                "clientId": IDENTITY.format("clientId", "kubelet"),
                "objectId": IDENTITY.format("principalId", "kubelet"),
            }
        },
        "enableRBAC": True,
        "aadProfile": {"managed": True, "enableAzureRBAC": True},
        "disableLocalAccounts": True,
        "apiServerAccessProfile": {
            "enablePrivateCluster": True,
            "enablePrivateClusterPublicFQDN": True,
            "privateDNSZone": "none",
        },
        "agentPoolProfiles": [{**POOL, **({} if plain else {"availabilityZones": ["1", "2", "3"]})}],
        "oidcIssuerProfile": {"enabled": True},
        "securityProfile": {"workloadIdentity": {"enabled": True}, **({} if plain else security)},
        "autoUpgradeProfile": {"upgradeChannel": "none", "nodeOSUpgradeChannel": "None" if plain else "SecurityPatch"},
        **({} if plain else further),
    }
    assert network == {
        "networkPlugin": "azure",
        "networkPluginMode": "overlay",
        "networkDataplane": "cilium",
        "networkPolicy": "cilium",
        "podCidr": "10.244.0.0/14",
        "serviceCidr": "10.0.0.0/16",
        "dnsServiceIP": "10.0.0.10",
        "loadBalancerSku": "standard",
        "outboundType": "userAssignedNATGateway" if plain else "userDefinedRouting",
        **({} if plain else {"advancedNetworking": {"enabled": True, "observability": {"enabled": True}}}),
    }
    granted = {"RoleAssignment aks-subnet", "RoleAssignment aks-kubelet"}
    assert after >= (granted if plain else {*granted, "RoleAssignment aks-secrets"})
    assert options == {
        **HOUR,
        "deleteBeforeReplace": True,
        "ignoreChanges": ["agentPoolProfiles[0].count"],
        "replaceOnChanges": [
            "agentPoolProfiles[*].availabilityZones",
            "agentPoolProfiles[*].vmSize",
            "agentPoolProfiles[*].vnetSubnetID",
            "apiServerAccessProfile.enablePrivateCluster",
        ],
        **({} if plain else {"protect": True}),
    }


@pytest.mark.parametrize(
    ("name", "who", "role", "scope"),
    [
        ("subnet", "control", "4d97b98b-1d4f-4787-a291-c67834d212e7", SUBNET),
        ("kubelet", "control", "f1a07417-d97a-45cb-824c-7a7467783830", IDENTITY.format("id", "kubelet")),
        ("secrets", "control", "12338af0-0e69-4776-bea7-57ae8d297424", VAULT),
        ("registry-images", "kubelet", "7f951dda-4ed3-4680-a7ca-43fe172d538d", REGISTRY),
        (
            f"reservation-{ID[:8]}-r",
            "control",
            "b24988ac-6180-42a0-ab88-20f7382dd24c",
            f"/subscriptions/{ID}/resourceGroups/r",
        ),
    ],
)
def test_role(name: str, who: str, role: str, scope: str):
    """Of an identity of the cluster, by Azure's own id of the role, on one thing alone."""
    inputs, options, _ = made(cluster(), "RoleAssignment", f"aks-{name}")

    assert inputs == {
        "principalId": IDENTITY.format("principalId", who),
        "principalType": "ServicePrincipal",
        "roleDefinitionId": ROLE.format(role),
        "scope": scope,
    }
    assert options == {}


@pytest.mark.parametrize(("who", "kind"), [(ID, "Group"), (ID.replace("0", "1"), "User")])
def test_administrator(who: str, kind: str):
    """Of the cluster alone, as what the user says that they are."""
    assert made(cluster(), "RoleAssignment", f"aks-admin-{who}")[:2] == (
        {
            "principalId": who,
            "principalType": kind,
            "roleDefinitionId": ROLE.format("b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b"),
            "scope": "[id of azure-native:containerservice:ManagedCluster aks]",
        },
        {},
    )


@pytest.mark.parametrize(
    ("token", "name", "inputs"),
    [
        ("UserAssignedIdentity", "aks-control", IN_GROUP),
        ("UserAssignedIdentity", "aks-kubelet", IN_GROUP),
        ("AzureMonitorWorkspace", "aks", IN_GROUP),
        ("DataCollectionEndpoint", "aks", {**IN_GROUP, "kind": "Linux"}),
        (
            "DataCollectionRule",
            "aks",
            {
                **IN_GROUP,
                "kind": "Linux",
                "dataCollectionEndpointId": "[id of azure-native:monitor:DataCollectionEndpoint aks]",
                "dataSources": {
                    "prometheusForwarder": [{"name": "prometheus", "streams": ["Microsoft-PrometheusMetrics"]}]
                },
                "destinations": {
                    "monitoringAccounts": [
                        {
                            "name": "workspace",
                            "accountResourceId": "[id of azure-native:monitor:AzureMonitorWorkspace aks]",
                        }
                    ]
                },
                "dataFlows": [{"streams": ["Microsoft-PrometheusMetrics"], "destinations": ["workspace"]}],
            },
        ),
        (
            "DataCollectionRuleAssociation",
            "aks",
            {
                "resourceUri": "[id of azure-native:containerservice:ManagedCluster aks]",
                "dataCollectionRuleId": "[id of azure-native:monitor:DataCollectionRule aks]",
            },
        ),
    ],
)
def test_what_stands_beside_a_cluster(token: str, name: str, inputs: dict[str, Any]):
    """Its identities, and the pipe of its metrics from end to end."""
    assert made(cluster(), token, name)[:2] == (inputs, {})


def test_outputs_of_a_cluster():
    """Those of a cluster that exists are its own, but for what nobody told."""
    of_ours = cluster().one("rdma-cluster:index:AksCluster", "aks").outputs
    there = {"server": "https://c.hcp.southcentralus.azmk8s.io:443", "ca_certificate": "eA=="}
    args = {**OF_AZURE, "subnet": SUBNET, "name": "mine", "existing": there}
    existing = built("AksCluster", args).one("rdma-cluster:index:AksCluster", "aks").outputs

    assert of_ours["id"] == "[id of azure-native:containerservice:ManagedCluster aks]"
    assert of_ours["oidcIssuer"].startswith("https://") and of_ours["kubeconfig"] == "[secret]"
    assert (existing["id"], existing["oidcIssuer"], existing["name"]) == ("", "", "mine")


def test_identity_of_a_cluster():
    """Azure answers a list of ids by a mapping from each to what it is, and a program reads that."""
    from rdma_cluster import aks

    def program() -> None:
        args: Any = {**OF_AZURE, "subnet": SUBNET, "admins": [{"id": ID}]}
        made = aks.AksCluster("aks", args).cluster
        assert made is not None
        pulumi.export("identity", made.identity)

    identity = preview(program).outputs["identity"]
    assert (identity["type"], list(identity["userAssignedIdentities"])) == (
        "UserAssigned",
        [IDENTITY.format("id", "control")],
    )
