"""A limit lies where its words say: the last value that passes, and the first that does not."""

from base64 import b64encode
from typing import Any

import pytest
from tests.constraints.judged import LATER, paths, there

POOL, NETWORK = "gcp:container/nodePool:NodePool", "gcp:compute/network:Network"
ACCOUNT, FSX = "gcp:serviceaccount/account:Account", "aws:fsx/lustreFileSystem:LustreFileSystem"
LUSTRE, SUBNET = "gcp:lustre/instance:Instance", "gcp:compute/subnetwork:Subnetwork"
VPC, EKS, TEMPLATE = "aws:ec2/vpc:Vpc", "aws:eks/cluster:Cluster", "aws:ec2/launchTemplate:LaunchTemplate"
AKS, AKS_POOL = "azure-native:containerservice:ManagedCluster", "azure-native:containerservice:AgentPool"
AZURE_LUSTRE = "azure-native:storagecache:AmlFilesystem"
VCN, INSTANCE, OKE = "oci:Core/vcn:Vcn", "oci:Core/instance:Instance", "oci:ContainerEngine/cluster:Cluster"
FILES = "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem"
CLAIM, CONFIG_MAP = "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate", "kubernetes:core/v1:ConfigMap"
DEVICES = "spec.spec.devices.requests"
OKE_SERVICES = "options.kubernetesNetworkConfig.servicesCidr"
EKS_SERVICES = "kubernetesNetworkConfig.serviceIpv4Cidr"
BOOT = "sourceDetails.bootVolumeSizeInGbs"


def base64(count: int) -> str:
    return b64encode(b"a" * count).decode()


@pytest.mark.parametrize(
    ("token", "path", "words", "last", "first"),
    [
        (POOL, "nodeConfig.diskSizeGb", "15 GB", 15, 14),
        (POOL, "nodeConfig.diskSizeGb", "15 GB", 65_536, 65_537),
        (POOL, "nodeConfig.labels", "1,024 total", {"a": "b" * 1023}, {"a": "b" * 1024}),
        (NETWORK, "mtu", "minimum value for this field is 1300", 1300, 1299),
        (NETWORK, "mtu", "maximum value is 8896", 8896, 8897),
        (SUBNET, "ipCidrRange", "internal addresses", "10.0.0.0/29", "10.0.0.0/30"),
        (ACCOUNT, "accountId", "6-30 characters", "a" * 6, "a" * 5),
        (VPC, "cidrBlock", "/28 netmask and /16", "10.0.0.0/16", "10.0.0.0/15"),
        (TEMPLATE, "userData", "16 KB", base64(16_384), base64(16_385)),
        (TEMPLATE, "userData", "base64", "YWFhYWFh", "YWFh*YWFh"),
        (EKS, EKS_SERVICES, "Between /24 and /12", "172.16.0.0/12", "172.0.0.0/11"),
        (EKS, EKS_SERVICES, "Between /24 and /12", "172.16.0.0/24", "172.16.0.0/25"),
        (EKS, "vpcConfig.subnetIds", "at least two", ["a", "b"], ["a"]),
        (FSX, "storageCapacity", "increments of 2400", 1200, 1199),
        (AKS_POOL, "count", "0 to 1000", 0, -1),
        (AKS_POOL, "count", "0 to 1000", 1000, 1001),
        (AKS_POOL, "osDiskSizeGB", "maximum 2048", 2048, 2049),
        (AKS_POOL, "availabilityZones", "Availability zones", ["1", "4", LATER], ["1", "5"]),
        (VCN, "cidrBlocks", "must be valid", "10.0.0.0/30", "10.0.0.0/31"),
        (OKE, OKE_SERVICES, "CIDR block for", "10.0.0.0/8", "10.0.0.0/7"),
        (OKE, OKE_SERVICES, "CIDR block for", "10.0.0.0/27", "10.0.0.0/28"),
        (INSTANCE, "metadata", "32,000 bytes", {"a": "b" * 31_990}, {"a": "b" * 31_992}),
        (INSTANCE, BOOT, "", "50", "49"),
        (FILES, "capacityInGbs", "10.4 TiB", 31_200, 20_800),
        (FILES, "capacityInGbs", "10.4 TiB", 124_800, 114_401),
        (FILES, "capacityInGbs", "10.4 TiB", 166_400, 135_200),
        (CONFIG_MAP, "metadata.annotations", "262144 bytes", {"a": "b" * 262_143}, {"a": "b" * 262_144}),
        (CONFIG_MAP, "data", "1048576 bytes", {"a": "é" * 524_288}, {"a": "é" * 524_289}),
        (CLAIM, DEVICES, "at most 32", [{"name": str(i)} for i in range(32)], [{"name": str(i)} for i in range(33)]),
        (CLAIM, f"{DEVICES}.exactly.count", "greater than zero", 1, 0),
        (CLAIM, f"{DEVICES}.exactly.selectors.cel.expression", "10240 bytes", "a" * 10_240, "a" * 10_241),
        ("kubernetes:core/v1:Namespace", "metadata.name", "already exists", "kube", "kube-system"),
    ],
)
def test_a_limit_lies_where_its_words_say(token: str, path: str, words: str, last: Any, first: Any):
    assert path not in paths(token, words, {path: last})
    assert path in paths(token, words, {path: first})


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [("gp2", 1, 16_384), ("gp3", 1, 65_536), ("io1", 4, 16_384), ("io2", 4, 65_536), ("st1", 125, 16_384)],
)
def test_each_kind_of_ec2_volume_has_its_sizes(kind: str, least: int, most: int):
    """botocore ec2 EbsBlockDevice.VolumeSize says how many GiB; a size that is not known is not judged."""

    def fits(size: object) -> bool:
        disk = {"blockDeviceMappings": [{"ebs": {"volumeType": kind, "volumeSize": size}}]}
        return not paths(TEMPLATE, "volume size", disk)

    assert [fits(size) for size in (least - 1, least, most, most + 1)] == [False, True, True, False]
    assert fits("[size of other]") and fits(None)


def test_a_system_pool_of_a_cluster_is_never_empty():
    """A pool that does not say how many nodes it has has one."""

    def fits(**pool: Any) -> bool:
        return paths(AKS, "system pools", {"agentPoolProfiles": [pool]}) == []

    assert [fits(mode="System", count=count) for count in (0, 1, 1000, 1001)] == [False, True, True, False]
    assert [fits(mode="User", count=count) for count in (-1, 0)] == [False, True] and fits(mode="System")


def test_a_cluster_has_a_hundred_pools():
    """The hundredth is the cluster's own; pools of other clusters do not count."""
    others = [there(AKS_POOL, resourceName=name) for name in ["mine"] * 98 + ["another"] * 99]

    assert paths(AKS_POOL, "100", {"resourceName": "mine"}, *others) == []
    assert paths(AKS_POOL, "100", {"resourceName": "mine"}, *others, there(AKS_POOL, resourceName="mine")) != []


@pytest.mark.parametrize(
    ("token", "size", "rate", "sku", "step"),
    [
        (AZURE_LUSTRE, "storageCapacityTiB", "sku.name", "AMLFS-Durable-Premium-40", 48),
        (AZURE_LUSTRE, "storageCapacityTiB", "sku.name", "AMLFS-Durable-Premium-500", 4),
        (LUSTRE, "capacityGib", "perUnitStorageThroughput", "1000", 9000),
        (LUSTRE, "capacityGib", "perUnitStorageThroughput", "125", 72_000),
    ],
)
def test_lustre_grows_by_the_step_of_its_throughput(token: str, size: str, rate: str, sku: str, step: int):
    """A size or a throughput that is not known yet is not judged."""
    fits = [size not in paths(token, "", {size: n, rate: sku}) for n in (step, step + 1, 2 * step, 3 * step // 2)]

    assert fits == [True, False, True, False]
    assert size not in paths(token, "", {size: LATER, rate: sku}) + paths(token, "", {size: step, rate: LATER})
