"""Compute Engine: networks and policies."""

from collections.abc import Iterator

from ...catalog.machine import Source
from .forms import apart, at, between, block, count, distinct, form, get, has, holds, required, unique
from .record import Inputs, Rule
from .there import Made, There

_NETWORK = "gcp:compute/network:Network"
_SUBNET = "gcp:compute/subnetwork:Subnetwork"
_FIREWALL = "gcp:compute/firewall:Firewall"
_ROUTER = "gcp:compute/router:Router"
_MACHINE = "gcp:compute/instance:Instance"
_KEY = "compute.googleapis.com/reservation-name"
_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
_409 = Source(
    "googleapi: Error 409 alreadyExists, as in github.com/GoogleCloudPlatform/cluster-toolkit docs", "2026-08"
)
_TAKEN = "The resource already exists, alreadyExists"


def _model(place: str) -> Source:
    return Source(f"compute.v1 {place}", "2026-11-06")


def _no_roce(inputs: Inputs, there: There) -> Iterator[str]:
    network = there.find(_NETWORK, inputs.get("network", ""))
    if network is not None and "roce" in str(network.inputs.get("networkProfile", "")):
        yield "network"


_ROCE = Made(_NETWORK, {"networkProfile": "projects/p/global/networkProfiles/z-vpc-roce"}, frozenset({"rdma"}))


def _taken(token: str, *scope: str) -> Rule:
    """A name that another has."""
    same = dict.fromkeys(scope, "s")
    others = (Made(token, {"name": "a", **same}),)
    return Rule(_TAKEN, _409, unique(token, "name", *scope), {"name": "b", **same}, {"name": "a", **same}, others)


def _named_reservation(machine: Inputs) -> bool:
    named = "reservationAffinity.specificReservation"
    if get(machine, "reservationAffinity.type") != "SPECIFIC_RESERVATION":
        return not has(machine, named)
    return get(machine, f"{named}.key") == _KEY and count(machine, f"{named}.values") == 1


def _topology_of_throughput(policy: Inputs) -> bool:
    workload = get(policy, "workloadPolicy", {})
    return "acceleratorTopology" not in workload or workload.get("type") == "HIGH_THROUGHPUT"


def _affinity(*names: str) -> Inputs:
    chosen = {"key": _KEY, "values": list(names)}
    return {"reservationAffinity": {"type": "SPECIFIC_RESERVATION", "specificReservation": chosen}}


RULES: dict[str, tuple[Rule, ...]] = {
    _NETWORK: (
        Rule(
            "The minimum value for this field is 1300 and the maximum value is 8896",
            _model("Network.mtu"),
            between("mtu", 1300, 8896),
            {"mtu": 8896},
            {"mtu": 9000},
        ),
        Rule(
            "A full or partial URL of the network profile",
            _model("Network.networkProfile"),
            form(
                "networkProfile", r"(https://.*/)?projects/[^/]+/global/networkProfiles/[^/]+|global/networkProfiles/.+"
            ),
            {"networkProfile": "projects/p/global/networkProfiles/us-west8-c-vpc-roce"},
            {"networkProfile": "us-west8-c-vpc-roce"},
        ),
        Rule(
            "Must be set to create a VPC network. If not set, a legacy network is created.",
            _model("Network.autoCreateSubnetworks"),
            required("autoCreateSubnetworks"),
            {"autoCreateSubnetworks": False},
            {},
        ),
        _taken(_NETWORK, "project"),
    ),
    _SUBNET: (
        Rule(
            "Ranges must be unique and non-overlapping within a network",
            _model("Subnetwork.ipCidrRange"),
            apart(_SUBNET, "ipCidrRange", "network", "secondaryIpRanges.ipCidrRange"),
            {"ipCidrRange": "10.0.1.0/24", "network": "n"},
            {"ipCidrRange": "10.0.0.0/16", "network": "n"},
            (Made(_SUBNET, {"ipCidrRange": "10.0.0.0/24", "network": "n"}),),
        ),
        Rule(
            "The range of internal addresses that are owned by this subnetwork",
            _model("Subnetwork.ipCidrRange"),
            block("ipCidrRange", 4, 29),
            {"ipCidrRange": "10.0.0.0/29"},
            {"ipCidrRange": "10.0.0.1/24"},
        ),
        Rule(
            "The name must be unique within the subnetwork",
            _model("SubnetworkSecondaryRange.rangeName"),
            holds(
                "secondaryIpRanges",
                lambda inputs: distinct(name for _, name in at(inputs, "secondaryIpRanges.rangeName")),
            ),
            {"secondaryIpRanges": [{"rangeName": "pods"}, {"rangeName": "services"}]},
            {"secondaryIpRanges": [{"rangeName": "pods"}, {"rangeName": "pods"}]},
        ),
        _taken(_SUBNET, "project", "region"),
    ),
    _FIREWALL: (
        Rule(
            "the firewall rule applies only to traffic that has a source IP address in these ranges",
            _model("Firewall.sourceRanges"),
            holds("sourceRanges", lambda rule: bool(rule.get("sourceRanges") or rule.get("sourceTags"))),
            {"sourceRanges": ["10.0.0.0/8"]},
            {"sourceRanges": []},
        ),
        Rule(
            "These ranges must be expressed inCIDR format",
            _model("Firewall.sourceRanges"),
            block("sourceRanges", 0, 128),
            {"sourceRanges": ["10.0.0.0/8"]},
            {"sourceRanges": ["10.0.0.0-10.255.255.255"]},
        ),
        Rule(
            "This value can either be one of the following well known protocol strings",
            _model("Firewall.allowed[].IPProtocol"),
            form("allows.protocol", r"tcp|udp|icmp|esp|ah|ipip|sctp|all|\d{1,3}"),
            {"allows": [{"protocol": "all"}]},
            {"allows": [{"protocol": "any"}]},
        ),
        Rule(
            "VPC_FIREWALL_RULES_BLOCKED",
            # That a RoCE profile blocks them: github.com/GoogleCloudPlatform/cluster-toolkit/pull/3987.
            _model("NetworkProfileNetworkFeatures.allowVpcFirewallRules"),
            _no_roce,
            {"network": "plain"},
            {"network": "rdma"},
            (_ROCE,),
        ),
        _taken(_FIREWALL, "project"),
    ),
    _ROUTER: (_taken(_ROUTER, "project", "region"),),
    "gcp:compute/routerNat:RouterNat": (
        Rule(
            "Nat IPs are allocated by Google Cloud Platform; customers can't specify any Nat IPs",
            _model("RouterNat.natIpAllocateOption"),
            holds("natIps", lambda nat: nat.get("natIpAllocateOption") != "AUTO_ONLY" or not nat.get("natIps")),
            {"natIpAllocateOption": "AUTO_ONLY"},
            {"natIpAllocateOption": "AUTO_ONLY", "natIps": ["projects/p/regions/r/addresses/a"]},
        ),
    ),
    _POLICY: (
        Rule(
            "Specifies the topology required to create a partition for VMs that have interconnected GPUs",
            _model("ResourcePolicyWorkloadPolicy.acceleratorTopology"),
            holds("workloadPolicy.acceleratorTopology", _topology_of_throughput),
            {"workloadPolicy": {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "1x72"}},
            {"workloadPolicy": {"type": "HIGH_AVAILABILITY", "acceleratorTopology": "1x72"}},
        ),
        _taken(_POLICY, "project", "region"),
    ),
    _MACHINE: (
        Rule(
            "specifygoogleapis.com/reservation-name as the key",
            _model("ReservationAffinity.key"),
            holds("reservationAffinity", _named_reservation),
            _affinity("r"),
            _affinity(),
        ),
        _taken(_MACHINE, "project", "zone"),
    ),
}
