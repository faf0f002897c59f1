"""A limit lies where its words say: the last value that passes, and the first that does not."""

from typing import Any

import pytest
from rdma_cluster.constraints import broken
from rdma_cluster.constraints.predicates import inputs_with

GKE, POOL, NETWORK = ("gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool", "gcp:compute/network:Network")
AKS, AKS_POOL = "azure-native:containerservice:ManagedCluster", "azure-native:containerservice:AgentPool"
RANGES = "apiServerAccessProfile.authorizedIPRanges"
BOOT = "sourceDetails.bootVolumeSizeInGbs"


@pytest.mark.parametrize(
    ("token", "path", "words", "last", "first"),
    [
        (GKE, "masterAuthorizedNetworksConfig.cidrBlocks", "up to 50", [{}] * 50, [{}] * 51),
        (GKE, "name", "up to 40", "a" * 40, "a" * 41),
        (POOL, "nodeConfig.diskSizeGb", "15 GB", 15, 14),
        (NETWORK, "mtu", "minimum value for this field is 1300", 1300, 1299),
        (NETWORK, "mtu", "maximum value is 8896", 8896, 8897),
        ("aws:eks/cluster:Cluster", "vpcConfig.securityGroupIds", "up to five", ["sg"] * 5, ["sg"] * 6),
        ("aws:eks/nodeGroup:NodeGroup", "updateConfig.maxUnavailable", "maximum number is 100", 100, 101),
        (AKS, RANGES, "up to 200", ["192.0.2.0/32"] * 200, ["192.0.2.0/32"] * 201),
        (AKS_POOL, "osDiskSizeGB", "maximum 2048", 2048, 2049),
        ("oci:Core/instance:Instance", BOOT, "", "50", "49"),
        ("oci:Core/instance:Instance", BOOT, "", "32768", "32769"),
        ("oci:Core/clusterNetwork:ClusterNetwork", "instancePools", "one instance pool", [{}], [{}, {}]),
        ("oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem", "nsgIds", "5", ["a"] * 5, ["a"] * 6),
    ],
)
def test_it_is_where_its_words_say(token: str, path: str, words: str, last: Any, first: Any):
    """Told by them alone, whatever else the inputs lack."""

    def told(value: Any) -> list[str]:
        found = broken(token, inputs_with((path, value)))
        return [each.words for each in found if each.path == path and words in each.words]

    assert told(last) == []
    assert told(first) != []
