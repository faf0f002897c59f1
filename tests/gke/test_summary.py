"""What `plan` shows of a GKE stack and of no other: NICs, subnets, versions, and what nobody has asked."""

from typing import Any

import pytest
from rdma_cluster.gke.plan.summary import summarise
from tests.gke.plans import A4, EXISTING, MEGA, METAL, stack_plan

BY_GKE = {"network": {"mode": "managed-auto"}}
ON_EXISTING = {"network": EXISTING["network"]}


def shown(*pools: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The summary of a stack in us-west8-c, as JSON has it."""
    return summarise(stack_plan(*pools, **more)).to_dict()


def rails(told: dict[str, Any], machine: str) -> list[tuple[str, str, str]]:
    """Interface, subnet and addresses of each rail."""
    return [(row["eth"], row["subnet"], row["cidr"]) for row in told["rails"][machine]]


@pytest.mark.parametrize(
    ("pool", "more", "first", "last"),
    [
        (A4, {}, ("eth2", "rail-0", "10.2.19.0/24"), ("eth9", "rail-7", "10.2.26.0/24")),
        (MEGA, {}, ("eth1", "rail-0", "10.2.18.0/24"), ("eth8", "rail-7", "10.2.25.0/24")),
        (METAL, {}, ("eth2", "default-subnet-1", "IPv6, by Google"), ("eth9", "default-subnet-1", "IPv6, by Google")),
        (A4, BY_GKE, ("eth2", "rail-0", "by GKE"), ("eth9", "rail-7", "by GKE")),
    ],
    ids=["A4", "A3 Mega", "bare metal", "by GKE"],
)
def test_rails_follow_the_other_nics_of_a_node(
    pool: dict[str, Any], more: dict[str, Any], first: tuple[str, str, str], last: tuple[str, str, str]
):
    found = rails(shown(pool, **more), pool["machine"])

    assert (len(found), found[0], found[-1]) == (8, first, last)


def test_vpcs_are_told_by_their_kind_and_the_size_of_their_packets():
    """The one subnet of all rails of bare metal is told once."""
    rows = shown(METAL)["addresses"]

    assert [row["subnet"] for row in rows] == ["nodes", "pods", "services", "gvnic", "default-subnet-1"]
    assert [row["network"] for row in rows[3:]] == ["gVNIC VPC, MTU 8896", "RoCE VPC, MTU 8896"]
    assert shown(**BY_GKE)["addresses"] == shown()["addresses"][:3]


def test_what_nobody_has_asked_is_told_with_who_asks():
    """A network profile has no function and is asked for by hand."""
    told = shown()["unasked"]

    assert [row["asked_by"].partition(" ")[0] for row in told] == ["pulumi", "pulumi", "gcloud"]
    assert told[0]["permissions"] == "compute.machineTypes.list" and "us-west8-c-vpc-roce" in told[2]["asked_by"]
    assert shown(MEGA, look_ups=False)["unasked"] == shown(**ON_EXISTING, look_ups=False)["unasked"] == []
