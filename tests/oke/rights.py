"""Who may do what in Oracle's cloud, and who reaches what."""

import re
from collections.abc import Iterator
from typing import Any

from pulumi_offline import Graph
from tests.oke.readers import ADDON, CLUSTER, POLICY, RULE
from tests.rights.right import Right, plain

_PROTOCOLS = {"6": "TCP", "17": "UDP", "1": "ICMP", "58": "ICMPv6", "all": "all"}


def rights(graph: Graph) -> Iterator[Right]:
    """Statements of policies, who is in dynamic groups, openings of networks and of the API, and OKE's add-ons."""
    for policy in graph.of_type(POLICY):
        for statement in policy.inputs["statements"]:
            yield _of_statement(graph, statement)
    for token in (
        "oci:Identity/dynamicGroup:DynamicGroup",
        "oci:Identity/domainsDynamicResourceGroup:DomainsDynamicResourceGroup",
    ):
        for group in graph.of_type(token):
            yield Right(_without_ids(group.inputs["matchingRule"]), "is a member", "dynamic group nodes")
    for rule in graph.of_type(RULE):
        yield from _of_rule(graph, rule.inputs)
    for cluster in graph.of_type(CLUSTER):
        if cluster.inputs["endpointConfig"]["isPublicIpEnabled"]:
            yield Right("whom the NSG of the API lets", "TCP 6443", "the Kubernetes API, from the internet")
    for addon in graph.of_type(ADDON):
        yield Right(f"add-on {addon.inputs['addonName']}", "whatever OKE gives it", "the cluster")


def _of_statement(graph: Graph, statement: str) -> Right:
    """`Allow WHO to WHAT in WHERE [where CONDITION]`; a name or id of a dynamic group is one and the same to us."""
    match = re.fullmatch(r"Allow (.+?) to (.+?) in (.+)", statement)
    assert match, statement
    who = re.sub(r"dynamic-group .*", "dynamic group nodes", match[1])
    return Right(who, match[2], _without_ids(plain(graph, match[3])))


def _of_rule(graph: Graph, rule: dict[str, Any]) -> Iterator[Right]:
    """An opening of a group. What one group sends another is the other's opening, and a reply nobody's."""
    options = rule.get("tcpOptions") or rule.get("udpOptions") or {}
    out = rule["direction"] == "EGRESS"
    if "sourcePortRange" in options or (out and rule["destinationType"] == "NETWORK_SECURITY_GROUP"):
        return
    words, group = [_PROTOCOLS[rule["protocol"]]], plain(graph, rule["networkSecurityGroupId"])
    if ports := options.get("destinationPortRange"):
        words.append("-".join(str(port) for port in dict.fromkeys((ports["min"], ports["max"]))))
    if out:
        yield Right(f"group {group}", " ".join(words), f"to {rule['destination']}")
    else:
        callers = rule["sourceType"] == "CIDR_BLOCK"
        who = "kubernetes.publicCidrs" if callers else f"group {plain(graph, rule['source'])}"
        yield Right(who, " ".join(words), f"group {group}")


def _without_ids(text: str) -> str:
    return re.sub(r"ocid1\.(\w+)\.[\w.-]+", r"\1", text)
