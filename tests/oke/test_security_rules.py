"""Which part of a VCN opens connections to which, on which ports: Oracle's page "Network Resource Configuration"."""

from collections.abc import Iterable
from typing import Any

import pytest
from rdma_cluster.oke.plan.security_rules import Group, Protocol, SecurityRule, rules_of

ALL, ICMP, ICMPV6, TCP, UDP = (Protocol.ALL, Protocol.ICMP, Protocol.ICMPV6, Protocol.TCP, Protocol.UDP)
NODE_PORTS = (30000, 32767)
CALLER, ANYWHERE = "203.0.113.7/32", "0.0.0.0/0"
Way = tuple[str, str, Protocol, tuple[int, int] | None]
"""Who opens connections to whom, by which protocol and on which ports; ``None`` is all of them."""

USUAL: set[Way] = {
    ("api", "services", TCP, None),
    ("api", "api", TCP, (6443, 6443)),
    ("api", "workers", TCP, None),
    ("api", "workers", ICMP, None),
    ("workers", "api", TCP, (6443, 6443)),
    ("workers", "api", TCP, (12250, 12250)),
    ("workers", "api", ICMP, None),
    ("workers", "services", TCP, None),
    ("workers", "workers", ALL, None),
    ("workers", ANYWHERE, ALL, None),
    ("operators", "api", TCP, (6443, 6443)),
    ("operators", "workers", TCP, (22, 22)),
    ("operators", "services", TCP, None),
    ("load-balancers", "workers", TCP, NODE_PORTS),
    ("load-balancers", "workers", UDP, NODE_PORTS),
    ("load-balancers", "workers", TCP, (10256, 10256)),
}
OF_CALLERS: set[Way] = {(CALLER, "api", TCP, (6443, 6443))}
OF_PODS: set[Way] = {
    ("pods", "pods", ALL, None),
    ("pods", "workers", TCP, NODE_PORTS),
    ("pods", "workers", UDP, NODE_PORTS),
    *(("pods", "workers", TCP, (port, port)) for port in (2222, 8000, 10250, 19100)),
    ("pods", "workers", ICMP, None),
    ("workers", "pods", ALL, None),
    ("api", "pods", TCP, None),
    ("api", "pods", ICMP, None),
    ("pods", "api", TCP, (6443, 6443)),
    ("pods", "api", TCP, (12250, 12250)),
    ("pods", "api", ICMP, None),
    ("pods", "services", TCP, None),
    ("pods", ANYWHERE, ALL, None),
    ("load-balancers", "pods", ALL, None),
}
OF_LUSTRE: set[Way] = {
    ("workers", "lustre", TCP, (988, 988)),
    ("lustre", "workers", TCP, (988, 988)),
    ("lustre", "lustre", TCP, (988, 988)),
}
OF_IPV6: set[Way] = {
    ("api", "workers", ICMPV6, None),
    ("workers", "api", ICMPV6, None),
    ("api", "pods", ICMPV6, None),
    ("pods", "api", ICMPV6, None),
    ("load-balancers", "workers", ICMPV6, None),
    ("pods", "workers", ICMPV6, None),
}
GROUPS = {group.value for group in Group}


def rules(stateless: bool = False, **choices: Any) -> tuple[SecurityRule, ...]:
    """The rules of a VCN, with flannel, IPv4, no file system and no callers unless told otherwise."""
    base: dict[str, Any] = {"vcn_native": False, "dual_stack": False, "lustre": False, "callers": ()}
    return rules_of(**{**base, **choices}, stateless=stateless)


def ways(made: Iterable[SecurityRule]) -> tuple[set[Way], set[Way]]:
    """What the groups let out, and what they let in; replies left out."""
    opened = [rule for rule in made if not rule.source_ports]
    out = {(r.group.value, r.peer, r.protocol, r.destination_ports) for r in opened if r.egress}
    return out, {(r.peer, r.group.value, r.protocol, r.destination_ports) for r in opened if not r.egress}


@pytest.mark.parametrize(
    ("choices", "further"),
    [
        ({}, set()),
        ({"callers": [CALLER]}, OF_CALLERS),
        ({"vcn_native": True}, OF_PODS),
        ({"lustre": True}, OF_LUSTRE),
        ({"vcn_native": True, "dual_stack": True}, OF_PODS | OF_IPV6),
        (
            {"vcn_native": True, "host_ports": (9100, 9400)},
            OF_PODS | {("pods", "workers", TCP, (9100, 9100)), ("pods", "workers", TCP, (9400, 9400))},
        ),
        ({"host_ports": (9100,)}, set()),
    ],
    ids=["flannel", "callers", "pods of the VCN", "Lustre", "IPv6", "ports of nodes", "ports of nodes with flannel"],
)
def test_who_reaches_whom(choices: dict[str, Any], further: set[Way]):
    """No more and no less, each with its other end where that is a group."""
    out, into = ways(rules(**choices))
    wanted = USUAL | further

    assert out == {way for way in wanted if way[0] in GROUPS}
    assert into == {way for way in wanted if way[1] in GROUPS}


def test_state_is_kept_unless_it_is_not_wanted():
    """Every rule has state by default, and none is for replies."""
    assert not [rule for rule in rules(vcn_native=True) if rule.stateless or rule.source_ports]


def test_what_passes_without_state():
    """Traffic between groups to named ports, ICMP, and what one group says to itself; all else keeps its state."""
    made = rules(stateless=True, vcn_native=True, callers=[CALLER])
    kept = {(r.group.value, r.peer, r.protocol) for r in made if r.egress and not r.stateless}
    free = {(r.group.value, r.peer, r.protocol, r.destination_ports) for r in made if r.egress and r.stateless}

    assert kept == {
        ("api", "services", TCP),
        ("api", "workers", TCP),
        ("workers", "services", TCP),
        ("workers", ANYWHERE, ALL),
        ("operators", "services", TCP),
        ("workers", "pods", ALL),
        ("api", "pods", TCP),
        ("pods", "services", TCP),
        ("pods", ANYWHERE, ALL),
        ("load-balancers", "pods", ALL),
    }
    opened = {way for way in USUAL | OF_PODS if way[1] in GROUPS and (way[0], way[1], way[2]) not in kept}
    assert opened <= free
    assert not [rule for rule in made if rule.peer == CALLER and rule.stateless]


def test_replies_pass_without_state():
    """From the port that was asked, to whoever asked, in both of its rules; and they say whose they are."""
    replies = [rule for rule in rules(stateless=True) if rule.source_ports]

    assert {(r.group.value, "to" if r.egress else "from", r.peer, r.source_ports) for r in replies} == {
        end
        for source, target, ports in (
            ("api", "api", (6443, 6443)),
            ("workers", "api", (6443, 6443)),
            ("workers", "api", (12250, 12250)),
            ("operators", "api", (6443, 6443)),
            ("operators", "workers", (22, 22)),
            ("load-balancers", "workers", NODE_PORTS),
            ("load-balancers", "workers", (10256, 10256)),
        )
        for end in ((target, "to", source, ports), (source, "from", target, ports))
    }
    assert all(rule.stateless and rule.destination_ports is None for rule in replies)
    assert all(rule.why.endswith(": replies") for rule in replies)


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ((Group.API, False, CALLER, TCP, (6443, 6443), None), "api-from-203-0-113-7-32-tcp-6443"),
        ((Group.WORKERS, True, ANYWHERE, ALL, None, None), "workers-to-anywhere"),
        ((Group.API, True, "workers", ICMP, None, None), "api-to-workers-icmp"),
        ((Group.WORKERS, False, "pods", UDP, NODE_PORTS, None), "workers-from-pods-udp-30000"),
        ((Group.PODS, False, "api", TCP, None, (6443, 6443)), "pods-from-api-tcp-6443-reply"),
    ],
)
def test_name_of_a_rule(rule: tuple[Any, ...], name: str):
    """It is also the resource's, and stays when other rules come and go."""
    assert SecurityRule(*rule, False, "why").name == name
