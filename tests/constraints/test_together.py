"""What several inputs are together: inputs that keep to a constraint, and inputs that break it, one input apart."""

from typing import Any

import pytest
from tests.constraints.judged import LATER, paths

GKE, POOL = "gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool"
MACHINE = "gcp:compute/instance:Instance"
NAT = "gcp:compute/routerNat:RouterNat"
EKS, GROUP, TEMPLATE = "aws:eks/cluster:Cluster", "aws:eks/nodeGroup:NodeGroup", "aws:ec2/launchTemplate:LaunchTemplate"
ROLE, FSX = "aws:iam/role:Role", "aws:fsx/lustreFileSystem:LustreFileSystem"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
AKS, AKS_POOL = "azure-native:containerservice:ManagedCluster", "azure-native:containerservice:AgentPool"
ADDRESS, COLLECTION = "azure-native:network:PublicIPAddress", "azure-native:monitor:DataCollectionRule"
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
SCALING, FEWEST, HIGHEST = "enableAutoScaling", "minCount", "maxCount"
TOTAL_LEAST, TOTAL_MOST = "autoscaling.totalMinNodeCount", "autoscaling.totalMaxNodeCount"
TCP, UDP = "tcpOptions.destinationPortRange", "udpOptions.destinationPortRange"
MIN = "autoscaling.minNodeCount"
NAT_BY, AUTO_WITH_ADDRESS = "natIpAllocateOption", {"natIpAllocateOption": "AUTO_ONLY", "natIps": ["a"]}
CARDS, PUBLIC, GROUPS = "networkInterfaces", "associatePublicIpAddress", "vpcSecurityGroupIds"
PRIVATE_API, PUBLIC_API = "vpcConfig.endpointPrivateAccess", "vpcConfig.endpointPublicAccess"
ASSUMED, ALLOCATED = "assumeRolePolicy", "publicIPAllocationMethod"
DNS, CIDR = "networkProfile.dnsServiceIP", "networkProfile.serviceCidr"
PRICE, KIND, DISK = "spotMaxPrice", "scaleSetPriority", "osDiskSizeGB"
CACHED = {"vmSize": "Standard_ND96isr_H100_v5", "osDiskType": "Ephemeral"}
FLOWS = "dataFlows"
FLOWS_ELSEWHERE = {"destinations.monitoringAccounts": [{"name": "a"}], FLOWS: [{"destinations": ["a", "b"]}]}
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
        (MACHINE, "as the key", {}, {f"{NAMED}.key": KEY}),
        (
            MACHINE,
            "as the key",
            {**RESERVED, f"{NAMED}.key": KEY, f"{NAMED}.values": ["r"]},
            {**RESERVED, f"{NAMED}.key": KEY, f"{NAMED}.values": ["r", "s"]},
        ),
        (NAT, "can't specify any Nat IPs", {NAT_BY: "MANUAL_ONLY", "natIps": ["a"]}, AUTO_WITH_ADDRESS),
        (TEMPLATE, "launching with multiple", {CARDS: [{PUBLIC: True}]}, {CARDS: [{}, {PUBLIC: True}]}),
        (TEMPLATE, "launching with multiple", {CARDS: [{}, {PUBLIC: "false"}]}, {CARDS: [{}, {PUBLIC: "true"}]}),
        (TEMPLATE, "device index of 0", {CARDS: [{"networkCardIndex": 1}, {}]}, {CARDS: [{"networkCardIndex": 1}]}),
        (TEMPLATE, "device index of 0", {CARDS: [{}]}, {CARDS: [{}, {"deviceIndex": 0}]}),
        (TEMPLATE, "as part of the network interface", {GROUPS: ["g"]}, {GROUPS: ["g"], CARDS: [{"deviceIndex": 0}]}),
        (EKS, "disable private access", {PRIVATE_API: False}, {PUBLIC_API: False}),
        (GROUP, "can scale in to", {LEAST: 2, COUNTS: 2, MOST: 2}, {LEAST: 2, COUNTS: 1, MOST: 3}),
        (GROUP, "can scale in to", {LEAST: 2}, {LEAST: 2, COUNTS: 4, MOST: 3}),
        (GROUP, "or remoteAccess", {"remoteAccess": {"k": 1}}, {"remoteAccess": {"k": 1}, "launchTemplate.id": "l"}),
        (ROLE, "converted to a string", {ASSUMED: '{"Statement": []}'}, {ASSUMED: '{"statement": []}'}),
        (ROLE, "converted to a string", {ASSUMED: LATER}, {ASSUMED: "Statement: []"}),
        (FSX, "500, 1000 MB/s/TiB", {"perUnitStorageThroughput": 125}, {"perUnitStorageThroughput": 100}),
        (INGRESS, "rule is malformed", {"prefixListId": "a"}, {"prefixListId": "a", "cidrIpv6": "b"}),
        (INGRESS, "rule is malformed", {"referencedSecurityGroupId": LATER}, {}),
        (AKS, "AAD enabled", {"disableLocalAccounts": False}, {"disableLocalAccounts": True}),
        (AKS, "within the Kubernetes service", {DNS: "10.0.0.10"}, {DNS: "10.1.0.10", CIDR: "10.0.0.0/16"}),
        (AKS_POOL, "enable auto-scaler", {FEWEST: 1}, {FEWEST: 1, HIGHEST: 4}),
        (AKS_POOL, "enable auto-scaler", {SCALING: False}, {SCALING: True, HIGHEST: 4}),
        (AKS_POOL, "greater than zero or -1", {PRICE: 0.5, KIND: "Spot"}, {PRICE: 0, KIND: "Spot"}),
        (AKS_POOL, "greater than zero or -1", {PRICE: -1, KIND: "Spot"}, {PRICE: -1}),
        (AKS_POOL, "larger than the requested", {**CACHED, DISK: 1024}, {**CACHED, DISK: 1025}),
        (AKS_POOL, "larger than the requested", {DISK: 2048}, {"osDiskType": "Ephemeral", DISK: 1}),
        (ADDRESS, "set to Static", {"sku.name": "Basic", ALLOCATED: "Dynamic"}, {"sku.name": "StandardV2"}),
        (COLLECTION, "for this data flow", {FLOWS: [{"destinations": ["b"]}]}, FLOWS_ELSEWHERE),
        (RULE, "supported only for ICMP", {"protocol": "1", "icmpOptions": {"type": 3}}, BOTH_PROTOCOLS),
        (RULE, "not be less than the minimum", {TCP: {"min": 1, "max": 65_535}}, {TCP: {"min": 0, "max": 22}}),
        (RULE, "not be less than the minimum", {UDP: {"min": 22, "max": 22}}, {UDP: {"min": 23, "max": 22}}),
        (RULE, "not be less than the minimum", {TCP: {"max": 1}}, {TCP: {"min": 1, "max": 65_536}}),
        (RULE, "`INGRESS`", {"direction": "EGRESS"}, {"direction": "INGRESS", "source": "10.0.0.0/8"}),
        (RULE, "`INGRESS`", {"direction": "EGRESS"}, {"direction": "INGRESS", "sourceType": "CIDR_BLOCK"}),
        (SERVICE, "spec.ports", {"spec.type": "ExternalName"}, {"spec.type": "ClusterIP"}),
        (SERVICE, "spec.ports", {"spec.ports": [{"port": 1}]}, {"spec.clusterIP": "10.0.0.1"}),
        (CLAIM, "name of a request", {**ASKED, SAME: [{"requests": ["a/b"]}]}, {**ASKED, SAME: [{"requests": ["b"]}]}),
        (CLAIM, "name of a request", {**ASKED, SET: [{"opaque": {}}]}, {**ASKED, SET: [{"requests": ["b"]}]}),
        (DEPLOYMENT, "`selector` does not match", {**LABELLED, SELECTED: {"a": LATER}}, {SELECTED: {"a": "b"}}),
        (DEPLOYMENT, 'supported values: "Always"', {HOST_IPC: True}, {RESTARTS: "OnFailure"}),
        (JOB, '"OnFailure", "Never"', {RESTARTS: "OnFailure"}, {HOST_IPC: True}),
        (JOB, "when completion mode is Indexed", {"spec.completions": 2}, {"spec.completionMode": "Indexed"}),
    ],
)
def test_inputs_agree_with_each_other(token: str, words: str, kept: dict[str, Any], over: dict[str, Any]):
    assert paths(token, words, kept) == []
    assert paths(token, words, over) != []
