"""What `plan` shows of an EKS stack and of no other: pods, interfaces, subnets and versions."""

from typing import Any

import pytest
from rdma_cluster.eks.plan.summary import summarise
from tests.eks.plans import ADMIN, EXISTING, GB200, P5, stack_plan


def shown(*pools: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The summary of a stack, as JSON has it."""
    return summarise(stack_plan(*pools, **more)).to_dict()


@pytest.mark.parametrize(
    ("more", "row"),
    [
        ({}, {"name": "eks", "version": "1.35", "endpoint": "public", "made": "new"}),
        (
            {"kubernetes": {"admins": [ADMIN], "name": "mine", "version": "1.36"}},
            {"name": "mine", "version": "1.36", "endpoint": "private", "made": "new"},
        ),
        (EXISTING, {"name": "mine", "version": "1.35", "endpoint": "private", "made": "existing"}),
    ],
)
def test_cluster(more: dict[str, Any], row: dict[str, str]):
    """Where it is, which version, and whether we make it."""
    assert shown(**more)["cluster"] == [{**row, "region": "us-east-2", "zone": "us-east-2a"}]


def test_pods():
    """As many as a node has addresses for; where these are not published EKS counts."""
    assert [row["pods"] for row in shown(P5, GB200)["pools"]] == [51, "EKS's own count"]
    assert [row["pods"] for row in shown({**P5, "max_pods": 30})["pools"]] == [30]


@pytest.mark.parametrize(
    ("pool", "places"),
    [(P5, [(0, 1), *((card, 0) for card in range(1, 32))]), (GB200, [(1, 0), (5, 0), (9, 0), (13, 0)])],
)
def test_rails(pool: dict[str, Any], places: list[tuple[int, int]]):
    """Each EFA device beside its place in the launch template; it has no name of a NIC."""
    rows = shown(pool)["rails"][pool["machine"]]

    assert [(row["card"], row["device"], row["interface"]) for row in rows] == [(*each, "efa-only") for each in places]
    assert [row["rail"] for row in rows] == list(range(len(places))) and not any("nic" in row for row in rows)


def test_addresses():
    """The VPC, the subnets that are cut from it in their zones, and the services outside of it."""
    assert shown(network={"control_plane_zones": ["us-east-2c"], "cidr": "172.16.0.0/16"})["addresses"] == [
        {"subnet": "vpc", "cidr": "172.16.0.0/16", "zone": "all"},
        {"subnet": "gpu, 50 addresses a node", "cidr": "172.16.0.0/18", "zone": "us-east-2a"},
        {"subnet": "cluster", "cidr": "172.16.248.0/22", "zone": "us-east-2a"},
        {"subnet": "cluster", "cidr": "172.16.240.0/22", "zone": "us-east-2c"},
        {"subnet": "public, NAT gateway", "cidr": "172.16.255.240/28", "zone": "us-east-2a"},
        {"subnet": "services", "cidr": "172.20.0.0/16", "zone": "inside the cluster"},
    ]
    assert shown(**EXISTING)["addresses"] == []


def test_versions():
    """Of a cluster that we make its own and its add-ons'; the images of all pools, each once and in order."""
    addons = {"coredns": "v1.12.1-eksbuild.2"}
    told = shown(P5, GB200, {**P5, "name": "second"}, kubernetes={"admins": [ADMIN], "addon_versions": addons})
    default = "EKS's default at creation"

    assert [(row["part"], row["version"]) for row in told["versions"]][:7] == [
        ("EKS", "1.35"),
        ("add-on vpc-cni", default),
        ("add-on kube-proxy", default),
        ("add-on eks-pod-identity-agent", default),
        ("add-on coredns", "v1.12.1-eksbuild.2"),
        ("add-on eks-node-monitoring-agent", default),
        ("node image", "AL2023_ARM_64_NVIDIA, AL2023_x86_64_NVIDIA"),
    ]
    assert shown(**EXISTING)["versions"][0] == {"part": "node image", "version": "AL2023_x86_64_NVIDIA"}
