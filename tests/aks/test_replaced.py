"""What a change of a living AKS stack makes anew."""

from pulumi_offline import Graph
from pulumi_offline.replacements import refusals, replacements
from tests.aks.plans import inputs
from tests.aks.variants import NETWORK
from tests.stacks import graph_of


def behind(address: str) -> Graph:
    """A stack in a network of the user's, whose firewall has this address."""
    return graph_of("aks", NETWORK.replace("load-balancer", f"routes, egressCidrs: [{address}/32]"))


def test_another_way_out_of_an_existing_network_replaces_nothing():
    """The nodes' new address is let in, and what was proved of them stays."""
    before, after = behind("198.51.100.4"), behind("198.51.100.5")
    access = inputs(after, "ManagedCluster", "aks")["apiServerAccessProfile"]

    assert access["authorizedIPRanges"] == ["203.0.113.7/32", "198.51.100.5/32"]
    assert replacements(before, after) == {}


def test_another_location_makes_resources_anew_in_a_group_that_stays():
    """With the stack's own resource group all would go; in another's each resource is made anew by itself."""
    before = graph_of("aks", "resourceGroup=mine")
    after = graph_of("aks", "resourceGroup=mine", "azure-native:location=eastus2")
    anew = replacements(before, after)
    moved = {urn.rpartition("::")[0].rpartition("$")[2] for urn in anew}

    assert refusals(before, after, anew) == []
    assert {"azure-native:network:NetworkSecurityGroup", "azure-native:network:NatGateway"} <= moved
