"""An AKS network in a program of one's own."""

from functools import cache

import pytest
from pulumi_offline import Graph
from tests.aks.plans import WHERE, built, inputs, made, names

NAT = "[id of azure-native:network:NatGateway aks-nat]"


@cache
def network(outbound: str = "nat-gateway", lustre_tib: int = 0) -> Graph:
    """A network of the component's."""
    return built("AksHpcNetwork", {**WHERE, "outbound": outbound, "lustre_tib": lustre_tib})


@pytest.mark.parametrize("part", ["nodes", "lustre"])
def test_a_subnet_is_closed_and_has_one_way_out(part: str):
    """Its group has no rules, and no way out is left to chance."""
    subnet = inputs(network(lustre_tib=8), "Subnet", f"aks-{part}")

    assert subnet["networkSecurityGroup"] == {"id": "[id of azure-native:network:NetworkSecurityGroup aks]"}
    assert (subnet["defaultOutboundAccess"], subnet["natGateway"]) == (False, {"id": NAT})
    assert "securityRules" not in inputs(network(lustre_tib=8), "NetworkSecurityGroup", "aks")


def test_all_nodes_leave_by_one_address():
    gateway = inputs(network(), "NatGateway", "aks-nat")
    outputs = network().one("rdma-cluster:index:AksHpcNetwork", "aks").outputs

    assert gateway["publicIpAddresses"] == [{"id": "[id of azure-native:network:PublicIPAddress aks-nat]"}]
    assert outputs["egressCidr"] == "[ipAddress of azure-native:network:PublicIPAddress aks-nat]/32"


def test_aks_brings_its_own_load_balancer():
    graph = network("load-balancer")

    assert not names(graph, "NatGateway") and "natGateway" not in inputs(graph, "Subnet", "aks-nodes")
    assert graph.one("rdma-cluster:index:AksHpcNetwork", "aks").outputs["egressCidr"] == ""


def test_a_file_system_has_a_subnet_of_its_own():
    """Azure changes one subnet at a time; another block makes it anew, and the nodes' block the whole network."""
    _, options, after = made(network(lustre_tib=8), "Subnet", "aks-lustre")
    _, of_network, _ = made(network(), "VirtualNetwork", "aks")

    assert "Subnet aks-nodes" in after
    assert options == {"replacementTrigger": ["10.224.255.0/24"], "deleteBeforeReplace": True}
    assert of_network["replacementTrigger"] == ["10.224.0.0/16", "10.224.0.0/23"]
    assert names(network(), "Subnet") == {"aks-nodes"}
