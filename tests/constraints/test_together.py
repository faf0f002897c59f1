"""What several inputs are together: inputs that keep to a constraint, and inputs that break it, one input apart."""

from typing import Any

import pytest
from tests.constraints.judged import LATER, paths

GKE, POOL = "gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool"
MACHINE = "gcp:compute/instance:Instance"
EKS, GROUP, TEMPLATE = "aws:eks/cluster:Cluster", "aws:eks/nodeGroup:NodeGroup", "aws:ec2/launchTemplate:LaunchTemplate"
AKS, AKS_POOL = "azure-native:containerservice:ManagedCluster", "azure-native:containerservice:AgentPool"
RULE = "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule"
JOB, DEPLOYMENT = "kubernetes:batch/v1:Job", "kubernetes:apps/v1:Deployment"
SERVICE, CLAIM = "kubernetes:core/v1:Service", "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate"
BY_ADDRESS = "controlPlaneEndpointsConfig.ipEndpointsConfig.enabled"
PRIVATE, NETWORKS = "privateClusterConfig.enablePrivateEndpoint", "masterAuthorizedNetworksConfig"
KEY = "compute.googleapis.com/reservation-name"
AFFINITY, NAMED = "nodeConfig.reservationAffinity", "reservationAffinity.specificReservation"
SPECIFIC = {f"{AFFINITY}.consumeReservationType": "SPECIFIC_RESERVATION"}
RESERVED = {"reservationAffinity.type": "SPECIFIC_RESERVATION"}
COUNTS, LEAST, MOST = "scalingConfig.desiredSize", "scalingConfig.minSize", "scalingConfig.maxSize"
FEWEST, HIGHEST = "minCount", "maxCount"
TOTAL_LEAST, TOTAL_MOST = "autoscaling.totalMinNodeCount", "autoscaling.totalMaxNodeCount"
TCP, UDP = "tcpOptions.destinationPortRange", "udpOptions.destinationPortRange"
MIN = "autoscaling.minNodeCount"
CARDS, PUBLIC = "networkInterfaces", "associatePublicIpAddress"
PRIVATE_API, PUBLIC_API = "vpcConfig.endpointPrivateAccess", "vpcConfig.endpointPublicAccess"
DNS, CIDR = "networkProfile.dnsServiceIP", "networkProfile.serviceCidr"
PRICE, KIND, DISK = "spotMaxPrice", "scaleSetPriority", "osDiskSizeGB"
CACHED = {"vmSize": "Standard_ND96isr_H100_v5", "osDiskType": "Ephemeral"}
BOTH_PROTOCOLS = {"protocol": "6", "tcpOptions": {"a": 1}, "udpOptions": {"a": 1}}
DEVICES = "spec.spec.devices"
ASKED, SAME, SET = {f"{DEVICES}.requests": [{"name": "a"}]}, f"{DEVICES}.constraints", f"{DEVICES}.config"
LABELLED, SELECTED = {"spec.template.metadata.labels": {"a": "b"}}, "spec.selector.matchLabels"
RESTARTS, HOST_IPC = "spec.template.spec.restartPolicy", "spec.template.spec.hostIPC"


@pytest.mark.parametrize(
    ("token", "words", "kept", "over"),
    [
        (GKE, "if private endpoint is", {PRIVATE: True, BY_ADDRESS: False}, {PRIVATE: True, BY_ADDRESS: True}),
        (GKE, "direct IP access", {BY_ADDRESS: True, PRIVATE: True}, {BY_ADDRESS: True}),
        (GKE, "direct IP access", {BY_ADDRESS: True, NETWORKS: {}}, {BY_ADDRESS: True}),
        (POOL, "as the key", {}, {f"{AFFINITY}.key": KEY}),
        (POOL, "as the key", {}, {f"{AFFINITY}.values": ["r"]}),
        (
            POOL,
            "as the key",
            {**SPECIFIC, f"{AFFINITY}.key": KEY, f"{AFFINITY}.values": ["r"]},
            {**SPECIFIC, f"{AFFINITY}.key": KEY, f"{AFFINITY}.values": ["r", "s"]},
        ),
        (POOL, "mutually exclusive", {TOTAL_MOST: 2, "autoscaling.minNodeCount": 0}, {TOTAL_MOST: 2, MIN: 1}),
        (POOL, "less than or equal to total_max", {TOTAL_LEAST: 3}, {TOTAL_LEAST: 3, TOTAL_MOST: 2}),
        (POOL, "less than or equal to total_max", {TOTAL_MOST: 0}, {TOTAL_LEAST: -1, TOTAL_MOST: 2}),
        (POOL, "beyond the current size", {"upgradeSettings.maxSurge": 1}, {"upgradeSettings.maxSurge": 0}),
        (POOL, "beyond the current size", {}, {"upgradeSettings.strategy": "x"}),
        (POOL, "Flex Start", {"nodeConfig.flexStart": True}, {"nodeConfig.flexStart": True, "nodeConfig.spot": True}),
        (MACHINE, "as the key", {}, {f"{NAMED}.key": KEY}),
        (
            MACHINE,
            "as the key",
            {**RESERVED, f"{NAMED}.key": KEY, f"{NAMED}.values": ["r"]},
            {**RESERVED, f"{NAMED}.key": KEY, f"{NAMED}.values": ["r", "s"]},
        ),
        (TEMPLATE, "launching with multiple", {CARDS: [{PUBLIC: True}]}, {CARDS: [{}, {PUBLIC: True}]}),
        (TEMPLATE, "launching with multiple", {CARDS: [{}, {PUBLIC: "false"}]}, {CARDS: [{}, {PUBLIC: "true"}]}),
        (TEMPLATE, "device index of 0", {CARDS: [{"networkCardIndex": 1}, {}]}, {CARDS: [{"networkCardIndex": 1}]}),
        (TEMPLATE, "device index of 0", {CARDS: [{}]}, {CARDS: [{}, {"deviceIndex": 0}]}),
        (EKS, "disable private access", {PRIVATE_API: False}, {PUBLIC_API: False}),
        (GROUP, "can scale in to", {LEAST: 2, COUNTS: 2, MOST: 2}, {LEAST: 2, COUNTS: 1, MOST: 3}),
        (GROUP, "can scale in to", {LEAST: 2}, {LEAST: 2, COUNTS: 4, MOST: 3}),
        (GROUP, "or remoteAccess", {"remoteAccess": {"k": 1}}, {"remoteAccess": {"k": 1}, "launchTemplate.id": "l"}),
        (AKS, "within the Kubernetes service", {DNS: "10.0.0.10"}, {DNS: "10.1.0.10", CIDR: "10.0.0.0/16"}),
        (AKS_POOL, "enable auto-scaler", {FEWEST: 1}, {FEWEST: 1, HIGHEST: 4}),
        (AKS_POOL, "greater than zero or -1", {PRICE: 0.5, KIND: "Spot"}, {PRICE: 0, KIND: "Spot"}),
        (AKS_POOL, "larger than the requested", {**CACHED, DISK: 1024}, {**CACHED, DISK: 1025}),
        (AKS_POOL, "larger than the requested", {DISK: 2048}, {"osDiskType": "Ephemeral", DISK: 1}),
        (RULE, "supported only for ICMP", {"protocol": "1", "icmpOptions": {"type": 3}}, BOTH_PROTOCOLS),
        (RULE, "not be less than the minimum", {TCP: {"min": 1, "max": 65_535}}, {TCP: {"min": 0, "max": 22}}),
        (RULE, "not be less than the minimum", {UDP: {"min": 22, "max": 22}}, {UDP: {"min": 23, "max": 22}}),
        (RULE, "`INGRESS`", {"direction": "EGRESS"}, {"direction": "INGRESS", "source": "10.0.0.0/8"}),
        ("kubernetes:core/v1:ConfigMap", "config key", {"data": {"a.b": ""}}, {"data": {"a.b": "", "a/b": ""}}),
        (SERVICE, "spec.ports", {"spec.type": "ExternalName"}, {"spec.type": "ClusterIP"}),
        (CLAIM, "name of a request", {**ASKED, SAME: [{"requests": ["a/b"]}]}, {**ASKED, SAME: [{"requests": ["b"]}]}),
        (CLAIM, "name of a request", {**ASKED, SET: [{"opaque": {}}]}, {**ASKED, SET: [{"requests": ["b"]}]}),
        (DEPLOYMENT, "`selector` does not match", {**LABELLED, SELECTED: {"a": LATER}}, {SELECTED: {"a": "b"}}),
        (DEPLOYMENT, 'supported values: "Always"', {HOST_IPC: True}, {RESTARTS: "OnFailure"}),
        (JOB, '"OnFailure", "Never"', {RESTARTS: "OnFailure"}, {HOST_IPC: True}),
    ],
)
def test_inputs_agree_with_each_other(token: str, words: str, kept: dict[str, Any], over: dict[str, Any]):
    assert paths(token, words, kept) == []
    assert paths(token, words, over) != []
