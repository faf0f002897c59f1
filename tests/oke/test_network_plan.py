"""Subnets of a VCN: they hold what they are cut for, and they stay where they are."""

from ipaddress import IPv4Network, IPv6Network
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pulumi_offline.errors import Refused
from rdma_cluster.catalog.oke_releases import RDMA_RANGES
from rdma_cluster.oke.plan.cni import DEFAULT_FLANNEL_CIDR, DEFAULT_SERVICE_CIDR
from rdma_cluster.oke.plan.network import DEFAULT_CIDR
from rdma_cluster.oke.plan.security_rules import Group
from tests.oke.plans import NETWORK, built, inputs, names, network_plan


@given(
    nodes=st.integers(1, 400),
    pods=st.integers(12, 110),
    flannel=st.booleans(),
    balancers=st.booleans(),
    lustre=st.booleans(),
)
def test_subnets_are_disjoint_and_hold_their_nodes(nodes: int, pods: int, flannel: bool, balancers: bool, lustre: bool):
    """Whatever is asked for, all lie in the VCN, and each node and pod has an address."""
    cni = "flannel" if flannel else "vcn-native"
    choices = {"cni": cni, "public_load_balancers": balancers, "lustre": lustre}
    try:
        plan = network_plan(max_nodes=nodes, max_pods=pods, **choices)
    except Refused:
        assert not flannel and nodes * pods + 3 * 93 + 3 > 2**15
        return
    cuts = {name: IPv4Network(cidr) for name, cidr in plan.cuts.items()}

    assert not any(one.overlaps(other) for one, other in combinations(cuts.values(), 2))
    assert all(cut.subnet_of(IPv4Network(plan.cidr)) for cut in cuts.values())
    assert cuts["workers"].num_addresses >= nodes + 3 + 3
    assert ("pods" in cuts) is not flannel
    assert flannel or cuts["pods"].num_addresses >= nodes * pods + 3 * 93 + 3
    assert ("public-load-balancers" in plan.public) is balancers
    assert (cuts["lustre"].num_addresses == 512) if lustre else "lustre" not in cuts


def test_defaults_overlap_neither_each_other_nor_rdma_ports():
    ours = [IPv4Network(each) for each in (DEFAULT_CIDR, DEFAULT_FLANNEL_CIDR, DEFAULT_SERVICE_CIDR)]

    assert not any(one.overlaps(IPv4Network(taken)) for one in ours for taken in RDMA_RANGES)
    assert not any(one.overlaps(other) for one, other in combinations(ours, 2))


@pytest.mark.parametrize("choice", [{}, {"max_nodes": 400, "max_pods": 70}, {"public_load_balancers": True}])
def test_lustre_moves_nothing_and_nothing_moves_it(choice: dict[str, Any]):
    """A file system stays while subnets of nodes and pods come to another size, and the cluster when it comes."""
    without, plan = network_plan(**choice), network_plan(**choice, lustre=True)

    assert plan.cuts == {**without.cuts, "lustre": network_plan(lustre=True).cuts["lustre"]}
    assert {rule.name for rule in without.rules} <= {rule.name for rule in plan.rules}


def test_small_subnets_stay_where_they_are():
    """A cluster cannot follow its API into another subnet, whatever nodes and pods need."""
    choices = ({}, {"max_nodes": 600, "max_pods": 32}, {"public_load_balancers": True}, {"cni": "flannel"})
    kept = [[network_plan(**each).cuts[name] for name in ("api", "operators", "load-balancers")] for each in choices]

    assert all(each == kept[0] for each in kept)


@pytest.mark.parametrize("balancers", [False, True])
def test_ipv6_subnets_are_private_and_none_is_where_the_internet_reaches(balancers: bool):
    plan = network_plan(dual_stack=True, public_load_balancers=balancers)
    cuts = [IPv6Network(cut) for cut in plan.ipv6_cuts.values()]

    assert plan.ipv6_cidr is not None
    assert set(plan.ipv6_cuts) == set(plan.cuts) - {"public-load-balancers"}
    assert all(cut.prefixlen == 64 and cut.is_private and cut.subnet_of(IPv6Network(plan.ipv6_cidr)) for cut in cuts)
    assert len(set(cuts)) == len(cuts)
    assert (network_plan().ipv6_cidr, network_plan().ipv6_cuts) == (None, {})


@pytest.mark.parametrize(
    ("args", "without", "public"),
    [
        ({}, {Group.LUSTRE}, ()),
        ({"cni": "flannel"}, {Group.LUSTRE, Group.PODS}, ()),
        ({"lustre": True}, set(), ()),
        ({"public_load_balancers": True}, {Group.LUSTRE}, ("public-load-balancers",)),
        ({"public_cidrs": ["203.0.113.7/32"]}, {Group.LUSTRE}, ("api",)),
    ],
)
def test_each_part_has_its_group_and_the_internet_reaches_what_is_asked_for(
    args: dict[str, Any], without: set[Group], public: tuple[str, ...]
):
    plan = network_plan(**args)

    assert (set(plan.groups), plan.public) == (set(Group) - without, public)
    assert {rule.group for rule in plan.rules} <= set(plan.groups)


def test_subnets_are_private_and_closed():
    """They do not have the VCN's own list, which lets ssh in from everywhere."""
    graph = built("OkeHpcNetwork", NETWORK)

    for name in names(graph, "Subnet"):
        subnet = inputs(graph, "Subnet", name)
        assert (subnet["prohibitPublicIpOnVnic"], subnet["prohibitInternetIngress"]) == (True, True)
        assert subnet["securityListIds"] == ["[id of oci:Core/securityList:SecurityList oke-closed]"]
        assert subnet["routeTableId"] == "[id of oci:Core/routeTable:RouteTable oke-private]"
    assert not inputs(graph, "SecurityList", "oke-closed").keys() & {"ingressSecurityRules", "egressSecurityRules"}
    assert not names(graph, "InternetGateway")


def test_one_subnet_and_one_rule_let_the_callers_of_a_public_api_in():
    graph = built("OkeHpcNetwork", {**NETWORK, "public_cidrs": ["203.0.113.7/32"]})
    public = [name for name in names(graph, "Subnet") if not inputs(graph, "Subnet", name)["prohibitPublicIpOnVnic"]]
    rule = inputs(graph, "NetworkSecurityGroupSecurityRule", "oke-api-from-203-0-113-7-32-tcp-6443")

    assert public == ["oke-api"] and names(graph, "InternetGateway") == {"oke-internet"}
    assert inputs(graph, "RouteTable", "oke-public")["routeRules"][0]["destination"] == "0.0.0.0/0"
    assert (rule["source"], rule["sourceType"], rule["direction"]) == ("203.0.113.7/32", "CIDR_BLOCK", "INGRESS")
    assert rule["tcpOptions"] == {"destinationPortRange": {"min": 6443, "max": 6443}}


def test_oracles_services_are_reached_in_its_network_and_the_internet_by_nat():
    routes = inputs(built("OkeHpcNetwork", NETWORK), "RouteTable", "oke-private")["routeRules"]

    assert [(each["destination"], each["networkEntityId"].split()[-1]) for each in routes] == [
        ("0.0.0.0/0", "oke-nat]"),
        ("all-reg-services-in-oracle-network", "oke-services]"),
    ]


def test_a_vcn_is_another_where_its_blocks_are_and_keeps_its_first_name_for_hosts():
    blocks = {"cidr": "10.8.0.0/16", "ipv6_cidr": "fd00:1::/56"}
    options = built("OkeHpcNetwork", {**NETWORK, **blocks, "dual_stack": True}).one("oci:Core/vcn:Vcn", "oke").options

    assert options["replacementTrigger"] == "10.8.0.0/16, fd00:1::/56"
    assert options["ignoreChanges"] == ["dnsLabel"]
