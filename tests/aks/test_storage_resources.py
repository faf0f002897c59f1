"""Each resource of AKS's stores whole, and what pods mount of them."""

from typing import Any

import pytest
from tests.aks.plans import ID, IN_GROUP, OF_AZURE, ROLE, built, made

HOUR = {"customTimeouts": {"create": "60m", "update": "60m", "delete": "60m"}}
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
