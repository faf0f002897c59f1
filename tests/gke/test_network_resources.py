"""Networks of a GKE graph in whole: VPCs, subnets, ways in and out, and what pods name."""

from tests.resources import one, options
from tests.stacks import graph_of

_INSIDE = [{"protocol": "tcp"}, {"protocol": "udp"}, {"protocol": "icmp"}]


def network_id(name: str) -> str:
    """What the engine knows later."""
    return f"[id of gcp:compute/network:Network {name}]"


def test_networks():
    """VPCs without subnets of Google's, which are made anew with other addresses; rails by the zone's profile."""
    graph = graph_of("gke")
    plain = {"project": "my-project", "autoCreateSubnetworks": False, "routingMode": "REGIONAL"}
    profile = "projects/my-project/global/networkProfiles/us-west8-c-vpc-roce"
    blocks = {
        "primary": ["10.2.16.0/23", "10.0.0.0/15", "10.2.0.0/20"],
        "gvnic": ["10.2.18.0/24"],
        "rails": [f"10.2.{19 + i}.0/24" for i in range(8)],
    }

    for name, of in blocks.items():
        made = one(graph, "Network", f"gke-{name}")
        assert made.inputs == {**plain, **({"mtu": 8896, "networkProfile": profile} if name == "rails" else {})}
        assert options(made) == {"replacementTrigger": of}


def test_subnets():
    """The primary one with ranges for pods and services; one for each further NIC."""
    graph = graph_of("gke")
    place = {"project": "my-project", "region": "us-west8"}

    assert one(graph, "Subnetwork", "gke-primary").inputs == {
        **place,
        "network": network_id("gke-primary"),
        "ipCidrRange": "10.2.16.0/23",
        "secondaryIpRanges": [
            {"rangeName": "pods", "ipCidrRange": "10.0.0.0/15"},
            {"rangeName": "services", "ipCidrRange": "10.2.0.0/20"},
        ],
        "privateIpGoogleAccess": True,
    }
    further = {"gvnic": ("gvnic", 18), **{f"rail-{i}": ("rails", 19 + i) for i in range(8)}}
    for name, (vpc, block) in further.items():
        made = one(graph, "Subnetwork", f"gke-{name}")
        assert made.inputs == {**place, "network": network_id(f"gke-{vpc}"), "ipCidrRange": f"10.2.{block}.0/24"}


def test_ways_in_and_out():
    """Nodes and pods reach each other on every port, and the outside by NAT."""
    graph = graph_of("gke")

    for name, sources in (("primary", ["10.2.16.0/23", "10.0.0.0/15"]), ("gvnic", ["10.2.18.0/24"])):
        assert one(graph, "Firewall", f"gke-{name}").inputs == {
            "project": "my-project",
            "network": network_id(f"gke-{name}"),
            "allows": _INSIDE,
            "sourceRanges": sources,
        }
    place = {"project": "my-project", "region": "us-west8"}
    assert one(graph, "Router", "gke-nat").inputs == {**place, "network": network_id("gke-primary")}
    assert one(graph, "RouterNat", "gke-nat").inputs == {
        **place,
        "router": "gke-nat",
        "natIpAllocateOption": "AUTO_ONLY",
        "sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES",
    }


def test_networks_that_pods_name():
    """Two objects for each: what the NIC is on, and the name that refers to it; neither is changed under pods."""
    graph = graph_of("gke-a3-mega")
    parameters = one(graph, "GKENetworkParamSet", "gke-a3-mega-vpc3")
    network = one(graph, "Network", "gke-a3-mega-vpc3")

    assert parameters.inputs == {
        "apiVersion": "networking.gke.io/v1",
        "kind": "GKENetworkParamSet",
        "metadata": {"name": "vpc3"},
        "spec": {"vpc": "gke-a3-mega-rail-2", "vpcSubnet": "gke-a3-mega-rail-2", "deviceMode": "NetDevice"},
    }
    assert network.inputs == {
        "apiVersion": "networking.gke.io/v1",
        "kind": "Network",
        "metadata": {"name": "vpc3"},
        "spec": {
            "type": "Device",
            "parametersRef": {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": "vpc3"},
        },
    }
    for each in (parameters, network):
        assert options(each)["replaceOnChanges"] == ["spec"] and options(each)["deleteBeforeReplace"] is True
    assert any(urn.endswith("GKENetworkParamSet::gke-a3-mega-vpc3") for urn in network.dependencies)
