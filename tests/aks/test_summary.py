"""What `plan` tells of an AKS stack: its own columns and rows in the sections of all clouds."""

from typing import Any

import pytest
from rdma_cluster.aks.plan import summarise
from rdma_cluster.aks.plan.rdma_cluster import AksRdmaClusterPlan
from rdma_cluster.common.summary import Row
from tests.aks.plans import RESERVATIONS, SUBNET, pool, stack_plan

EXISTING: dict[str, Any] = {
    "kubernetes": {
        "name": "mine",
        "existing": {"server": "https://c.hcp.southcentralus.azmk8s.io:443", "ca_certificate": "YQ=="},
    },
    "network": {"existing": {"subnet": SUBNET, "cidrs": ["10.1.0.0/16"], "outbound": "nat-gateway"}},
}
GPU, NETWORK = ("NVIDIA GPU Operator", "v26.3.3, gpu-operator"), ("NVIDIA Network Operator", "26.7.0, network-operator")


def rows(plan: AksRdmaClusterPlan, section: str) -> list[Row]:
    """The rows of a section."""
    return list(summarise(plan).rows_of(section))


def test_cluster():
    """Where it is, how its API is reached, and whether it is ours."""
    assert rows(stack_plan(), "cluster") == [
        {
            "name": "aks",
            "location": "southcentralus",
            "zone": "none",
            "version": "1.36",
            "endpoint": "public",
            "made": "new",
        }
    ]
    (existing,) = rows(stack_plan(**EXISTING, zone="2"), "cluster")
    assert [existing[key] for key in ("name", "zone", "endpoint", "made")] == ["mine", "2", "private", "existing"]


def test_pools_tell_fabric_and_image():
    """The generation of InfiniBand, which is known of the sizes, and the node image's name in AKS."""
    reserved = pool(machine="Standard_ND96asr_v4", capacity={"reservation": {"group": RESERVATIONS}})

    assert rows(stack_plan(reserved), "pools") == [
        {
            "name": "h100",
            "machine": "Standard_ND96asr_v4",
            "nodes": 2,
            "capacity": "reservation h100",
            "gpus": "8 x NVIDIA A100-SXM4-40GB",
            "rails": "8 x 200 Gb/s",
            "fabric": "HDR",
            "image": "Ubuntu",
            "allocation": "dra",
        }
    ]


@pytest.mark.parametrize(
    ("machine", "rail", "row"),
    [
        (
            "Standard_ND96isr_H100_v5",
            5,
            {"gpu": 5, "gpu_pci": "000a:00:00.0", "numa": 1, "nic": "mlx5_5", "nic_pci": "0106:00:00.0"},
        ),
        # Of these only the names are known.
        (
            "Standard_ND128isr_NDR_GB200_v6",
            3,
            {"gpu": "-", "gpu_pci": "-", "numa": "-", "nic": "mlx5_3", "nic_pci": "-"},
        ),
    ],
)
def test_rails_tell_the_gpu_that_is_near(machine: str, rail: int, row: Row):
    """No PCIe root is shared, so that none is told; a dash for what nobody has published."""
    plan = stack_plan(pool(machine=machine, nodes=2))

    assert rows(plan, "rails")[rail] == {"rail": rail, **row}


def test_addresses():
    """The ways out of the network's blocks, and the blocks that are the cluster's own."""
    plan = stack_plan(storage={"lustre": {"capacity_tib": 4}})

    assert [(row["subnet"], row["cidr"], row["outbound"]) for row in rows(plan, "addresses")] == [
        ("virtual network", "10.224.0.0/16", "nat-gateway"),
        ("nodes", "10.224.0.0/23", "nat-gateway"),
        ("lustre", "10.224.255.0/24", "nat-gateway"),
        ("pods", "10.244.0.0/14", "inside the cluster"),
        ("services", "10.0.0.0/16", "inside the cluster"),
    ]
    subnets = [row["subnet"] for row in rows(stack_plan(), "addresses")]
    assert subnets == ["virtual network", "nodes", "pods", "services"]
    assert rows(stack_plan(**EXISTING), "addresses") == []


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            {},
            [
                ("AKS", "1.36"),
                ("node image", "Ubuntu"),
                GPU,
                NETWORK,
                ("NVIDIA kernel driver", "NVIDIA GPU Operator"),
                ("InfiniBand driver", "doca3.5.0-26.07-0.7.7.0-1"),
            ],
        ),
        # Claims, and the drivers of the node image: neither operator has work.
        (
            {"pools": [pool()], "drivers": {"gpu_driver": "aks"}},
            [
                ("AKS", "1.36"),
                ("node image", "Ubuntu"),
                ("NVIDIA kernel driver", "installed by AKS with the node image"),
                ("InfiniBand driver", "the kernel's own"),
            ],
        ),
        # Two images by name, and a cluster whose version is its owner's.
        (
            {
                **EXISTING,
                "pools": [pool(node_version="1.34.2"), pool(name="new", node_version="1.35"), pool(name="newer")],
                "drivers": {"rdma_driver": "doca"},
            },
            [
                ("node image", "Ubuntu, Ubuntu2404"),
                GPU,
                NETWORK,
                ("NVIDIA kernel driver", "NVIDIA GPU Operator"),
                ("InfiniBand driver", "doca3.5.0-26.07-0.7.7.0-1"),
            ],
        ),
    ],
    ids=["device plugins", "claims", "existing"],
)
def test_versions(args: dict[str, Any], said: list[tuple[str, str]]):
    """Who brings which driver; what all clouds install stands below."""
    versions = [(row["part"], row["version"]) for row in rows(stack_plan(**args), "versions")]

    assert versions[: len(said)] == said
    assert {part for part, _ in versions[len(said) :]} <= {"NVIDIA GPU DRA driver", "DraNet"}
