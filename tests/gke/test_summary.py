"""What `plan` shows of a GKE stack and of no other: NICs, subnets, versions, and what nobody has asked."""

from typing import Any

import pytest
from rdma_cluster.gke.plan import plan_rdma_cluster_args
from rdma_cluster.gke.plan.summary import summarise

A4 = {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"spot": True}}
METAL = {
    "name": "metal",
    "machine": "a4x-maxgpu-4g-metal",
    "nodes": 18,
    "capacity": {"reservation": {"name": "r", "block": "b", "sub_block": "s"}},
}
NETWORKS = {
    "existing": {
        **dict.fromkeys(("network", "subnetwork", "pod_range", "service_range"), "vpc"),
        "gvnic": {"network": "second", "subnetwork": "n"},
        "rails": [{"network": "roce", "subnetwork": f"lane-{i}"} for i in range(8)],
    }
}


def shown(*pools: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The summary of a stack in us-west8-c, as JSON has it."""
    args = {"project": "my-project", "zone": "us-west8-c", "pools": list(pools), **more}
    return summarise(plan_rdma_cluster_args(args, "gke")).to_dict()


@pytest.mark.parametrize(
    ("kubernetes", "row"),
    [
        ({}, {"name": "gke", "location": "us-west8", "version": "1.35", "endpoint": "dns", "made": "new"}),
        (
            {"name": "mine", "location": "zonal", "version": "1.36", "endpoint": "private"},
            {"name": "mine", "location": "us-west8-c", "version": "1.36", "endpoint": "private", "made": "new"},
        ),
        (
            {"name": "mine", "existing": {"location": "us-west8", "endpoint": "gke.example"}},
            {"name": "mine", "location": "us-west8", "version": "1.35", "endpoint": "dns", "made": "existing"},
        ),
    ],
)
def test_cluster(kubernetes: dict[str, Any], row: dict[str, str]):
    """Where it is, which version, and whether we make it; of one that is there no version is told among the parts."""
    network = NETWORKS if "existing" in kubernetes else {}
    told = shown(A4, kubernetes=kubernetes, network=network)

    assert told["cluster"] == [{**row, "zone": "us-west8-c"}]
    versions = [each for each in told["versions"] if each["part"] == "GKE"]
    ours = {"part": "GKE", "version": f"{row['version']} or later, channel REGULAR"}
    assert versions == ([ours] if row["made"] == "new" else [])


def rails(told: dict[str, Any], machine: str) -> list[tuple[str, str, str]]:
    """Interface, subnet and addresses of each rail."""
    return [(row["eth"], row["subnet"], row["cidr"]) for row in told["rails"][machine]]


@pytest.mark.parametrize(
    ("pool", "more", "expected"),
    [
        (A4, {}, [(f"eth{2 + i}", f"rail-{i}", f"10.2.{19 + i}.0/24") for i in range(8)]),
        (
            {**A4, "machine": "a3-megagpu-8g"},
            {},
            [(f"eth{1 + i}", f"rail-{i}", f"10.2.{18 + i}.0/24") for i in range(8)],
        ),
        (METAL, {}, [(f"eth{2 + i}", "default-subnet-1", "IPv6, by Google") for i in range(8)]),
        (A4, {"network": {"mode": "managed-auto"}}, [(f"eth{2 + i}", f"rail-{i}", "by GKE") for i in range(8)]),
        (A4, {"network": NETWORKS}, [(f"eth{2 + i}", f"rail-{i}", "existing") for i in range(8)]),
    ],
)
def test_rails(pool: dict[str, Any], more: dict[str, Any], expected: list[tuple[str, str, str]]):
    """A node has its primary NIC, a second one where the machine has it, and then the rails in order."""
    assert rails(shown(pool, **more), pool["machine"]) == expected


def test_each_machine_has_its_rails():
    """A narrow machine is on the first of the subnets that the widest one has."""
    rack = {**METAL, "name": "rack", "machine": "a4x-highgpu-4g", "gpu_allocation": "dra"}
    told = shown(A4, rack, network={"mode": "managed"})

    assert rails(told, "a4x-highgpu-4g") == rails(told, "a4-highgpu-8g")[:4]


PRIMARY = [
    {"subnet": "nodes", "cidr": "10.2.16.0/23", "network": "primary VPC"},
    {"subnet": "pods", "cidr": "10.0.0.0/15", "network": "primary VPC, secondary range"},
    {"subnet": "services", "cidr": "10.2.0.0/20", "network": "primary VPC, secondary range"},
]


@pytest.mark.parametrize(
    ("pool", "more", "further"),
    [
        (
            A4,
            {},
            [
                ("gvnic", "10.2.18.0/24", "gVNIC VPC"),
                *((f"rail-{i}", f"10.2.{19 + i}.0/24", "RoCE VPC, MTU 8896") for i in range(8)),
            ],
        ),
        # The subnet that all rails share is told once.
        (
            METAL,
            {},
            [
                ("gvnic", "10.2.18.0/24", "gVNIC VPC, MTU 8896"),
                ("default-subnet-1", "IPv6, by Google", "RoCE VPC, MTU 8896"),
            ],
        ),
        (
            {**A4, "machine": "a3-megagpu-8g"},
            {},
            [(f"rail-{i}", f"10.2.{18 + i}.0/24", "gVNIC VPC, MTU 8244") for i in range(8)],
        ),
        (A4, {"network": {"mode": "managed-auto"}}, []),
    ],
)
def test_addresses(pool: dict[str, Any], more: dict[str, Any], further: list[tuple[str, str, str]]):
    """Every subnet that is made, and the VPC that it is in."""
    assert shown(pool, **more)["addresses"] == [
        *PRIMARY,
        *({"subnet": subnet, "cidr": cidr, "network": network} for subnet, cidr, network in further),
    ]


def test_networks_that_exist_have_no_addresses_of_ours():
    """Nor is there a profile that a zone may lack."""
    told = shown(A4, network=NETWORKS, look_ups=False)

    assert (told["addresses"], told["unasked"]) == ([], [])


def test_what_nobody_has_asked():
    """What a preview asks, with the rights for it; the network profile has no function and is asked for by hand."""
    told = shown({**A4, "capacity": {"reservation": {"name": "r"}}})["unasked"]

    assert told == [
        {
            "about": "a4-highgpu-8g in us-west8-c",
            "tells": "whether the zone has the machine",
            "asked_by": "pulumi preview",
            "permissions": "compute.machineTypes.list",
        },
        {
            "about": "reservation r of my-project in us-west8-c",
            "tells": "its state, machine, size and sharing",
            "asked_by": "pulumi preview",
            "permissions": "compute.reservations.get, compute.reservationBlocks.list",
        },
        {
            "about": "network profile us-west8-c-vpc-roce",
            "tells": "whether the zone has it",
            "asked_by": "gcloud compute network-profiles describe us-west8-c-vpc-roce",
            "permissions": None,
        },
    ]
    assert shown({**A4, "machine": "a3-megagpu-8g"}, look_ups=False)["unasked"] == []
