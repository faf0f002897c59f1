"""Which choices a cluster on AKS may make, and which are refused."""

from typing import Any

import pytest
from rdma_cluster.aks.plan.access import AksEndpoint
from rdma_cluster.aks.plan.cluster import AksClusterArgs, AksClusterPlan, plan_cluster
from rdma_cluster.base.args import plan_from
from tests.aks.plans import OF_AZURE, SUBNET, cluster_plan, places

CALLERS, EGRESS = ["203.0.113.7/32"], ["198.51.100.4/32"]
OPEN: dict[str, Any] = {"endpoint": "public", "public_cidrs": CALLERS}
SERVER = {"server": "https://c.hcp.southcentralus.azmk8s.io:443", "ca_certificate": "YQ=="}


def existing_plan(**more: Any) -> AksClusterPlan:
    """The plan of a cluster that exists, which has its own administrators."""
    base = {**OF_AZURE, "subnet": SUBNET, "existing": SERVER, "name": "mine"}
    return plan_from(AksClusterArgs, lambda of, at: plan_cluster(of, "aks", at), {**base, **more})


def test_a_cluster_without_choices_costs_and_opens_nothing():
    plan = cluster_plan()

    assert (plan.endpoint, plan.public_cidrs, plan.metrics) == (AksEndpoint.PRIVATE, (), False)
    assert (plan.node_os_upgrades.value, plan.login) == ("None", None)


@pytest.mark.parametrize(
    ("name", "fits"),
    [("9_a-Z", True), ("a" * 63, True), ("a" * 64, False), ("-a", False), ("a_", False), ("", False), ("a.b", False)],
)
def test_a_name_is_as_aks_takes_it(name: str, fits: bool):
    assert places(cluster_plan, name=name) == ([] if fits else ["name"])


@pytest.mark.parametrize(
    ("name", "prefix"), [("my_cluster", "my-cluster"), ("a" * 53 + "_b" + "c" * 8, "a" * 53), ("My_1", "My-1")]
)
def test_a_dns_prefix_is_made_of_the_name(name: str, prefix: str):
    """Names allow what host names do not, and more of it."""
    assert cluster_plan(name=name).dns_prefix == prefix


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ({**OPEN, "egress_cidrs": EGRESS}, []),
        ({"endpoint": "public", "egress_cidrs": EGRESS}, ["public_cidrs"]),
        ({"public_cidrs": CALLERS}, ["public_cidrs"]),
        (OPEN, ["egress_cidrs"]),
        ({**OPEN, "outbound": "load-balancer"}, []),
        ({**OPEN, "outbound": "load-balancer", "egress_cidrs": EGRESS}, ["egress_cidrs"]),
        ({**OPEN, "outbound": "routes", "egress_cidrs": EGRESS}, []),
        ({**OPEN, "outbound": "routes"}, ["egress_cidrs"]),
        ({"egress_cidrs": EGRESS}, ["egress_cidrs"]),
        ({**OPEN, "egress_cidrs": [*EGRESS, "10.0.0.0/16"]}, ["egress_cidrs[1]"]),
    ],
)
def test_a_public_api_is_reached_by_named_callers_and_by_its_nodes(args: dict[str, Any], found: list[str]):
    """Nodes come by AKS's own load balancer, or by blocks that are named, too."""
    assert places(cluster_plan, **args) == found


@pytest.mark.parametrize(("callers", "fits"), [(199, True), (200, False)])
def test_aks_lets_in_two_hundred_blocks_with_those_of_the_nodes(callers: int, fits: bool):
    blocks = [f"203.0.113.{i}/32" for i in range(callers)]
    found = places(cluster_plan, endpoint="public", public_cidrs=blocks, egress_cidrs=EGRESS)

    assert found == ([] if fits else ["public_cidrs"])


def test_an_existing_cluster_keeps_its_own_addresses():
    """Switches that are off are no choice."""
    plan = existing_plan(metrics=False, protected=False)

    assert (plan.overlay, plan.existing, plan.name) == (None, SERVER, "mine")


@pytest.mark.parametrize(
    ("server", "found"),
    [
        ({"server": "https://c"}, []),
        ({"server": "c.hcp.southcentralus.azmk8s.io"}, ["existing.server"]),
        ({"server": "https://c/api"}, ["existing.server"]),
        ({"ca_certificate": "a certificate"}, ["existing.ca_certificate"]),
    ],
)
def test_an_existing_cluster_is_named_by_an_address_and_a_certificate(server: dict[str, str], found: list[str]):
    assert places(existing_plan, existing={**SERVER, **server}) == found
