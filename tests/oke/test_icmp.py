"""Path MTU discovery: without this one message, jumbo frames to whoever takes smaller ones are lost in silence."""

from tests.stacks import graph_of

ICMP = "1"
"""IANA's protocol number."""
RULE = "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule"


def test_fragmentation_needed_comes_through():
    """Type 3, code 4 (RFC 792), and nothing else of ICMP; other protocols have no such options."""
    rules = graph_of("oke").of_type(RULE)
    options = {each.inputs["protocol"] == ICMP: each.inputs.get("icmpOptions") for each in rules}

    assert options == {True: {"type": 3, "code": 4}, False: None}
    assert {each.inputs["direction"] for each in rules if each.inputs["protocol"] == ICMP} >= {"INGRESS"}
