"""What stands beside its words in a table: inputs that keep to it and inputs that do not, one input apart."""

from typing import Any

import pytest
from pulumi_offline.constraints import (
    broken,
    google_compute,
    google_container,
    kubernetes,
    kubernetes_pods,
    oci_core,
    oci_others as oci,
)
from pulumi_offline.constraints.predicates import each, inputs_with
from pulumi_offline.constraints.record import Constraint, Existing, ExistingResources, stated_by
from rdma_cluster.catalog.machine import Source

LATER = "[id of t:x:Y z]"
GKE, AKS = "gcp:container/cluster:Cluster", "azure-native:containerservice:ManagedCluster"
AKS_POOL, ADDRESS = "azure-native:containerservice:AgentPool", "azure-native:network:PublicIPAddress"
GROUP, JOB = "aws:eks/nodeGroup:NodeGroup", "kubernetes:batch/v1:Job"
PERMISSION = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
TEMPLATE, ROLE, BUCKET = "aws:ec2/launchTemplate:LaunchTemplate", "aws:iam/role:Role", "gcp:storage/bucket:Bucket"
FIREWALL, NAT = "gcp:compute/firewall:Firewall", "gcp:compute/routerNat:RouterNat"
LUSTRE, FSX = "azure-native:storagecache:AmlFilesystem", "aws:fsx/lustreFileSystem:LustreFileSystem"
BY_ADDRESS, PRIVATE = (
    "controlPlaneEndpointsConfig.ipEndpointsConfig.enabled",
    "privateClusterConfig.enablePrivateEndpoint",
)
NETWORKS = "masterAuthorizedNetworksConfig"
ENABLED = "enableAutoScaling"
CONTAINERS = "spec.template.spec.containers"


@pytest.mark.parametrize(
    ("token", "words", "kept", "over"),
    [
        (
            GKE,
            "if private endpoint is enabled",
            [{}, {BY_ADDRESS: True}, {PRIVATE: True, NETWORKS: {}}, {PRIVATE: True, BY_ADDRESS: False}],
            [{PRIVATE: True, BY_ADDRESS: True}],
        ),
        (
            GKE,
            "direct IP access",
            [{BY_ADDRESS: False}, {BY_ADDRESS: True, NETWORKS: {}}, {BY_ADDRESS: True, PRIVATE: True}],
            [{BY_ADDRESS: True}],
        ),
        (
            AKS,
            "AAD enabled",
            [{}, {"disableLocalAccounts": False}, {"disableLocalAccounts": True, "aadProfile": {"managed": True}}],
            [{"disableLocalAccounts": True}],
        ),
        (
            AKS,
            "at least one 'System'",
            [{"agentPoolProfiles": [{"mode": "User"}, {"mode": "System"}]}],
            [{"agentPoolProfiles": [{"mode": "User"}]}, {"agentPoolProfiles": []}],
        ),
        (
            AKS_POOL,
            "enable auto-scaler",
            [{}, {ENABLED: False}, {ENABLED: True, "minCount": 1, "maxCount": 4}, {"minCount": 1}, {"maxCount": 4}],
            [
                {ENABLED: True},
                {ENABLED: True, "minCount": 1},
                {ENABLED: True, "maxCount": 4},
                {"minCount": 1, "maxCount": 4},
                {ENABLED: False, "minCount": 1, "maxCount": 4},
            ],
        ),
        (
            AKS_POOL,
            "Availability zones",
            [{"availabilityZones": zones} for zones in ([], ["1", "2", "3", "4"], ["1", LATER], LATER)],
            [{"availabilityZones": zones} for zones in (["5"], ["1", "southcentralus-1"], [LATER, "0"])],
        ),
        (
            ADDRESS,
            "set to Static",
            [
                {},
                {"sku.name": "Basic", "publicIPAllocationMethod": "Dynamic"},
                {"sku.name": "StandardV2", "publicIPAllocationMethod": "Static"},
            ],
            [{"sku.name": "Standard"}, {"sku.name": "StandardV2", "publicIPAllocationMethod": "Dynamic"}],
        ),
        (LUSTRE, "a single element", [{}, {"zones": ["1"]}], [{"zones": []}, {"zones": ["1", "2"]}]),
        (
            GROUP,
            "diskSize, or remoteAccess",
            [{"diskSize": 100, "remoteAccess": {"ec2SshKey": "k"}}, {"launchTemplate.id": "lt"}],
            [
                {"launchTemplate.id": "lt", "diskSize": 100},
                {"launchTemplate.id": "lt", "remoteAccess": {"ec2SshKey": "k"}},
            ],
        ),
        (
            PERMISSION,
            "rule is malformed",
            [{"cidrIpv4": "a"}, {"cidrIpv6": "a"}, {"prefixListId": "a"}, {"referencedSecurityGroupId": LATER}],
            [{}, {"cidrIpv4": "a", "cidrIpv6": "b"}, {"prefixListId": "a", "referencedSecurityGroupId": "b"}],
        ),
        (
            TEMPLATE,
            "as part of the network interface",
            [{"vpcSecurityGroupIds": ["sg"]}, {"networkInterfaces": [{"deviceIndex": 0}]}],
            [{"vpcSecurityGroupIds": ["sg"], "networkInterfaces": [{"deviceIndex": 0}]}],
        ),
        (
            TEMPLATE,
            "ID of the subnet",
            [{}, {"networkInterfaces": [{"deviceIndex": 0}]}],
            [{"networkInterfaces": [{"deviceIndex": 0}, {"subnetId": "s"}]}],
        ),
        (
            ROLE,
            "converted to a string",
            [{"assumeRolePolicy": '{"Statement": []}'}, {"assumeRolePolicy": LATER}],
            [{"assumeRolePolicy": '{"statement": []}'}, {"assumeRolePolicy": "Statement: []"}],
        ),
        (
            FSX,
            "500, 1000 MB/s/TiB",
            [{"perUnitStorageThroughput": rate} for rate in (125, 250, 500, 1000, LATER)],
            [{"perUnitStorageThroughput": rate} for rate in (100, 200, 2000)],
        ),
        (
            BUCKET,
            "goog prefix",
            [{"name": "gke-storage"}, {"name": "my-goog"}, {"name": LATER}],
            [{"name": "goog-storage"}, {"name": "my-google-storage"}],
        ),
        (
            FIREWALL,
            "has a source IP address",
            [{"sourceRanges": ["10.0.0.0/8"]}, {"sourceTags": ["gpu"]}],
            [{}, {"sourceRanges": []}],
        ),
        (
            NAT,
            "can't specify any Nat IPs",
            [
                {},
                {"natIpAllocateOption": "AUTO_ONLY"},
                {"natIpAllocateOption": "AUTO_ONLY", "natIps": []},
                {"natIpAllocateOption": "MANUAL_ONLY", "natIps": ["a"]},
            ],
            [{"natIpAllocateOption": "AUTO_ONLY", "natIps": ["a"]}],
        ),
        (
            JOB,
            "when completion mode is Indexed",
            [{}, {"spec.completions": 2}, {"spec.completionMode": "Indexed", "spec.completions": 2}],
            [{"spec.completionMode": "Indexed"}],
        ),
        (
            JOB,
            "Duplicate value",
            [{CONTAINERS: [{"name": "a"}, {"name": "b"}]}],
            [
                {CONTAINERS: [{"name": "a"}, {"name": "b"}, {"name": "a"}]},
                {CONTAINERS: [{"name": "a"}], "spec.template.spec.initContainers": [{"name": "a"}]},
            ],
        ),
        (
            "kubernetes:core/v1:Namespace",
            "already exists",
            [{"metadata.name": name} for name in ("team-a", "kube", LATER)],
            [{"metadata.name": name} for name in ("default", "kube-system", "kube-public", "kube-node-lease")],
        ),
    ],
)
def test_what_its_words_say(token: str, words: str, kept: list[dict[str, Any]], over: list[dict[str, Any]]):
    """Told by them alone, whatever else the inputs lack."""

    def told(given: dict[str, Any]) -> bool:
        return any(words in each.words for each in broken(token, inputs_with(*given.items())))

    assert [given for given in kept if told(given)] == []
    assert [given for given in over if not told(given)] == []


def keeps(constraint: Constraint, inputs: Any, *others: Existing) -> bool:
    """Whether inputs keep to a constraint."""
    return list(constraint.limit.check(inputs, ExistingResources(others))) == []


def test_constraints_of_several_types():
    """Each is made of the same parts: words, source and limit."""
    named = oci._named("t:x:Y", "CreateY.name")
    taken = Existing("t:x:Y", {"name": "a", "compartmentId": "c"})
    assert (named.words, named.source.ref) == ("The name must be unique across", "oci identity CreateY.name")
    assert not keeps(named, {"name": "a", "compartmentId": "c"}, taken)
    assert keeps(named, {"name": "a", "compartmentId": "d"}, taken)

    free = google_compute._taken("t:x:Y", "name", "compartmentId")
    assert "already exists" in free.words and "409" in free.source.ref
    assert not keeps(free, {"name": "a", "compartmentId": "c"}, taken) and keeps(free, {"name": "b"}, taken)

    label = oci_core._label("CreateVcnDetails")
    assert label.source.ref == "oci core CreateVcnDetails.dnsLabel"
    assert keeps(label, {"dnsLabel": "gpu1"}) and not keeps(label, {"dnsLabel": "1gpu"})

    data = oci_core._metadata("meta.data", "LaunchDetails.metadata")
    assert keeps(data, {"meta": {"data": {"a": "b" * 31_000}}}) and not keeps(
        data, {"meta": {"data": {"a": "b" * 32_000}}}
    )
    assert keeps(data, data.limit.accepted) and not keeps(data, data.limit.refused)

    one = stated_by("model", "2026-11")("Place.key", "words", each("a", bool))
    assert (one.words, one.source) == ("words", Source("model Place.key", "2026-11")) and not keeps(one, {"a": 0})


def test_examples_that_are_made():
    """Inputs in the shape of the API."""
    key = "compute.googleapis.com/reservation-name"

    assert google_compute._affinity("r", "s") == {
        "reservationAffinity": {
            "type": "SPECIFIC_RESERVATION",
            "specificReservation": {"key": key, "values": ["r", "s"]},
        }
    }
    assert google_container._affinity(key="k")["nodeConfig"]["reservationAffinity"]["key"] == "k"
    assert kubernetes._selected("true") == {
        "spec": {"spec": {"devices": {"requests": [{"exactly": {"selectors": [{"cel": {"expression": "true"}}]}}]}}}
    }
    assert kubernetes_pods._pod(hostIPC=True) == {"spec": {"template": {"spec": {"hostIPC": True}}}}
    assert kubernetes_pods.apis("a.go").ref == "github.com/kubernetes/kubernetes v1.36.3 pkg/apis/a.go"


def test_a_network_for_rdma_takes_no_more():
    """A network by its profile; of one that nobody knows nothing is said."""
    roce = Existing("gcp:compute/network:Network", {"networkProfile": "p/z-vpc-roce"}, frozenset({"rdma"}))
    plain = Existing("gcp:compute/network:Network", {"networkProfile": "p/z-vpc"}, frozenset({"vpc"}))
    bare = Existing("gcp:compute/network:Network", {}, frozenset({"bare"}))
    among = ExistingResources([plain, bare, roce])
    found = {
        name: list(google_compute._no_roce({"network": name}, among)) for name in ("rdma", "vpc", "bare", "unknown")
    }

    assert found == {"rdma": ["network"], "vpc": [], "bare": [], "unknown": []}
    assert list(google_compute._no_roce({}, among)) == []


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("n1", "projects/p/global/networks/n1", True),
        ("projects/p/global/networks/n1", "https://x/projects/p/global/networks/n1", True),
        ("n1", "n1", True),
        ("[selfLink of gcp:compute/network:Network n1]", "gcp:compute/network:Network n1", True),
        ("n2", "projects/p/global/networks/n1", False),
        ("1", "projects/p/global/networks/n1", False),
    ],
)
def test_names_of_one_network(one: str, other: str, is_one: bool):
    """By its name or its link."""
    assert google_container._is_network(one, other) is is_one
