"""A stack of plain machines as a whole: its networks, its rows in `plan`, and what is refused of it."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList, Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.gce.plan import plan_rdma_cluster_args
from rdma_cluster.gce.plan.network import GceHpcNetworkArgs, GceNetworkPlan, machine_for, plan_network
from rdma_cluster.gce.plan.rdma_cluster import GceRdmaClusterPlan
from rdma_cluster.gce.plan.summary import summarise

A3: dict[str, Any] = {"name": "a3", "machine": "a3-highgpu-8g", "nodes": 2, "capacity": {"spot": True}}
EDGE: dict[str, Any] = {**A3, "name": "edge", "machine": "a3-edgegpu-8g"}
FLOOR: dict[str, Any] = {"acceptance": {"thresholds": {"a3-edgegpu-8g": ["all_reduce:1G=20"]}}}
NAMES = ("primary", "rail-0", "rail-1", "rail-2", "rail-3")


def nics(count: int) -> list[dict[str, str]]:
    """Networks that exist."""
    return [{"network": f"n{i}", "subnetwork": f"s{i}"} for i in range(count)]


def stack(*pools: dict[str, Any], name: str = "s", **more: Any) -> GceRdmaClusterPlan:
    """The plan of a stack in us-central1-a; of A3 High unless other pools are given."""
    return plan_rdma_cluster_args(
        {"project": "my-project", "zone": "us-central1-a", "pools": list(pools) or [A3], **more}, name
    )


def wrong(*pools: dict[str, Any], **more: Any) -> list[str]:
    """What is refused, by path and first words."""
    try:
        stack(*pools, **more)
    except Refused as refused:
        return [line.partition(";")[0] for line in refused.lines]
    return []


def test_networks():
    """250 machines: a /24 for each NIC, packets of one size everywhere, and a way in for SSH by Google's proxy."""
    subnets = {name: f"10.0.{i}.0/24" for i, name in enumerate(NAMES)}

    assert stack().network == GceNetworkPlan("us-central1", 8244, subnets, iap_ssh=True, project="my-project")
    assert stack(A3, EDGE, **FLOOR).network == stack().network


def test_networks_of_ones_own():
    """Another block, other sizes, and no SSH."""
    made = stack(network={"cidr": "172.16.0.0/24", "max_nodes": 4, "iap_ssh": False}).network

    subnets = {name: f"172.16.0.{8 * i}/29" for i, name in enumerate(NAMES)}
    assert made == GceNetworkPlan("us-central1", 8244, subnets, iap_ssh=False, project="my-project")
    assert stack(network={"existing": nics(5)}).network is None


@pytest.mark.parametrize(
    ("args", "refused"),
    [
        ({}, []),
        ({"machines": ["a3-highgpu-8g", "a3-edgegpu-8g"]}, []),
        ({"machines": []}, ["machines: empty"]),
        ({"machines": ["a3-high", "a3-highgpu-8g"]}, ["machines[0]: unknown machine 'a3-high'"]),
        ({"machines": ["a3-highgpu-8g", "a4-highgpu-8g"]}, ["machines[1]: a4-highgpu-8g is built on GKE alone"]),
        ({"zone": "central"}, ["zone: got 'central', which has no zone's form"]),
        ({"cidr": "10.0.0.0/22"}, ["cidr: 10.0.0.0/22 holds 1024 addresses and 1280 are needed"]),
        ({"cidr": "8.0.0.0/8"}, ["cidr: got 8.0.0.0/8"]),
        ({"max_nodes": 0}, ["max_nodes: got 0"]),
        ({"max_nodes": 15_001}, ["max_nodes: got 15001"]),
        ({"max_nodes": 15_000}, []),
        # The subnets of a ceiling that is wrong are not cut.
        ({"max_nodes": 0, "cidr": "10.0.0.0/29"}, ["max_nodes: got 0"]),
    ],
)
def test_what_a_network_refuses(args: dict[str, Any], refused: list[str]):
    """At the key that is wrong, and nothing else."""
    base = {"project": "my-project", "zone": "us-central1-a", "machines": ["a3-highgpu-8g"]}
    found: list[str] = []
    try:
        made = plan_from(GceHpcNetworkArgs, plan_network, {**base, **args})
    except Refused as why:
        found = why.lines
    else:
        assert list(made.subnets) == list(NAMES)

    assert [line.startswith(words) for line, words in zip(found, refused, strict=True)] == [True] * len(refused)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a3-highgpu-8g", None),
        ("a4-highgpu-8g", "a4-highgpu-8g is built on GKE alone; choose one of a3-highgpu-8g, a3-edgegpu-8g, or rdma-"),
        ("p5.48xlarge", "p5.48xlarge is a machine of EKS; choose one of a3-highgpu-8g, a3-edgegpu-8g"),
        ("a3-high", "unknown machine 'a3-high'; choose one of a3-highgpu-8g, a3-edgegpu-8g"),
        ("a3-highgpu-4g", "a3-highgpu-4g has no GPUDirect: of A3 High a3-highgpu-8g alone has NICs"),
    ],
)
def test_machines(name: str, told: str | None):
    """Those with GPUDirect-TCPX alone; of another it is said where it is built, or why nowhere."""
    errors = ErrorList()
    found = machine_for(name, errors)

    assert (found and found.name) == (name if told is None else None)
    assert [each.reason.startswith(told or "") for each in errors.found()] == [True] * (told is not None)


@pytest.mark.parametrize(
    ("network", "refused"),
    [
        ({"existing": nics(5)}, []),
        ({"existing": nics(5), "iap_ssh": True}, []),
        ({"existing": nics(4)}, ["existing: got 4"]),
        ({"existing": nics(6)}, ["existing: got 6"]),
        ({"existing": nics(5), "iap_ssh": False}, ["iap_ssh: not allowed with an existing network, which has its add"]),
        ({"existing": nics(5), "max_nodes": 9}, ["max_nodes: not allowed with an existing network"]),
        (
            {"existing": [*nics(4), {"network": "n0", "subnetwork": "s4"}]},
            ["existing[4].network: n0 is the VPC of NIC"],
        ),
        (
            {"existing": [*nics(4), {"network": "n4", "subnetwork": "s1"}]},
            ["existing[4].subnetwork: s1 is the subnet of NIC [1] already"],
        ),
        ({"existing": [*nics(4), {"network": "N", "subnetwork": "s4"}]}, ["existing[4].network: got 'N'"]),
    ],
)
def test_networks_that_exist(network: dict[str, Any], refused: list[str]):
    """A VPC for each NIC, each by its name, eth0's first."""
    found = wrong(network=network)

    expected = [f"network.{each}" for each in refused]
    assert [line.startswith(words) for line, words in zip(found, expected, strict=True)] == [True] * len(expected)


def test_an_unknown_machine_has_as_many_nics_as_anybody_says():
    """Its name is the error; how many networks it needs nobody knows."""
    assert wrong({**A3, "machine": "a3-high"}, network={"existing": nics(2)}) == [
        "pools[0].machine: unknown machine 'a3-high'"
    ]


@pytest.mark.parametrize(
    ("pools", "more", "refused"),
    [
        ([A3, {**A3, "nodes": 3}], {}, ["pools[1].name: a3 is the name of pools[0] already"]),
        ([A3], {"name": "S"}, ["name: got 'S', with which the names of all resources begin"]),
        ([A3], {"name": "s" * 24}, []),
        ([A3], {"name": "s" * 25}, [f"name: got {'s' * 25!r}, with which the names of all resources begin"]),
        ([A3], {"tags": {"Team": "a"}}, ["tags.Team: "]),
        ([A3], {"project": ""}, ["project: empty"]),
        ([A3], {"system": {"driver": "best"}}, ["system.driver: got 'best'"]),
        ([A3], {"registries": {"docker.io": "https://mirror.example"}}, ["registries.docker.io: "]),
        ([{**A3, "nodes": 251}], {}, ["pools: 251 nodes in all, and the subnets are cut for 250"]),
        ([{**A3, "nodes": 250}], {}, []),
        ([{**A3, "nodes": 251}], {"network": {"existing": nics(5)}}, []),
        (
            [{**A3, "nodes": 7_501}, {**A3, "name": "b", "nodes": 7_500}],
            {"network": {"existing": nics(5)}},
            ["pools: 15,001 nodes in all"],
        ),
        ([{**A3, "nodes": 15_001}], {"network": {"existing": nics(5)}}, ["pools[0].nodes: got 15001"]),
    ],
)
def test_what_a_stack_refuses(pools: list[dict[str, Any]], more: dict[str, Any], refused: list[str]):
    """Every rule is asked once."""
    found = wrong(*pools, **more)

    assert [line.startswith(words) for line, words in zip(found, refused, strict=True)] == [True] * len(refused)


def test_every_pool_is_told_of():
    """Warnings of all pools, and the tests of those that can be proved."""
    made = stack(A3, {**EDGE, "nodes": 1}, {**A3, "name": "b", "capacity": {"on_demand": True}}, **FLOOR)

    assert made.warnings == (
        "pool a3: one preempted spot node stops every job that spans it",
        "pool b: a3-highgpu-8g is published as sold by reservation, spot, flex-start, queued; on-demand may find no "
        "capacity",
    )
    assert [test.pool for test in made.acceptance.tests] == ["a3", "b"]
    assert [pool.order.test if pool.order else None for pool in made.pools] == [
        made.acceptance.tests[0],
        None,
        made.acceptance.tests[1],
    ]
    assert made.pools[1].skip_reason == "a fabric is proved between 2 nodes or more, the pool has 1"
    assert [pool.skip_reason for pool in (made.pools[0], made.pools[2])] == ["", ""]


def test_summary():
    """Where the machines are, the rails in the subnets that are made for them, and what is on the machines."""
    made = summarise(stack(A3, EDGE, **FLOOR))
    told = made.to_dict()

    assert told["cluster"] == [{"name": "s", "zone": "us-central1-a", "made": "machines without Kubernetes"}]
    assert [(row["name"], row["machine"], row["capacity"]) for row in told["pools"]] == [
        ("a3", "a3-highgpu-8g", "spot"),
        ("edge", "a3-edgegpu-8g", "spot"),
    ]
    rails = [(i, f"rail-{i}", f"10.0.{i + 1}.0/24") for i in range(4)]
    for machine in ("a3-highgpu-8g", "a3-edgegpu-8g"):
        assert [(row["rail"], row["subnet"], row["cidr"]) for row in told["rails"][machine]] == rails
    assert told["addresses"] == [
        {"subnet": name, "cidr": f"10.0.{i}.0/24", "network": "gVNIC VPC, MTU 8244"} for i, name in enumerate(NAMES)
    ]
    assert [row["pool"] for row in told["acceptance"]] == ["a3", "edge"]
    assert {row["region"] for row in told["price"]} == {"us-central1"}
    assert [(row["part"], row["version"].rpartition("/")[2]) for row in told["versions"]] == [
        ("image", "cos-125-lts"),
        ("GPU driver", "default, by cos-extensions"),
        ("NCCL plugin tcpx", "nccl-plugin-gpudirecttcpx-dev"),
        ("tcpx-daemon", "tcpgpudmarxd-dev:v2.0.15"),
    ]
    assert [(use.pool, use.form, use.workload["image"].rpartition("/")[2]) for use in made.uses] == [
        (name, "docker run", "nccl-plugin-gpudirecttcpx-dev:v3.1.12") for name in ("a3", "edge")
    ]
    assert all("--network=host" in use.workload["docker"] for use in made.uses)


def test_summary_of_networks_that_exist():
    """Their addresses are not known."""
    told = summarise(stack(network={"existing": nics(5)})).to_dict()

    assert told["addresses"] == []
    assert [(row["subnet"], row["cidr"]) for row in told["rails"]["a3-highgpu-8g"]] == [
        (f"rail-{i}", "existing") for i in range(4)
    ]
