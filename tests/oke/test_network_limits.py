"""What a VCN takes, and what it does not: each limit from both sides."""

from typing import Any

import pytest
from rdma_cluster.oke.plan.security_rules import Group
from tests.oke.plans import network_plan, refused


def told(**args: Any) -> list[str]:
    """What is refused of a network."""
    return refused(network_plan, **args)


@pytest.mark.parametrize("cidr", ["10.8.0.0/16", "10.8.0.0/18", "100.64.0.0/16"])
def test_blocks_of_a_vcn(cidr: str):
    """A /16 at the most, private or shared by carriers, as OCI takes it."""
    assert network_plan(cidr=cidr, max_nodes=8).cidr == cidr


@pytest.mark.parametrize("cidr", ["10.8.0.0/15", "10.8.0.0/31"])
def test_blocks_that_no_vcn_has(cidr: str):
    """Larger or smaller than OCI allows."""
    assert told(cidr=cidr, max_nodes=8) == [f"cidr: got {cidr}; a VCN takes a /16 to a /30"]


def test_a_small_vcn_is_one_of_oci_but_holds_no_cluster():
    """A /30 has OCI's form."""
    (error,) = told(cidr="10.8.0.0/30", max_nodes=8)

    assert error.startswith("cidr: 10.8.0.0/30 holds 4 addresses and ")


def test_all_that_is_wrong_is_told_together():
    """Each with its key."""
    errors = told(max_nodes=0, max_pods=0, cidr="10.8.0.0/15", host_ports=[0], region="x", compartment="y")

    assert [each.partition(":")[0] for each in errors] == [
        "region",
        "compartment",
        "max_nodes",
        "host_ports[0]",
        "max_pods",
        "cidr",
    ]


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ({"max_nodes": 507}, ""),
        ({"max_nodes": 508}, "max_nodes: got 508; 508 nodes of 64 pods each need a /15, {} take 507 nodes or fewer"),
        ({"max_pods": 129}, ""),
        ({"max_pods": 130}, "max_pods: got 130; 250 nodes of 130 pods each need a /15, {} take 129 pods or fewer"),
        # Not one node has so many pods: fewer nodes would not help.
        (
            {"max_nodes": 4, "max_pods": 32_487},
            "max_pods: got 32487; 4 nodes of 32487 pods each need a /14, {} take 8121 pods or fewer",
        ),
        ({"max_nodes": 1, "max_pods": 32_486}, ""),
        (
            {"max_nodes": 2, "max_pods": 32_486},
            "max_nodes: got 2; 2 nodes of 32486 pods each need a /15, {} take 1 nodes or fewer",
        ),
    ],
)
def test_pods_of_a_vcn(args: dict[str, int], error: str):
    """Half of the largest VCN: the key that asks for too much is named, with the most that fits."""
    errors = told(**args)
    most = "and a VCN is a /16 at the most:"

    assert errors == (
        [f"{error.format(most)}, or cni: flannel, whose pods have no addresses of the VCN"] if error else []
    )
    assert told(**args, cni="flannel") == []


@pytest.mark.parametrize(("nodes", "fits"), [(0, False), (1, True), (5000, True), (5001, False)])
def test_nodes_of_a_vcn(nodes: int, fits: bool):
    """One, and no more than Kubernetes is made for."""
    assert (told(max_nodes=nodes, max_pods=1) == []) is fits


@pytest.mark.parametrize(
    ("ports", "errors"),
    [
        ([1, 65_535], []),
        ([9100, 0], ["host_ports[1]: got 0; a port is 1 to 65535"]),
        ([65_536], ["host_ports[0]: got 65536; a port is 1 to 65535"]),
        ([29_999, 32_768], []),
        ([30_000], ["host_ports[0]: got 30000, which is open to pods already; remove it"]),
        ([32_767], ["host_ports[0]: got 32767, which is open to pods already; remove it"]),
        ([10_250], ["host_ports[0]: got 10250, which is open to pods already; remove it"]),
        ([8000], ["host_ports[0]: got 8000, which is open to pods already; remove it"]),
        ([9100, 9400, 9100], ["host_ports[2]: 9100 is listed twice; list each once"]),
        ([*range(9000, 9030)], []),
        ([*range(9000, 9031)], ["host_ports: got 31; list 30 at the most: OCI takes 120 rules a group"]),
    ],
    ids=lambda value: str(value)[:30],
)
def test_ports_of_nodes(ports: list[int], errors: list[str]):
    """Those of TCP that are not open already, thirty at the most."""
    assert told(host_ports=ports) == errors


def test_ports_of_nodes_with_flannel():
    """Its pods come by their node's own address; nothing else is told of the ports then."""
    assert told(host_ports=[0], cni="flannel") == [
        "host_ports: not allowed with flannel, whose pods reach nodes by their node's own address; remove it"
    ]
    assert told(host_ports=[], cni="flannel") == []


@pytest.mark.parametrize(
    ("block", "fits"),
    [
        ("fd00:1::/56", True),
        ("fd00:1::/57", False),
        ("fd00:1::/48", False),
        ("2001:db8::/56", False),
        ("fd00:1::1/56", False),
        ("10.0.0.0/16", False),
    ],
)
def test_ipv6_of_a_vcn(block: str, fits: bool):
    """A private /56, and only with both families."""
    form = f"ipv6_cidr: got {block!r}; write a private IPv6 /56 of fc00::/7, e.g. fd00:10:140::/56"

    assert told(dual_stack=True, ipv6_cidr=block) == ([] if fits else [form])
    assert told(ipv6_cidr=block) == ["ipv6_cidr: not allowed without dual stack; remove it, or set dualStack: true"]
    if fits:
        plan = network_plan(dual_stack=True, ipv6_cidr=block)
        assert (plan.ipv6_cidr, plan.ipv6_cuts["api"], plan.ipv6_cuts["pods"]) == (
            block,
            "fd00:1::/64",
            "fd00:1:0:4::/64",
        )


def test_families_go_with_pods_of_the_vcn():
    """Of flannel nothing is published."""
    (error,) = told(dual_stack=True, cni="flannel")

    assert error.startswith("dual_stack: got true with flannel")


@pytest.mark.parametrize(
    ("args", "groups", "public"),
    [
        ({}, set(Group) - {Group.LUSTRE}, ()),
        ({"cni": "flannel"}, set(Group) - {Group.LUSTRE, Group.PODS}, ()),
        ({"lustre": True}, set(Group), ()),
        (
            {"public_load_balancers": True, "public_cidrs": ["203.0.113.7/32"]},
            set(Group) - {Group.LUSTRE},
            ("api", "public-load-balancers"),
        ),
        ({"public_load_balancers": False}, set(Group) - {Group.LUSTRE}, ()),
    ],
)
def test_groups_and_public_subnets(args: dict[str, Any], groups: set[Group], public: tuple[str, ...]):
    """Of each part that there is; the internet reaches what is asked for."""
    plan = network_plan(**args)

    assert (set(plan.groups), plan.public) == (groups, public)
    assert {rule.group for rule in plan.rules} <= groups
    assert ("public-load-balancers" in plan.cuts) is ("public-load-balancers" in public)


@pytest.mark.parametrize("stateless", [False, True])
def test_rules_are_the_networks(stateless: bool):
    """With its callers, its families, its ports and its file system, each by its own key."""
    plan = network_plan(
        stateless_rules=stateless, public_cidrs=["203.0.113.7/32"], dual_stack=True, host_ports=[9100], lustre=True
    )
    names = {rule.name for rule in plan.rules}

    assert any(rule.stateless for rule in plan.rules) is stateless
    assert names >= {
        "api-from-203-0-113-7-32-tcp-6443",
        "workers-from-api-icmpv6",
        "workers-from-pods-tcp-9100",
        "lustre-from-workers-tcp-988",
    }
    assert not {"workers-from-api-icmpv6", "lustre-from-workers-tcp-988"} & {rule.name for rule in network_plan().rules}


@pytest.mark.parametrize(
    ("args", "errors"),
    [
        ({"public_cidrs": ["203.0.113.7/32", "203.0.113.8/32"]}, []),
        (
            {"public_cidrs": ["203.0.113.7/32", "203.0.113.8"]},
            ["public_cidrs[1]: got 203.0.113.8, which is an address; write the block of it alone, 203.0.113.8/32"],
        ),
        (
            {"service_cidr": "10.140.128.0/17"},
            ["service_cidr: 10.140.128.0/17 overlaps 10.140.0.0/16, the block of the VCN; take disjoint blocks"],
        ),
        ({"service_cidr": "10.141.0.0/16"}, []),
        (
            {"pod_cidr": "10.8.0.0/16"},
            ["pod_cidr: not allowed with vcn-native pods, which take addresses of the VCN; remove it"],
        ),
        ({"pod_cidr": "10.8.0.0/16", "cni": "flannel"}, []),
        (
            {"pod_cidr": "10.96.0.0/16", "cni": "flannel"},
            ["pod_cidr: 10.96.0.0/16 overlaps 10.96.0.0/16, the block of services; take disjoint blocks"],
        ),
        (
            {"pod_cidr": "10.140.0.0/17", "cni": "flannel"},
            ["pod_cidr: 10.140.0.0/17 overlaps 10.140.0.0/16, the block of the VCN; take disjoint blocks"],
        ),
        (
            {"pod_cidr": "240.0.0.0/12", "cni": "flannel"},
            [
                "pod_cidr: got 240.0.0.0/12, which is address space reserved (class E); "
                "take it from 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10"
            ],
        ),
    ],
)
def test_blocks_beside_the_vcn(args: dict[str, Any], errors: list[str]):
    """Callers from outside, services and flannel's pods: none overlaps another."""
    assert told(**args) == errors
