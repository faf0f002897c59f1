"""Subnets, and the rules between them."""

from ipaddress import IPv4Network, IPv6Network
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pulumi_offline.errors import Refused
from rdma_cluster.catalog.oke_releases import RDMA_RANGES
from rdma_cluster.oke.plan.security_rules import Group, Protocol, SecurityRule, rules_of
from tests.oke.plans import network_plan


def test_default():
    """A /16 that no RDMA port uses, with room for 250 nodes of 64 pods."""
    plan = network_plan()

    assert plan.cidr == "10.140.0.0/16"
    assert plan.cuts == {
        "pods": "10.140.0.0/18",
        "workers": "10.140.64.0/24",
        "load-balancers": "10.140.255.0/27",
        "api": "10.140.255.64/29",
        "operators": "10.140.255.72/29",
    }
    assert plan.public == ()


@given(
    nodes=st.integers(1, 400),
    pods=st.integers(12, 110),
    flannel=st.booleans(),
    balancers=st.booleans(),
    lustre=st.booleans(),
)
def test_subnets_are_disjoint_and_hold_their_nodes(nodes: int, pods: int, flannel: bool, balancers: bool, lustre: bool):
    """Whatever is asked for, no two overlap, all lie in the VCN, and each node and pod has an address."""
    try:
        plan = network_plan(
            max_nodes=nodes,
            max_pods=pods,
            cni="flannel" if flannel else "vcn-native",
            public_load_balancers=balancers,
            lustre=lustre,
        )
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


@pytest.mark.parametrize("choice", [{}, {"max_nodes": 400, "max_pods": 70}, {"public_load_balancers": True}])
def test_lustre_moves_nothing_and_nothing_moves_it(choice: dict[str, Any]):
    """A file system stays while subnets of nodes and pods come to another size; and the cluster stays when it comes."""
    without, plan = network_plan(**choice), network_plan(**choice, lustre=True)

    assert plan.cuts == {**without.cuts, "lustre": "10.140.252.0/23"}
    assert {rule.name for rule in without.rules} <= {rule.name for rule in plan.rules}


@pytest.mark.parametrize("block", ["10.224.0.0/16", "192.168.0.0/17", "10.230.0.0/16"])
@pytest.mark.parametrize("key", ["cidr", "service_cidr"])
def test_blocks_of_rdma_ports_are_refused(key: str, block: str):
    """A host has a route of its own to each of them."""
    with pytest.raises(Refused) as caught:
        network_plan(**{key: block})

    assert f"{key}: {block} overlaps " in str(caught.value)


def test_defaults_avoid_rdma_ports():
    """Flannel's and services' blocks too."""
    from rdma_cluster.oke.plan.cni import DEFAULT_FLANNEL_CIDR, DEFAULT_SERVICE_CIDR
    from rdma_cluster.oke.plan.network import DEFAULT_CIDR

    ours = [IPv4Network(each) for each in (DEFAULT_CIDR, DEFAULT_FLANNEL_CIDR, DEFAULT_SERVICE_CIDR)]

    assert not any(one.overlaps(IPv4Network(taken)) for one in ours for taken in RDMA_RANGES)
    assert not any(one.overlaps(other) for one, other in combinations(ours, 2))


def rules(stateless: bool = False, vcn_native: bool = True, dual_stack: bool = False) -> tuple[SecurityRule, ...]:
    """All rules."""
    return rules_of(
        vcn_native=vcn_native, stateless=stateless, dual_stack=dual_stack, lustre=True, callers=["203.0.113.7/32"]
    )


@pytest.mark.parametrize("stateless", [False, True])
@pytest.mark.parametrize(("vcn_native", "dual_stack"), [(False, False), (True, False), (True, True)])
def test_every_rule_between_groups_has_its_other_end(stateless: bool, vcn_native: bool, dual_stack: bool):
    """What one group lets out the other lets in, with the same ports: a half is a connection that hangs."""
    made = rules(stateless, vcn_native, dual_stack)
    groups = {group.value for group in Group}
    ends = {(r.group.value, r.peer, r.egress, r.protocol, r.destination_ports, r.source_ports) for r in made}

    for group, peer, egress, *what in ends:
        assert peer not in groups or (peer, group, not egress, *what) in ends


def test_stateless_rules_let_replies_back():
    """Each goes with one of the mirror's direction and the ports on the other side."""
    made = [rule for rule in rules(stateless=True) if rule.stateless]
    replies = {(r.group, r.peer, r.egress, r.protocol, r.destination_ports, r.source_ports) for r in made}

    assert made
    for rule in made:
        wanted = (rule.group, rule.peer, not rule.egress, rule.protocol, rule.source_ports, rule.destination_ports)
        assert wanted in replies


@pytest.mark.parametrize("stateless", [False, True])
def test_nothing_comes_in_from_everywhere(stateless: bool):
    """The API for its callers alone."""
    callers = [rule for rule in rules(stateless) if rule.peer == "203.0.113.7/32"]

    assert not [rule for rule in rules(stateless) if not rule.egress and rule.peer == "0.0.0.0/0"]
    assert [(rule.group, rule.egress, rule.destination_ports) for rule in callers] == [(Group.API, False, (6443, 6443))]


@pytest.mark.parametrize(
    ("group", "peer", "port"),
    [
        (Group.API, "workers", 6443),
        (Group.LUSTRE, "workers", 988),
        (Group.LUSTRE, "lustre", 988),
        (Group.WORKERS, "lustre", 988),
        (Group.API, "workers", 12250),
        (Group.API, "pods", 6443),
        (Group.API, "pods", 12250),
        (Group.API, "operators", 6443),
        (Group.WORKERS, "load-balancers", 10256),
        (Group.WORKERS, "load-balancers", 30000),
    ],
)
def test_ports_that_oracle_names(group: Group, peer: str, port: int):
    """Oracle's own page lists them; without one nodes do not join, or services do not answer."""
    ports = [r.destination_ports for r in rules() if (r.group, r.egress, r.peer) == (group, False, peer)]

    assert any(each is not None and each[0] == port for each in ports)


def reached(made: tuple[SecurityRule, ...], source: str, target: Group) -> set[tuple[int, int] | None]:
    """Ports of one group on which another one opens connections to it; ``None`` is all of them."""
    lets_in = [r for r in made if r.group is target and not r.egress and r.peer == source and not r.source_ports]
    return {r.destination_ports for r in lets_in if r.protocol not in (Protocol.ICMP, Protocol.ICMPV6)}


@pytest.mark.parametrize("stateless", [False, True])
def test_pods_reach_named_ports_of_nodes(stateless: bool):
    """vLLM's 29501 in the host's network is none of them: whoever reaches it is root on the node."""
    named = {(port, port) for port in (2222, 8000, 10250, 19100)} | {(30000, 32767)}

    assert reached(rules(stateless), "pods", Group.WORKERS) == named


@pytest.mark.parametrize("stateless", [False, True])
def test_a_flow_to_all_ports_opens_nothing_back(stateless: bool):
    """Its replies are let in by state: rules without would let connections in to all ports of who began it."""
    assert None not in reached(rules(stateless), "pods", Group.API)
    assert None not in reached(rules(stateless), "workers", Group.API)
    assert None not in reached(rules(stateless), "pods", Group.LOAD_BALANCERS)


def test_ports_that_the_user_opens():
    """Beside those that are open always."""
    plan = network_plan(host_ports=[9100])

    assert (9100, 9100) in reached(plan.rules, "pods", Group.WORKERS)


def test_names_of_rules_are_distinct_and_few_enough():
    """OCI takes 120 rules a group; two of one name would be one resource."""
    for stateless in (False, True):
        made = rules(stateless)
        assert len({rule.name for rule in made}) == len(made)
        assert all(sum(rule.group is group for rule in made) <= 120 for group in Group)


def test_path_mtu_discovery_in_both_families():
    """Packets that are too big are told of by ICMP of their own family; without it connections hang."""
    made = {(r.group, r.egress, r.peer, r.protocol) for r in rules(dual_stack=True)}
    one = {(group, egress, peer) for group, egress, peer, protocol in made if protocol is Protocol.ICMP}
    other = {(group, egress, peer) for group, egress, peer, protocol in made if protocol is Protocol.ICMPV6}

    assert one and one <= other
    assert not [r for r in rules() if r.protocol is Protocol.ICMPV6]


@pytest.mark.parametrize("balancers", [False, True])
def test_ipv6_subnets(balancers: bool):
    """A /64 each, disjoint and private, in the VCN's /56; but none where the internet reaches."""
    plan = network_plan(dual_stack=True, public_load_balancers=balancers)
    cuts = [IPv6Network(cut) for cut in plan.ipv6_cuts.values()]

    assert plan.ipv6_cidr is not None
    assert set(plan.ipv6_cuts) == set(plan.cuts) - {"public-load-balancers"}
    assert all(cut.prefixlen == 64 and cut.is_private and cut.subnet_of(IPv6Network(plan.ipv6_cidr)) for cut in cuts)
    assert len(set(cuts)) == len(cuts)
    assert (network_plan().ipv6_cidr, network_plan().ipv6_cuts) == (None, {})


def test_small_subnets_stay_where_they_are():
    """Whatever nodes and pods need: a cluster cannot follow its API into another subnet."""
    choices = ({}, {"max_nodes": 600, "max_pods": 32}, {"public_load_balancers": True}, {"cni": "flannel"})
    plans = [network_plan(**choice) for choice in choices]
    kept = [[plan.cuts[name] for name in ("api", "operators", "load-balancers")] for plan in plans]

    assert all(each == kept[0] for each in kept)
