"""Which part of a VCN opens connections to which, on which ports: Oracle's page "Network Resource Configuration"."""

from typing import Any

import pytest
from rdma_cluster.oke.plan.security_rules import Group, Protocol, SecurityRule, rules_of
from tests.oke.plans import NETWORK, built
from tests.oke.readers import RULE

NODE_PORTS = (30000, 32767)
CALLER, ANYWHERE = "203.0.113.7/32", "0.0.0.0/0"
GROUPS = {group.value for group in Group}
WHOLE: dict[str, Any] = {"vcn_native": True, "lustre": True, "callers": (CALLER,)}


def rules(stateless: bool = False, **choices: Any) -> tuple[SecurityRule, ...]:
    """The rules of a VCN with flannel, IPv4, no file system and no callers, or with these choices."""
    base: dict[str, Any] = {"vcn_native": False, "dual_stack": False, "lustre": False, "callers": ()}
    return rules_of(**{**base, **choices}, stateless=stateless)


def reached(made: tuple[SecurityRule, ...], source: str, target: str) -> set[tuple[int, int] | None]:
    """Ports on which one part opens connections to another; ``None`` is all of them."""
    lets_in = [r for r in made if r.group.value == target and not r.egress and r.peer == source and not r.source_ports]
    return {r.destination_ports for r in lets_in if r.protocol not in (Protocol.ICMP, Protocol.ICMPV6)}


def ends(made: tuple[SecurityRule, ...]) -> set[tuple[Any, ...]]:
    """What each rule lets out of its group or into it."""
    return {(r.group.value, r.peer, r.egress, r.protocol, r.destination_ports, r.source_ports) for r in made}


@pytest.mark.parametrize(
    ("source", "target", "ports"),
    [
        ("api", "api", {6443}),
        ("workers", "api", {6443, 12250}),
        ("pods", "api", {6443, 12250}),
        ("operators", "api", {6443}),
        (CALLER, "api", {6443}),
        ("operators", "workers", {22}),
        ("load-balancers", "workers", {NODE_PORTS, 10256}),
        # vLLM's 29501 in the host's network is none of them: whoever reaches it is root on the node.
        ("pods", "workers", {NODE_PORTS, 2222, 8000, 10250, 19100}),
        ("api", "workers", {None}),
        ("workers", "workers", {None}),
        *((source, "pods", {None}) for source in ("api", "workers", "pods", "load-balancers")),
        *((source, "lustre", {988}) for source in ("workers", "lustre")),
        ("lustre", "workers", {988}),
        (ANYWHERE, "api", set()),
        (ANYWHERE, "workers", set()),
        ("pods", "load-balancers", set()),
        ("workers", "load-balancers", set()),
    ],
)
@pytest.mark.parametrize("stateless", [False, True])
def test_each_part_reaches_the_ports_that_oracle_names(
    source: str, target: str, ports: set[int | tuple[int, int] | None], stateless: bool
):
    """Without one of them nodes do not join, or services do not answer; a flow to all ports opens nothing back."""
    wanted = {(port, port) if isinstance(port, int) else port for port in ports}

    assert reached(rules(stateless, **WHOLE), source, target) == wanted


def test_nodes_and_pods_go_out_to_the_internet_and_control_planes_to_oracles_services():
    out = {(r.group.value, r.peer) for r in rules(**WHOLE) if r.egress and r.peer not in GROUPS}

    assert out == {
        *((source, "services") for source in ("api", "workers", "operators", "pods")),
        *((source, ANYWHERE) for source in ("workers", "pods")),
    }


def test_the_user_s_ports_are_open_to_pods_of_the_vcn():
    usual = reached(rules(**WHOLE), "pods", "workers")
    by_udp = {r.peer for r in rules(**WHOLE) if r.protocol is Protocol.UDP and not r.egress}

    assert reached(rules(**WHOLE, host_ports=(9100, 9400)), "pods", "workers") - usual == {(9100, 9100), (9400, 9400)}
    assert rules(host_ports=(9100,)) == rules() and by_udp == {"pods", "load-balancers"}


@pytest.mark.parametrize("stateless", [False, True])
@pytest.mark.parametrize(("vcn_native", "dual_stack"), [(False, False), (True, False), (True, True)])
def test_every_rule_between_groups_has_its_other_end(stateless: bool, vcn_native: bool, dual_stack: bool):
    """What one group lets out the other lets in, with the same ports: a half is a connection that hangs."""
    made = ends(rules(stateless, vcn_native=vcn_native, dual_stack=dual_stack, lustre=True, callers=(CALLER,)))

    for group, peer, egress, *what in made:
        assert peer not in GROUPS or (peer, group, not egress, *what) in made


def test_stateless_rules_let_replies_back_and_keep_state_where_all_ports_are_open():
    """A reply without state from all ports would let connections in to all ports of who began it."""
    made = rules(stateless=True, **WHOLE)
    free = [rule for rule in made if rule.stateless]

    assert not [rule for rule in rules(**WHOLE) if rule.stateless or rule.source_ports]
    assert not [rule for rule in free if rule.peer not in GROUPS]
    for rule in free:
        back = (rule.group.value, rule.peer, not rule.egress, rule.protocol, rule.source_ports, rule.destination_ports)
        assert back in ends(tuple(free))
    kept = {(r.group.value, r.peer) for r in made if r.egress and not r.stateless and r.peer in GROUPS}
    assert kept == {("api", "workers"), ("workers", "pods"), ("api", "pods"), ("load-balancers", "pods")}


def test_names_of_rules_are_distinct_and_few_enough():
    """OCI takes 120 rules a group, and two of one name would be one resource."""
    for stateless in (False, True):
        made = rules(stateless, **WHOLE, host_ports=tuple(range(9000, 9030)))
        assert len({rule.name for rule in made}) == len(made)
        assert all(sum(rule.group is group for rule in made) <= 120 for group in Group)


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ((Group.API, False, CALLER, Protocol.TCP, (6443, 6443), None), "api-from-203-0-113-7-32-tcp-6443"),
        ((Group.WORKERS, True, ANYWHERE, Protocol.ALL, None, None), "workers-to-anywhere"),
        ((Group.WORKERS, False, "pods", Protocol.UDP, NODE_PORTS, None), "workers-from-pods-udp-30000"),
        ((Group.PODS, False, "api", Protocol.TCP, None, (6443, 6443)), "pods-from-api-tcp-6443-reply"),
    ],
)
def test_a_rule_s_name_stays_when_other_rules_come_and_go(rule: tuple[Any, ...], name: str):
    """It is also the resource's."""
    assert SecurityRule(*rule, False, "why").name == name


def test_packets_that_are_too_big_are_told_of_by_icmp_of_their_family():
    """Type 3, code 4 (RFC 792) is all of ICMP that comes in; without it jumbo frames are lost in silence."""
    ways = {
        protocol: {(r.group, r.egress, r.peer) for r in rules(**WHOLE, dual_stack=True) if r.protocol is protocol}
        for protocol in (Protocol.ICMP, Protocol.ICMPV6)
    }
    options = {
        each.inputs["protocol"] == "1": each.inputs.get("icmpOptions")
        for each in built("OkeHpcNetwork", NETWORK).of_type(RULE)
    }

    assert ways[Protocol.ICMP] and ways[Protocol.ICMP] <= ways[Protocol.ICMPV6]
    assert not [rule for rule in rules(**WHOLE) if rule.protocol is Protocol.ICMPV6]
    assert options == {True: {"type": 3, "code": 4}, False: None}


def test_rules_of_a_network_become_resources_of_their_group():
    graph = built("OkeHpcNetwork", {**NETWORK, "stateless_rules": True})
    reply, out = (
        graph.one(RULE, f"oke-{name}").inputs for name in ("api-to-workers-tcp-6443-reply", "workers-to-anywhere")
    )

    assert reply["networkSecurityGroupId"].endswith("oke-api]") and reply["destination"].endswith("oke-workers]")
    assert (reply["direction"], reply["protocol"], reply["stateless"]) == ("EGRESS", "6", True)
    assert reply["tcpOptions"] == {"sourcePortRange": {"min": 6443, "max": 6443}}
    assert (out["destination"], out["destinationType"], out["protocol"]) == (ANYWHERE, "CIDR_BLOCK", "all")
    assert (out["stateless"], "tcpOptions" in out) == (False, False)


def test_a_node_in_a_group_waits_for_its_rules():
    """In a group without rules it reaches nothing, and does not join."""
    from pulumi_offline import preview
    from rdma_cluster import oke

    def program():
        import pulumi_oci

        network = oke.OkeHpcNetwork("oke", {"region": NETWORK["region"], "compartment": NETWORK["compartment"]})
        groups: Any = {"nsg_ids": [network.groups["workers"]]}
        pulumi_oci.core.Instance("probe", availability_domain="a", compartment_id="c", create_vnic_details=groups)

    probe = preview(program, project="foreign").one("oci:Core/instance:Instance", "probe")

    assert len([urn for urn in probe.dependencies if "SecurityRule::oke-workers-" in urn]) >= 10
