"""What each choice of a cluster on AKS becomes, and what is refused of it."""

from typing import Any

import pytest
from rdma_cluster.aks.plan.access import AksEndpoint, AksLogin
from rdma_cluster.aks.plan.cluster import AksClusterArgs, AksClusterPlan, AksNodeOsUpgrades, plan_cluster
from rdma_cluster.aks.plan.network import OverlayPlan
from rdma_cluster.base.args import plan_from
from tests.aks.plans import ID, RESERVATIONS, SUBNET, cluster_plan, refused

DEFAULT = AksClusterPlan(
    name="aks",
    subscription=ID,
    location="southcentralus",
    zone=None,
    version="1.36",
    dns_prefix="aks",
    endpoint=AksEndpoint.PRIVATE,
    public_cidrs=(),
    login=AksLogin.AZURE_CLI,
    node_os_upgrades=AksNodeOsUpgrades.NONE,
    metrics=False,
    system_machine="Standard_D8s_v5",
    overlay=OverlayPlan("10.244.0.0/14", "10.0.0.0/16", "10.0.0.10"),
    identifier=f"aks/{ID}/southcentralus/aks",
    existing=None,
    admins=({"id": ID},),
)
CALLERS = ["203.0.113.7/32"]
EGRESS = ["198.51.100.4/32"]
PUBLIC: dict[str, Any] = {"endpoint": "public", "public_cidrs": CALLERS, "egress_cidrs": EGRESS}
SERVER = {"server": "https://c.hcp.southcentralus.azmk8s.io:443", "ca_certificate": "YQ=="}
THERE: dict[str, Any] = {"existing": SERVER, "name": "mine"}
GROUP = f"/subscriptions/{ID}/resourceGroups/r/providers"
REGISTRY, VAULT = f"{GROUP}/Microsoft.ContainerRegistry/registries/a", f"{GROUP}/Microsoft.KeyVault/vaults/v"
KEY = f"https://my-vault.vault.azure.net/keys/aks/{'0' * 32}"


def existing_plan(**more: Any) -> AksClusterPlan:
    """The plan of a cluster that exists: it has its own administrators."""
    base = {"subscription": ID, "location": "southcentralus", "resource_group": "g", "subnet": SUBNET, **THERE}
    return plan_from(AksClusterArgs, lambda of, at: plan_cluster(of, "aks", at), {**base, **more})


def places_of(errors: list[str]) -> list[str]:
    """Where each of them stands."""
    return [error.partition(": ")[0] for error in errors]


@pytest.mark.parametrize(
    ("args", "changed"),
    [
        ({}, {}),
        ({"name": "My_1"}, {"name": "My_1", "dns_prefix": "My-1", "identifier": f"aks/{ID}/southcentralus/My_1"}),
        (
            {"location": "eastus2", "zone": "2"},
            {"location": "eastus2", "zone": "2", "identifier": f"aks/{ID}/eastus2/aks"},
        ),
        ({"version": "1.35.2"}, {"version": "1.35.2"}),
        (PUBLIC, {"endpoint": AksEndpoint.PUBLIC, "public_cidrs": tuple(CALLERS)}),
        ({"login": "spn"}, {"login": AksLogin.SERVICE_PRINCIPAL}),
        ({"node_os_upgrades": "NodeImage"}, {"node_os_upgrades": AksNodeOsUpgrades.NODE_IMAGE}),
        ({"metrics": True}, {"metrics": True}),
        ({"system_machine": "Standard_D4s_v5"}, {"system_machine": "Standard_D4s_v5"}),
        (
            {"pod_cidr": "10.32.0.0/11", "service_cidr": "10.8.0.0/16"},
            {"overlay": OverlayPlan("10.32.0.0/11", "10.8.0.0/16", "10.8.0.10")},
        ),
    ],
)
def test_each_choice(args: dict[str, Any], changed: dict[str, Any]):
    """Changes its own part of the plan, and nothing else."""
    plan = cluster_plan(**args)

    assert {key: getattr(plan, key) for key in DEFAULT.__annotations__} == {
        key: changed.get(key, getattr(DEFAULT, key)) for key in DEFAULT.__annotations__
    }


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("a", True),
        ("9_a-Z", True),
        ("a" * 63, True),
        ("a" * 64, False),
        ("-a", False),
        ("a_", False),
        ("", False),
        ("a.b", False),
    ],
)
def test_names(name: str, fits: bool):
    """As AKS takes them."""
    words = f"name: got {name!r}; AKS wants 1 to 63 letters, digits, hyphens and underscores, a letter or digit at both"

    assert refused(cluster_plan, name=name) == ([] if fits else [f"{words} ends"])


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("1.34", ""),
        ("1.34.2", ""),
        ("1.99", ""),
        ("1.33.9", "got 1.33.9; AKS offers 1.34 to 1.37; choose one of these"),
        ("1", "got '1'; AKS writes 1.35 or 1.35.2"),
        ("v1.36", "got 'v1.36'; AKS writes 1.35 or 1.35.2"),
        ("1.36.2.1", "got '1.36.2.1'; AKS writes 1.35 or 1.35.2"),
    ],
)
def test_versions(version: str, words: str):
    """A minor or a patch that AKS still offers; of newer ones we only have not heard."""
    assert refused(cluster_plan, version=version) == ([f"version: {words}"] if words else [])


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        ("Standard_D4s_v5", ""),
        ("Standard_E16-4ds_v5", ""),
        ("Standard_D2s_v5", "of 2 vCPUs; the cluster's own pods and the operators' take 4 or more"),
        ("Standard_NC24ads_A100_v4", "which has GPUs that no system pod uses"),
        ("D8s_v5", "write a size's name, e.g. Standard_D8s_v5"),
    ],
)
def test_system_machines(machine: str, words: str):
    """Without GPUs, with four vCPUs or more."""
    errors = refused(cluster_plan, system_machine=machine)

    assert len(errors) == bool(words) and all(words in each for each in errors)


@pytest.mark.parametrize(
    ("args", "places"),
    [
        ({"secrets_key": KEY, "secrets_vault": VAULT}, []),
        ({"secrets_key": KEY}, ["secrets_vault"]),
        ({"secrets_vault": VAULT}, ["secrets_key"]),
        ({"secrets_key": KEY.rpartition("/")[0], "secrets_vault": VAULT}, ["secrets_key"]),
        ({"secrets_key": KEY, "secrets_vault": REGISTRY}, ["secrets_vault"]),
        ({"container_registries": [REGISTRY, VAULT]}, ["container_registries[1]"]),
        ({"container_registries": [REGISTRY]}, []),
        ({"reservations": [RESERVATIONS, SUBNET]}, ["reservations[1]"]),
        ({"reservations": [RESERVATIONS]}, []),
        ({"subnet": VAULT}, ["subnet"]),
        ({"max_nodes": 0}, ["max_nodes"]),
        ({"admins": []}, ["admins"]),
        ({"admins": [{"id": ID}, {"id": "me"}]}, ["admins[1].id"]),
        ({"admins": [{"id": ID}, {"id": ID}]}, ["admins[1].id"]),
        ({"subscription": "x", "location": "South Central US", "zone": "4"}, ["subscription", "location", "zone"]),
        ({"protected": True, "metrics": True}, []),
    ],
)
def test_what_is_refused(args: dict[str, Any], places: list[str]):
    """Each thing at its place, and nothing beside it."""
    assert places_of(refused(cluster_plan, **args)) == places


@pytest.mark.parametrize(
    ("args", "places"),
    [
        (PUBLIC, []),
        ({"endpoint": "public", "egress_cidrs": EGRESS}, ["public_cidrs"]),
        ({"public_cidrs": CALLERS}, ["public_cidrs"]),
        ({"endpoint": "public", "public_cidrs": CALLERS}, ["egress_cidrs"]),
        ({"endpoint": "public", "public_cidrs": CALLERS, "outbound": "load-balancer"}, []),
        ({**PUBLIC, "outbound": "load-balancer"}, ["egress_cidrs"]),
        ({**PUBLIC, "outbound": "routes"}, []),
        ({"endpoint": "public", "public_cidrs": CALLERS, "outbound": "routes"}, ["egress_cidrs"]),
        ({"egress_cidrs": EGRESS}, ["egress_cidrs"]),
        ({**PUBLIC, "egress_cidrs": [*EGRESS, "10.0.0.0/16"]}, ["egress_cidrs[1]"]),
        # Whoever asks for no callers is told that first; AKS lets in 200 blocks in all.
        ({**PUBLIC, "public_cidrs": [f"203.0.113.{i}/32" for i in range(199)]}, []),
        ({**PUBLIC, "public_cidrs": [f"203.0.113.{i}/32" for i in range(200)]}, ["public_cidrs"]),
    ],
)
def test_who_reaches_a_public_api(args: dict[str, Any], places: list[str]):
    """Callers that are named, and nodes: by AKS's own load balancer, or by blocks that are named, too."""
    assert places_of(refused(cluster_plan, **args)) == places


@pytest.mark.parametrize(
    ("args", "places"),
    [
        ({}, []),
        ({"metrics": False, "protected": False}, []),
        *(
            ({key: value}, [key])
            for key, value in (
                ("admins", [{"id": ID}]),
                ("endpoint", "public"),
                ("public_cidrs", CALLERS),
                ("egress_cidrs", EGRESS),
                ("node_os_upgrades", "None"),
                ("metrics", True),
                ("system_machine", "Standard_D8s_v5"),
                ("container_registries", [REGISTRY]),
                ("protected", True),
            )
        ),
        ({"secrets_key": KEY, "secrets_vault": VAULT}, ["secrets_key", "secrets_vault"]),
        ({"existing": {**SERVER, "server": "c.hcp.southcentralus.azmk8s.io"}}, ["existing.server"]),
        ({"existing": {**SERVER, "server": "https://c/api"}}, ["existing.server"]),
        ({"existing": {**SERVER, "server": "https://c"}}, []),
        ({"existing": {**SERVER, "ca_certificate": "a certificate"}}, ["existing.ca_certificate"]),
    ],
)
def test_an_existing_cluster_has_its_own(args: dict[str, Any], places: list[str]):
    """Each choice of a new one is refused beside it, but a switch that is off."""
    assert places_of(refused(existing_plan, **args)) == places


def test_an_existing_cluster_has_no_addresses_of_ours():
    """Nor is it asked who administers it."""
    plan = existing_plan()

    assert (plan.overlay, plan.existing, plan.name) == (None, SERVER, "mine")
    assert (plan.endpoint, plan.public_cidrs) == (AksEndpoint.PRIVATE, ())
