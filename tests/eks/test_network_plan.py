"""The arithmetic of an EKS fabric's addresses."""

from ipaddress import IPv4Network
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pulumi_offline.errors import Refused
from rdma_cluster.eks.plan.interfaces import addresses_of
from rdma_cluster.eks.plan.network import SYSTEM_NODES, EksNetworkPlan
from rdma_cluster.eks.plan.zones import is_local, partition_of
from tests.eks.plans import BUILDABLE, network_plan, row

AWS_KEEPS = 5


def blocks(made: EksNetworkPlan) -> list[IPv4Network]:
    """Every subnet of a plan."""
    return [IPv4Network(cidr) for cidr in (made.gpu, *made.cluster.values(), made.public)]


def test_default():
    """250 P5 nodes of 50 addresses each, in the GPUs' zone, beside a control plane in two."""
    expected = EksNetworkPlan(
        region="us-east-2",
        zone="us-east-2a",
        cidr="10.0.0.0/16",
        gpu="10.0.0.0/18",
        cluster={"us-east-2a": "10.0.248.0/22", "us-east-2b": "10.0.244.0/22"},
        public="10.0.255.240/28",
        public_zone="us-east-2a",
        node_addresses=50,
    )
    assert expected == network_plan()


@given(st.permutations(["us-east-2b", "us-east-2c", "us-east-2d"]), st.integers(1, 3), st.integers(1, 500))
def test_what_exists_stays_where_it_is(zones: list[str], first: int, nodes: int):
    """A further zone, another order of zones, more GPU nodes: every subnet that is there keeps its addresses."""
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
    """Disjoint, inside the VPC, and large enough for the thirstiest machine's interfaces and AWS's own addresses."""
    try:
        made = network_plan(max_nodes=nodes, cidr=cidr, machines=sorted(machines))
    except Refused:
        return
    found = blocks(made)

    assert not any(one.overlaps(other) for one, other in combinations(found, 2))
    assert all(block.subnet_of(IPv4Network(cidr)) for block in found)
    each = max(addresses_of(row(name)) for name in machines)
    assert IPv4Network(made.gpu).num_addresses >= nodes * each + AWS_KEEPS
    for block in made.cluster.values():
        assert IPv4Network(block).num_addresses >= SYSTEM_NODES * 60 + AWS_KEEPS


def test_local_zone():
    """GPUs in a local zone; control plane and NAT gateway in zones of the region."""
    made = network_plan(zone="us-east-2-dfw-2a", control_plane_zones=["us-east-2b", "us-east-2c"])

    assert made.zone == "us-east-2-dfw-2a"
    assert list(made.cluster) == ["us-east-2b", "us-east-2c"]
    assert made.public_zone == "us-east-2b"


@pytest.mark.parametrize(
    ("zones", "public_zone"),
    [
        (("us-east-2a", ["us-east-2c", "us-east-2b"]), "us-east-2a"),
        (("us-east-2-dfw-2a", ["us-east-2c", "us-east-2b"]), "us-east-2c"),
    ],
)
def test_the_way_out_is_beside_the_gpus(zones: tuple[str, list[str]], public_zone: str):
    """Where these are in a local zone, in the first zone that the user names."""
    zone, further = zones

    assert network_plan(zone=zone, control_plane_zones=further).public_zone == public_zone


def test_the_thirstiest_machine_decides():
    """A node takes an interface full of addresses, and a second one where card 0 has room, whatever is published."""
    taken = {
        "p5.48xlarge": 50,
        "p6-b200.48xlarge": 100,
        "p6e-gb200.36xlarge": 100,
        "g5.8xlarge": 60,
        "g4dn.8xlarge": 30,
    }

    assert {name: network_plan(machines=[name]).node_addresses for name in taken} == taken
    assert network_plan(machines=["g4dn.8xlarge", "p6-b200.48xlarge", "p5.48xlarge"]).node_addresses == 100


def refused(**args: Any) -> list[str]:
    """What is wrong with a network."""
    with pytest.raises(Refused) as caught:
        network_plan(**args)
    return caught.value.lines


def test_a_ceiling_that_no_vpc_holds():
    """Half of the largest VPC holds 655 nodes of 50 addresses, and AWS's own; the most is told."""
    assert network_plan(max_nodes=655).gpu == "10.0.0.0/17"
    assert refused(max_nodes=656) == [
        "max_nodes: 656 nodes of 50 addresses each need a /16, and a VPC's block is a /16 at the most, half of it for "
        "GPUs; take 655 or fewer, or an existing network"
    ]
    assert refused(max_nodes=0) == ["max_nodes: got 0; must be 1 or more"]


@pytest.mark.parametrize(
    ("cidr", "further", "told"),
    [
        ("10.0.0.0/15", ["us-east-2b"], "cidr: got 10.0.0.0/15; a VPC takes a /16 to a /28"),
        ("10.0.0.0/29", ["us-east-2b"], "cidr: got 10.0.0.0/29; a VPC takes a /16 to a /28"),
        (
            "10.0.0.0/18",
            ["us-east-2b"],
            "cidr: 10.0.0.0/18 holds 16384 addresses and 19456 are needed (gpu /18, and 3 times a /22 for zones up to "
            "us-east-2b and the way out); take a /17 or larger",
        ),
        (
            "10.0.0.0/18",
            ["us-east-2d", "us-east-2b"],
            "cidr: 10.0.0.0/18 holds 16384 addresses and 21504 are needed (gpu /18, and 5 times a /22 for zones up to "
            "us-east-2d and the way out); take a /17 or larger",
        ),
    ],
)
def test_blocks_of_a_wrong_size(cidr: str, further: list[str], told: str):
    """What is needed is told, with the zone that needs the most."""
    assert refused(cidr=cidr, control_plane_zones=further) == [told]


def test_a_block_may_be_just_large_enough():
    """Down to the last address: half of a /20 for 40 nodes, and two zones' subnets with the way out in the rest."""
    made = network_plan(cidr="10.0.0.0/19", max_nodes=80, control_plane_zones=["us-east-2b"])

    assert (made.gpu, dict(made.cluster), made.public) == (
        "10.0.0.0/20",
        {"us-east-2a": "10.0.24.0/22", "us-east-2b": "10.0.20.0/22"},
        "10.0.31.240/28",
    )
    assert "take a /18 or larger" in refused(cidr="10.0.0.0/19", max_nodes=82)[0]


@pytest.mark.parametrize(
    ("services", "told"),
    [
        ("10.1.0.0/16", None),
        ("10.16.0.0/12", None),
        ("10.16.0.0/24", None),
        ("10.0.128.0/17", "10.0.128.0/17 overlaps the VPC's block, 10.0.0.0/16; take disjoint blocks"),
        ("10.32.0.0/11", "got 10.32.0.0/11; EKS takes a /12 to a /24"),
        ("10.16.0.0/25", "got 10.16.0.0/25; EKS takes a /12 to a /24"),
    ],
)
def test_blocks_for_services(services: str, told: str | None):
    """Outside of the VPC's, and of a size that EKS takes."""
    if told is None:
        assert network_plan(service_cidr=services) == network_plan()
    else:
        assert refused(service_cidr=services) == [f"service_cidr: {told}"]


_WANTED = "EKS wants its control plane in two zones of the region, so name"


@pytest.mark.parametrize(
    ("zone", "further", "told"),
    [
        ("us-east-2a", [], [f": got 0; {_WANTED} 1 beside us-east-2a that your account has, e.g. us-east-2b"]),
        ("us-east-2b", [], [f": got 0; {_WANTED} 1 beside us-east-2b that your account has, e.g. us-east-2a"]),
        (
            "us-east-2-dfw-2a",
            [],
            [f": got 0; {_WANTED} 2 beside us-east-2-dfw-2a that your account has, e.g. us-east-2a and us-east-2b"],
        ),
        (
            "us-east-2-dfw-2a",
            ["us-east-2a"],
            [f": got 1; {_WANTED} 1 beside us-east-2a that your account has, e.g. us-east-2b"],
        ),
        ("us-east-2a", ["us-east-2b", "us-east-2a"], ["[1]: us-east-2a is there already; name each further zone once"]),
        ("us-east-2a", ["us-east-2b", "us-east-2b"], ["[1]: us-east-2b is there already; name each further zone once"]),
        (
            "us-east-2a",
            ["us-east-2-dfw-2a"],
            ["[0]: got us-east-2-dfw-2a, a local zone; the control plane is in zones of the region itself"],
        ),
        (
            "us-east-2a",
            ["us-west-2b"],
            ["[0]: got us-west-2b, which is not in us-east-2; take a zone of us-east-2 or change the region"],
        ),
        ("us-east-2a", ["b"], ["[0]: got 'b', which has no zone's form; write e.g. us-east-2b"]),
        ("us-east-2a", ["us-east-2b", ""], ["[1]: got '', which has no zone's form; write e.g. us-east-2b"]),
    ],
)
def test_zones_of_the_control_plane(zone: str, further: list[str], told: list[str]):
    """Two zones of the region or more, each once and none a local one; what to name is told."""
    assert refused(zone=zone, control_plane_zones=further) == [f"control_plane_zones{each}" for each in told]


@pytest.mark.parametrize(
    ("region", "partition"),
    [("us-east-2", "aws"), ("us-gov-west-1", "aws-us-gov"), ("cn-north-1", "aws-cn"), ("ap-southeast-3", "aws")],
)
def test_partition(region: str, partition: str):
    """The second word of every ARN."""
    assert partition_of(region) == partition


@pytest.mark.parametrize(
    ("zone", "local"), [("us-east-1-dfw-2a", True), ("us-east-1a", False), ("us-gov-west-1a", False)]
)
def test_local_zones_go_by_their_form(zone: str, local: bool):
    """Only a local zone has a name of its own."""
    assert is_local(zone) is local
