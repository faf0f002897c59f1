"""The arithmetic of an EKS fabric's addresses."""

from ipaddress import IPv4Network
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdma_cluster.eks.plan.interfaces import addresses_of
from rdma_cluster.eks.plan.network import SYSTEM_NODES, EksNetworkPlan
from rdma_cluster.eks.plan.zones import is_local, partition_of
from rdma_cluster.errors import Refused

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
