"""The arithmetic of an AKS cluster's addresses."""

from ipaddress import IPv4Network

import pytest
from hypothesis import given, strategies as st
from pulumi_offline.errors import Refused
from rdma_cluster.aks.plan.network import (
    DEFAULT_CIDR,
    DEFAULT_POD_CIDR,
    DEFAULT_SERVICE_CIDR,
    AksNetworkPlan,
    AksOutbound,
)
from rdma_cluster.common.pools import SYSTEM_NODES
from tests.aks.plans import cluster_plan, network_plan

AZURE_KEEPS = 5
RDMA = IPv4Network("172.16.0.0/16")


def test_default():
    """Room for 250 GPU nodes and the system's, behind a NAT gateway."""
    expected = AksNetworkPlan(
        location="southcentralus",
        max_nodes=250,
        cidr="10.224.0.0/16",
        nodes="10.224.0.0/23",
        outbound=AksOutbound.NAT_GATEWAY,
    )
    assert expected == network_plan()


@given(st.integers(1, 6000), st.integers(1, 400), st.sampled_from(["10.224.0.0/16", "10.224.0.0/21", "10.224.0.0/23"]))
def test_lustre_moves_no_node(nodes: int, tib: int, cidr: str):
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


def test_defaults_are_disjoint():
    """What nobody chose cannot collide."""
    blocks = [IPv4Network(each) for each in (DEFAULT_CIDR, DEFAULT_POD_CIDR, DEFAULT_SERVICE_CIDR)]

    assert not any(one.overlaps(other) for one in blocks for other in blocks if one is not other)


@given(
    st.integers(1, 6000),
    st.sampled_from(["10.224.0.0/16", "172.20.0.0/20", "192.168.0.0/22", "172.16.0.0/12", "10.224.0.0/26"]),
)
def test_subnet_holds_every_node_or_is_refused(nodes: int, cidr: str):
    """Inside the network's block, with Azure's own addresses, and never where InfiniBand is."""
    try:
        made = network_plan(max_nodes=nodes, cidr=cidr)
    except Refused:
        return
    subnet = IPv4Network(made.nodes)

    assert subnet.subnet_of(IPv4Network(cidr)) and not subnet.overlaps(RDMA)
    assert subnet.num_addresses >= nodes + SYSTEM_NODES + AZURE_KEEPS


@given(st.integers(1, 4990), st.sampled_from(["10.244.0.0/14", "10.32.0.0/11", "10.244.0.0/16", "192.168.0.0/20"]))
def test_pods_have_a_block_a_node_or_are_refused(nodes: int, pods: str):
    """A /24 for each node that the ceiling admits."""
    try:
        made = cluster_plan(max_nodes=nodes, pod_cidr=pods, service_cidr="172.20.0.0/16")
    except Refused as refused:
        assert IPv4Network(pods).num_addresses // 256 < nodes + SYSTEM_NODES, refused
        return

    assert made.overlay is not None
    assert IPv4Network(made.overlay.pods).num_addresses // 256 >= nodes + SYSTEM_NODES


@pytest.mark.parametrize("taken", ["172.16.0.0/16", "172.16.4.0/24", "172.16.0.0/12", "172.30.0.0/16", "172.31.8.0/22"])
@pytest.mark.parametrize("key", ["pod_cidr", "service_cidr", "cidrs"])
def test_nothing_overlaps_what_azure_uses(key: str, taken: str):
    """The InfiniBand network's block and AKS's own, for pods, services and virtual networks alike."""
    with pytest.raises(Refused, match="overlaps 172") as refused:
        cluster_plan(**{key: [taken] if key == "cidrs" else taken})

    assert any(str(error).startswith(key) for error in refused.value.errors)


def test_dns_is_the_tenth_service():
    """As AKS chooses it."""
    made = cluster_plan(service_cidr="10.8.0.0/20").overlay

    assert made is not None and made.dns == "10.8.0.10"
