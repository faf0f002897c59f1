"""Another location, which Azure moves nothing to."""

from pulumi_offline.replacements import refusals, replacements
from tests.stacks import graph_of


def test_another_location_makes_resources_anew_in_a_group_that_stays():
    """With the stack's own resource group all would go; in another's each resource is made anew by itself."""
    before = graph_of("aks", "resourceGroup=mine")
    after = graph_of("aks", "resourceGroup=mine", "azure-native:location=eastus2")
    anew = replacements(before, after)
    moved = {urn.rpartition("::")[0].rpartition("$")[2] for urn in anew}

    assert refusals(before, after, anew) == []
    assert {"azure-native:network:NetworkSecurityGroup", "azure-native:network:NatGateway"} <= moved
