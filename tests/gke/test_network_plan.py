"""The arithmetic of a GKE fabric's addresses."""

from ipaddress import IPv4Network
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pulumi_offline.errors import ErrorList, Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.common.google.names import place_of
from rdma_cluster.gke.plan.fabric import GkeNetworkMode
from rdma_cluster.gke.plan.machines import BUILDABLE
from rdma_cluster.gke.plan.network import (
    GkeHpcNetworkArgs,
    GkeNetworkPlan,
    SubnetPlan,
    VpcPlan,
    check_one_network,
    existing_networks,
    plan_network,
)

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
        project="my-project",
    )
    assert expected == plan()


def test_gvnic_rails():
    """A3 Mega: a plain VPC a rail and none besides, packets of one size everywhere."""
    made = plan(machines=["a3-megagpu-8g"])

    rails = [VpcPlan(f"rail-{i}", (SubnetPlan(f"rail-{i}", f"10.2.{18 + i}.0/24"),), mtu_bytes=8244) for i in range(8)]
    assert (made.mtu_bytes, list(made.vpcs)) == (8244, rails)


@pytest.mark.parametrize(
    ("machine", "mtu_bytes", "rails"),
    [
        ("a4x-highgpu-4g", 8896, [SubnetPlan(f"rail-{i}", f"10.2.{19 + i}.0/24") for i in range(4)]),
        ("a4x-maxgpu-4g-metal", 8896, [SubnetPlan("default-subnet-1", None)] * 8),
        ("a3-ultragpu-8g", None, [SubnetPlan(f"rail-{i}", f"10.2.{19 + i}.0/24") for i in range(8)]),
    ],
)
def test_rails_of_racks(machine: str, mtu_bytes: int | None, rails: list[SubnetPlan]):
    """Google's guides for racks name the packets' size on the second NIC; bare metal's rails share one subnet."""
    gvnic, roce = plan(machines=[machine]).vpcs

    assert gvnic == VpcPlan("gvnic", (SubnetPlan("gvnic", "10.2.18.0/24"),), mtu_bytes=mtu_bytes)
    profile = f"us-west8-c-{BUILDABLE[machine].network_profile}"
    assert roce == VpcPlan("rails", tuple(rails), 8896, f"projects/my-project/global/networkProfiles/{profile}")


def test_networks_by_gke():
    """GKE makes those of the further NICs, whichever machines attach; the primary one stays ours."""
    made = plan(machines=["a4-highgpu-8g", "a4x-maxgpu-4g-metal"], mode="managed-auto")

    assert made == GkeNetworkPlan("us-west8", 250, None, "10.2.16.0/23", "10.0.0.0/15", "10.2.0.0/20", (), "my-project")


@pytest.mark.parametrize("machines", [["a4x-highgpu-4g", "a4-highgpu-8g"], ["a4-highgpu-8g", "a4x-highgpu-4g"]])
def test_the_widest_machine_decides_the_rails(machines: list[str]):
    """In whichever order they are listed."""
    _, rails = plan(machines=machines, mode="managed").vpcs

    assert [subnet.name for subnet in rails.subnets] == [f"rail-{i}" for i in range(8)]


def test_own_blocks():
    """Pods and services take the blocks of their own as they are, and the rest is cut as if they were not there."""
    made = plan(pod_cidr="100.64.0.0/15", service_cidr="172.31.0.0/16", cidr="10.0.0.0/20")

    assert (made.pods, made.services, made.nodes) == ("100.64.0.0/15", "172.31.0.0/16", "10.0.0.0/23")
    assert [subnet.cidr for subnet in made.vpcs[1].subnets] == [f"10.0.{3 + i}.0/24" for i in range(8)]


def test_bare_metal_needs_no_addresses_of_ours_for_its_rails():
    """Its rails have Google's of IPv6: a block for the nodes and their second NIC is enough."""
    own = {"pod_cidr": "100.64.0.0/19", "service_cidr": "172.31.0.0/20", "max_nodes": 18, "cidr": "10.0.0.0/26"}
    made = plan(machines=["a4x-maxgpu-4g-metal"], **own)

    assert (made.nodes, made.vpcs[0].subnets) == ("10.0.0.0/27", (SubnetPlan("gvnic", "10.0.0.32/27"),))
    with pytest.raises(Refused, match="take a /24 or larger"):
        plan(machines=["a4x-highgpu-4g"], **own)


def told(*machines: str, mode: GkeNetworkMode | None = None) -> dict[int, str]:
    """What is said of machines of one stack, by their place in the list."""
    errors = ErrorList()
    check_one_network([(name, errors.at(i)) for i, name in enumerate(machines)], mode=mode)
    return {int(each.path[0]): each.reason for each in errors.found()}


_INSTEAD = ", or set network.mode to managed-auto: GKE then makes each pool's networks"


@pytest.mark.parametrize(
    ("machines", "wrong"),
    [
        (["a4-highgpu-8g", "a3-ultragpu-8g"], {}),
        (["a3-highgpu-8g", "a3-edgegpu-8g"], {}),
        (["no-machine", "a4-highgpu-8g", "no-machine", "a3-ultragpu-8g"], {}),
        (["h4d-highmem-192-lssd", "h4d-highmem-192-lssd"], {}),
        (["a4-highgpu-8g", "a3-megagpu-8g"], {1: ""}),
        (["a3-megagpu-8g", "a3-highgpu-8g"], {1: ""}),
        (["a4-highgpu-8g", "a4x-maxgpu-4g-metal"], {1: _INSTEAD}),
        # Of a machine that cannot be built nothing is known; the other could.
        (["a4-highgpu-8g", "h4d-highmem-192-lssd"], {1: _INSTEAD}),
        (["a3-megagpu-8g", "h4d-highmem-192-lssd"], {1: ""}),
        (["a4-highgpu-8g", "a3-megagpu-8g", "a3-ultragpu-8g", "a3-highgpu-8g"], {1: "", 3: ""}),
    ],
)
def test_one_stack_has_one_network(machines: list[str], wrong: dict[int, str]):
    """Each machine that needs another than the first is told, with the way out where there is one."""
    found = told(*machines)

    assert {i: reason.partition("a stack of its own")[2] for i, reason in found.items()} == wrong
    assert told(*machines, mode=GkeNetworkMode.MANAGED_AUTO) == {}


def test_one_stack_has_one_mode():
    """Where nobody chooses, the usual modes must agree; the modes that both can have are listed."""
    found = told("a4-highgpu-8g", "a3-megagpu-8g", "a4x-highgpu-4g")

    assert found[2] == (
        "pods on a4x-highgpu-4g get NICs by managed where nobody chooses, and those on a4-highgpu-8g by dranet; one "
        "cluster has one way: set network.mode to managed, managed-auto or pod-networks"
    )
    assert told("a4-highgpu-8g", "a4x-highgpu-4g", mode=GkeNetworkMode.MANAGED) == {}


@pytest.mark.parametrize(
    ("machines", "gvnic", "copies"),
    [(["a4-highgpu-8g"], True, 1), (["a3-megagpu-8g"], False, 1), (["a4x-maxgpu-4g-metal"], True, 8), ([], True, 1)],
)
def test_networks_that_exist(machines: list[str], gvnic: bool, copies: int):
    """The second NIC's first, then the rails; bare metal attaches its rails' one subnet by each of its NICs."""
    rails = [{"network": "roce", "subnetwork": f"s{i}"} for i in range(2)]
    second = {"network": "second", "subnetwork": "n"}
    names = dict.fromkeys(("network", "subnetwork", "pod_range", "service_range"), "n")
    existing: Any = {**names, "rails": rails, **({"gvnic": second} if gvnic else {})}

    made = existing_networks(existing, [BUILDABLE[name] for name in machines])

    assert made == [*([second] if gvnic else []), *rails * copies]


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
