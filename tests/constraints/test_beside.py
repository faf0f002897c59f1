"""What a resource is beside those that exist: inputs that fit them, and inputs that do not."""

from typing import Any

import pytest
from tests.constraints.judged import LATER, paths, there

AKS, AKS_POOL = "azure-native:containerservice:ManagedCluster", "azure-native:containerservice:AgentPool"
SUBNET, NAT = "azure-native:network:Subnet", "azure-native:network:NatGateway"
ADDRESS = "azure-native:network:PublicIPAddress"
GKE, GKE_POOL = "gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool"
GKE_SUBNET, GKE_NETWORK = "gcp:compute/subnetwork:Subnetwork", "gcp:compute/network:Network"
CARDS = "networkConfig.additionalNodeNetworkConfigs"
LINK = "https://www.googleapis.com/compute/v1/projects/p/global/networks/n1"
EKS, GROUP = "aws:eks/cluster:Cluster", "aws:eks/nodeGroup:NodeGroup"
EC2_SUBNET, TEMPLATE = "aws:ec2/subnet:Subnet", "aws:ec2/launchTemplate:LaunchTemplate"


@pytest.mark.parametrize(
    ("ranges", "fits"),
    [
        (["198.51.100.0/24"], True),
        (["192.0.2.0/24", "198.51.100.4"], True),
        (["192.0.2.0/24"], False),
        ([f"[ipAddress of {ADDRESS} ip]/32"], True),
        ([f"{LATER}/32"], False),
    ],
)
def test_an_endpoint_of_azure_lets_in_the_address_by_which_nodes_leave(ranges: list[str], fits: bool):
    """A NAT gateway may have other addresses that nobody knows."""
    way = [
        there(SUBNET, "other"),
        there(SUBNET, "subnet", natGateway={"id": "nat"}),
        there(NAT, "nat", publicIpAddresses=[{"id": "unknown"}, {"id": "ip"}]),
        there(ADDRESS, "ip", f"{ADDRESS} ip", ipAddress="198.51.100.4"),
    ]
    cluster: dict[str, Any] = {"apiServerAccessProfile": {"authorizedIPRanges": ranges}}
    pools = {**cluster, "agentPoolProfiles": [{"vnetSubnetID": "other"}, {"vnetSubnetID": "subnet"}]}
    pool, words = {"resourceName": "aks", "vnetSubnetID": "subnet"}, "connect"

    path = "apiServerAccessProfile.authorizedIPRanges"
    assert paths(AKS, words, pools, *way) == ([] if fits else [path])
    assert paths(AKS_POOL, words, pool, there(AKS, "aks", **cluster), *way) == ([] if fits else ["vnetSubnetID"])
    assert paths(AKS_POOL, words, pool, *way) == []


@pytest.mark.parametrize(
    ("network", "fits"), [("n1", True), ("projects/p/global/networks/n1", True), ("1", False), ("p/n2", False)]
)
def test_a_further_interface_is_in_the_network_that_it_names(network: str, fits: bool):
    """The network goes by its name or its link; of an unknown subnet nothing is said."""
    pool = {CARDS: [{"subnetwork": "unknown", "network": "x"}, {"subnetwork": "s", "network": network}]}

    found = paths(GKE_POOL, "additional interface belongs", pool, there(GKE_SUBNET, "s", network=LINK))
    assert found == ([] if fits else [f"{CARDS}[1].subnetwork"])


@pytest.mark.parametrize(("zones", "fits"), [([], True), (["us-west8-c", LATER], True), (["us-west8-b"], False)])
def test_nodes_are_in_the_one_zone_of_their_roce_network(zones: list[str], fits: bool):
    """Other networks are of every zone."""
    pool = {CARDS: [{"network": "any"}, {"network": "roce"}], "nodeLocations": zones}
    profile = "projects/p/global/networkProfiles/us-west8-c-vpc-roce"

    networks = [there(GKE_NETWORK, "any"), there(GKE_NETWORK, "roce", networkProfile=profile)]
    found = paths(GKE_POOL, "Location to which the network", pool, *networks)
    assert found == ([] if fits else [f"{CARDS}[1].network"])


@pytest.mark.parametrize(("key", "name"), [("cluster", "pod"), ("services", "x")])
def test_ranges_of_a_cluster_are_its_subnet_s(key: str, name: str):
    ranges = [{"rangeName": "pods"}, {"rangeName": "services"}]
    subnet, path = there(GKE_SUBNET, "s", secondaryIpRanges=ranges), f"ipAllocationPolicy.{key}SecondaryRangeName"
    words = "existing secondary range"

    assert paths(GKE, words, {"subnetwork": "s", path: name}, subnet) == [path]
    assert paths(GKE, words, {"subnetwork": "s", path: "services"}, subnet) == []
    assert paths(GKE, words, {"subnetwork": "unknown", path: name}, subnet) == []


@pytest.mark.parametrize(("subnets", "fits"), [(["a1", "b1"], True), (["a1", "a2"], False), (["a1", "unknown"], True)])
def test_subnets_of_an_eks_cluster_are_in_two_zones(subnets: list[str], fits: bool):
    existing = [there(EC2_SUBNET, f"{zone}{i}", availabilityZone=zone) for zone in "ab" for i in (1, 2)]

    assert (paths(EKS, "two different AZs", {"vpcConfig.subnetIds": subnets}, *existing) == []) is fits


@pytest.mark.parametrize(
    ("template", "fits"), [({"name": "typed"}, False), ({"id": "typed"}, False), ({"name": "bare"}, True)]
)
def test_a_machine_type_stands_in_the_group_or_in_its_template(template: dict[str, str], fits: bool):
    templates = [there(TEMPLATE, "bare"), there(TEMPLATE, "typed", instanceType="p5")]
    group: dict[str, Any] = {"launchTemplate": template}

    assert (paths(GROUP, "deployment will fail", {**group, "instanceTypes": ["p5"]}, *templates) == []) is fits
    assert paths(GROUP, "deployment will fail", group, *templates) == []
