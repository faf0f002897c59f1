"""The arithmetic of a GKE fabric's addresses."""

from ipaddress import IPv4Network
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdma_cluster.args import plan_from
from rdma_cluster.common.google.names import place_of
from rdma_cluster.errors import ErrorList, Refused
from rdma_cluster.gke.plan.network import GkeHpcNetworkArgs, GkeNetworkPlan, SubnetPlan, VpcPlan, plan_network

BASE: dict[str, Any] = {"project": "my-project", "zone": "us-west8-c", "machines": ["a4-highgpu-8g"]}


def plan(**args: Any) -> GkeNetworkPlan:
    """The plan of a network of A4 machines."""
    return plan_from(GkeHpcNetworkArgs, plan_network, {**BASE, **args})


def blocks(made: GkeNetworkPlan) -> dict[str, IPv4Network]:
    """Every block of a plan."""
    further = {subnet.name: subnet.cidr for vpc in made.vpcs for subnet in vpc.subnets}
    named = {"nodes": made.nodes, "pods": made.pods, "services": made.services, **further}
    return {name: IPv4Network(cidr) for name, cidr in named.items()}


def test_default():
    """250 nodes: a /24 a rail, and the profile of the zone."""
    expected = GkeNetworkPlan(
        region="us-west8",
        max_nodes=250,
        nodes="10.2.16.0/23",
        pods="10.0.0.0/15",
        services="10.2.0.0/20",
        mtu_bytes=None,
        vpcs=(
            VpcPlan("gvnic", (SubnetPlan("gvnic", "10.2.18.0/24"),)),
            VpcPlan(
                "rails",
                tuple(SubnetPlan(f"rail-{i}", f"10.2.{19 + i}.0/24") for i in range(8)),
                mtu_bytes=8896,
                profile="projects/my-project/global/networkProfiles/us-west8-c-vpc-roce",
            ),
        ),
    )
    assert expected == plan()


def test_gvnic_rails():
    """A3 Mega: a plain VPC a rail and none besides, packets of one size everywhere."""
    made = plan(machines=["a3-megagpu-8g"])

    rails = [VpcPlan(f"rail-{i}", (SubnetPlan(f"rail-{i}", f"10.2.{18 + i}.0/24"),), mtu_bytes=8244) for i in range(8)]
    assert (made.mtu_bytes, list(made.vpcs)) == (8244, rails)


@given(
    st.integers(1, 15_000),
    st.sampled_from(["10.0.0.0/8", "240.0.0.0/8", "172.16.0.0/12", "10.0.0.0/13", "192.168.0.0/16"]),
    st.sampled_from([None, "100.64.0.0/10", "100.64.0.0/15"]),
    st.sampled_from([None, "100.127.0.0/20", "198.18.0.0/20", "172.31.0.0/20"]),
)
def test_blocks_hold_every_node_or_are_refused(nodes: int, cidr: str, pods: str | None, services: str | None):
    """Disjoint, inside what was given, and large enough for the ceiling, the system pool and Google's own addresses."""
    own = {key: value for key, value in (("pod_cidr", pods), ("service_cidr", services)) if value}
    try:
        made = plan(max_nodes=nodes, cidr=cidr, **own)
    except Refused:
        return
    found = blocks(made)
    assert not any(one.overlaps(other) for one, other in combinations(found.values(), 2))
    assert all(
        found[name].subnet_of(IPv4Network(cidr))
        for name in found
        if not (name == "pods" and pods) and not (name == "services" and services)
    )
    assert found["pods"].num_addresses >= 256 * (nodes + 10)
    assert found["nodes"].num_addresses >= nodes + 10 + 4
    for name in ("gvnic", *(f"rail-{i}" for i in range(8))):
        assert found[name].num_addresses >= max(8, nodes + 4)


@given(st.integers(1, 14_999))
def test_a_higher_ceiling_never_needs_less(nodes: int):
    """Sizes grow with the ceiling."""
    lower, higher = (blocks(plan(cidr="10.0.0.0/8", max_nodes=count)) for count in (nodes, nodes + 1))

    assert all(higher[name].num_addresses >= lower[name].num_addresses for name in lower)


def test_machines_share_the_rails():
    """Two machine types of eight rails have eight subnets together."""
    assert plan(machines=["a3-ultragpu-8g", "a4-highgpu-8g"]) == plan()


@pytest.mark.parametrize(("zone", "region"), [("us-west8-c", "us-west8"), ("europe-west1-b", "europe-west1")])
def test_region(zone: str, region: str):
    """A zone names its region."""
    assert plan(zone=zone).region == region


@given(st.text("abc019-", max_size=12))
def test_any_zone_is_one_or_refused(zone: str):
    """Never an exception, and never a region without a zone."""
    errors = ErrorList()
    region = place_of({"project": "my-project", "zone": zone}, errors).region

    assert (not region) is bool(errors)
    assert not region or zone.startswith(f"{region}-")
