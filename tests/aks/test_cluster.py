"""An AKS cluster in a program of one's own."""

import json
from base64 import b64encode
from functools import cache
from typing import Any

import pulumi
import pytest
from pulumi_offline import Graph, preview
from tests.aks.cloud import CLOUD
from tests.aks.plans import ID, OF_AZURE, RESERVATIONS, SUBNET, built, inputs, made
from tests.asked import MINE, Question, told
from tests.kubeconfigs import kubeconfig_of

GROUP = f"/subscriptions/{ID}/resourceGroups/r/providers"
VAULT = f"{GROUP}/Microsoft.KeyVault/vaults/v"
REGISTRIES = [f"{GROUP}/Microsoft.ContainerRegistry/registries/{each}" for each in ("a", "b", "A")]
OTHER = ID.replace("0", "1")
ADMINS = [{"id": ID}, {"id": OTHER, "type": "User"}]
ARGS: dict[str, Any] = {**OF_AZURE, "subnet": SUBNET, "admins": [{"id": ID}]}
THERE = {"server": "https://c.hcp.southcentralus.azmk8s.io:443", "ca_certificate": "eA=="}
CREDENTIALS = "azure-native:containerservice:listManagedClusterUserCredentials"


@cache
def plain() -> Graph:
    """A cluster without choices."""
    return built("AksCluster", ARGS)


def cluster(**choices: Any) -> dict[str, Any]:
    """A cluster with some choices."""
    return inputs(built("AksCluster", {**ARGS, **choices}), "ManagedCluster", "aks")


def granted(graph: Graph) -> dict[str, dict[str, Any]]:
    """The role assignments by name."""
    return {each.name: dict(each.inputs) for each in graph.resources if each.type.endswith(":RoleAssignment")}


def test_a_cluster_is_private_and_opens_by_entra_id_alone():
    """Nothing upgrades by itself, network policies are enforced, and pods have an issuer for their identities."""
    found = inputs(plain(), "ManagedCluster", "aks")

    assert found["apiServerAccessProfile"]["enablePrivateCluster"] is True
    assert (found["disableLocalAccounts"], found["aadProfile"]["enableAzureRBAC"], found["enableRBAC"]) == (True,) * 3
    assert found["autoUpgradeProfile"] == {"upgradeChannel": "none", "nodeOSUpgradeChannel": "None"}
    assert (found["networkProfile"]["networkPolicy"], found["networkProfile"]["networkPluginMode"]) == (
        "cilium",
        "overlay",
    )
    assert (found["oidcIssuerProfile"], found["securityProfile"]) == (
        {"enabled": True},
        {"workloadIdentity": {"enabled": True}},
    )
    assert found["sku"]["tier"] == "Standard"
    assert not {"storageProfile", "azureMonitorProfile"} & found.keys()


def test_system_nodes_scale_between_three_and_ten_in_all_zones():
    """Controllers of drivers run there."""
    (pool,), (alone,) = cluster(zone="2")["agentPoolProfiles"], cluster()["agentPoolProfiles"]

    assert (pool["minCount"], pool["maxCount"], pool["enableAutoScaling"]) == (3, 10, True)
    assert pool["availabilityZones"] == ["1", "2", "3"] and "availabilityZones" not in alone


def test_a_cluster_goes_before_another_of_its_name_comes():
    """Another machine, zone, subnet or kind of endpoint makes it anew; it is protected where that is asked for."""
    _, options, after = made(plain(), "ManagedCluster", "aks")
    protected = built("AksCluster", {**ARGS, "protected": True})

    assert options["deleteBeforeReplace"] is True
    assert options["replaceOnChanges"] == ["apiServerAccessProfile.enablePrivateCluster"]
    others = ({"zone": "2"}, {"system_machine": "Standard_D16s_v5"}, {"subnet": f"{SUBNET}-b"})
    graphs = (plain(), *(built("AksCluster", {**ARGS, **each}) for each in others))
    assert len({str(made(each, "ManagedCluster", "aks")[1]["replacementTrigger"]) for each in graphs}) == 4
    assert after >= {"RoleAssignment aks-subnet", "RoleAssignment aks-kubelet"}
    assert "protect" not in options and made(protected, "ManagedCluster", "aks")[1]["protect"] is True


def test_a_public_api_lets_in_named_people_and_the_nodes():
    """A block of both, as of an office whose firewall is the nodes' way out, is named once."""
    blocks = ["203.0.113.7/32", "203.0.113.8/32"]
    public = {"endpoint": "public", "public_cidrs": blocks, "outbound": "routes", "egress_cidrs": [blocks[0]]}
    found = cluster(**public)

    assert found["apiServerAccessProfile"] == {"enablePrivateCluster": False, "authorizedIPRanges": blocks}
    assert found["networkProfile"]["outboundType"] == "userDefinedRouting"


def test_secrets_are_encrypted_by_the_users_key():
    key = f"https://my-vault.vault.azure.net/keys/aks/{'0' * 32}"
    graph = built("AksCluster", {**ARGS, "secrets_key": key, "secrets_vault": VAULT})
    found, _, after = made(graph, "ManagedCluster", "aks")

    assert found["securityProfile"]["azureKeyVaultKms"]["keyId"] == key
    assert granted(graph)["aks-secrets"]["scope"] == VAULT and "RoleAssignment aks-secrets" in after


def test_each_identity_has_narrow_roles():
    """They reach the subnet, the kubelet's identity, a reservation's group and a registry; people reach the cluster."""
    choices = {"reservations": [RESERVATIONS], "container_registries": REGISTRIES[:1], "admins": ADMINS}
    found = granted(built("AksCluster", {**ARGS, **choices}))
    identity = "[{} of azure-native:managedidentity:UserAssignedIdentity aks-{}]"
    control, kubelet = (identity.format("principalId", part) for part in ("control", "kubelet"))
    of_cluster = "[id of azure-native:containerservice:ManagedCluster aks]"

    assert {name: (each["principalId"], each["principalType"], each["scope"]) for name, each in found.items()} == {
        "aks-subnet": (control, "ServicePrincipal", SUBNET),
        "aks-kubelet": (control, "ServicePrincipal", identity.format("id", "kubelet")),
        f"aks-reservation-{ID[:8]}-r": (control, "ServicePrincipal", f"/subscriptions/{ID}/resourceGroups/r"),
        "aks-registry-a": (kubelet, "ServicePrincipal", REGISTRIES[0]),
        f"aks-admin-{ID}": (ID, "Group", of_cluster),
        f"aks-admin-{OTHER}": (OTHER, "User", of_cluster),
    }


def test_roles_are_named_after_what_they_are_for():
    """Another order of the user's lists moves nothing, and one role on one scope is granted once, as Azure wants it."""
    lists: dict[str, list[Any]] = {
        "admins": ADMINS,
        "reservations": [RESERVATIONS, f"{RESERVATIONS}2", RESERVATIONS.replace("/r/", "/s/")],
        "container_registries": REGISTRIES,
    }
    one, other = (
        granted(built("AksCluster", {**ARGS, **{key: each[::step] for key, each in lists.items()}})) for step in (1, -1)
    )

    assert one.keys() == other.keys() and len(one) == len(["subnet", "kubelet"]) + 2 + 2 + 2


def test_the_provider_waits_for_the_administrators():
    """The client is let in by a role, and another cluster of this name is the same to it."""
    provider = plain().one("pulumi:providers:kubernetes", "aks")

    assert any(urn.endswith(f"RoleAssignment::aks-admin-{ID}") for urn in provider.dependencies)
    assert provider.inputs["clusterIdentifier"] == f"aks/{ID}/southcentralus/aks"
    assert provider.inputs["kubeconfig"] == "[secret]"


def test_a_cluster_that_exists_gets_a_provider_and_nothing_of_azures():
    graph = built("AksCluster", {**OF_AZURE, "subnet": SUBNET, "name": "mine", "existing": THERE})
    outputs = graph.one("rdma-cluster:index:AksCluster", "aks").outputs

    assert graph.of_type("pulumi:providers:kubernetes")
    assert not [each.type for each in graph.resources if each.type.startswith("azure-native:")]
    assert (outputs["id"], outputs["oidcIssuer"], outputs["name"]) == ("", "", "mine")


def test_identities_of_a_cluster_can_be_read():
    """Azure answers a list of ids by a mapping, which the SDK misreads."""

    def program() -> None:
        from rdma_cluster import aks

        args: Any = ARGS
        made_ = aks.AksCluster("aks", args).cluster
        assert made_ is not None
        pulumi.export("identity", made_.identity)

    identity = "[id of azure-native:managedidentity:UserAssignedIdentity aks-control]"
    assert list(preview(program).outputs["identity"]["userAssignedIdentities"]) == [identity]


def test_a_cluster_asks_for_its_users_kubeconfig():
    """It alone has the certificate; the format puts a command in the place of a password."""
    question = {"resourceGroupName": "g", "resourceName": "aks", "format": "exec"}

    assert told("aks", "pulumi_azure_native", "AksCluster", ARGS).asked == [Question(CREDENTIALS, question, MINE)]


YAML = "clusters:\n- cluster: {certificate-authority-data: one}\n- cluster: {certificate-authority-data: two}\n"
JSON = json.dumps({"clusters": [{"cluster": {"certificate-authority-data": each}} for each in ("one", "two")]})


@pytest.mark.parametrize("text", [YAML, JSON], ids=["YAML", "JSON"])
def test_the_certificate_is_that_of_the_first_cluster(text: str):
    """AKS hands a kubeconfig out as YAML, and other clouds as JSON."""
    texts: list[str] = []

    def program() -> None:
        from rdma_cluster import aks

        args: Any = ARGS
        aks.AksCluster("aks", args).kubeconfig.apply(texts.append)

    answer = {"kubeconfigs": [{"name": "clusterUser", "value": b64encode(text.encode()).decode()}]}
    preview(program, invokes={CREDENTIALS: answer})
    (found,) = json.loads(texts[0])["clusters"]
    assert found["cluster"]["certificate-authority-data"] == "one"


def test_a_kubeconfig_logs_in_as_whoever_ran_az_login():
    """The token is for AKS's own application."""
    said = kubeconfig_of(CLOUD)
    command = said["users"][0]["user"]["exec"]

    assert (command["command"], command["args"][:3]) == ("kubelogin", ["get-token", "--login", "azurecli"])
    assert command["args"][3:] == ["--server-id", "6dae42f8-4368-4678-94ff-3960e28e3630"]
    assert said["clusters"][0]["cluster"]["server"].endswith(":443")
