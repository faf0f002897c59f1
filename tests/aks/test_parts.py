"""What the plan of an AKS stack decides for its cluster and its operators, and how roles are named."""

from types import SimpleNamespace
from typing import Any

import pytest
from rdma_cluster.aks.plan.network import AksOutbound
from tests.aks.plans import ID, RESERVATIONS, SUBNET, pool, stack_plan

PLUGIN = {"gpu_allocation": "device-plugin"}
ROUTES = {"existing": {"subnet": SUBNET, "cidrs": ["10.224.0.0/16"], "outbound": "routes"}}


def pools(spot: bool = True) -> list[dict[str, Any]]:
    """A pool on demand, one that may be spot, and one of a reservation."""
    return [
        pool(name="b", **PLUGIN),
        pool(name="a", **PLUGIN, **({"capacity": {"spot": True}} if spot else {})),
        pool(name="c", **PLUGIN, capacity={"reservation": {"group": RESERVATIONS}}),
    ]


@pytest.mark.parametrize("spot", [False, True])
def test_operators_serve_the_nodes_of_all_pools(spot: bool):
    """The taint of spot nodes is tolerated where a pool is spot."""
    plan = stack_plan(*pools(spot), drivers={"memory_lock": "node"})
    gpu, lock = plan.operators.gpu, plan.operators.memory_lock
    assert gpu is not None and lock is not None

    assert lock.nodes == {"label": "kubernetes.azure.com/agentpool", "values": ["b", "a", "c"], "nodes": 6}
    assert ("kubernetes.azure.com/scalesetpriority" in str(gpu.values)) is spot


@pytest.mark.parametrize(
    ("choices", "outbound", "blobs"),
    [
        ({}, AksOutbound.NAT_GATEWAY, False),
        ({"network": {"outbound": "load-balancer"}}, AksOutbound.LOAD_BALANCER, False),
        ({"network": ROUTES, "kubernetes": {"admins": [{"id": ID}]}}, AksOutbound.ROUTES, False),
        ({"storage": {"object_store": {}}}, AksOutbound.NAT_GATEWAY, True),
        ({"storage": {"lustre": {"capacity_tib": 8}}}, AksOutbound.NAT_GATEWAY, False),
    ],
)
def test_cluster_of_a_stack(choices: dict[str, Any], outbound: AksOutbound, blobs: bool):
    """It takes the network's way out, drives blobs where data is in some, and may use each reservation of a pool."""
    cluster = stack_plan(*pools(), **choices).cluster

    assert (cluster.outbound, cluster.blobs, cluster.reservations) == (outbound, blobs, (RESERVATIONS,))


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
