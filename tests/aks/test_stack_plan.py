"""The plan of a whole AKS stack: what its parts hand to each other, and what makes nodes prove themselves anew."""

from typing import Any

import pytest
from rdma_cluster.aks.plan import EXAMPLE, plan_rdma_cluster_args
from tests.aks.plans import ID, RESERVATIONS, SUBNET, pool, stack_plan

A100 = "Standard_ND96asr_v4"
LUSTRE = {"lustre": {"capacity_tib": 4}}
PLUGIN = {"gpu_allocation": "device-plugin"}
ADMINS = {"admins": [{"id": ID}]}
PUBLIC: dict[str, Any] = {**ADMINS, "endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}
SPOT, RESERVED = {"capacity": {"spot": True}}, {"capacity": {"reservation": {"group": RESERVATIONS}}}
THERE: dict[str, Any] = {
    "kubernetes": {"name": "mine", "existing": {"server": "https://c.azmk8s.io:443", "ca_certificate": "YQ=="}},
    "network": {"existing": {"subnet": SUBNET, "cidrs": ["10.1.0.0/16"], "outbound": "nat-gateway"}},
}
ROUTES = {"existing": {"subnet": SUBNET, "cidrs": ["10.224.0.0/16"], "outbound": "routes"}}


def test_operators_serve_exactly_the_nodes_of_all_pools():
    """They tolerate the taint of spot nodes where one pool is spot, and that of nodes that are not proven yet."""
    plan = stack_plan(
        pool(nodes=3, **PLUGIN),
        pool(name="b", machine=A100, nodes=4, **PLUGIN, **SPOT),
        drivers={"memory_lock": "node"},
    )
    held = stack_plan(pool(**PLUGIN), acceptance={}, readiness={"enabled": True})

    assert plan.nodes == {"label": "kubernetes.azure.com/agentpool", "values": ["h100", "b"], "nodes": 7}
    assert plan.operators.memory_lock is not None and plan.operators.memory_lock.nodes == plan.nodes
    assert [each["key"] for each in plan.operators.policy["tolerations"]] == ["kubernetes.azure.com/scalesetpriority"]
    assert "tolerations" not in stack_plan().operators.policy
    (tolerated,) = held.operators.policy["tolerations"]
    assert tolerated["key"].endswith("/rdma-fabric") and "value" not in tolerated
    assert held.pools[0].held and not stack_plan().pools[0].held


@pytest.mark.parametrize(
    ("choices", "outbound", "blobs"),
    [
        ({}, "nat-gateway", False),
        ({"network": {"outbound": "load-balancer"}}, "load-balancer", False),
        ({"network": ROUTES, "kubernetes": ADMINS}, "routes", False),
        ({"storage": {"object_store": {}}}, "nat-gateway", True),
        ({"storage": LUSTRE}, "nat-gateway", False),
    ],
)
def test_a_cluster_takes_over_what_its_stack_has(choices: dict[str, Any], outbound: str, blobs: bool):
    """It has the network's way out, drives blobs where data is in some, and may use each pool's reservation."""
    cluster = stack_plan(pool(), pool(name="c", **RESERVED), **choices).cluster

    assert (cluster.outbound.value, cluster.blobs, cluster.reservations) == (outbound, blobs, (RESERVATIONS,))


def proof(of: dict[str, Any] | None = None, **args: Any) -> str:
    """The digest of a pool's nodes: another one is proved anew."""
    (found,) = stack_plan(pool(**(of or {})), **args).in_cluster.pools
    return found.fingerprint


@pytest.mark.parametrize(
    ("of", "args"),
    [
        ({}, {"resource_group": "g"}),
        ({}, {"network": {"cidr": "10.8.0.0/16"}}),
        ({}, {"network": {"max_nodes": 600}}),
        ({}, {"network": {"pod_cidr": "10.32.0.0/11"}}),
        ({}, {"network": {"outbound": "load-balancer"}}),
        ({}, {"location": "eastus2"}),
        ({}, {"zone": "2"}),
        ({}, {"kubernetes": {**PUBLIC, "system_machine": "Standard_D16s_v5"}}),
        ({}, {"kubernetes": ADMINS}),
        ({}, {"drivers": {"gpu_driver": "aks"}}),
        ({}, {"drivers": {"rdma_driver": "doca"}}),
        (RESERVED, {}),
        ({"os_disk_gb": 256}, {}),
        ({"node_version": "1.35"}, {}),
    ],
    ids=[
        "group", "network", "subnet", "pods", "way out", "location", "zone", "system machine", "endpoint", "GPU driver",
        "InfiniBand driver", "reservation", "disk", "version of the nodes",
    ],
)  # fmt: skip
def test_other_nodes_are_proved_anew(of: dict[str, Any], args: dict[str, Any]):
    """Whatever replaces the cluster, its network or the nodes changes their digest."""
    assert proof() != proof(of, **args)


@pytest.mark.parametrize(
    ("of", "args"),
    [
        ({}, {"kubernetes": {**PUBLIC, "public_cidrs": ["203.0.113.8/32"], "version": "1.35"}}),
        ({"nodes": 4}, {}),
        ({"labels": {"a": "b"}}, {}),
        ({}, {"storage": LUSTRE}),
    ],
    ids=["version and callers", "nodes", "labels", "storage"],
)
def test_nodes_that_stay_are_not_proved_anew(of: dict[str, Any], args: dict[str, Any]):
    """A cluster's version leaves its pools as they are, and a file system has a subnet of its own."""
    assert proof() == proof(of, **args)


def test_nodes_of_another_reservation_or_network_are_proved_anew():
    """Two reservations of one name are two; ways out of an existing network replace nothing, and its subnet does."""

    def reserved(group: str) -> str:
        return proof({"capacity": {"reservation": {"group": RESERVATIONS.replace("/r/", f"/{group}/")}}})

    def inside(address: str, **more: Any) -> str:
        network = {"existing": {**THERE["network"]["existing"], "egress_cidrs": [f"{address}/32"], **more}}
        return proof(network=network, kubernetes=PUBLIC)

    assert reserved("r") != reserved("s")
    assert inside("198.51.100.4") == inside("198.51.100.5") != inside("198.51.100.4", subnet=f"{SUBNET}2")


PRIVATE, NEWER = "API is private and its virtual network is new", "is newer than 1.37"
ENDING = "supports it until 2026-11-30"
EXISTING: dict[str, Any] = {**THERE, "kubernetes": {**THERE["kubernetes"], "version": "1.34"}}


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({}, set()),
        ({"kubernetes": {**ADMINS, "endpoint": "private"}}, {PRIVATE}),
        ({"kubernetes": ADMINS, "network": THERE["network"]}, set()),
        (EXISTING, {ENDING}),
        ({"kubernetes": {**PUBLIC, "version": "1.34.2"}}, {ENDING}),
        ({"kubernetes": {**PUBLIC, "version": "1.35"}}, set()),
        ({"kubernetes": {**PUBLIC, "version": "1.37"}}, set()),
        ({"kubernetes": {**PUBLIC, "version": "1.38"}}, {NEWER}),
    ],
)
def test_what_a_cluster_risks_is_warned_of(args: dict[str, Any], words: set[str]):
    """A new network is reached by nobody yet; an existing cluster's version is its owner's."""
    warnings = "\n".join(stack_plan(**args).warnings)

    assert {each for each in (PRIVATE, ENDING, NEWER) if each in warnings} == words


def test_the_example_can_be_planned():
    """It is what `init` writes."""
    plan = plan_rdma_cluster_args(EXAMPLE, "example", camel=True)

    assert plan.pools[0].nodes == 2 and plan.cluster.endpoint.value == "public"


def test_what_runs_in_the_cluster_knows_who_brings_the_driver():
    """The operator's driver takes longer, and whose namespaces they are follows from whose cluster it is."""
    ours, akss = (stack_plan(pool(), acceptance={}, drivers={"gpu_driver": each}) for each in ("operator", "aks"))
    waits = [plan.in_cluster.acceptance.plan.tests[0].timeout_seconds for plan in (ours, akss)]
    claims = {"claims": {"namespaces": ["team"]}}
    new, there = (stack_plan(pool(), **claims, **of).in_cluster.claims for of in ({}, THERE))

    assert waits[0] > waits[1]
    assert new is not None and there is not None and new.plan.new_namespaces and not there.plan.new_namespaces


@pytest.mark.parametrize(
    ("drivers", "allocation", "there"),
    [({}, "dra", True), ({"gpu_driver": "aks"}, "dra", False), ({"gpu_driver": "aks"}, "device-plugin", True)],
)
def test_the_gpu_operators_exporter_is_the_only_one(drivers: dict[str, str], allocation: str, there: bool):
    """It is there wherever the operator is; a second would find the GPUs taken."""
    found = stack_plan(pool(gpu_allocation=allocation), drivers=drivers, monitoring={"enabled": True}).in_cluster

    assert (found.context.gpu_exporter is not None) is there
