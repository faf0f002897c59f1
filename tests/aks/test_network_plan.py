"""The arithmetic of an AKS cluster's addresses, of a network that is made and of one that is there."""

from ipaddress import IPv4Network
from typing import Any

import pytest
from hypothesis import example, given, strategies as st
from pulumi_offline.errors import ErrorList, Refused
from rdma_cluster.aks.plan.existing import plan_networks
from rdma_cluster.aks.plan.network import DEFAULT_CIDR, DEFAULT_POD_CIDR, DEFAULT_SERVICE_CIDR
from rdma_cluster.common.pools import SYSTEM_NODES
from tests.aks.plans import ID, SUBNET, cluster_plan, network_plan, places, pool, refused

AZURE_KEEPS = 5
RDMA = IPv4Network("172.16.0.0/16")
PUBLIC: dict[str, Any] = {"endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}
EGRESS = ["198.51.100.4/32"]
THERE: dict[str, Any] = {"name": "mine", "existing": {"server": "s", "ca_certificate": "c"}}


@given(st.integers(1, 6000), st.integers(1, 400), st.sampled_from(["10.224.0.0/16", "10.224.0.0/21", "10.224.0.0/23"]))
def test_a_file_system_moves_no_node(nodes: int, tib: int, cidr: str):
    """Its subnet is clear of the nodes', which lies where it would without."""
    try:
        made = network_plan(max_nodes=nodes, cidr=cidr, lustre_tib=tib)
    except Refused:
        return
    ours = IPv4Network(made.lustre)

    assert network_plan(max_nodes=nodes, cidr=cidr).nodes == made.nodes
    assert not ours.overlaps(IPv4Network(made.nodes))
    assert ours.subnet_of(IPv4Network(cidr))
    assert ours.prefixlen == (24 if tib <= 196 else 23)


def test_default_blocks_are_disjoint():
    blocks = [IPv4Network(each) for each in (DEFAULT_CIDR, DEFAULT_POD_CIDR, DEFAULT_SERVICE_CIDR)]

    assert not any(one.overlaps(other) for one in blocks for other in blocks if one is not other)


@given(
    st.integers(1, 6000),
    st.sampled_from(["10.224.0.0/16", "172.20.0.0/20", "192.168.0.0/22", "172.16.0.0/12", "10.224.0.0/26"]),
)
def test_a_subnet_holds_every_node_or_is_refused(nodes: int, cidr: str):
    """It is inside the network's block, has room for Azure's own addresses, and is never where InfiniBand is."""
    try:
        made = network_plan(max_nodes=nodes, cidr=cidr)
    except Refused:
        return
    subnet = IPv4Network(made.nodes)

    assert subnet.subnet_of(IPv4Network(cidr)) and not subnet.overlaps(RDMA)
    assert subnet.num_addresses >= nodes + SYSTEM_NODES + AZURE_KEEPS


@pytest.mark.parametrize(("nodes", "prefix"), [(6, 27), (7, 26), (230, 24), (231, 23)])
def test_a_subnet_is_the_smallest_that_holds_its_nodes(nodes: int, prefix: int):
    """Azure keeps five addresses, the system has ten nodes, and eleven are for what else comes."""
    assert network_plan(max_nodes=nodes).nodes == f"10.224.0.0/{prefix}"


@example(256 - SYSTEM_NODES, "10.244.0.0/16")
@given(st.integers(1, 4990), st.sampled_from(["10.244.0.0/14", "10.32.0.0/11", "10.244.0.0/16", "192.168.0.0/20"]))
def test_pods_have_a_block_a_node_or_are_refused(nodes: int, pods: str):
    """The ceiling of nodes and the system's take a /24 each."""
    try:
        made = cluster_plan(max_nodes=nodes, pod_cidr=pods, service_cidr="172.20.0.0/16")
    except Refused as refused:
        assert IPv4Network(pods).num_addresses // 256 < nodes + SYSTEM_NODES, refused
        return

    assert made.overlay is not None
    assert IPv4Network(made.overlay.pods).num_addresses // 256 >= nodes + SYSTEM_NODES


@pytest.mark.parametrize("taken", ["172.16.4.0/24", "172.16.0.0/12", "172.30.0.0/16", "172.31.8.0/22"])
@pytest.mark.parametrize("key", ["pod_cidr", "service_cidr", "cidrs"])
def test_nothing_overlaps_what_azure_uses(key: str, taken: str):
    """Azure's RDMA network and AKS have blocks of their own; an existing network cannot move, and ours can."""
    found = refused(cluster_plan, **{key: [taken] if key == "cidrs" else taken})

    assert any(error.startswith(key) and "overlaps 172" in error for error in found)
    assert any(error.startswith(key) and ("take another block" in error) is (key != "cidrs") for error in found)


def test_dns_is_the_tenth_service():
    """AKS wants it inside the services' block."""
    made = cluster_plan(service_cidr="10.8.0.0/20").overlay

    assert made is not None and made.dns == "10.8.0.10"


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ({"service_cidr": "10.0.0.0/13"}, []),
        ({"service_cidr": "10.0.0.0/12"}, ["service_cidr"]),
        ({"service_cidr": "10.0.0.0/28"}, []),
        ({"service_cidr": "10.0.0.0/29"}, ["service_cidr"]),
        ({"service_cidr": "10.247.0.0/16"}, ["service_cidr"]),
        ({"cidrs": ["10.1.0.0/16", "10.0.128.0/17"]}, ["service_cidr"]),
    ],
)
def test_blocks_inside_of_a_cluster_are_clear_of_each_other_and_of_the_network(args: dict[str, Any], found: list[str]):
    assert places(cluster_plan, **args) == found


def networks(choice: dict[str, Any], kubernetes: dict[str, Any], *nodes: int) -> tuple[tuple[bool, bool], list[str]]:
    """Whether a stack gets a network and an overlay, and where it is refused; its pools have so many nodes."""
    errors = ErrorList()
    given: Any = {"choice": choice, "kubernetes": kubernetes, "pools": [pool(nodes=of) for of in nodes or (2,)]}
    made, inside = plan_networks(**given, location="southcentralus", lustre_tib=0, errors=errors)
    found = [str(error).partition(": ")[0] for error in errors.found()]
    return (made is not None, inside is not None), found


def existing(outbound: str = "nat-gateway", **more: Any) -> dict[str, Any]:
    """A network that is there."""
    return {"existing": {"subnet": SUBNET, "cidrs": ["10.1.0.0/16"], "outbound": outbound, **more}}


def test_addresses_are_planned_where_there_are_none_yet():
    assert networks({"max_nodes": 9}, {}) == ((True, True), [])
    assert networks(existing(), {}) == ((False, True), [])
    assert networks(existing(), THERE) == ((False, False), [])


@pytest.mark.parametrize(
    ("choice", "kubernetes", "found"),
    [
        ({}, PUBLIC, []),
        ({"outbound": "load-balancer"}, PUBLIC, []),
        (existing(), PUBLIC, ["network.existing.egress_cidrs"]),
        (existing(egress_cidrs=EGRESS), PUBLIC, []),
        (existing("load-balancer"), PUBLIC, []),
        (existing("load-balancer", egress_cidrs=EGRESS), PUBLIC, ["network.existing.egress_cidrs"]),
        (existing(egress_cidrs=EGRESS), {}, ["network.existing.egress_cidrs"]),
        (existing(egress_cidrs=EGRESS), THERE, ["network.existing.egress_cidrs"]),
        ({**existing(), "pod_cidr": "10.32.0.0/11"}, THERE, ["network.pod_cidr"]),
        ({**existing(), "service_cidr": "10.8.0.0/16"}, THERE, ["network.service_cidr"]),
        ({**existing(), "service_cidr": "10.8.0.0/16", "pod_cidr": "10.32.0.0/11", "max_nodes": 9}, {}, []),
        ({**existing(), "outbound": "nat-gateway", "cidr": "10.8.0.0/16"}, {}, ["network.cidr", "network.outbound"]),
        ({"max_nodes": 0}, {}, ["network.max_nodes"]),
        (existing(cidrs=[]), {}, ["network.existing.cidrs"]),
        (existing(cidrs=["10.1.0.0/16", "10.0.0.0/16"]), {}, ["network.service_cidr"]),
        (existing(cidrs=["10.1.0.0/16", "172.16.0.0/24"]), {}, ["network.existing.cidrs[1]"]),
        (existing(subnet=f"/subscriptions/{ID}"), {}, ["network.existing.subnet"]),
        ({"cidr": "10.244.0.0/16"}, {}, ["network.pod_cidr"]),
    ],
)
def test_what_a_network_or_cluster_has_already_is_refused(
    choice: dict[str, Any], kubernetes: dict[str, Any], found: list[str]
):
    """Nodes reach a public endpoint by blocks that are named, or by AKS's own load balancer."""
    assert networks(choice, kubernetes)[1] == found


@pytest.mark.parametrize(
    ("choice", "kubernetes", "nodes", "fits"),
    [
        ({"max_nodes": 9}, {}, (4, 5), True),
        ({"max_nodes": 9}, {}, (4, 6), False),
        ({**existing(), "max_nodes": 9}, {}, (4, 6), False),
        # The pods' block of an existing cluster is its owner's.
        (existing(), THERE, (200, 51), True),
        (existing(), {}, (200, 51), False),
        (existing(), THERE, (4000, 990), True),
        (existing(), THERE, (4000, 991), False),
        # One pool alone is refused at its own place.
        (existing(), THERE, (5001,), True),
    ],
)
def test_nodes_of_all_pools_fit_what_was_cut_for_them(
    choice: dict[str, Any], kubernetes: dict[str, Any], nodes: tuple[int, ...], fits: bool
):
    """They also fit a cluster, which holds 5,000 with the system's."""
    assert networks(choice, kubernetes, *nodes)[1] == ([] if fits else ["pools"])
