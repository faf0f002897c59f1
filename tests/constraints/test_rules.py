"""What several inputs are together: each rule with what keeps to it and what does not, one input apart."""

from collections.abc import Callable
from typing import Any

import pytest
from pulumi_offline.constraints import (
    amazon_ec2,
    amazon_eks,
    azure_containerservice,
    azure_others,
    google_compute,
    google_container,
    oci_core,
)
from pulumi_offline.constraints.predicates import inputs_with

LATER = "[id of t:x:Y z]"
KEY = "compute.googleapis.com/reservation-name"
RESERVED = "nodeConfig.reservationAffinity"
NAMED, KIND = "reservationAffinity.specificReservation", "reservationAffinity.type"
ENDPOINT, VPC = "kubernetesNetworkConfig", "vpcConfig"


def rule(function: Any, *cases: tuple[dict[str, Any], bool]) -> list[Any]:
    """A rule with inputs by path, and whether they keep to it."""
    return [pytest.param(function, inputs_with(*given.items()), fits, id=function.__name__) for given, fits in cases]


RULES = [
    *rule(
        google_container._named_reservation,
        ({}, True),
        ({f"{RESERVED}.consumeReservationType": "NO_RESERVATION"}, True),
        ({f"{RESERVED}.key": KEY}, False),
        ({f"{RESERVED}.values": ["r"]}, False),
        ({f"{RESERVED}.consumeReservationType": "SPECIFIC_RESERVATION"}, False),
        (
            {f"{RESERVED}.consumeReservationType": "SPECIFIC_RESERVATION"}
            | {f"{RESERVED}.key": KEY, f"{RESERVED}.values": ["r"]},
            True,
        ),
        (
            {f"{RESERVED}.consumeReservationType": "SPECIFIC_RESERVATION"}
            | {f"{RESERVED}.key": "other", f"{RESERVED}.values": ["r"]},
            False,
        ),
        (
            {f"{RESERVED}.consumeReservationType": "SPECIFIC_RESERVATION"}
            | {f"{RESERVED}.key": KEY, f"{RESERVED}.values": ["r", "s"]},
            False,
        ),
    ),
    *rule(
        google_container._counts_one_way,
        ({}, True),
        ({"autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 2, "minNodeCount": 0}}, True),
        ({"autoscaling": {"minNodeCount": 1, "maxNodeCount": 2}}, True),
        ({"autoscaling": {"totalMaxNodeCount": 2, "maxNodeCount": 1}}, False),
        ({"autoscaling": {"totalMinNodeCount": 2, "minNodeCount": 1}}, False),
    ),
    *rule(
        google_container._least_to_most,
        ({}, True),
        ({"autoscaling.totalMinNodeCount": 3}, True),
        ({"autoscaling.totalMaxNodeCount": 0}, True),
        ({"autoscaling.totalMinNodeCount": 2, "autoscaling.totalMaxNodeCount": 2}, True),
        ({"autoscaling.totalMinNodeCount": 3, "autoscaling.totalMaxNodeCount": 2}, False),
        ({"autoscaling.totalMinNodeCount": -1, "autoscaling.totalMaxNodeCount": 2}, False),
    ),
    *rule(
        google_container._moves,
        ({}, True),
        ({"upgradeSettings.maxSurge": 1}, True),
        ({"upgradeSettings.maxUnavailable": 1}, True),
        ({"upgradeSettings": {"maxSurge": 0, "maxUnavailable": 0}}, False),
        ({"upgradeSettings.maxSurge": 0}, False),
        ({"upgradeSettings": {"strategy": "x"}}, False),
    ),
    *rule(
        google_compute._named_reservation,
        ({}, True),
        ({f"{NAMED}.key": KEY}, False),
        ({KIND: "SPECIFIC_RESERVATION"}, False),
        ({KIND: "SPECIFIC_RESERVATION", f"{NAMED}.key": KEY, f"{NAMED}.values": ["r"]}, True),
        ({KIND: "SPECIFIC_RESERVATION", f"{NAMED}.key": KEY, f"{NAMED}.values": ["r", "s"]}, False),
        ({KIND: "SPECIFIC_RESERVATION", f"{NAMED}.key": "other", f"{NAMED}.values": ["r"]}, False),
    ),
    *rule(
        google_compute._topology_of_throughput,
        ({}, True),
        ({"workloadPolicy.type": "HIGH_AVAILABILITY"}, True),
        ({"workloadPolicy.type": "HIGH_THROUGHPUT", "workloadPolicy.acceleratorTopology": "1x72"}, True),
        ({"workloadPolicy.type": "HIGH_AVAILABILITY", "workloadPolicy.acceleratorTopology": "1x72"}, False),
    ),
    *rule(
        amazon_ec2._no_public_address_for_many,
        ({}, True),
        ({"networkInterfaces": [{"associatePublicIpAddress": True}]}, True),
        ({"networkInterfaces": [{}, {"associatePublicIpAddress": "false"}]}, True),
        ({"networkInterfaces": [{}, {"associatePublicIpAddress": True}]}, False),
        ({"networkInterfaces": [{"associatePublicIpAddress": "true"}, {}]}, False),
    ),
    *rule(
        amazon_ec2._has_a_first,
        ({}, True),
        ({"networkInterfaces": [{}]}, True),
        ({"networkInterfaces": [{"deviceIndex": 1}]}, False),
        ({"networkInterfaces": [{"networkCardIndex": 1}]}, False),
        ({"networkInterfaces": [{"networkCardIndex": 1, "deviceIndex": 1}, {"networkCardIndex": 0}]}, True),
        ({"networkInterfaces": [{}, {"deviceIndex": 0}]}, False),
    ),
    *rule(
        amazon_ec2._disk_fits,
        ({}, True),
        ({"blockDeviceMappings": [{"ebs": {"volumeType": "gp3"}}, {"ebs": {"volumeSize": LATER}}]}, True),
        ({"blockDeviceMappings": [{"ebs": {"volumeType": "gp3", "volumeSize": 0}}]}, False),
        ({"blockDeviceMappings": [{"ebs": {"volumeSize": 8}}, {"ebs": {"volumeSize": 70_000}}]}, False),
        (
            {
                "blockDeviceMappings": [
                    {"ebs": {"volumeSize": 1}},
                    {"ebs": {"volumeType": "other", "volumeSize": 65_536}},
                ]
            },
            True,
        ),
    ),
    *rule(
        amazon_eks._reachable,
        ({}, True),
        ({f"{VPC}.endpointPublicAccess": False}, False),
        ({f"{VPC}.endpointPublicAccess": False, f"{VPC}.endpointPrivateAccess": True}, True),
        ({f"{VPC}.endpointPrivateAccess": False}, True),
    ),
    *rule(
        amazon_eks._one_family,
        ({}, True),
        ({f"{ENDPOINT}.ipFamily": "ipv6"}, True),
        ({f"{ENDPOINT}.ipFamily": "ipv4", f"{ENDPOINT}.serviceIpv4Cidr": "10.0.0.0/16"}, True),
        ({f"{ENDPOINT}.ipFamily": "ipv6", f"{ENDPOINT}.serviceIpv4Cidr": "10.0.0.0/16"}, False),
    ),
    *rule(
        amazon_eks._two_subnets,
        ({}, True),
        ({f"{VPC}.subnetIds": LATER}, True),
        ({f"{VPC}.subnetIds": ["a", "b"]}, True),
        ({f"{VPC}.subnetIds": ["a"]}, False),
    ),
    *rule(
        amazon_eks._least_to_most,
        ({}, True),
        ({"scalingConfig": {"minSize": 2}}, True),
        ({"scalingConfig": {"minSize": 2, "maxSize": 1}}, False),
        ({"scalingConfig": {"minSize": 2, "desiredSize": 2, "maxSize": 2}}, True),
        ({"scalingConfig": {"minSize": 2, "desiredSize": 1, "maxSize": 3}}, False),
        ({"scalingConfig": {"minSize": 2, "desiredSize": 4, "maxSize": 3}}, False),
    ),
    *rule(
        azure_containerservice._dns_is_inside,
        ({}, True),
        ({"networkProfile.dnsServiceIP": "10.0.0.10"}, True),
        ({"networkProfile.serviceCidr": "10.0.0.0/16"}, True),
        ({"networkProfile.dnsServiceIP": "10.0.0.10", "networkProfile.serviceCidr": "10.0.0.0/16"}, True),
        ({"networkProfile.dnsServiceIP": "10.1.0.10", "networkProfile.serviceCidr": "10.0.0.0/16"}, False),
    ),
    *rule(
        azure_containerservice._price_is_of_spot,
        ({}, True),
        ({"spotMaxPrice": -1, "scaleSetPriority": "Spot"}, True),
        ({"spotMaxPrice": 0.5, "scaleSetPriority": "Spot"}, True),
        ({"spotMaxPrice": 0, "scaleSetPriority": "Spot"}, False),
        ({"spotMaxPrice": -2, "scaleSetPriority": "Spot"}, False),
        ({"spotMaxPrice": -1}, False),
        ({"spotMaxPrice": 2, "scaleSetPriority": "Regular"}, False),
    ),
    *rule(
        azure_containerservice._ephemeral_disk_fits,
        ({}, True),
        ({"vmSize": "Standard_ND96isr_H100_v5", "osDiskType": "Ephemeral", "osDiskSizeGB": 1024}, True),
        ({"vmSize": "Standard_ND96isr_H100_v5", "osDiskType": "Ephemeral", "osDiskSizeGB": 1025}, False),
        ({"vmSize": "Standard_ND96isr_H100_v5", "osDiskType": "Managed", "osDiskSizeGB": 2000}, True),
        ({"vmSize": "Standard_ND128isr_GB300_v6", "osDiskType": "Ephemeral", "osDiskSizeGB": 1}, False),
        ({"vmSize": "Standard_ND128isr_GB300_v6", "osDiskType": "Ephemeral"}, True),
    ),
    *rule(
        azure_others._flows_to_known,
        ({}, True),
        ({"destinations.monitoringAccounts": [{"name": "a"}], "dataFlows": [{"destinations": ["a"]}]}, True),
        ({"destinations.monitoringAccounts": [{"name": "a"}], "dataFlows": [{"destinations": ["a", "b"]}]}, False),
        ({"dataFlows": [{"destinations": ["b"]}]}, True),
    ),
    *rule(
        oci_core._blocks_of_an_island,
        ({}, True),
        ({"placementConstraintDetails": {"hpcIslandId": "i"}}, True),
        ({"placementConstraintDetails": {"hpcIslandId": "i", "targetNetworkBlockIds": ["b"]}}, True),
        ({"placementConstraintDetails": {"targetNetworkBlockIds": ["b"]}}, False),
    ),
    *rule(
        oci_core._options_of_the_protocol,
        ({}, True),
        ({"protocol": "6", "tcpOptions": {"a": 1}}, True),
        ({"protocol": "17", "udpOptions": {"a": 1}}, True),
        ({"protocol": "1", "icmpOptions": {"a": 1}}, True),
        ({"protocol": "17", "tcpOptions": {"a": 1}}, False),
        ({"protocol": "6", "tcpOptions": {"a": 1}, "udpOptions": {"a": 1}}, False),
    ),
    *rule(
        oci_core._ports_in_order,
        ({}, True),
        ({"tcpOptions.destinationPortRange": {"min": 1, "max": 65_535}}, True),
        ({"tcpOptions.destinationPortRange": {"min": 22, "max": 22}}, True),
        ({"udpOptions.destinationPortRange": {"min": 23, "max": 22}}, False),
        ({"tcpOptions.destinationPortRange": {"min": 0, "max": 22}}, False),
        ({"tcpOptions.destinationPortRange": {"min": 1, "max": 65_536}}, False),
        ({"tcpOptions.destinationPortRange": {"max": 1}, "udpOptions.destinationPortRange": {"min": 65_535}}, True),
    ),
    *rule(
        oci_core._says_where("INGRESS", "source"),
        ({"direction": "EGRESS"}, True),
        ({"direction": "INGRESS", "source": "10.0.0.0/8", "sourceType": "CIDR_BLOCK"}, True),
        ({"direction": "INGRESS", "source": "10.0.0.0/8"}, False),
        ({"direction": "INGRESS", "sourceType": "CIDR_BLOCK"}, False),
    ),
]


@pytest.mark.parametrize(("function", "inputs", "fits"), RULES)
def test_a_rule(function: Callable[[Any], bool], inputs: dict[str, Any], fits: bool):
    """What keeps to it, and what does not."""
    assert bool(function(inputs)) is fits
