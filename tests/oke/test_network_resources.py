"""Each resource of an OKE network whole: what Oracle's API and the engine are told."""

from functools import cache
from typing import Any

import pytest
from pulumi_offline import Graph
from tests.oke.plans import COMPARTMENT, NETWORK, built, made

VCN = "[id of oci:Core/vcn:Vcn oke]"
IN_VCN = {"compartmentId": COMPARTMENT, "vcnId": VCN}
SERVICES = "All REG Services In Oracle Services Network"
RULE = "NetworkSecurityGroupSecurityRule"
BOTH: dict[str, Any] = {"public_cidrs": ["203.0.113.7/32"], "dual_stack": True}


@cache
def network(stateless: bool = False) -> Graph:
    """A network of both families with a public API, or one of IPv4 whose rules keep no state."""
    return built("OkeHpcNetwork", {**NETWORK, **({"stateless_rules": True} if stateless else BOTH)})


def test_vcn():
    """Its blocks, and no address of the internet's; its name for hosts is the first that it had."""
    inputs, options, _ = made(network(), "Vcn", "oke")

    assert inputs == {
        "compartmentId": COMPARTMENT,
        "cidrBlocks": ["10.140.0.0/16"],
        "isIpv6enabled": True,
        "isOracleGuaAllocationEnabled": False,
        "ipv6privateCidrBlocks": ["fd00:10:140::/56"],
        "displayName": "oke",
        "dnsLabel": "oke",
    }
    assert options == {"replacementTrigger": "10.140.0.0/16, fd00:10:140::/56", "ignoreChanges": ["dnsLabel"]}
    inputs, options, _ = made(network(stateless=True), "Vcn", "oke")
    assert inputs.keys() == {"compartmentId", "cidrBlocks", "displayName", "dnsLabel"}
    assert options["replacementTrigger"] == "10.140.0.0/16"


@pytest.mark.parametrize(
    ("token", "name", "inputs"),
    [
        ("NatGateway", "oke-nat", {}),
        ("InternetGateway", "oke-internet", {"enabled": True}),
        ("ServiceGateway", "oke-services", {"services": [{"serviceId": f"[id of {SERVICES}]"}]}),
        ("SecurityList", "oke-closed", {}),
        ("NetworkSecurityGroup", "oke-workers", {}),
        (
            "RouteTable",
            "oke-public",
            {
                "routeRules": [
                    {
                        "destination": "0.0.0.0/0",
                        "destinationType": "CIDR_BLOCK",
                        "networkEntityId": "[id of oci:Core/internetGateway:InternetGateway oke-internet]",
                    }
                ]
            },
        ),
        (
            "RouteTable",
            "oke-private",
            {
                "routeRules": [
                    {
                        "destination": "0.0.0.0/0",
                        "destinationType": "CIDR_BLOCK",
                        "networkEntityId": "[id of oci:Core/natGateway:NatGateway oke-nat]",
                    },
                    {
                        "destination": "all-reg-services-in-oracle-network",
                        "destinationType": "SERVICE_CIDR_BLOCK",
                        "networkEntityId": "[id of oci:Core/serviceGateway:ServiceGateway oke-services]",
                    },
                ]
            },
        ),
    ],
)  # fmt: skip
def test_part_of_a_vcn(token: str, name: str, inputs: dict[str, Any]):
    """Gateways, routes, the list that is empty, and groups, each under its name."""
    found, options, _ = made(network(), token, name)

    assert found == {**IN_VCN, "displayName": name, **inputs}
    assert options == {}


@pytest.mark.parametrize(
    ("part", "cidr", "ipv6", "dns", "way"),
    [
        ("api", "10.140.255.64/29", "fd00:10:140::/64", "api", "public"),
        ("load-balancers", "10.140.255.0/27", "fd00:10:140:1::/64", "loadbalancers", "private"),
        ("workers", "10.140.64.0/24", "fd00:10:140:3::/64", "workers", "private"),
    ],
)
def test_subnet(part: str, cidr: str, ipv6: str, dns: str, way: str):
    """Closed but by its groups; only what the internet reaches has a way in from there."""
    inputs, options, _ = made(network(), "Subnet", f"oke-{part}")

    assert inputs == {
        **IN_VCN,
        "displayName": f"oke-{part}",
        "cidrBlock": cidr,
        "ipv6cidrBlocks": [ipv6],
        "dnsLabel": dns,
        "prohibitPublicIpOnVnic": way == "private",
        "prohibitInternetIngress": way == "private",
        "routeTableId": f"[id of oci:Core/routeTable:RouteTable oke-{way}]",
        "securityListIds": ["[id of oci:Core/securityList:SecurityList oke-closed]"],
    }
    assert options == {"deleteBeforeReplace": True}
    assert "ipv6cidrBlocks" not in made(network(stateless=True), "Subnet", f"oke-{part}")[0]


def group(name: str) -> str:
    """The OCID of a group."""
    return f"[id of oci:Core/networkSecurityGroup:NetworkSecurityGroup oke-{name}]"


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        (
            "api-to-services-tcp",
            {
                "networkSecurityGroupId": group("api"),
                "direction": "EGRESS",
                "protocol": "6",
                "description": "control plane to Oracle's services",
                "destination": "all-reg-services-in-oracle-network",
                "destinationType": "SERVICE_CIDR_BLOCK",
                "stateless": False,
            },
        ),
        (
            "workers-from-load-balancers-udp-30000",
            {
                "networkSecurityGroupId": group("workers"),
                "direction": "INGRESS",
                "protocol": "17",
                "description": "load balancers to node ports",
                "source": group("load-balancers"),
                "sourceType": "NETWORK_SECURITY_GROUP",
                "stateless": True,
                "udpOptions": {"destinationPortRange": {"min": 30000, "max": 32767}},
            },
        ),
        (
            "api-to-workers-tcp-6443-reply",
            {
                "networkSecurityGroupId": group("api"),
                "direction": "EGRESS",
                "protocol": "6",
                "description": "nodes to the Kubernetes API: replies",
                "destination": group("workers"),
                "destinationType": "NETWORK_SECURITY_GROUP",
                "stateless": True,
                "tcpOptions": {"sourcePortRange": {"min": 6443, "max": 6443}},
            },
        ),
        (
            "workers-from-api-icmp",
            {
                "networkSecurityGroupId": group("workers"),
                "direction": "INGRESS",
                "protocol": "1",
                "description": "path MTU discovery",
                "source": group("api"),
                "sourceType": "NETWORK_SECURITY_GROUP",
                "stateless": True,
                "icmpOptions": {"type": 3, "code": 4},
            },
        ),
        (
            "workers-to-anywhere",
            {
                "networkSecurityGroupId": group("workers"),
                "direction": "EGRESS",
                "protocol": "all",
                "description": "nodes to registries, through the NAT gateway",
                "destination": "0.0.0.0/0",
                "destinationType": "CIDR_BLOCK",
                "stateless": False,
            },
        ),
    ],
)
def test_rule(name: str, rule: dict[str, Any]):
    """Out or in, from or to a group, a block or Oracle's services, by one protocol, to ports or from them."""
    assert made(network(stateless=True), RULE, f"oke-{name}")[:2] == (rule, {})
