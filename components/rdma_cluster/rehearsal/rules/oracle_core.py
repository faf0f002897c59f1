"""OCI's networks, instances and clusters of them."""

import json
from collections.abc import Callable
from typing import Any

from ...catalog.machine import Source
from .forms import apart, at, at_most, between, block, distinct, form, get, has, holds, inside
from .record import Inputs, Rule
from .there import Made

_VCN = "oci:Core/vcn:Vcn"
_SUBNET = "oci:Core/subnet:Subnet"
_METADATA_BYTES = 32_000
_SIZE = "The combined size of the `metadata` and `extendedMetadata` objects can be a maximum of 32,000 bytes"
_INVALID = Source(
    "400-InvalidParameter of Core Subnet, as in github.com/oracle-quickstart/oci-arch-adw-oac/issues/20", "2021-09-29"
)
_ROOM = "maximum value is 32,768 GB (32 TB)"
_ICMP, _TCP, _UDP = ("1", "58"), ("6",), ("17",)


def _model(place: str) -> Source:
    return Source(f"oci core {place}", "2026-10-27")


def _small(path: str) -> Callable[[Inputs], bool]:
    return lambda inputs: len(json.dumps(get(inputs, path, {}))) < _METADATA_BYTES


def _blocks_of_an_island(cluster: Inputs) -> bool:
    placement = "placementConstraintDetails"
    return has(cluster, f"{placement}.hpcIslandId") or not has(cluster, f"{placement}.targetNetworkBlockIds")


def _blocks_once(cluster: Inputs) -> bool:
    return distinct(block for _, block in at(cluster, "placementConstraintDetails.targetNetworkBlockIds"))


def _says_where(direction: str, end: str) -> Callable[[Inputs], bool]:
    return lambda rule: get(rule, "direction") != direction or (has(rule, end) and has(rule, f"{end}Type"))


def _options_of_the_protocol(rule: Inputs) -> bool:
    kinds = {"icmpOptions": _ICMP, "tcpOptions": _TCP, "udpOptions": _UDP}
    return all(get(rule, "protocol") in numbers for key, numbers in kinds.items() if has(rule, key))


def _ports_in_order(rule: Inputs) -> bool:
    ranges = [ports for key in ("tcpOptions", "udpOptions") for _, ports in at(rule, f"{key}.destinationPortRange")]
    return all(1 <= ports.get("min", 1) <= ports.get("max", 65535) <= 65535 for ports in ranges)


def _one_way_for_each(table: Inputs) -> bool:
    return distinct(destination for _, destination in at(table, "routeRules.destination"))


_LABEL = "[a-zA-Z][a-zA-Z0-9]{0,14}"


def _label(place: str) -> Rule:
    return Rule(
        "Must be an alphanumeric string that begins with a letter",
        _model(f"{place}.dnsLabel"),
        form("dnsLabel", _LABEL),
        {"dnsLabel": "gpu"},
        {"dnsLabel": "gpu-nodes"},
    )


def _metadata(path: str, place: str) -> Rule:
    def inside_of(value: Any) -> Any:
        for step in reversed(path.split(".")):
            value = {step: value}
        return value

    return Rule(
        _SIZE,
        _model(place),
        holds(path, _small(path)),
        inside_of({"user_data": "a" * 16_000}),
        inside_of({"user_data": "a" * 32_000}),
    )


RULES: dict[str, tuple[Rule, ...]] = {
    _VCN: (
        Rule(
            "The CIDR blocks must be valid",
            _model("CreateVcnDetails.cidrBlocks"),
            block("cidrBlocks", 1, 30),
            {"cidrBlocks": ["10.0.0.0/16"]},
            {"cidrBlocks": ["10.0.0.1/16"]},
        ),
        Rule(
            "They must not overlap with each other",
            _model("CreateVcnDetails.cidrBlocks"),
            apart("none", "cidrBlocks", "compartmentId"),
            {"cidrBlocks": ["10.0.0.0/16", "10.1.0.0/16"]},
            {"cidrBlocks": ["10.0.0.0/8", "10.1.0.0/16"]},
        ),
        _label("CreateVcnDetails"),
    ),
    _SUBNET: (
        Rule(
            "The new range is within one of the parent VCN ranges",
            _model("CreateSubnetDetails.cidrBlock"),
            inside("cidrBlock", _VCN, "vcnId", "cidrBlocks"),
            {"cidrBlock": "10.0.1.0/24", "vcnId": "vcn"},
            {"cidrBlock": "10.1.1.0/24", "vcnId": "vcn"},
            (Made(_VCN, {"cidrBlocks": ["10.0.0.0/16"]}, frozenset({"vcn"})),),
        ),
        Rule(
            "The requested CIDR BLOCK is invalid: CIDR IP ADDRESS does not match network IP ADDRESS",
            _INVALID,
            block("cidrBlock", 1, 30),
            {"cidrBlock": "10.0.0.0/16"},
            {"cidrBlock": "10.0.2.0/16"},
        ),
        Rule(
            "The requested CIDR BLOCK is invalid: subnet ID with CIDR BLOCK overlaps with this CIDR",
            _INVALID,
            apart(_SUBNET, "cidrBlock", "vcnId"),
            {"cidrBlock": "10.0.1.0/24", "vcnId": "vcn"},
            {"cidrBlock": "10.0.0.128/25", "vcnId": "vcn"},
            (Made(_SUBNET, {"cidrBlock": "10.0.0.0/24", "vcnId": "vcn"}),),
        ),
        _label("CreateSubnetDetails"),
    ),
    "oci:Core/routeTable:RouteTable": (
        Rule(
            "The collection of rules used for routing destination IPs to network devices",
            _model("CreateRouteTableDetails.routeRules"),
            holds("routeRules", _one_way_for_each),
            {"routeRules": [{"destination": "0.0.0.0/0"}, {"destination": "10.0.0.0/8"}]},
            {"routeRules": [{"destination": "0.0.0.0/0"}, {"destination": "0.0.0.0/0"}]},
        ),
    ),
    "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule": (
        Rule(
            "Required if `direction` = `INGRESS`",
            _model("AddSecurityRuleDetails.sourceType"),
            holds("sourceType", _says_where("INGRESS", "source")),
            {"direction": "INGRESS", "source": "10.0.0.0/8", "sourceType": "CIDR_BLOCK"},
            {"direction": "INGRESS", "source": "10.0.0.0/8"},
        ),
        Rule(
            "Required if `direction` = `EGRESS`",
            _model("AddSecurityRuleDetails.destinationType"),
            holds("destinationType", _says_where("EGRESS", "destination")),
            {"direction": "EGRESS", "destination": "10.0.0.0/8", "destinationType": "CIDR_BLOCK"},
            {"direction": "EGRESS", "destination": "10.0.0.0/8"},
        ),
        Rule(
            "Specify either `all` or an IPv4 protocol number",
            _model("AddSecurityRuleDetails.protocol"),
            form("protocol", r"all|\d{1,3}"),
            {"protocol": "6"},
            {"protocol": "tcp"},
        ),
        Rule(
            'Options are supported only for ICMP ("1"), TCP ("6"), UDP ("17"), and ICMPv6 ("58")',
            _model("AddSecurityRuleDetails.protocol"),
            holds("protocol", _options_of_the_protocol),
            {"protocol": "6", "tcpOptions": {"destinationPortRange": {"min": 22, "max": 22}}},
            {"protocol": "17", "tcpOptions": {"destinationPortRange": {"min": 22, "max": 22}}},
        ),
        Rule(
            "The maximum port number, which must not be less than the minimum port number",
            _model("PortRange.max"),
            holds("tcpOptions.destinationPortRange", _ports_in_order),
            {"protocol": "6", "tcpOptions": {"destinationPortRange": {"min": 22, "max": 22}}},
            {"protocol": "6", "tcpOptions": {"destinationPortRange": {"min": 23, "max": 22}}},
        ),
    ),
    "oci:Core/computeCluster:ComputeCluster": (
        Rule(
            "If `targetNetworkBlockIds` is provided, the `hpcIslandId` must be set on the compute cluster",
            _model("ComputeClusterPlacementConstraintDetails.targetNetworkBlockIds"),
            holds("placementConstraintDetails.hpcIslandId", _blocks_of_an_island),
            {"placementConstraintDetails": {"hpcIslandId": "island", "targetNetworkBlockIds": ["block"]}},
            {"placementConstraintDetails": {"targetNetworkBlockIds": ["block"]}},
        ),
        Rule(
            "Ensure that all items in the array are unique",
            _model("ComputeClusterPlacementConstraintDetails.targetNetworkBlockIds"),
            holds("placementConstraintDetails.targetNetworkBlockIds", _blocks_once),
            {"placementConstraintDetails": {"hpcIslandId": "i", "targetNetworkBlockIds": ["a", "b"]}},
            {"placementConstraintDetails": {"hpcIslandId": "i", "targetNetworkBlockIds": ["a", "a"]}},
        ),
    ),
    "oci:Core/clusterNetwork:ClusterNetwork": (
        Rule(
            "Each cluster network can have one instance pool",
            _model("CreateClusterNetworkDetails.instancePools"),
            at_most("instancePools", 1),
            {"instancePools": [{"size": 2}]},
            {"instancePools": [{"size": 2}, {"size": 2}]},
        ),
    ),
    "oci:Core/instance:Instance": (
        _metadata("metadata", "LaunchInstanceDetails.metadata"),
        Rule(
            _ROOM,
            _model("InstanceSourceViaImageDetails.bootVolumeSizeInGBs"),
            between("sourceDetails.bootVolumeSizeInGbs", 50, 32_768),
            {"sourceDetails": {"bootVolumeSizeInGbs": "512"}},
            {"sourceDetails": {"bootVolumeSizeInGbs": "40"}},
        ),
    ),
    "oci:Core/instanceConfiguration:InstanceConfiguration": (
        _metadata("instanceDetails.launchDetails.metadata", "InstanceConfigurationLaunchInstanceDetails.metadata"),
        Rule(
            _ROOM,
            _model("InstanceConfigurationInstanceSourceViaImageDetails.bootVolumeSizeInGBs"),
            between("instanceDetails.launchDetails.sourceDetails.bootVolumeSizeInGbs", 50, 32_768),
            {"instanceDetails": {"launchDetails": {"sourceDetails": {"bootVolumeSizeInGbs": "512"}}}},
            {"instanceDetails": {"launchDetails": {"sourceDetails": {"bootVolumeSizeInGbs": "40"}}}},
        ),
    ),
}
