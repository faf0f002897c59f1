"""What a VCN takes, and what it does not: each limit from both sides."""

from typing import Any

import pytest
from tests.oke.plans import network_plan, places, refused


def refused_at(**args: Any) -> list[str]:
    """Where a network is refused."""
    return places(refused(network_plan, **args))


@pytest.mark.parametrize(
    ("cidr", "words"),
    [
        ("10.8.0.0/16", ""),
        ("10.8.0.0/18", ""),
        ("100.64.0.0/16", ""),
        ("10.8.0.0/15", "a VCN takes a /16 to a /30"),
        ("10.8.0.0/30", "holds 4 addresses"),
        ("192.168.0.0/17", "192.168.0.0/16"),
    ],
)
def test_a_vcn_has_room_for_a_cluster_and_no_address_of_rdma_ports(cidr: str, words: str):
    errors = refused(network_plan, cidr=cidr, max_nodes=8)

    assert places(errors) == (["cidr"] if words else []) and words in "".join(errors)


@pytest.mark.parametrize(
    ("args", "place", "most"),
    [
        ({"max_nodes": 507, "max_pods": 64}, None, ""),
        ({"max_nodes": 508, "max_pods": 64}, "max_nodes", "take 507 nodes or fewer"),
        ({"max_pods": 129}, None, ""),
        ({"max_pods": 130}, "max_pods", "take 129 pods or fewer"),
        # Not one node has so many pods: fewer nodes would not help.
        ({"max_nodes": 4, "max_pods": 32_487}, "max_pods", "take 8121 pods or fewer"),
        ({"max_nodes": 1, "max_pods": 32_486}, None, ""),
        ({"max_nodes": 2, "max_pods": 32_486}, "max_nodes", "take 1 nodes or fewer"),
    ],
)
def test_pods_take_half_of_the_largest_vcn(args: dict[str, int], place: str | None, most: str):
    """The key that asks for too much is named, with the most that fits; pods of flannel have no addresses there."""
    errors = refused(network_plan, **args)

    assert places(errors) == ([] if place is None else [place])
    assert most in "".join(errors)
    assert refused_at(**args, cni="flannel") == []


@pytest.mark.parametrize(
    ("ports", "errors"),
    [
        ([1, 65_535], []),
        ([65_536], ["host_ports[0]"]),
        ([29_999, 32_768], []),
        *(([port], ["host_ports[0]"]) for port in (30_000, 32_767, 10_250, 8000)),
        ([*range(9000, 9030)], []),
        ([*range(9000, 9031)], ["host_ports"]),
    ],
    ids=lambda value: str(value)[:30],
)
def test_ports_of_nodes_are_thirty_that_are_not_open_already(ports: list[int], errors: list[str]):
    """Pods of flannel come by their node's own address, and nothing else is told of the ports then."""
    assert refused_at(host_ports=ports) == errors
    assert refused_at(host_ports=ports, cni="flannel") == ["host_ports"]


@pytest.mark.parametrize(("block", "fits"), [("fd00:1::/56", True), ("fd00:1::/48", False), ("fd00:1::1/56", False)])
def test_ipv6_of_a_vcn_is_a_private_56_of_both_families(block: str, fits: bool):
    assert refused_at(dual_stack=True, ipv6_cidr=block) == ([] if fits else ["ipv6_cidr"])
    assert refused_at(ipv6_cidr=block) == ["ipv6_cidr"]


@pytest.mark.parametrize(
    ("args", "place", "words"),
    [
        ({"public_cidrs": ["203.0.113.7/32", "203.0.113.8"]}, "public_cidrs[1]", "203.0.113.8/32"),
        ({"service_cidr": "10.141.0.0/16"}, None, ""),
        ({"service_cidr": "10.140.128.0/17"}, "service_cidr", "VCN"),
        ({"service_cidr": "10.224.0.0/16"}, "service_cidr", "10.224.0.0/12"),
        ({"pod_cidr": "10.8.0.0/16", "cni": "flannel"}, None, ""),
        ({"pod_cidr": "10.140.0.0/17", "cni": "flannel"}, "pod_cidr", "VCN"),
    ],
)
def test_blocks_of_callers_services_and_pods_overlap_nothing(args: dict[str, Any], place: str | None, words: str):
    errors = refused(network_plan, **{"cidr": "10.140.0.0/16", **args})

    assert places(errors) == ([] if place is None else [place])
    assert words in "".join(errors)
