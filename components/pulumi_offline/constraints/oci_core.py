"""OCI's networks, instances and clusters of them."""

import json
from collections.abc import Callable

from ..source import Source
from .predicates import apart, at_most, between, block, disjoint, form, get, has, holds, inputs_with, inside, once
from .record import Constraint, Inputs, stated_by

_VCN = "oci:Core/vcn:Vcn"
_SUBNET = "oci:Core/subnet:Subnet"
_METADATA_BYTES = 32_000
_SIZE = "The combined size of the `metadata` and `extendedMetadata` objects can be a maximum of 32,000 bytes"
_ISSUE = "github.com/oracle-quickstart/oci-arch-adw-oac/issues/20"
_INVALID = Source(f"400-InvalidParameter of Core Subnet, as in {_ISSUE}", "2021-09-29")
_ROOM = "maximum value is 32,768 GB (32 TB)"
_ICMP, _TCP, _UDP = ("1", "58"), ("6",), ("17",)
_model = stated_by("oci core", "2026-10-27")


def _blocks_of_an_island(cluster: Inputs) -> bool:
    placement = "placementConstraintDetails"
    return has(cluster, f"{placement}.hpcIslandId") or not has(cluster, f"{placement}.targetNetworkBlockIds")


def _says_where(direction: str, end: str) -> Callable[[Inputs], bool]:
    return lambda of: get(of, "direction") != direction or (has(of, end) and has(of, f"{end}Type"))


def _options_of_the_protocol(security_rule: Inputs) -> bool:
    kinds = {"icmpOptions": _ICMP, "tcpOptions": _TCP, "udpOptions": _UDP}
    return all(get(security_rule, "protocol") in numbers for key, numbers in kinds.items() if has(security_rule, key))


def _ports_in_order(security_rule: Inputs) -> bool:
    paths = ("tcpOptions.destinationPortRange", "udpOptions.destinationPortRange")
    ranges = [get(security_rule, path, {}) for path in paths]
    return all(1 <= ports.get("min", 1) <= ports.get("max", 65535) <= 65535 for ports in ranges)


def _label(place: str) -> Constraint:
    limit = form("dnsLabel", "[a-zA-Z][a-zA-Z0-9]{0,14}", "gpu", "gpu-nodes")
    return _model(f"{place}.dnsLabel", "Must be an alphanumeric string that begins with a letter", limit)


def _metadata(path: str, place: str) -> Constraint:
    small, large = (inputs_with((path, {"user_data": "a" * size})) for size in (16_000, 32_000))
    check = holds(path, lambda inputs: len(json.dumps(get(inputs, path, {}))) < _METADATA_BYTES, small, large)
    return _model(place, _SIZE, check)


# fmt: off
CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    _VCN: (
        _model("CreateVcnDetails.cidrBlocks", "The CIDR blocks must be valid",
            block("cidrBlocks", 1, 30, ["10.0.0.0/16"], ["10.0.0.1/16"])),
        _model("CreateVcnDetails.cidrBlocks", "They must not overlap with each other",
            disjoint("cidrBlocks", ["10.0.0.0/16", "10.1.0.0/16"], ["10.0.0.0/8", "10.1.0.0/16"])),
        _label("CreateVcnDetails"),
    ),
    _SUBNET: (
        _model("CreateSubnetDetails.cidrBlock", "The new range is within one of the parent VCN ranges",
            inside("cidrBlock", _VCN, "vcnId", "cidrBlocks")),
        Constraint("The requested CIDR BLOCK is invalid: CIDR IP ADDRESS does not match network IP ADDRESS", _INVALID,
            block("cidrBlock", 1, 30, "10.0.0.0/16", "10.0.2.0/16")),
        Constraint("The requested CIDR BLOCK is invalid: subnet ID with CIDR BLOCK overlaps with this CIDR", _INVALID,
            apart(_SUBNET, "cidrBlock", "vcnId")),
        _label("CreateSubnetDetails"),
    ),
    "oci:Core/routeTable:RouteTable": (
        _model("CreateRouteTableDetails.routeRules",
            "The collection of rules used for routing destination IPs to network devices",
            once("routeRules", "destination", [{"destination": "0.0.0.0/0"}, {"destination": "10.0.0.0/8"}])),
    ),
    "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule": (
        _model("AddSecurityRuleDetails.sourceType", "Required if `direction` = `INGRESS`",
            holds("sourceType", _says_where("INGRESS", "source"),
                {"direction": "INGRESS", "source": "10.0.0.0/8", "sourceType": "CIDR_BLOCK"},
                {"direction": "INGRESS", "source": "10.0.0.0/8"})),
        _model("AddSecurityRuleDetails.destinationType", "Required if `direction` = `EGRESS`",
            holds("destinationType", _says_where("EGRESS", "destination"),
                {"direction": "EGRESS", "destination": "10.0.0.0/8", "destinationType": "CIDR_BLOCK"},
                {"direction": "EGRESS", "destination": "10.0.0.0/8"})),
        _model("AddSecurityRuleDetails.protocol", "Specify either `all` or an IPv4 protocol number",
            form("protocol", r"all|\d{1,3}", "6", "tcp")),
        _model("AddSecurityRuleDetails.protocol",
            'Options are supported only for ICMP ("1"), TCP ("6"), UDP ("17"), and ICMPv6 ("58")',
            holds("protocol", _options_of_the_protocol,
                {"protocol": "6", "tcpOptions": {"destinationPortRange": {"min": 22, "max": 22}}},
                {"protocol": "17", "tcpOptions": {"destinationPortRange": {"min": 22, "max": 22}}})),
        _model("PortRange.max", "The maximum port number, which must not be less than the minimum port number",
            holds("tcpOptions.destinationPortRange", _ports_in_order,
                {"protocol": "6", "tcpOptions": {"destinationPortRange": {"min": 22, "max": 22}}},
                {"protocol": "6", "tcpOptions": {"destinationPortRange": {"min": 23, "max": 22}}})),
    ),
    "oci:Core/computeCluster:ComputeCluster": (
        _model("ComputeClusterPlacementConstraintDetails.targetNetworkBlockIds",
            "If `targetNetworkBlockIds` is provided, the `hpcIslandId` must be set on the compute cluster",
            holds("placementConstraintDetails.hpcIslandId", _blocks_of_an_island,
                {"placementConstraintDetails": {"hpcIslandId": "island", "targetNetworkBlockIds": ["block"]}},
                {"placementConstraintDetails": {"targetNetworkBlockIds": ["block"]}})),
        _model("ComputeClusterPlacementConstraintDetails.targetNetworkBlockIds",
            "Ensure that all items in the array are unique",
            once("placementConstraintDetails.targetNetworkBlockIds", "", ["a", "b"])),
    ),
    "oci:Core/clusterNetwork:ClusterNetwork": (
        _model("CreateClusterNetworkDetails.instancePools", "Each cluster network can have one instance pool",
            at_most("instancePools", 1)),
    ),
    "oci:Core/instance:Instance": (
        _metadata("metadata", "LaunchInstanceDetails.metadata"),
        _model("InstanceSourceViaImageDetails.bootVolumeSizeInGBs", _ROOM,
            between("sourceDetails.bootVolumeSizeInGbs", 50, 32_768, "512", "40")),
    ),
    "oci:Core/instanceConfiguration:InstanceConfiguration": (
        _metadata("instanceDetails.launchDetails.metadata", "InstanceConfigurationLaunchInstanceDetails.metadata"),
        _model("InstanceConfigurationInstanceSourceViaImageDetails.bootVolumeSizeInGBs", _ROOM,
            between("instanceDetails.launchDetails.sourceDetails.bootVolumeSizeInGbs", 50, 32_768, "512", "40")),
    ),
}
