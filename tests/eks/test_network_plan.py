"""The arithmetic of an EKS fabric's addresses."""

from ipaddress import IPv4Network
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pulumi_offline.errors import Refused
from rdma_cluster.eks.plan.interfaces import addresses_of
from rdma_cluster.eks.plan.network import SYSTEM_NODES
from tests.eks.plans import BUILDABLE, network_plan, refused, row

AWS_KEEPS = 5
LOCAL = "us-east-2-dfw-2a"


def test_subnets_of_250_p5_nodes():
    """The cuts are those of 0.1.0: other ones would be other networks."""
    made = network_plan()

    assert (made.cidr, made.gpu, made.node_addresses) == ("10.0.0.0/16", "10.0.0.0/18", 50)
    assert made.cluster == {"us-east-2a": "10.0.248.0/22", "us-east-2b": "10.0.244.0/22"}
    assert (made.public, made.public_zone) == ("10.0.255.240/28", "us-east-2a")


@given(st.permutations(["us-east-2b", "us-east-2c", "us-east-2d"]), st.integers(1, 3), st.integers(1, 500))
def test_a_subnet_that_exists_stays_where_it_is(zones: list[str], first: int, nodes: int):
    """Neither a further zone nor another order of zones nor more GPU nodes moves it."""
    before = network_plan(control_plane_zones=zones[:first], max_nodes=1)
    after = network_plan(control_plane_zones=sorted(zones), max_nodes=nodes)

    assert after.public == before.public
    assert {zone: after.cluster[zone] for zone in before.cluster} == dict(before.cluster)
    assert after.gpu.partition("/")[0] == before.gpu.partition("/")[0]


@given(
    st.integers(1, 2000),
    st.sampled_from(["10.0.0.0/16", "172.31.0.0/18", "192.168.0.0/20", "100.64.0.0/16"]),
    st.sets(st.sampled_from([machine.name for machine in BUILDABLE]), min_size=1, max_size=3),
)
def test_subnets_hold_every_node_or_are_refused(nodes: int, cidr: str, machines: set[str]):
    """They are disjoint and inside the VPC, and hold the thirstiest machine's interfaces and AWS's own addresses."""
    try:
        made = network_plan(max_nodes=nodes, cidr=cidr, machines=sorted(machines))
    except Refused:
        return
    found = [IPv4Network(each) for each in (made.gpu, *made.cluster.values(), made.public)]

    assert not any(one.overlaps(other) for one, other in combinations(found, 2))
    assert all(block.subnet_of(IPv4Network(cidr)) for block in found)
    assert found[0].num_addresses >= nodes * max(addresses_of(row(name)) for name in machines) + AWS_KEEPS
    assert all(block.num_addresses >= SYSTEM_NODES * 60 + AWS_KEEPS for block in found[1:-1])


@pytest.mark.parametrize(
    ("zone", "further", "control_plane", "way_out"),
    [
        ("us-east-2a", ["us-east-2c"], ["us-east-2a", "us-east-2c"], "us-east-2a"),
        (LOCAL, ["us-east-2c", "us-east-2b"], ["us-east-2c", "us-east-2b"], "us-east-2c"),
    ],
    ids=["zone of the region", "local zone"],
)
def test_the_control_plane_is_in_no_local_zone(zone: str, further: list[str], control_plane: list[str], way_out: str):
    """The way out is beside the GPUs, or in the first zone that the user names."""
    made = network_plan(zone=zone, control_plane_zones=further)

    assert (made.zone, list(made.cluster), made.public_zone) == (zone, control_plane, way_out)


def test_the_thirstiest_machine_decides():
    """A node fills an interface with addresses, and keeps a second one warm where card 0 has room."""
    taken = {
        "p5.48xlarge": 50,
        "p6-b200.48xlarge": 100,
        "p6e-gb200.36xlarge": 100,
        "g7e.48xlarge": 128,
        "g4dn.8xlarge": 30,
    }

    assert {name: network_plan(machines=[name]).node_addresses for name in taken} == taken
    assert network_plan(machines=["g4dn.8xlarge", "p6-b200.48xlarge", "p5.48xlarge"]).node_addresses == 100


def test_a_block_may_be_large_enough_to_the_last_address():
    """Half of it is for 80 nodes, and two zones' subnets with the way out are in the rest."""
    assert network_plan(cidr="10.0.0.0/19", max_nodes=81).gpu == "10.0.0.0/20"
    assert refused(network_plan, cidr="10.0.0.0/19", max_nodes=82) == ["cidr"]


@pytest.mark.parametrize(
    ("more", "paths"),
    [
        ({"cidr": "10.0.0.0/15"}, ["cidr"]),
        ({"cidr": "10.0.0.0/29"}, ["cidr"]),
        ({"cidr": "10.0.0.0/17", "control_plane_zones": ["us-east-2h"]}, []),
        ({"cidr": "10.0.0.0/18", "control_plane_zones": ["us-east-2d", "us-east-2b"]}, ["cidr"]),
        ({"control_plane_zones": ["us-east-2b", "us-east-2b"]}, ["control_plane_zones[1]"]),
        ({"control_plane_zones": ["us-east-2b", ""]}, ["control_plane_zones[1]"]),
    ],
)
def test_a_network_is_refused_at_the_key_that_is_wrong(more: dict[str, Any], paths: list[str]):
    assert refused(network_plan, **more) == paths
