"""Stores of AKS in a program of one's own, and what pods mount of them."""

from typing import Any

import pytest
from pulumi_offline import Graph
from tests.aks.plans import ID, OF_AZURE, built, inputs, made, names

OF_STORE: dict[str, Any] = {**OF_AZURE, "namespaces": ["a"], "identity_client": "c", "identity_principal": "p"}


def store(**choice: Any) -> Graph:
    """A store, and nothing else."""
    return built("AksStorage", {**OF_STORE, **choice})


def outputs(graph: Graph) -> Any:
    """What a volume needs of a store."""
    return graph.one("rdma-cluster:index:AksStorage", "aks").outputs


def test_a_new_account_opens_by_entra_id_alone():
    """It takes TLS 1.2 at the least; the nodes' identity reads and writes, and pods mount it by that."""
    graph = store(object_store={})
    account, role = inputs(graph, "StorageAccount", "aksstorage"), inputs(graph, "RoleAssignment", "aks-storage")

    assert (account["allowBlobPublicAccess"], account["allowSharedKeyAccess"]) == (False, False)
    assert (account["enableHttpsTrafficOnly"], account["minimumTlsVersion"]) == (True, "TLS1_2")
    assert inputs(graph, "BlobContainer", "aksstorage-data")["publicAccess"] == "None"
    assert (role["principalId"], role["scope"]) == ("p", "[id of azure-native:storage:StorageAccount aksstorage]")
    assert (outputs(graph)["store"], outputs(graph)["handle"]) == ("aksstorage/data", "g#aksstorage#data")
    attributes = outputs(graph)["attributes"]
    assert (attributes["AzureStorageAuthType"], attributes["AzureStorageIdentityClientID"]) == ("MSI", "c")


@pytest.mark.parametrize("choice", [{"object_store": {}}, {"lustre": {"capacity_tib": 8}, "lustre_subnet": "s"}])
def test_data_is_protected_unless_it_may_go(choice: dict[str, Any]):
    (kind, *_) = choice
    kept, free = store(**choice), store(**{**choice, kind: {**choice[kind], "deletable": True}})
    data = ("StorageAccount", "BlobContainer", "AmlFilesystem")

    for graph, protect in ((kept, True), (free, None)):
        found = [each for each in graph.resources if each.type.rpartition(":")[2] in data]
        assert found and all(each.options.get("protect") is protect for each in found)


@pytest.mark.parametrize("group", ["", "other"])
def test_of_an_account_that_is_there_only_a_role_is_made(group: str):
    """It lies in its own group or in the cluster's."""
    choice = {"account": "mine", "container": "abc", **({"resource_group": group} if group else {})}
    graph, of = store(object_store=choice), group or "g"

    scope = f"/subscriptions/{ID}/resourceGroups/{of}/providers/Microsoft.Storage/storageAccounts/mine"
    assert inputs(graph, "RoleAssignment", "aks-storage")["scope"] == scope
    assert len(graph.resources) == 2
    assert (outputs(graph)["handle"], outputs(graph)["attributes"]["resourceGroup"]) == (f"{of}#mine#abc", of)


def test_a_file_system_lies_in_its_subnet_and_zone():
    """What Azure never changes of it makes another, for which there are addresses only once it is gone."""
    graph = store(lustre={"capacity_tib": 8}, lustre_subnet="s", zone="2")
    found, options, _ = made(graph, "AmlFilesystem", "aks-storage")

    assert (found["filesystemSubnet"], found["zones"], found["storageCapacityTiB"]) == ("s", ["2"], 8)
    assert options["deleteBeforeReplace"] is True
    assert set(options["replaceOnChanges"]) == {"filesystemSubnet", "location", "sku", "storageCapacityTiB", "zones"}
    assert "mgsAddress" in outputs(graph)["attributes"]["mgs-ip-address"]
    assert names(graph, "StorageAccount") == set()
