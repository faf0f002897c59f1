"""A stack of plain machines as a whole: its networks, its rows in `plan`, and what is refused of it."""

from typing import Any

import pytest
from rdma_cluster.base.args import plan_from
from rdma_cluster.gce.plan import plan_rdma_cluster_args
from rdma_cluster.gce.plan.network import GceHpcNetworkArgs, plan_network
from rdma_cluster.gce.plan.rdma_cluster import GceRdmaClusterPlan
from rdma_cluster.gce.plan.summary import summarise
from tests.gce.plans import PLACE, places

A3: dict[str, Any] = {"name": "a3", "machine": "a3-highgpu-8g", "nodes": 2, "capacity": {"spot": True}}
EDGE: dict[str, Any] = {**A3, "name": "edge", "machine": "a3-edgegpu-8g"}
FLOOR: dict[str, Any] = {"acceptance": {"thresholds": {"a3-edgegpu-8g": ["all_reduce:1G=20"]}}}
NICS = [{"network": f"n{i}", "subnetwork": f"s{i}"} for i in range(5)]


def stack(*pools: dict[str, Any], name: str = "s", **more: Any) -> GceRdmaClusterPlan:
    """The plan of a stack; of A3 High unless other pools are given."""
    return plan_rdma_cluster_args({**PLACE, "pools": list(pools) or [A3], **more}, name)


def test_each_nic_has_a_subnet_for_as_many_machines_as_are_asked_for():
    usual = stack().network
    small = stack(A3, EDGE, **FLOOR, network={"cidr": "172.16.0.0/24", "max_nodes": 4, "iap_ssh": False}).network

    assert usual is not None and small is not None
    assert list(usual.subnets.values()) == [f"10.0.{i}.0/24" for i in range(5)]
    assert list(small.subnets.values()) == [f"172.16.0.{8 * i}/29" for i in range(5)]
    assert (usual.iap_ssh, small.iap_ssh) == (True, False)
    assert stack(network={"existing": NICS}).network is None


@pytest.mark.parametrize(
    ("args", "refused"),
    [
        ({"machines": ["a3-highgpu-8g", "a3-edgegpu-8g"]}, []),
        ({"machines": ["a3-highgpu-8g", "a4-highgpu-8g"]}, ["machines[1]"]),
        ({"cidr": "10.0.0.0/21"}, []),
        ({"cidr": "10.0.0.0/22"}, ["cidr"]),
        # The subnets of a ceiling that is wrong are not cut.
        ({"max_nodes": 0, "cidr": "10.0.0.0/29"}, ["max_nodes"]),
    ],
)
def test_a_network_holds_machines_with_gpudirect(args: dict[str, Any], refused: list[str]):
    given = {**PLACE, "machines": ["a3-highgpu-8g"], **args}

    assert places(plan_from, GceHpcNetworkArgs, plan_network, given) == refused


def test_existing_networks_are_a_subnet_and_a_vpc_for_each_nic():
    six = [*NICS, {"network": "n5", "subnetwork": "s5"}]
    twice = [*NICS[:4], {"network": "n4", "subnetwork": "s1"}]

    assert places(stack, network={"existing": NICS, "iap_ssh": True}) == []
    assert places(stack, network={"existing": six}) == ["network.existing"]
    assert places(stack, network={"existing": twice}) == ["network.existing[4].subnetwork"]


@pytest.mark.parametrize(
    ("pools", "network", "refused"),
    [
        ([A3, {**A3, "nodes": 3}], {}, ["pools[1].name"]),
        ([{**A3, "nodes": 250}], {}, []),
        ([{**A3, "nodes": 251}], {}, ["pools"]),
        ([{**A3, "nodes": 251}], {"existing": NICS}, []),
        ([{**A3, "nodes": 7_501}, {**A3, "name": "b", "nodes": 7_500}], {"existing": NICS}, ["pools"]),
    ],
)
def test_nodes_of_all_pools_fit_the_network(pools: list[dict[str, Any]], network: dict[str, Any], refused: list[str]):
    """Pools have different names."""
    assert places(stack, *pools, network=network) == refused


def test_warnings_and_tests_of_all_pools_are_the_stack_s():
    made = stack(A3, {**EDGE, "nodes": 1}, {**A3, "name": "b", "capacity": {"on_demand": True}}, **FLOOR)

    assert [each.partition(":")[0] for each in made.warnings] == ["pool a3", "pool b"]
    assert "preempted" in made.warnings[0] and "on-demand may find no capacity" in made.warnings[1]
    assert [test.pool for test in made.acceptance.tests] == ["a3", "b"]
    assert "2 nodes or more" in made.pools[1].skip_reason and made.pools[0].skip_reason == ""
    tests = {pool.name: pool.order.test for pool in made.pools if pool.order}
    assert list(tests.values()) == list(made.acceptance.tests)


def test_the_summary_tells_the_machines_their_subnets_and_what_runs_on_them():
    """Addresses of networks that exist are not known."""
    made = summarise(stack(A3, EDGE, **FLOOR))
    told, there = made.to_dict(), summarise(stack(network={"existing": NICS})).to_dict()

    assert (told["cluster"][0]["zone"], told["cluster"][0]["made"]) == ("us-central1-a", "machines without Kubernetes")
    assert [(row["name"], row["capacity"]) for row in told["pools"]] == [("a3", "spot"), ("edge", "spot")]
    rails = [(row["rail"], row["subnet"], row["cidr"]) for row in told["rails"]["a3-highgpu-8g"]]
    assert rails == [(i, f"rail-{i}", f"10.0.{i + 1}.0/24") for i in range(4)]
    assert [row["subnet"] for row in told["addresses"]] == ["primary", *(f"rail-{i}" for i in range(4))]
    assert [row["part"] for row in told["versions"]] == ["image", "GPU driver", "NCCL plugin tcpx", "tcpx-daemon"]
    assert [(use.pool, use.form, "--network=host" in use.workload["docker"]) for use in made.uses] == [
        (name, "docker run", True) for name in ("a3", "edge")
    ]
    assert there["addresses"] == [] and {row["cidr"] for row in there["rails"]["a3-highgpu-8g"]} == {"existing"}
