"""The arithmetic of a GKE fabric's addresses, and which machines share one fabric."""

from ipaddress import IPv4Network
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pulumi_offline.errors import Refused
from rdma_cluster.gke.plan.network import GkeNetworkPlan
from tests.gke.plans import network_plan, refused


def blocks(made: GkeNetworkPlan) -> dict[str, IPv4Network]:
    """Every block of a plan by the name of its subnet."""
    further = {subnet.name: subnet.cidr for vpc in made.vpcs for subnet in vpc.subnets}
    named = {"nodes": made.nodes, "pods": made.pods, "services": made.services, **further}
    return {name: IPv4Network(cidr) for name, cidr in named.items()}


def test_subnets_of_250_nodes():
    """The order of the cuts is that of 0.1.0: another one would be other networks."""
    made = {name: str(block) for name, block in blocks(network_plan()).items()}

    assert made == {
        "pods": "10.0.0.0/15",
        "services": "10.2.0.0/20",
        "nodes": "10.2.16.0/23",
        "gvnic": "10.2.18.0/24",
        **{f"rail-{i}": f"10.2.{19 + i}.0/24" for i in range(8)},
    }


@pytest.mark.parametrize(
    ("machine", "primary_mtu", "vpcs"),
    [
        ("a4-highgpu-8g", None, [("gvnic", 1, None, None), ("rails", 8, 8896, "vpc-roce")]),
        ("a3-ultragpu-8g", None, [("gvnic", 1, None, None), ("rails", 8, 8896, "vpc-roce")]),
        ("a4x-highgpu-4g", None, [("gvnic", 1, 8896, None), ("rails", 4, 8896, "vpc-roce")]),
        ("a4x-maxgpu-4g-metal", None, [("gvnic", 1, 8896, None), ("rails", 8, 8896, "vpc-roce-metal")]),
        ("a3-megagpu-8g", 8244, [(f"rail-{i}", 1, 8244, None) for i in range(8)]),
    ],
)
def test_a_machine_has_the_vpcs_of_its_nics(machine: str, primary_mtu: int | None, vpcs: list[Any]):
    """TCP machines have a plain VPC a rail, and large packets on the primary VPC, too."""
    made = network_plan(machine)
    of_zone = "projects/my-project/global/networkProfiles/us-west8-c-"

    assert made.mtu_bytes == primary_mtu
    assert [(vpc.name, len(vpc.subnets), vpc.mtu_bytes, vpc.profile) for vpc in made.vpcs] == [
        (name, count, mtu, profile and of_zone + profile) for name, count, mtu, profile in vpcs
    ]


def test_gke_makes_the_further_networks_of_its_own_mode():
    """The primary network stays ours, whichever machines attach."""
    made = network_plan("a4-highgpu-8g", "a4x-maxgpu-4g-metal", mode="managed-auto")

    assert made.vpcs == () and {made.nodes, made.pods, made.services} == {"10.2.16.0/23", "10.0.0.0/15", "10.2.0.0/20"}


@pytest.mark.parametrize("machines", [("a4x-highgpu-4g", "a4-highgpu-8g"), ("a4-highgpu-8g", "a4x-highgpu-4g")])
def test_the_widest_machine_decides_the_number_of_rails(machines: tuple[str, str]):
    _, rails = network_plan(*machines, mode="managed").vpcs

    assert [subnet.name for subnet in rails.subnets] == [f"rail-{i}" for i in range(8)]


def test_blocks_of_the_users_own_are_taken_as_they_are():
    """The rest is cut as if pods and services were not there."""
    made = network_plan(pod_cidr="100.64.0.0/15", service_cidr="172.31.0.0/16", cidr="10.0.0.0/20")

    assert (made.pods, made.services, made.nodes) == ("100.64.0.0/15", "172.31.0.0/16", "10.0.0.0/23")
    assert made.vpcs[1].subnets[0].cidr == "10.0.3.0/24"


def test_bare_metal_needs_no_addresses_of_ours_for_its_rails():
    """Google makes their one IPv6 subnet; a block for the nodes and their second NIC is enough."""
    own = {"pod_cidr": "100.64.0.0/19", "service_cidr": "172.31.0.0/20", "max_nodes": 18, "cidr": "10.0.0.0/26"}
    gvnic, rails = network_plan("a4x-maxgpu-4g-metal", **own).vpcs

    assert [subnet.cidr for subnet in gvnic.subnets] == ["10.0.0.32/27"]
    assert {(subnet.name, subnet.cidr) for subnet in rails.subnets} == {("default-subnet-1", None)}
    assert refused(network_plan, "a4x-highgpu-4g", **own) == ["cidr"]


@pytest.mark.parametrize(
    ("machines", "wrong"),
    [
        (["a4-highgpu-8g", "a3-ultragpu-8g"], []),
        (["a3-highgpu-8g", "a3-edgegpu-8g"], []),
        (["a3-megagpu-8g", "a3-highgpu-8g"], [1]),
        (["a4-highgpu-8g", "a3-megagpu-8g", "a3-ultragpu-8g", "a3-highgpu-8g"], [1, 3]),
    ],
)
def test_machines_of_one_fabric_share_its_networks(machines: list[str], wrong: list[int]):
    """Each machine that needs other networks than the first is refused."""
    assert refused(network_plan, *machines) == [f"machines[{i}]" for i in wrong]


def test_networks_by_gke_are_a_remedy_only_where_every_machine_can_have_them():
    for other, fits in (("a4x-highgpu-4g", True), ("a3-megagpu-8g", False)):
        with pytest.raises(Refused) as told:
            network_plan("a4-highgpu-8g", other)
        assert ("managed-auto" in str(told.value)) is fits, other


@given(
    st.integers(1, 15_000),
    st.sampled_from(["10.0.0.0/8", "240.0.0.0/8", "172.16.0.0/12", "10.0.0.0/13", "192.168.0.0/16"]),
    st.sampled_from([None, "100.64.0.0/10", "100.64.0.0/15"]),
    st.sampled_from([None, "100.127.0.0/20", "198.18.0.0/20", "172.31.0.0/20"]),
)
def test_blocks_hold_every_node_or_are_refused(nodes: int, cidr: str, pods: str | None, services: str | None):
    """They are disjoint, inside what was given, and hold the system pool and Google's own addresses, too."""
    own = {key: value for key, value in (("pod_cidr", pods), ("service_cidr", services)) if value}
    try:
        found = blocks(network_plan(max_nodes=nodes, cidr=cidr, **own))
    except Refused:
        return
    cut = set(found) - ({"pods"} if pods else set()) - ({"services"} if services else set())

    assert not any(one.overlaps(other) for one, other in combinations(found.values(), 2))
    assert all(found[name].subnet_of(IPv4Network(cidr)) for name in cut)
    assert found["pods"].num_addresses >= 256 * (nodes + 10)
    assert found["nodes"].num_addresses >= nodes + 10 + 4
    for name in ("gvnic", *(f"rail-{i}" for i in range(8))):
        assert found[name].num_addresses >= max(8, nodes + 4)
