"""Compute Engine: networks and policies."""

from collections.abc import Iterator

from ..source import Source
from .predicates import apart, between, block, form, get, has, holds, once, required, unique, values
from .record import Constraint, Existing, ExistingResources, Inputs, Limit, stated_by

_NETWORK = "gcp:compute/network:Network"
_SUBNET = "gcp:compute/subnetwork:Subnetwork"
_FIREWALL = "gcp:compute/firewall:Firewall"
_ROUTER = "gcp:compute/router:Router"
_MACHINE = "gcp:compute/instance:Instance"
_KEY = "compute.googleapis.com/reservation-name"
_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
_TOOLKIT = "github.com/GoogleCloudPlatform/cluster-toolkit"
_409 = Source(f"googleapi: Error 409 alreadyExists, as in {_TOOLKIT} docs", "2026-08")
_model = stated_by("compute.v1", "2026-11-06")
_CREATE_VM = Source("docs.cloud.google.com/ai-hypercomputer/docs/create/create-vm, tab Flex-start", "2026-04-06")


def _no_roce(inputs: Inputs, existing: ExistingResources) -> Iterator[str]:
    network = existing.find(_NETWORK, inputs.get("network", ""))
    if network is not None and "roce" in str(network.inputs.get("networkProfile", "")):
        yield "network"


_ROCE = Existing(_NETWORK, {"networkProfile": "projects/p/global/networkProfiles/z-vpc-roce"}, frozenset({"rdma"}))


def _taken(token: str, *scope: str) -> Constraint:
    """A name must be free."""
    return Constraint("The resource already exists, alreadyExists", _409, unique(token, "name", *scope))


def _named_reservation(machine: Inputs) -> bool:
    named = "reservationAffinity.specificReservation"
    if get(machine, "reservationAffinity.type") != "SPECIFIC_RESERVATION":
        return not has(machine, named)
    return get(machine, f"{named}.key") == _KEY and len(values(machine, f"{named}.values")) == 1


def _flex_start(seconds: int) -> Inputs:
    return {"scheduling": {"provisioningModel": "FLEX_START", "maxRunDuration": {"seconds": seconds}}}


def _runs_for_a_week_at_most(machine: Inputs) -> bool:
    if get(machine, "scheduling.provisioningModel") != "FLEX_START":
        return True
    seconds = get(machine, (path := "scheduling.maxRunDuration.seconds"))
    return has(machine, path) if seconds is None else 600 <= int(seconds) <= 604_800


def _topology_of_throughput(policy: Inputs) -> bool:
    workload = get(policy, "workloadPolicy", {})
    return "acceleratorTopology" not in workload or workload.get("type") == "HIGH_THROUGHPUT"


def _affinity(*names: str) -> Inputs:
    chosen = {"key": _KEY, "values": list(names)}
    return {"reservationAffinity": {"type": "SPECIFIC_RESERVATION", "specificReservation": chosen}}


# fmt: off
CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    _NETWORK: (
        _model("Network.mtu", "The minimum value for this field is 1300 and the maximum value is 8896",
            between("mtu", 1300, 8896, 8896, 9000)),
        _model("Network.networkProfile", "A full or partial URL of the network profile",
            form("networkProfile",
                r"(https://.*/)?projects/[^/]+/global/networkProfiles/[^/]+|global/networkProfiles/.+",
                "projects/p/global/networkProfiles/us-west8-c-vpc-roce", "us-west8-c-vpc-roce")),
        _model("Network.autoCreateSubnetworks",
            "Must be set to create a VPC network. If not set, a legacy network is created.",
            required("autoCreateSubnetworks", False)),
        _taken(_NETWORK, "project"),
    ),
    _SUBNET: (
        _model("Subnetwork.ipCidrRange", "Ranges must be unique and non-overlapping within a network",
            apart(_SUBNET, "ipCidrRange", "network", "secondaryIpRanges.ipCidrRange")),
        _model("Subnetwork.ipCidrRange", "The range of internal addresses that are owned by this subnetwork",
            block("ipCidrRange", 4, 29, "10.0.0.0/29", "10.0.0.1/24")),
        _model("SubnetworkSecondaryRange.rangeName", "The name must be unique within the subnetwork",
            once("secondaryIpRanges", "rangeName",
                [{"rangeName": "pods"}, {"rangeName": "services"}])),
        _taken(_SUBNET, "project", "region"),
    ),
    _FIREWALL: (
        _model("Firewall.sourceRanges",
            "the firewall rule applies only to traffic that has a source IP address in these ranges",
            holds("sourceRanges", lambda firewall: has(firewall, "sourceRanges") or has(firewall, "sourceTags"),
                ["10.0.0.0/8"], [])),
        _model("Firewall.sourceRanges", "These ranges must be expressed inCIDR format",
            block("sourceRanges", 0, 128, ["10.0.0.0/8"], ["10.0.0.0-10.255.255.255"])),
        _model("Firewall.allowed[].IPProtocol",
            "This value can either be one of the following well known protocol strings",
            form("allows.protocol", r"tcp|udp|icmp|esp|ah|ipip|sctp|all|\d{1,3}", {"allows": [{"protocol": "all"}]},
                {"allows": [{"protocol": "any"}]})),
        # That a RoCE profile blocks them: github.com/GoogleCloudPlatform/cluster-toolkit/pull/3987.
        _model("NetworkProfileNetworkFeatures.allowVpcFirewallRules", "VPC_FIREWALL_RULES_BLOCKED",
            Limit(_no_roce, {"network": "plain"}, {"network": "rdma"}, (_ROCE,))),
        _taken(_FIREWALL, "project"),
    ),
    _ROUTER: (_taken(_ROUTER, "project", "region"),),
    "gcp:compute/routerNat:RouterNat": (
        _model("RouterNat.natIpAllocateOption",
            "Nat IPs are allocated by Google Cloud Platform; customers can't specify any Nat IPs",
            holds("natIps", lambda nat: nat.get("natIpAllocateOption") != "AUTO_ONLY" or not nat.get("natIps"),
                {"natIpAllocateOption": "AUTO_ONLY"},
                {"natIpAllocateOption": "AUTO_ONLY", "natIps": ["projects/p/regions/r/addresses/a"]})),
    ),
    _POLICY: (
        _model("ResourcePolicyWorkloadPolicy.acceleratorTopology",
            "Specifies the topology required to create a partition for VMs that have interconnected GPUs",
            holds("workloadPolicy.acceleratorTopology", _topology_of_throughput,
                {"workloadPolicy": {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "1x72"}},
                {"workloadPolicy": {"type": "HIGH_AVAILABILITY", "acceleratorTopology": "1x72"}})),
        _taken(_POLICY, "project", "region"),
    ),
    _MACHINE: (
        _model("ReservationAffinity.key", "specifygoogleapis.com/reservation-name as the key",
            holds("reservationAffinity", _named_reservation, _affinity("r"), _affinity())),
        # The text is the page's; the API's own is unverified.
        Constraint("MAX_RUN_DURATION: the value must be between 10 minutes and seven days", _CREATE_VM,
            holds("scheduling.maxRunDuration", _runs_for_a_week_at_most, _flex_start(604_800), _flex_start(604_801))),
        _taken(_MACHINE, "project", "zone"),
    ),
}
