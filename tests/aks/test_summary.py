"""What `plan` shows of an AKS stack: its own columns and rows in the sections of all clouds."""

from typing import Any

import pytest
from rdma_cluster.aks.plan import summarise
from rdma_cluster.common.summary import Row
from tests.aks.plans import RESERVATIONS, SUBNET, pool, stack_plan

EXISTING: dict[str, Any] = {
    "kubernetes": {"name": "mine", "existing": {"server": "https://c.azmk8s.io:443", "ca_certificate": "YQ=="}},
    "network": {"existing": {"subnet": SUBNET, "cidrs": ["10.1.0.0/16"], "outbound": "nat-gateway"}},
}


def rows(section: str, *pools: dict[str, Any], **args: Any) -> list[Row]:
    """The rows of a section."""
    return list(summarise(stack_plan(*pools, **args)).rows_of(section))


def test_a_pool_says_its_generation_of_infiniband_and_its_image():
    reserved = pool(machine="Standard_ND96asr_v4", capacity={"reservation": {"group": RESERVATIONS}})
    (row,) = rows("pools", reserved)

    assert [row[key] for key in ("capacity", "rails", "fabric", "image")] == [
        "reservation h100",
        "8 x 200 Gb/s",
        "HDR",
        "Ubuntu",
    ]


@pytest.mark.parametrize(
    ("machine", "rail", "row"),
    [
        ("Standard_ND96isr_H100_v5", 5, {"gpu": 5, "gpu_pci": "000a:00:00.0", "nic": "mlx5_5"}),
        ("Standard_ND128isr_NDR_GB200_v6", 3, {"gpu": "-", "gpu_pci": "-", "nic": "mlx5_3"}),
    ],
)
def test_a_rail_says_the_gpu_that_is_near(machine: str, rail: int, row: Row):
    """A dash stands for what is not published."""
    assert rows("rails", pool(machine=machine))[rail].items() >= {"rail": rail, **row}.items()


def test_addresses_say_their_way_out():
    """The cluster's own blocks have none, and an existing network is not shown."""
    found = {row["subnet"]: row["outbound"] for row in rows("addresses", storage={"lustre": {"capacity_tib": 4}})}
    inside, nat = "inside the cluster", "nat-gateway"

    assert found == {"virtual network": nat, "nodes": nat, "lustre": nat, "pods": inside, "services": inside}
    assert "lustre" not in {row["subnet"] for row in rows("addresses")}
    assert rows("addresses", **EXISTING) == []


GPU, NETWORK = "NVIDIA GPU Operator", "NVIDIA Network Operator"


@pytest.mark.parametrize(
    ("pools", "args", "image", "operators", "driver"),
    [
        ([], {}, "Ubuntu", {GPU, NETWORK}, GPU),
        ([pool()], {"drivers": {"gpu_driver": "aks"}}, "Ubuntu", set(), "installed by AKS with the node image"),
        ([pool(node_version="1.34.2"), pool(name="new")], {}, "Ubuntu, Ubuntu2404", {GPU}, GPU),
    ],
    ids=["device plugins", "claims", "two images"],
)
def test_versions_say_who_brings_which_driver(pools: Any, args: Any, image: str, operators: set[str], driver: str):
    found = {row["part"]: row["version"] for row in rows("versions", *pools, **args)}

    assert (found["node image"], found["NVIDIA kernel driver"]) == (image, driver)
    assert operators == {GPU, NETWORK} & found.keys()
    assert ("doca" in found["InfiniBand driver"]) is (NETWORK in operators)
