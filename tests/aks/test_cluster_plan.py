"""What a stack's choices decide for a cluster."""

import pytest
from rdma_cluster.aks.plan.access import AksEndpoint, AksLogin
from rdma_cluster.aks.plan.cluster import AksNodeOsUpgrades
from rdma_cluster.aks.plan.zones import resource_group_of
from tests.aks.plans import ID, RESERVATIONS, cluster_plan


def test_default():
    """A private API, no upgrade that nobody asked for, no metrics that cost."""
    made = cluster_plan()

    assert (made.endpoint, made.public_cidrs, made.login) == (AksEndpoint.PRIVATE, (), AksLogin.AZURE_CLI)
    assert (made.node_os_upgrades, made.metrics, made.version) == (AksNodeOsUpgrades.NONE, False, "1.36")
    assert (made.name, made.zone, made.existing) == ("aks", None, None)


@pytest.mark.parametrize(
    ("name", "prefix"), [("aks", "aks"), ("my_cluster", "my-cluster"), ("a" * 53 + "_b" + "c" * 8, "a" * 53)]
)
def test_dns_prefix_is_made_of_the_name(name: str, prefix: str):
    """Where names allow what host names do not, or more of it."""
    assert cluster_plan(name=name).dns_prefix == prefix


def test_role_on_a_reservation_is_for_its_resource_group():
    """AKS asks for it there."""
    assert resource_group_of(RESERVATIONS) == f"/subscriptions/{ID}/resourceGroups/r"
