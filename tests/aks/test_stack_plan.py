"""The plan of a whole AKS stack: what its parts hand to each other."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.aks.plan import EXAMPLE, plan_rdma_cluster_args
from rdma_cluster.aks.plan.network import OverlayPlan
from rdma_cluster.aks.plan.rdma_cluster import MOST_POOLS, AksRdmaClusterPlan
from rdma_cluster.catalog.images import GPU_DRIVER
from rdma_cluster.common.fingerprint import fingerprint
from tests.aks.plans import ID, RESERVATIONS, SUBNET, pool, refused, stack_plan

A100, GB300 = "Standard_ND96asr_v4", "Standard_ND128isr_GB300_v6"
LUSTRE = {"lustre": {"capacity_tib": 4}}
PLUGIN = {"gpu_allocation": "device-plugin"}
ADMINS = {"admins": [{"id": ID}]}
PUBLIC: dict[str, Any] = {**ADMINS, "endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}
SPOT = {"capacity": {"spot": True}}
THERE: dict[str, Any] = {
    "kubernetes": {"name": "mine", "existing": {"server": "https://c.azmk8s.io:443", "ca_certificate": "YQ=="}},
    "network": {"existing": {"subnet": SUBNET, "cidrs": ["10.1.0.0/16"], "outbound": "nat-gateway"}},
}


def places(*pools: dict[str, Any], **args: Any) -> list[str]:
    """Where a stack is refused."""
    return [each.partition(": ")[0] for each in refused(stack_plan, *pools, **args)]


def test_nodes_of_all_pools():
    """Their names, in their order, and how many they are: operators serve exactly these."""
    plan = stack_plan(pool(nodes=3), pool(name="b", machine=A100, nodes=4))

    assert plan.nodes == {"label": "kubernetes.azure.com/agentpool", "values": ["h100", "b"], "nodes": 7}


@pytest.mark.parametrize(
    ("pools", "taints"),
    [
        ([pool(**PLUGIN)], set()),
        ([pool(**PLUGIN), pool(name="b", **PLUGIN, **SPOT)], {"kubernetes.azure.com/scalesetpriority"}),
    ],
    ids=["on demand", "one of spot"],
)
def test_operators_tolerate_what_nodes_have(pools: list[dict[str, Any]], taints: set[str]):
    """Spot nodes have a taint of AKS's own; one pool of them is enough."""
    plan = stack_plan(*pools)

    assert {each["key"] for each in plan.operators.policy.get("tolerations", [])} == taints


def test_operators_tolerate_nodes_that_are_not_proven():
    """Whatever the value of their taint: their drivers come before the proof."""
    plan = stack_plan(pool(**PLUGIN), acceptance={}, readiness={"enabled": True})

    assert [each.held for each in plan.pools] == [True]
    (tolerated,) = plan.operators.policy["tolerations"]
    assert tolerated["key"] == "startup-taint.cluster-autoscaler.kubernetes.io/rdma-fabric"
    assert "value" not in tolerated and stack_plan(pool(**PLUGIN)).pools[0].held is False


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
        ({"capacity": {"reservation": {"group": RESERVATIONS}}}, {}),
        ({"os_disk_gb": 256}, {}),
        ({"node_version": "1.35"}, {}),
    ],
    ids=[
        "group", "network", "subnet", "pods", "way out", "location", "zone", "system machine", "endpoint", "GPU driver",
        "InfiniBand driver", "reservation", "disk", "version of the nodes",
    ],
)  # fmt: skip
def test_other_nodes_are_proved_anew(of: dict[str, Any], args: dict[str, Any]):
    """Whatever replaces the cluster, its network or the nodes."""
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
def test_nodes_that_stay_are_not(of: dict[str, Any], args: dict[str, Any]):
    """A cluster's version leaves its pools as they are, and a file system has a subnet of its own."""
    assert proof() == proof(of, **args)


def test_names_of_what_counts():
    """They stay as they are: with another name every pool that there is would be tested anew."""
    reserved = pool(capacity={"reservation": {"group": RESERVATIONS, "zone": "2"}})
    network = {"existing": {**THERE["network"]["existing"], "egress_cidrs": ["198.51.100.4/32"]}}
    plan = stack_plan(reserved, resource_group="g", zone="2", kubernetes=PUBLIC, network=network)
    (of_pool,), (found,) = plan.pools, plan.in_cluster.pools
    place = {
        "resource group": "g",
        "existing network": THERE["network"]["existing"],
        "network": None,
        "cluster": f"aks/{ID}/southcentralus/aks",
        "zone": "2",
        "system machine": "Standard_D8s_v5",
        "overlay": OverlayPlan("10.244.0.0/14", "10.0.0.0/16", "10.0.0.10"),
        "private": False,
        "reservation": RESERVATIONS,
        "drivers": [GPU_DRIVER.image, "the kernel's"],
    }

    assert found.fingerprint == fingerprint(replace(of_pool, reservation_group=None), place)


def test_two_reservations_of_one_name_are_two():
    """The plan has a name alone, and the nodes are of one group."""
    one, other = (
        {"capacity": {"reservation": {"group": RESERVATIONS.replace("/r/", f"/{group}/")}}} for group in ("r", "s")
    )

    assert proof(one) != proof(other)


def test_ways_out_of_an_existing_network_replace_nothing():
    """Its subnet does."""

    def of(**more: Any) -> str:
        network = {"existing": {**THERE["network"]["existing"], **more}}
        return proof(network=network, kubernetes=PUBLIC)

    assert of(egress_cidrs=["198.51.100.4/32"]) == of(egress_cidrs=["198.51.100.5/32"])
    assert of(egress_cidrs=["198.51.100.4/32"]) != of(egress_cidrs=["198.51.100.4/32"], subnet=f"{SUBNET}2")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({"kubernetes": ADMINS}, True),
        ({}, False),
        ({"kubernetes": ADMINS, "network": THERE["network"]}, False),
        (THERE, False),
    ],
    ids=["private", "public", "existing network", "existing cluster"],
)
def test_who_reaches_a_private_api(args: dict[str, Any], told: bool):
    """A new network is reached by nobody yet; in an existing one whoever runs `up` may stand."""
    warnings = stack_plan(**args).warnings

    assert (
        any(each.startswith("the cluster's API is private and its virtual network is new") for each in warnings) is told
    )


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("1.34", ["kubernetes.version is 1.34: AKS ends its support soon"]),
        ("1.34.2", ["kubernetes.version is 1.34.2: AKS ends its support soon"]),
        ("1.35", []),
        ("1.37", []),
        ("1.38", ["kubernetes.version: 1.38 is newer than 1.37, the newest that AKS was seen to offer"]),
    ],
)
def test_versions_at_either_end(version: str, words: list[str]):
    """Of AKS's list; an existing cluster's is its owner's."""

    def told(**args: Any) -> list[str]:
        return [each for each in stack_plan(**args).warnings if each.startswith("kubernetes.version")]

    warnings = told(kubernetes={**ADMINS, "version": version})
    assert len(warnings) == len(words) and all(map(str.startswith, warnings, words))
    assert told(**{**THERE, "kubernetes": {**THERE["kubernetes"], "version": version}}) == []


@pytest.mark.parametrize(
    ("version", "allocation", "fits"),
    [("1.34.2", "dra", True), ("1.34.1", "dra", False), ("1.34.1", "device-plugin", True)],
)
def test_version_that_claims_need(version: str, allocation: str, fits: bool):
    """From 1.34.2 on; device plugins need none."""
    found = places(pool(gpu_allocation=allocation), kubernetes={**ADMINS, "version": version})

    assert found == ([] if fits else ["kubernetes.version"])


@pytest.mark.parametrize(("count", "fits"), [(MOST_POOLS, True), (MOST_POOLS + 1, False)])
def test_pools_of_a_cluster(count: int, fits: bool):
    """A hundred with the system's."""
    pools = [pool(name=f"p{i}", nodes=1, **PLUGIN) for i in range(count)]
    errors = refused(stack_plan, *pools)

    assert MOST_POOLS == 99
    assert [each.partition(";")[0] for each in errors] == ([] if fits else [f"pools: got {count} pools"])


@pytest.mark.parametrize(
    ("pools", "found"),
    [
        ([pool(), pool(name="b", machine=A100)], []),
        ([pool(), pool(name="b", **PLUGIN), pool(name="c")], ["pools[1].gpu_allocation"]),
        ([pool(**PLUGIN), pool(name="b", **PLUGIN)], []),
        ([pool(), pool(name="b", machine=GB300, nodes=18)], ["pools[1].machine"]),
        ([pool(), pool()], ["pools[1].name"]),
        ([pool(name="system")], ["pools[0].name"]),
        ([pool(machine="x"), pool(name="b")], ["pools[0].machine"]),
    ],
)
def test_pools_beside_each_other(pools: list[dict[str, Any]], found: list[str]):
    """One way to hand out GPUs, one state of the subscription's feature, and names of their own."""
    assert places(*pools) == found


def test_a_stack_without_pools():
    """Has nothing to plan."""
    args = {"subscription": ID, "location": "southcentralus", "kubernetes": ADMINS, "pools": []}
    assert [each.partition(";")[0] for each in refused(plan_rdma_cluster_args, args, "aks")] == ["pools: empty"]


@pytest.mark.parametrize(("length", "fits"), [(36, True), (37, False)])
def test_name_of_a_stack(length: int, fits: bool):
    """44 characters of managed Prometheus, of which azure-native takes eight."""
    args = {"subscription": ID, "location": "southcentralus", "kubernetes": ADMINS, "pools": [pool()]}

    assert (refused(plan_rdma_cluster_args, args, "a" * length) == []) is fits


def test_example():
    """What `init` writes is a stack that can be planned: two H100 nodes by device plugins, behind a public API."""
    plan = plan_rdma_cluster_args(EXAMPLE, "example", camel=True)
    (of_pool,) = plan.pools

    assert (plan.cluster.location, plan.cluster.subscription) == ("southcentralus", ID)
    assert (plan.cluster.endpoint.value, plan.cluster.public_cidrs) == ("public", ("203.0.113.7/32",))
    assert (of_pool.name, of_pool.machine.name, of_pool.nodes) == ("h100", "Standard_ND96isr_H100_v5", 2)
    assert (of_pool.capacity.value, of_pool.gpu_allocation.value) == ("on-demand", "device-plugin")


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ({"resource_group": "g"}, []),
        ({"resource_group": "g."}, ["resource_group"]),
        ({"subscription": "x"}, ["subscription"]),
        ({"location": "East US"}, ["location"]),
        ({"zone": "0"}, ["zone"]),
        ({"tags": {"microsoft-a": "b"}}, ["tags.microsoft-a"]),
        ({"tags": {"a": "b"}}, []),
        ({"drivers": {"nic": "managed"}}, ["drivers.nic"]),
        ({"kubernetes": {}}, ["kubernetes.admins"]),
        ({"kubernetes": THERE["kubernetes"]}, ["network.existing"]),
        ({**THERE, "kubernetes": {"existing": THERE["kubernetes"]["existing"]}}, ["kubernetes.name"]),
        ({**THERE, "storage": {"object_store": {}}}, ["storage.object_store"]),
        ({"network": THERE["network"], "kubernetes": ADMINS, "storage": LUSTRE}, ["storage.lustre"]),
        ({"storage": LUSTRE, "network": {"cidr": "10.224.0.0/23"}}, ["network.cidr"]),
    ],
)
def test_what_is_refused(args: dict[str, Any], found: list[str]):
    """Each thing at its place, and nothing beside it."""
    assert places(**args) == found


def test_what_runs_in_the_cluster_is_told_of_it():
    """Who brings the driver and how long that takes, who makes namespaces, and whose exporter there is already."""
    claims = {"claims": {"namespaces": ["team"]}}

    def timeout(of: AksRdmaClusterPlan) -> int:
        (test,) = of.in_cluster.acceptance.plan.tests
        return test.timeout_seconds

    ours, akss = (stack_plan(pool(), acceptance={}, drivers={"gpu_driver": each}) for each in ("operator", "aks"))
    assert timeout(ours) - timeout(akss) == 1200
    new, there = stack_plan(pool(), **claims), stack_plan(pool(), **claims, **THERE)
    made = [bool(each.in_cluster.claims and each.in_cluster.claims.plan.new_namespaces) for each in (new, there)]
    assert made == [True, False]


@pytest.mark.parametrize(
    ("drivers", "allocation", "fits"),
    [({}, "dra", True), ({"gpu_driver": "aks"}, "dra", False), ({"gpu_driver": "aks"}, "device-plugin", True)],
)
def test_whose_gpu_exporter_there_is(drivers: dict[str, str], allocation: str, fits: bool):
    """The GPU Operator brings one, wherever it is installed; a second would find the GPUs taken."""
    found = stack_plan(pool(gpu_allocation=allocation), drivers=drivers, monitoring={"enabled": True}).in_cluster
    exporter = {"namespace": "gpu-operator", "labels": {"app": "nvidia-dcgm-exporter"}}

    assert found.addons.monitoring is not None and found.context.gpu_exporter == (exporter if fits else None)
