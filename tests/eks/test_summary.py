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
        ({}, ("eks", "1.35", "public", "new")),
        ({"kubernetes": {"admins": [ADMIN], "name": "mine", "version": "1.36"}}, ("mine", "1.36", "private", "new")),
        (EXISTING, ("mine", "1.35", "private", "existing")),
    ],
    ids=["new", "chosen", "existing"],
)
def test_a_cluster_is_shown_with_who_made_it(more: dict[str, Any], row: tuple[str, ...]):
    (cluster,) = shown(**more)["cluster"]

    assert tuple(cluster[key] for key in ("name", "version", "endpoint", "made")) == row
    assert (cluster["region"], cluster["zone"]) == ("us-east-2", "us-east-2a")


def test_pods_are_as_many_as_a_node_has_addresses_for():
    """EKS counts where these are not published."""
    assert [row["pods"] for row in shown(P5, GB200)["pools"]] == [51, "EKS's own count"]
    assert [row["pods"] for row in shown({**P5, "max_pods": 30})["pools"]] == [30]


@pytest.mark.parametrize(
    ("pool", "places"),
    [(P5, [(0, 1), *((card, 0) for card in range(1, 32))]), (GB200, [(1, 0), (5, 0), (9, 0), (13, 0)])],
    ids=["P5", "GB200"],
)
def test_each_efa_device_is_shown_beside_its_place(pool: dict[str, Any], places: list[tuple[int, int]]):
    """It has no name of a NIC."""
    rows = shown(pool)["rails"][pool["machine"]]

    assert [(row["card"], row["device"], row["interface"]) for row in rows] == [(*each, "efa-only") for each in places]
    assert [row["rail"] for row in rows] == list(range(len(places))) and not any("nic" in row for row in rows)


def test_versions_of_a_cluster_its_add_ons_and_its_node_images_are_shown():
    """Each image is told once, and of a cluster that exists the images alone."""
    addons = {"coredns": "v1.12.1-eksbuild.2"}
    told = shown(P5, GB200, {**P5, "name": "second"}, kubernetes={"admins": [ADMIN], "addon_versions": addons})
    versions = {row["part"]: row["version"] for row in told["versions"]}

    assert list(versions)[:2] == ["EKS", "add-on vpc-cni"]
    assert versions["add-on coredns"] == "v1.12.1-eksbuild.2" and "default" in versions["add-on vpc-cni"]
    assert versions["node image"] == "AL2023_ARM_64_NVIDIA, AL2023_x86_64_NVIDIA"
    assert shown(**EXISTING)["versions"][0]["part"] == "node image"
