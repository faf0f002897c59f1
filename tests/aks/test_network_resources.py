"""Each resource of an AKS network whole: what Azure's API and the engine are told, and what it comes after."""

from functools import cache
from typing import Any

import pytest
from pulumi_offline import Graph
from tests.aks.plans import IN_GROUP, WHERE, built, made


@cache
def network(choice: str) -> Graph:
    """A network with a file system's subnet, or one whose nodes leave by AKS's load balancer."""
    return built("AksHpcNetwork", {**WHERE, **({"lustre_tib": 8} if choice == "lustre" else {"outbound": choice})})


NAT = {"natGateway": {"id": "[id of azure-native:network:NatGateway aks-nat]"}}


@pytest.mark.parametrize(
    ("choice", "part", "cidr", "options", "after"),
    [
        ("lustre", "nodes", "10.224.0.0/23", {}, {"NatGateway aks-nat"}),
        (
            "lustre",
            "lustre",
            "10.224.255.0/24",
            {"replacementTrigger": ["10.224.255.0/24"], "deleteBeforeReplace": True},
            {"NatGateway aks-nat", "Subnet aks-nodes"},
        ),
        ("load-balancer", "nodes", "10.224.0.0/23", {}, set()),
    ],
)
def test_subnet(choice: str, part: str, cidr: str, options: dict[str, Any], after: set[str]):
    """Closed, with the way out that is named and none by chance; Azure changes one at a time."""
    found = made(network(choice), "Subnet", f"aks-{part}")

    assert found[0] == {
        "resourceGroupName": "g",
        "virtualNetworkName": "aks",
        "addressPrefix": cidr,
        "networkSecurityGroup": {"id": "[id of azure-native:network:NetworkSecurityGroup aks]"},
        "defaultOutboundAccess": False,
        "privateEndpointNetworkPolicies": "Disabled",
        "privateLinkServiceNetworkPolicies": "Enabled",
        **({} if choice == "load-balancer" else NAT),
    }
    assert found[1] == options
    assert found[2] == {"NetworkSecurityGroup aks", "VirtualNetwork aks", *after}


@pytest.mark.parametrize(
    ("token", "name", "inputs", "options"),
    [
        (
            "VirtualNetwork",
            "aks",
            {
                "addressSpace": {"addressPrefixes": ["10.224.0.0/16"]},
                "enableDdosProtection": False,
                "enableVmProtection": False,
            },
            {"replacementTrigger": ["10.224.0.0/16", "10.224.0.0/23"]},
        ),
        ("NetworkSecurityGroup", "aks", {}, {"replaceOnChanges": ["location"]}),
        ("PublicIPAddress", "aks-nat", {"sku": {"name": "Standard"}, "publicIPAllocationMethod": "Static"}, {}),
        (
            "NatGateway",
            "aks-nat",
            {
                "sku": {"name": "Standard"},
                "publicIpAddresses": [{"id": "[id of azure-native:network:PublicIPAddress aks-nat]"}],
            },
            {"replaceOnChanges": ["location"]},
        ),
    ],
)
def test_part_of_a_network(token: str, name: str, inputs: dict[str, Any], options: dict[str, Any]):
    """Its blocks, its group without rules, and one address by which all nodes leave."""
    assert made(network("lustre"), token, name)[:2] == ({**IN_GROUP, **inputs}, options)


@pytest.mark.parametrize(
    ("choice", "lustre", "egress", "outbound"),
    [
        (
            "lustre",
            "[id of azure-native:network:Subnet aks-lustre]",
            "[ipAddress of azure-native:network:PublicIPAddress aks-nat]/32",
            "nat-gateway",
        ),
        ("load-balancer", "", "", "load-balancer"),
    ],
)
def test_outputs_of_a_network(choice: str, lustre: str, egress: str, outbound: str):
    """What a cluster and a store on it need; empty where there is none."""
    assert network(choice).one("rdma-cluster:index:AksHpcNetwork", "aks").outputs == {
        "subnet": "[id of azure-native:network:Subnet aks-nodes]",
        "lustreSubnet": lustre,
        "cidrs": ["10.224.0.0/16"],
        "outbound": outbound,
        "egressCidr": egress,
    }
