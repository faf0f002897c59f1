"""Each resource of AKS's components whole: what Azure's API and the engine are told, and what it comes after."""

from functools import cache
from typing import Any

import pytest
from rdma_cluster import aks
from rdma_cluster.offline import Graph, preview

from tests.aks.plans import ID, RESERVATIONS, SUBNET, made

WHERE: dict[str, Any] = {"location": "southcentralus", "resource_group": "g"}
OF_AZURE: dict[str, Any] = {**WHERE, "subscription": ID}
IN_GROUP = {"location": "southcentralus", "resourceGroupName": "g"}
HOUR = {"customTimeouts": {"create": "60m", "update": "60m", "delete": "60m"}}
ROLE = f"/subscriptions/{ID}/providers/Microsoft.Authorization/roleDefinitions/{{}}"
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


def built(component: str, args: dict[str, Any]) -> Graph:
    """What one component makes in a program of its own."""
    return preview(lambda: getattr(aks, component)("aks", args))


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


@cache
def pool(spot: bool = False) -> Graph:
    """A pool with all its choices, or one of spot nodes."""
    base = {"name": "h100", "machine": "Standard_ND96isr_H100_v5", "nodes": 2, "resource_group": "g", "cluster": "c"}
    more: dict[str, Any] = {
        "capacity": {"reservation": {"group": RESERVATIONS}},
        "zone": "2",
        "node_version": "1.35",
        "os_disk_gb": 256,
        "os_disk": "Ephemeral",
        "labels": {"team": "a"},
        "gpu_driver": "aks",
    }
    args = {**base, "subnet": SUBNET, "infiniband_feature": "taken-as-right"}
    return built("AksGpuNodePool", {**args, **({"capacity": {"spot": True}} if spot else more)})


OF_POOL = {
    "resourceGroupName": "g",
    "resourceName": "c",
    "agentPoolName": "h100",
    "vmSize": "Standard_ND96isr_H100_v5",
    "count": 2,
    "mode": "User",
    "type": "VirtualMachineScaleSets",
    "osType": "Linux",
    "osSKU": "Ubuntu",
    "kubeletDiskType": "OS",
    "vnetSubnetID": SUBNET,
    "enableNodePublicIP": False,
    "enableAutoScaling": False,
    "scaleDownMode": "Delete",
    "upgradeSettings": {"maxSurge": "0", "maxUnavailable": "1"},
    "nodeTaints": ["nvidia.com/gpu=present:NoSchedule"],
}


@pytest.mark.parametrize("spot", [False, True])
def test_pool(spot: bool):
    """One scale set that nobody scales, whose nodes go before their successors come."""
    inputs, options, after = made(pool(spot), "AgentPool", "aks")
    of_spot = {
        "osDiskType": "Managed",
        "osDiskSizeGB": 512,
        "gpuProfile": {"driver": "None"},
        "scaleSetPriority": "Spot",
        "scaleSetEvictionPolicy": "Delete",
        "spotMaxPrice": -1,
        "nodeLabels": {},
    }
    reserved = {
        "osDiskType": "Ephemeral",
        "osDiskSizeGB": 256,
        "gpuProfile": {"driver": "Install"},
        "scaleSetPriority": "Regular",
        "capacityReservationGroupID": RESERVATIONS,
        "availabilityZones": ["2"],
        "orchestratorVersion": "1.35",
        "nodeLabels": {"team": "a"},
    }

    assert inputs == {**OF_POOL, **(of_spot if spot else reserved)}
    assert options == {
        "customTimeouts": {"create": "61m", "update": "120m", "delete": "60m"},
        "deleteBeforeReplace": True,
        "replaceOnChanges": [
            "availabilityZones",
            "capacityReservationGroupID",
            "gpuProfile",
            "osDiskSizeGB",
            "osDiskType",
            "scaleSetPriority",
            "vnetSubnetID",
        ],
    }
    assert after == set()


@cache
def network(choice: str) -> Graph:
    """A network with a file system's subnet, or one whose nodes leave by AKS's load balancer."""
    return built("AksHpcNetwork", {**WHERE, **({"lustre_tib": 8} if choice == "lustre" else {"outbound": choice})})


NAT = {"natGateway": {"id": "[id of azure-native:network:NatGateway aks-nat]"}}


@pytest.mark.parametrize(
    ("choice", "part", "cidr", "options", "after"),
    [
        ("lustre", "nodes", "10.224.0.0/23", {}, {"NatGateway aks-nat"}),
        (
            "lustre",
            "lustre",
            "10.224.255.0/24",
            {"replacementTrigger": ["10.224.255.0/24"], "deleteBeforeReplace": True},
            {"NatGateway aks-nat", "Subnet aks-nodes"},
        ),
        ("load-balancer", "nodes", "10.224.0.0/23", {}, set()),
    ],
)
def test_subnet(choice: str, part: str, cidr: str, options: dict[str, Any], after: set[str]):
    """Closed, with the way out that is named and none by chance; Azure changes one at a time."""
    found = made(network(choice), "Subnet", f"aks-{part}")

    assert found[0] == {
        "resourceGroupName": "g",
        "virtualNetworkName": "aks",
        "addressPrefix": cidr,
        "networkSecurityGroup": {"id": "[id of azure-native:network:NetworkSecurityGroup aks]"},
        "defaultOutboundAccess": False,
        "privateEndpointNetworkPolicies": "Disabled",
        "privateLinkServiceNetworkPolicies": "Enabled",
        **({} if choice == "load-balancer" else NAT),
    }
    assert found[1] == options
    assert found[2] == {"NetworkSecurityGroup aks", "VirtualNetwork aks", *after}


@pytest.mark.parametrize(
    ("token", "name", "inputs", "options"),
    [
        (
            "VirtualNetwork",
            "aks",
            {
                "addressSpace": {"addressPrefixes": ["10.224.0.0/16"]},
                "enableDdosProtection": False,
                "enableVmProtection": False,
            },
            {"replacementTrigger": ["10.224.0.0/16", "10.224.0.0/23"]},
        ),
        ("NetworkSecurityGroup", "aks", {}, {"replaceOnChanges": ["location"]}),
        ("PublicIPAddress", "aks-nat", {"sku": {"name": "Standard"}, "publicIPAllocationMethod": "Static"}, {}),
        (
            "NatGateway",
            "aks-nat",
            {
                "sku": {"name": "Standard"},
                "publicIpAddresses": [{"id": "[id of azure-native:network:PublicIPAddress aks-nat]"}],
            },
            {"replaceOnChanges": ["location"]},
        ),
    ],
)
def test_part_of_a_network(token: str, name: str, inputs: dict[str, Any], options: dict[str, Any]):
    """Its blocks, its group without rules, and one address by which all nodes leave."""
    assert made(network("lustre"), token, name)[:2] == ({**IN_GROUP, **inputs}, options)


@pytest.mark.parametrize(
    ("choice", "lustre", "egress", "outbound"),
    [
        (
            "lustre",
            "[id of azure-native:network:Subnet aks-lustre]",
            "[ipAddress of azure-native:network:PublicIPAddress aks-nat]/32",
            "nat-gateway",
        ),
        ("load-balancer", "", "", "load-balancer"),
    ],
)
def test_outputs_of_a_network(choice: str, lustre: str, egress: str, outbound: str):
    """What a cluster and a store on it need; empty where there is none."""
    assert network(choice).one("rdma-cluster:index:AksHpcNetwork", "aks").outputs == {
        "subnet": "[id of azure-native:network:Subnet aks-nodes]",
        "lustreSubnet": lustre,
        "cidrs": ["10.224.0.0/16"],
        "outbound": outbound,
        "egressCidr": egress,
    }


OF_STORE: dict[str, Any] = {**OF_AZURE, "namespaces": ["a"], "identity_client": "c", "identity_principal": "p"}
FUSE = {"protocol": "fuse2", "AzureStorageAuthType": "MSI", "AzureStorageIdentityClientID": "c"}
CONTRIBUTOR = {
    "principalId": "p",
    "principalType": "ServicePrincipal",
    "roleDefinitionId": ROLE.format("ba92f5b4-2d11-453d-a403-e96b0029c9fe"),
}


@pytest.mark.parametrize("deletable", [False, True])
def test_a_new_account(deletable: bool):
    """Entra ID alone opens it, over TLS 1.2; it is protected with its container unless it may go."""
    graph = built("AksStorage", {**OF_STORE, "object_store": {"deletable": deletable}})
    options = {} if deletable else {"protect": True}

    assert made(graph, "StorageAccount", "aksstorage")[:2] == (
        {
            **IN_GROUP,
            "kind": "StorageV2",
            "sku": {"name": "Standard_LRS"},
            "allowBlobPublicAccess": False,
            "allowSharedKeyAccess": False,
            "enableHttpsTrafficOnly": True,
            "minimumTlsVersion": "TLS1_2",
        },
        options,
    )
    assert made(graph, "BlobContainer", "aksstorage-data")[:2] == (
        {"resourceGroupName": "g", "accountName": "aksstorage", "containerName": "data", "publicAccess": "None"},
        options,
    )
    scope = "[id of azure-native:storage:StorageAccount aksstorage]"
    assert made(graph, "RoleAssignment", "aks-storage")[:2] == ({**CONTRIBUTOR, "scope": scope}, {})
    assert graph.one("rdma-cluster:index:AksStorage", "aks").outputs == {
        "store": "aksstorage/data",
        "handle": "g#aksstorage#data",
        "attributes": {**FUSE, "resourceGroup": "g", "storageAccount": "aksstorage", "containerName": "data"},
    }


@pytest.mark.parametrize("group", ["", "other"])
def test_an_account_that_is_there(group: str):
    """In its own group or the cluster's: nothing is made of it but who may read and write."""
    choice = {"account": "mine", "container": "abc", **({"resource_group": group} if group else {})}
    graph = built("AksStorage", {**OF_STORE, "object_store": choice})
    of = group or "g"
    scope = f"/subscriptions/{ID}/resourceGroups/{of}/providers/Microsoft.Storage/storageAccounts/mine"

    assert made(graph, "RoleAssignment", "aks-storage")[0] == {**CONTRIBUTOR, "scope": scope}
    assert len(graph.resources) == 2
    assert graph.one("rdma-cluster:index:AksStorage", "aks").outputs == {
        "store": "mine/abc",
        "handle": f"{of}#mine#abc",
        "attributes": {**FUSE, "resourceGroup": of, "storageAccount": "mine", "containerName": "abc"},
    }


@pytest.mark.parametrize("deletable", [False, True])
def test_a_file_system(deletable: bool):
    """In its subnet and zone, maintained when it is said; what Azure never changes of it makes another."""
    lustre = {"capacity_tib": 8, "deletable": deletable}
    zone = {} if deletable else {"zone": "2"}
    graph = built("AksStorage", {**OF_STORE, "lustre": lustre, "lustre_subnet": "s", **zone})
    inputs, options, _ = made(graph, "AmlFilesystem", "aks-storage")

    assert inputs == {
        **IN_GROUP,
        "sku": {"name": "AMLFS-Durable-Premium-500"},
        "storageCapacityTiB": 8,
        "filesystemSubnet": "s",
        "maintenanceWindow": {"dayOfWeek": "Sunday", "timeOfDayUTC": "03:00"},
        **({} if deletable else {"zones": ["2"]}),
    }
    assert options == {
        **HOUR,
        "deleteBeforeReplace": True,
        "replaceOnChanges": ["filesystemSubnet", "location", "sku", "storageCapacityTiB", "zones"],
        **({} if deletable else {"protect": True}),
    }
    assert graph.one("rdma-cluster:index:AksStorage", "aks").outputs == {
        "store": "aks-storage",
        "handle": "aks-storage",
        "attributes": {"mgs-ip-address": "[mgsAddress of azure-native:storagecache:AmlFilesystem aks-storage]"},
    }


@cache
def operators() -> Graph:
    """Both operators, and what lifts the limit of locked memory."""
    nodes = {"label": "l", "values": ["a"], "nodes": 2}
    choice = {"gpu_allocation": "device-plugin", "memory_lock": "node"}
    return built("AksOperators", {"machines": ["Standard_ND96isr_H100_v5"], "nodes": nodes, **choice})


@pytest.mark.parametrize("name", ["gpu-operator", "network-operator"])
def test_namespace_of_an_operator(name: str):
    """Whose pods write to the host."""
    inputs, _, _ = made(operators(), "Namespace", f"aks-{name}")

    assert inputs["metadata"] == {"name": name, "labels": {"pod-security.kubernetes.io/enforce": "privileged"}}
    assert made(operators(), "Release", f"aks-{name}")[2] >= {f"Namespace aks-{name}"}


def test_objects_of_the_network_operator():
    """The rule after the chart that brings its kind, and the policy after both, until drivers are built."""
    rule, of_rule, after_chart = made(operators(), "NodeFeatureRule", "aks-infiniband")
    policy, of_policy, after = made(operators(), "NicClusterPolicy", "aks-infiniband")

    assert (rule["apiVersion"], rule["metadata"], of_rule) == ("nfd.k8s-sigs.io/v1alpha1", {"name": "infiniband"}, {})
    assert (policy["apiVersion"], policy["metadata"]) == (
        "mellanox.com/v1alpha1",
        {"name": "nic-cluster-policy", "annotations": {"pulumi.com/waitFor": "jsonpath={.status.state}=ready"}},
    )
    assert of_policy == {"customTimeouts": {"create": "2700s", "update": "2700s"}}
    assert (after_chart, after) == (
        {"Release aks-network-operator"},
        {"Release aks-network-operator", "NodeFeatureRule aks-infiniband"},
    )


def test_limit_of_locked_memory():
    """A container that may do all, on the host's own root, ends before a pod that only stays."""
    (inputs, _, _) = made(operators(), "DaemonSet", "aks-memory-lock")
    spec = inputs["spec"]["template"]["spec"]
    (first,) = spec["initContainers"]
    shell, flag, text = first.pop("command")

    assert inputs["metadata"]["name"] == "memory-lock" and (shell, flag) == ("sh", "-c")
    assert first == {
        "name": "memory-lock",
        "image": first["image"],
        "resources": {"requests": {"cpu": "10m"}},
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": "host", "mountPath": "/host"}],
    }
    assert first["image"].partition(":")[0] == "docker.io/library/python"
    assert spec["containers"][0]["image"].partition(":")[0] == "gke.gcr.io/pause"
    assert [each["hostPath"]["path"] for each in spec["volumes"] if each["name"] == "host"] == ["/"]
    assert "/host/etc/systemd/system/containerd.service.d" in text and "LimitMEMLOCK=infinity" in text
    term = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term == [{"matchExpressions": [{"key": "l", "operator": "In", "values": ["a"]}]}]
