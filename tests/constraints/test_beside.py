"""What a resource is beside those that exist: each rule with what keeps to it and what does not."""

from collections.abc import Callable
from typing import Any

import pytest
from pulumi_offline.constraints import amazon_eks, azure_containerservice, google_container
from pulumi_offline.constraints.predicates import inputs_with
from pulumi_offline.constraints.record import Existing, ExistingResources

LATER = "[id of t:x:Y z]"


def there(token: str, *names: str, **inputs: Any) -> Existing:
    """What a cloud holds."""
    return Existing(token, inputs, frozenset(names))


def beside(function: Callable[..., Any], inputs: dict[str, Any], *others: Existing) -> list[str]:
    """The paths of a resource that break a rule beside others."""
    return list(function(inputs, ExistingResources(others)))


AKS, SUBNET = "azure-native:containerservice:ManagedCluster", "azure-native:network:Subnet"
NAT, ADDRESS = "azure-native:network:NatGateway", "azure-native:network:PublicIPAddress"


@pytest.mark.parametrize(
    ("ranges", "fits"),
    [
        ([], True),
        (["198.51.100.0/24"], True),
        (["192.0.2.0/24", "198.51.100.4"], True),
        (["192.0.2.0/24"], False),
        ([f"[ipAddress of {ADDRESS} ip]/32"], True),
        ([f"{LATER}/32"], False),
    ],
)
def test_nodes_of_azure_are_let_in(ranges: list[str], fits: bool):
    """By the address through which they leave; a NAT gateway may have others that nobody knows."""
    way = [
        there(SUBNET, "other"),
        there(SUBNET, "subnet", natGateway={"id": "nat"}),
        there(NAT, "nat", publicIpAddresses=[{"id": "unknown"}, {"id": "ip"}]),
        there(ADDRESS, "ip", f"{ADDRESS} ip", ipAddress="198.51.100.4"),
    ]
    cluster = {"apiServerAccessProfile": {"authorizedIPRanges": ranges}}
    pool = {"resourceName": "aks", "vnetSubnetID": "subnet"}
    pools = {**cluster, "agentPoolProfiles": [{"vnetSubnetID": "other"}, {"vnetSubnetID": "subnet"}]}

    path = "apiServerAccessProfile.authorizedIPRanges"
    assert beside(azure_containerservice._cluster_lets_its_nodes_in, pools, *way) == ([] if fits else [path])
    whole = there(AKS, "aks", **cluster)
    assert beside(azure_containerservice._pool_is_let_in, pool, whole, *way) == ([] if fits else ["vnetSubnetID"])
    assert beside(azure_containerservice._pool_is_let_in, pool, *way) == []
    assert beside(azure_containerservice._pool_is_let_in, {**pool, "vnetSubnetID": "other"}, whole, *way) == []


@pytest.mark.parametrize(
    ("block", "fits"), [("10.0.0.0/16", True), ("10.1.0.0/24", False), ("10.0.0.0/8", False), (None, True)]
)
def test_services_of_azure_lie_apart_from_subnets(block: str | None, fits: bool):
    """From each of them whose block is known."""
    cluster = {"networkProfile": {"serviceCidr": block}}
    subnets = [there(SUBNET), there(SUBNET, addressPrefix="10.2.0.0/16"), there(SUBNET, addressPrefix="10.1.0.0/16")]

    found = beside(azure_containerservice._services_apart, cluster, *subnets)
    assert found == ([] if fits else ["networkProfile.serviceCidr"])


GKE_SUBNET, GKE_NETWORK = "gcp:compute/subnetwork:Subnetwork", "gcp:compute/network:Network"
INTERFACE = "networkConfig.additionalNodeNetworkConfigs"


@pytest.mark.parametrize(
    ("network", "fits"), [("n1", True), ("projects/p/global/networks/n1", True), ("n2", False), ("p/n2", False)]
)
def test_a_further_interface_is_in_the_network_that_it_names(network: str, fits: bool):
    """By its name or its link; of an unknown subnet nothing is said."""
    configs = [{"subnetwork": "unknown", "network": "x"}, {"subnetwork": "s", "network": network}]
    inputs = inputs_with((INTERFACE, configs))
    subnet = there(GKE_SUBNET, "s", network="https://www.googleapis.com/compute/v1/projects/p/global/networks/n1")

    found = beside(google_container._subnet_of_its_network, inputs, subnet)
    assert found == ([] if fits else [f"{INTERFACE}[1].subnetwork"])


@pytest.mark.parametrize(
    ("zones", "fits"), [([], True), (["us-west8-c", LATER], True), (["us-west8-c", "us-west8-b"], False)]
)
def test_a_roce_network_is_of_one_zone(zones: list[str], fits: bool):
    """That of its profile; other networks are of every zone."""
    inputs = inputs_with((INTERFACE, [{"network": "any"}, {"network": "roce"}]), ("nodeLocations", zones))
    profile = "projects/p/global/networkProfiles/us-west8-c-vpc-roce"
    networks = [there(GKE_NETWORK, "any"), there(GKE_NETWORK, "roce", networkProfile=profile)]

    found = beside(google_container._in_the_zone_of_its_network, inputs, *networks)
    assert found == ([] if fits else [f"{INTERFACE}[1].network"])


@pytest.mark.parametrize(
    ("names", "paths"),
    [(("pods", "services"), []), (("pods", "x"), ["services"]), (("x", "services"), ["cluster"]), ((None, None), [])],
)
def test_ranges_of_a_cluster_are_its_subnet_s(names: tuple[str | None, ...], paths: list[str]):
    """Each by its name."""
    keys = ("clusterSecondaryRangeName", "servicesSecondaryRangeName")
    inputs = {"subnetwork": "s", "ipAllocationPolicy": dict(zip(keys, names, strict=True))}
    subnet = there(GKE_SUBNET, "s", secondaryIpRanges=[{"rangeName": "pods"}, {"rangeName": "services"}])

    found = beside(google_container._ranges_exist, inputs, subnet)
    assert found == [f"ipAllocationPolicy.{each}SecondaryRangeName" for each in paths]
    assert beside(google_container._ranges_exist, inputs) == []


EC2_SUBNET, TEMPLATE = "aws:ec2/subnet:Subnet", "aws:ec2/launchTemplate:LaunchTemplate"


@pytest.mark.parametrize(
    ("subnets", "fits"), [(["a1", "b1"], True), (["a1", "a2"], False), (["a1", "unknown"], True), ([], True)]
)
def test_subnets_of_a_cluster_are_in_two_zones(subnets: list[str], fits: bool):
    """Where all of them are known."""
    existing = [there(EC2_SUBNET, f"{zone}{i}", availabilityZone=zone) for zone in "ab" for i in (1, 2)]

    found = beside(amazon_eks._zones_differ, {"vpcConfig": {"subnetIds": subnets}}, *existing)
    assert found == ([] if fits else ["vpcConfig.subnetIds"])


@pytest.mark.parametrize(
    ("group", "fits"),
    [
        ({"launchTemplate": {"name": "typed"}}, True),
        ({"launchTemplate": {"name": "typed"}, "instanceTypes": ["p5"]}, False),
        ({"launchTemplate": {"id": "typed"}, "instanceTypes": ["p5"]}, False),
        ({"launchTemplate": {"name": "bare"}, "instanceTypes": ["p5"]}, True),
        ({"instanceTypes": ["p5"]}, True),
    ],
)
def test_a_machine_type_stands_in_one_place(group: dict[str, Any], fits: bool):
    """In the group, or in its template."""
    templates = [there(TEMPLATE, "bare"), there(TEMPLATE, "typed", instanceType="p5")]

    assert beside(amazon_eks._type_in_one_place, group, *templates) == ([] if fits else ["instanceTypes"])
