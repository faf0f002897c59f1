"""The networks of a GKE graph: VPCs, subnets, ways in and out, and what pods name."""

from typing import Any

from tests.resources import one, options
from tests.stacks import graph_of


def inputs(token: str, name: str) -> dict[str, Any]:
    """The inputs of a resource of the stack."""
    return dict(one(graph_of("gke"), token, f"gke-{name}").inputs)


def test_rails_are_in_one_vpc_of_the_roce_profile():
    """The profile refuses firewalls."""
    graph = graph_of("gke")
    rails = inputs("Network", "rails")
    subnets = [each for each in graph.of_type("gcp:compute/subnetwork:Subnetwork") if "-rail-" in each.name]

    assert rails["networkProfile"] == "projects/my-project/global/networkProfiles/us-west8-c-vpc-roce"
    assert (rails["mtu"], rails["autoCreateSubnetworks"]) == (8896, False)
    assert {each.inputs["network"] for each in subnets} == {"[id of gcp:compute/network:Network gke-rails]"}
    assert [each.inputs["ipCidrRange"] for each in subnets] == [f"10.2.{19 + i}.0/24" for i in range(8)]
    firewalls = graph.of_type("gcp:compute/firewall:Firewall")
    assert {each.name for each in firewalls} == {"gke-primary", "gke-gvnic"}


def test_a_vpc_with_other_addresses_is_another_vpc():
    """Subnets of one network never overlap, and those of two may."""
    made = [options(one(graph_of("gke"), "Network", f"gke-{name}")) for name in ("primary", "gvnic")]

    assert made == [
        {"replacementTrigger": ["10.2.16.0/23", "10.0.0.0/15", "10.2.0.0/20"]},
        {"replacementTrigger": ["10.2.18.0/24"]},
    ]


def test_nodes_reach_one_another_and_the_outside():
    """The firewall lets in the network's own blocks, NAT lets out all subnets, and Google's APIs need no NAT."""
    primary = inputs("Subnetwork", "primary")
    pods, services = primary["secondaryIpRanges"]

    assert (pods["rangeName"], services["rangeName"]) == ("pods", "services")
    assert primary["privateIpGoogleAccess"] is True
    assert inputs("Firewall", "primary")["sourceRanges"] == [primary["ipCidrRange"], pods["ipCidrRange"]]
    assert inputs("Firewall", "gvnic")["sourceRanges"] == [inputs("Subnetwork", "gvnic")["ipCidrRange"]]
    assert [each["protocol"] for each in inputs("Firewall", "primary")["allows"]] == ["tcp", "udp", "icmp"]
    assert inputs("RouterNat", "nat")["sourceSubnetworkIpRangesToNat"] == "ALL_SUBNETWORKS_ALL_IP_RANGES"
    assert inputs("Router", "nat")["network"] == "[id of gcp:compute/network:Network gke-primary]"


def test_a_pod_names_a_network_and_what_its_nic_is_on():
    """Neither object is changed under pods."""
    graph = graph_of("gke-a3-mega")
    parameters = one(graph, "GKENetworkParamSet", "gke-a3-mega-vpc3")
    network = one(graph, "Network", "gke-a3-mega-vpc3")
    rail = "gke-a3-mega-rail-2"

    assert parameters.inputs["spec"] == {"vpc": rail, "vpcSubnet": rail, "deviceMode": "NetDevice"}
    assert network.inputs["metadata"] == parameters.inputs["metadata"] == {"name": "vpc3"}
    assert network.inputs["spec"]["parametersRef"]["name"] == "vpc3"
    for each in (parameters, network):
        assert options(each)["replaceOnChanges"] == ["spec"] and options(each)["deleteBeforeReplace"] is True
    assert parameters.urn in network.dependencies
