"""The networks that a GKE pool on its own is given: one for each further NIC, where they are known."""

from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.gke.plan.node_pool import GkeGpuNodePoolArgs, GkeNodePoolPlan, plan_node_pool


class Later:
    """What another resource brings."""

    def apply(self, read: Any) -> Any:
        """As outputs have it."""
        return self


def plan(machine: str, networks: Any, **more: Any) -> GkeNodePoolPlan:
    """The plan of a pool of two nodes of a reservation, or of a rack's part."""
    base = {"name": "x", "machine": machine, "nodes": 2, "capacity": {"reservation": {"name": "r"}}, "cluster": "c"}
    place = {"project": "my-project", "zone": "us-west8-c", "location": "us-west8"}
    return plan_from(GkeGpuNodePoolArgs, plan_node_pool, {**base, **place, "networks": networks, **more})


def networks(count: int) -> list[dict[str, str]]:
    """So many."""
    return [{"network": "n", "subnetwork": f"s{i}"} for i in range(count)]


@pytest.mark.parametrize(
    ("machine", "more", "wanted", "words"),
    [
        ("a4-highgpu-8g", {}, 9, "1 gVNIC, then 8 rails in order"),
        ("a4x-highgpu-4g", {}, 5, "1 gVNIC, then 4 rails in order"),
        ("a4x-maxgpu-4g-metal", {}, 9, "1 gVNIC, then 8 times the rails' one subnet"),
        ("a3-megagpu-8g", {}, 8, "8 rails in order; a further gVNIC would take the place of a rail's NIC on the bus"),
    ],
)
def test_one_for_each_nic(machine: str, more: dict[str, Any], wanted: int, words: str):
    """As many as the machine has NICs; one more and one less are refused, and what is wanted is told."""
    assert plan(machine, networks(wanted), **more).machine.node_networks == wanted
    for count in (0, wanted - 1, wanted + 1):
        with pytest.raises(Refused) as refused:
            plan(machine, networks(count), **more)
        assert refused.value.lines == [f"networks: got {count}; {machine} wants {wanted}: {words}"]


def test_none_where_gke_makes_them():
    """Of mode managed-auto."""
    assert plan("a4-highgpu-8g", [], mode="managed-auto").auto_networks
    with pytest.raises(Refused) as refused:
        plan("a4-highgpu-8g", networks(9), mode="managed-auto")

    assert refused.value.lines == ["networks: got 9; GKE makes them in mode managed-auto, list none"]


def test_networks_that_are_known_later():
    """They are trusted."""
    assert plan("a4-highgpu-8g", Later()) == plan("a4-highgpu-8g", networks(9))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"location": "us-west8-c"}, None),
        (
            {"location": "us-east1"},
            "location: got 'us-east1'; the cluster of nodes in us-west8-c is in us-west8 or us-",
        ),
        ({"zone": "west"}, "zone: got 'west', which has no zone's form"),
        ({"name": "a" * 40}, None),
        ({"name": "a" * 41}, "name: got"),
        ({"nodes": 15_000}, None),
        ({"nodes": 15_001}, "nodes: got 15001"),
        ({"nodes": 0}, "nodes: got 0"),
        ({"version": "1.31"}, "machine: a4-highgpu-8g with gIB needs GKE 1.32.2-gke.1475000"),
        ({"mode": "managed", "version": "1.36"}, None),
        ({"node_version": "1.35.2-gke.1842000"}, None),
        ({"node_version": "1.35.2"}, "node_version: got '1.35.2'; nodes are on one version alone"),
        (
            {"node_version": "1.36.1-gke.1842000"},
            "node_version: got 1.36.1-gke.1842000, newer than the control plane's",
        ),
        ({"labels": {"cloud.google.com/gke-nodepool": "x"}}, "labels.cloud.google.com/gke-nodepool: set by this lib"),
        ({"labels": {"nvidia.com/gpu.present": "x"}}, "labels.nvidia.com/gpu.present: set by this library"),
        ({"capacity": {"flex_start": True}, "auto_repair": True}, "auto_repair: got true"),
        ({"min_nodes": 3}, "min_nodes: got 3; must be 0 to 2"),
        ({"min_nodes": -1}, "min_nodes: got -1; must be 0 to 2"),
    ],
)
def test_what_a_pool_refuses(more: dict[str, Any], told: str | None):
    """At the key that is wrong, and nothing else."""
    found: list[str] = []
    try:
        plan("a4-highgpu-8g", networks(9), **more)
    except Refused as refused:
        found = refused.lines

    assert [line.startswith(told or "") for line in found] == [True] * (told is not None)
