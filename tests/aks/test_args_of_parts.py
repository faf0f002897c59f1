"""What an AKS stack of many pools tells its cluster and its operators, and how roles are named."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from rdma_cluster.aks.plan.network import AksExistingNetwork, AksOutbound

from tests.aks.plans import ID, RESERVATIONS, pool, stack_plan

PLUGIN = {"gpu_allocation": "device-plugin"}
H200, A100_40 = "Standard_ND96isr_H200_v5", "Standard_ND96asr_v4"
A100_80 = "Standard_ND96amsr_A100_v4"
NETWORK = AksExistingNetwork(subnet="s", cidrs=["10.224.0.0/16"], outbound=AksOutbound.ROUTES)


def pools(spot: bool = True) -> list[dict[str, Any]]:
    """Five machines in no order, one of them twice; between others of on-demand nodes one spot, one reserved pool."""
    return [
        pool(name="b", machine=H200, **PLUGIN),
        pool(name="a", **PLUGIN, **({"capacity": {"spot": True}} if spot else {})),
        pool(name="c", **PLUGIN, capacity={"reservation": {"group": RESERVATIONS}}),
        pool(name="d", machine=A100_40, **PLUGIN),
        pool(name="e", machine=A100_80, **PLUGIN),
    ]


@pytest.mark.parametrize("spot", [False, True])
def test_operators_are_told_of_all_pools(spot: bool):
    """Each machine once and in order, all nodes by their pools, and whether one pool of them is spot."""
    from rdma_cluster.aks.rdma_cluster import _operators_args

    plan = stack_plan(*pools(spot), drivers={"sharp": True}, registries={"docker.io": "mine.example"})

    assert _operators_args(plan) == {
        "sharp": True,
        "machines": [A100_80, A100_40, "Standard_ND96isr_H100_v5", H200],
        "nodes": {"label": "kubernetes.azure.com/agentpool", "values": ["b", "a", "c", "d", "e"], "nodes": 10},
        "gpu_allocation": "device-plugin",
        "spot": spot,
        "registries": {"docker.io": "mine.example"},
    }


@pytest.mark.parametrize(
    ("choices", "more"),
    [
        ({}, {}),
        ({"zone": "2"}, {"zone": "2"}),
        ({"network": {"pod_cidr": "10.32.0.0/14"}}, {"pod_cidr": "10.32.0.0/14"}),
        ({"network": {"service_cidr": "10.8.0.0/16"}}, {"service_cidr": "10.8.0.0/16"}),
        ({"network": {"max_nodes": 40}}, {"max_nodes": 40}),
        ({"storage": {"object_store": {}}}, {"blobs": True}),
        ({"storage": {"lustre": {"capacity_tib": 8}}}, {}),
    ],
)
def test_cluster_is_told_what_is_its_own(choices: dict[str, Any], more: dict[str, Any]):
    """The user's choices for it, the network's links, and every reservation of a pool that has one."""
    from rdma_cluster.aks.rdma_cluster import _cluster_args

    assert _cluster_args(stack_plan(*pools(), **choices), NETWORK, cast(Any, "g")) == {
        "admins": [{"id": ID}],
        "endpoint": "public",
        "public_cidrs": ["203.0.113.7/32"],
        "name": "aks",
        "subscription": ID,
        "location": "southcentralus",
        "resource_group": "g",
        "subnet": "s",
        "cidrs": ["10.224.0.0/16"],
        "outbound": "routes",
        "reservations": [RESERVATIONS],
        **more,
    }


def test_cluster_is_told_where_nodes_leave_from():
    """So that nodes reach an API that is open to named blocks."""
    from rdma_cluster.aks.rdma_cluster import _cluster_args

    network = AksExistingNetwork(**NETWORK, egress_cidrs=["198.51.100.4/30"])

    assert _cluster_args(stack_plan(), network, cast(Any, "g"))["egress_cidrs"] == ["198.51.100.4/30"]


def test_a_role_is_named_after_what_it_is_for():
    """What is known only later goes by its place, and of two of one name the last is kept."""
    from rdma_cluster.aks.role_assignments import _by_name, _group_name, _last_name

    later = SimpleNamespace()
    registries = ["/x/registries/Images", later, "/y/registries/images"]

    assert _by_name(registries, _last_name) == {"images": "/y/registries/images", "1": later}
    assert _by_name([later, RESERVATIONS.replace("/r/", "/R/")], _group_name) == {
        "0": later,
        "00000000-r": RESERVATIONS.replace("/r/", "/R/"),
    }
