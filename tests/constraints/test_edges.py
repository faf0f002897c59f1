"""A limit lies where its words say: the last value that passes, and the first that does not."""

from base64 import b64encode
from typing import Any

import pytest
from pulumi_offline.constraints import Existing, broken
from pulumi_offline.constraints.predicates import inputs_with

GKE, POOL, NETWORK = ("gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool", "gcp:compute/network:Network")
ACCOUNT, BUCKET = "gcp:serviceaccount/account:Account", "gcp:storage/bucket:Bucket"
LUSTRE, SUBNET = "gcp:lustre/instance:Instance", "gcp:compute/subnetwork:Subnetwork"
VPC, EC2_SUBNET = "aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet"
EKS, TEMPLATE = "aws:eks/cluster:Cluster", "aws:ec2/launchTemplate:LaunchTemplate"
FSX, S3 = "aws:fsx/lustreFileSystem:LustreFileSystem", "aws:s3/bucket:Bucket"
AZURE_ACCOUNT, BLOBS = "azure-native:storage:StorageAccount", "azure-native:storage:BlobContainer"
AZURE_LUSTRE = "azure-native:storagecache:AmlFilesystem"
VCN, OCI_SUBNET = "oci:Core/vcn:Vcn", "oci:Core/subnet:Subnet"
FILES = "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem"
CLAIM, RELEASE = "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate", "kubernetes:helm.sh/v3:Release"
CONFIG_MAP, NAMESPACE = "kubernetes:core/v1:ConfigMap", "kubernetes:core/v1:Namespace"
REQUESTS = "spec.spec.devices.requests"
EXPRESSION = f"{REQUESTS}.exactly.selectors.cel.expression"
SERVICES = "options.kubernetesNetworkConfig.servicesCidr"
EKS_SERVICES = "kubernetesNetworkConfig.serviceIpv4Cidr"
AKS, AKS_POOL = "azure-native:containerservice:ManagedCluster", "azure-native:containerservice:AgentPool"
RANGES = "apiServerAccessProfile.authorizedIPRanges"
BOOT = "sourceDetails.bootVolumeSizeInGbs"


def base64(count: int) -> str:
    """So many bytes."""
    return b64encode(b"a" * count).decode()


@pytest.mark.parametrize(
    ("token", "path", "words", "last", "first"),
    [
        (GKE, "masterAuthorizedNetworksConfig.cidrBlocks", "up to 50", [{}] * 50, [{}] * 51),
        (GKE, "name", "up to 40", "a" * 40, "a" * 41),
        (POOL, "nodeConfig.diskSizeGb", "15 GB", 15, 14),
        (NETWORK, "mtu", "minimum value for this field is 1300", 1300, 1299),
        (NETWORK, "mtu", "maximum value is 8896", 8896, 8897),
        (POOL, "nodeConfig.diskSizeGb", "15 GB", 65_536, 65_537),
        (POOL, "nodeConfig.labels", "1,024 total", {"a": "b" * 1023}, {"a": "b" * 1024}),
        (SUBNET, "ipCidrRange", "internal addresses", "10.0.0.0/29", "10.0.0.0/30"),
        (ACCOUNT, "accountId", "6-30 characters", "a" * 6, "a" * 5),
        (ACCOUNT, "accountId", "6-30 characters", "a" * 30, "a" * 31),
        (ACCOUNT, "displayName", "100 UTF-8 bytes", "é" * 50, "é" * 51),
        (BUCKET, "name", "lowercase letters", "abc", "ab"),
        (BUCKET, "name", "lowercase letters", "a" * 222, "a" * 223),
        (LUSTRE, "instanceId", "lowercase letters", "a" * 63, "a" * 64),
        (LUSTRE, "filesystem", "8 characters", "a" * 8, "a" * 9),
        (VPC, "cidrBlock", "/28 netmask and /16", "10.0.0.0/16", "10.0.0.0/15"),
        (VPC, "cidrBlock", "/28 netmask and /16", "10.0.0.0/28", "10.0.0.0/29"),
        (EC2_SUBNET, "cidrBlock", "/28 netmask and /16", "10.0.0.0/16", "10.0.0.0/15"),
        (EC2_SUBNET, "cidrBlock", "/28 netmask and /16", "10.0.0.0/28", "10.0.0.0/29"),
        ("aws:ec2/securityGroup:SecurityGroup", "description", "Up to 255", "a" * 255, "a" * 256),
        (TEMPLATE, "name", "between 3 and 128", "abc", "ab"),
        (TEMPLATE, "name", "between 3 and 128", "a" * 128, "a" * 129),
        (TEMPLATE, "userData", "16 KB", base64(16_384), base64(16_385)),
        (TEMPLATE, "userData", "base64", base64(3), "#!/bin/sh"),
        (TEMPLATE, "userData", "base64", "YWFhYWFh", "YWFh*YWFh"),
        (EKS, "name", "longer than 100", "a" * 100, "a" * 101),
        (EKS, EKS_SERVICES, "Between /24 and /12", "172.16.0.0/12", "172.0.0.0/11"),
        (EKS, EKS_SERVICES, "Between /24 and /12", "172.16.0.0/24", "172.16.0.0/25"),
        (EKS, "vpcConfig.subnetIds", "at least two", ["a", "b"], ["a"]),
        (FSX, "storageCapacity", "increments of 2400", 1200, 1199),
        (FSX, "storageCapacity", "increments of 2400", 2400, 3600),
        (FSX, "storageCapacity", "increments of 2400", 4800, 0),
        (S3, "bucket", "Bucket names", "abc", "ab"),
        (S3, "bucket", "Bucket names", "a" * 63, "a" * 64),
        (AKS, "resourceName", "{0,61}", "a" * 63, "a" * 64),
        (AKS, "dnsPrefix", "DNS prefix", "a" * 54, "a" * 55),
        (AKS_POOL, "agentPoolName", "{0,11}", "a" * 12, "a" * 13),
        (AKS_POOL, "count", "0 to 1000", 0, -1),
        (AKS_POOL, "count", "0 to 1000", 1000, 1001),
        (AKS_POOL, "osDiskSizeGB", "minimum 0", 0, -1),
        (AZURE_ACCOUNT, "accountName", "3-24", "abc", "ab"),
        (AZURE_ACCOUNT, "accountName", "3-24", "a" * 24, "a" * 25),
        (BLOBS, "containerName", "3-63", "abc", "ab"),
        (BLOBS, "containerName", "3-63", "a" * 63, "a" * 64),
        (AZURE_LUSTRE, "amlFilesystemName", "alphanumerics", "a" * 80, "a" * 81),
        (VCN, "cidrBlocks", "must be valid", "10.0.0.0/30", "10.0.0.0/31"),
        (VCN, "dnsLabel", "alphanumeric string", "a" * 15, "a" * 16),
        (OCI_SUBNET, "cidrBlock", "does not match", "10.0.0.0/30", "10.0.0.0/31"),
        ("oci:ContainerEngine/cluster:Cluster", SERVICES, "CIDR block for", "10.0.0.0/8", "10.0.0.0/7"),
        ("oci:ContainerEngine/cluster:Cluster", SERVICES, "CIDR block for", "10.0.0.0/27", "10.0.0.0/28"),
        ("oci:ContainerEngine/nodePool:NodePool", "nodeConfigDetails.size", "number of nodes", 0, -1),
        ("oci:Core/instance:Instance", "metadata", "32,000 bytes", {"a": "b" * 31_990}, {"a": "b" * 31_992}),
        (FILES, "fileSystemName", "8 characters", "a" * 8, "a" * 9),
        (FILES, "capacityInGbs", "10.4 TiB", 31_200, 20_800),
        (FILES, "capacityInGbs", "10.4 TiB", 124_800, 114_401),
        (FILES, "capacityInGbs", "10.4 TiB", 166_400, 135_200),
        (NAMESPACE, "metadata.name", "RFC 1123 label", "a" * 63, "a" * 64),
        (CONFIG_MAP, "metadata.name", "RFC 1123 subdomain", "a" * 253, "a" * 254),
        (CONFIG_MAP, "metadata.annotations", "262144 bytes", {"a": "b" * 262_143}, {"a": "b" * 262_144}),
        (CONFIG_MAP, "data", "1048576 bytes", {"a": "é" * 524_288}, {"a": "é" * 524_289}),
        (CONFIG_MAP, "data", "config key", {"a" * 253: ""}, {"a" * 254: ""}),
        ("kubernetes:core/v1:Service", "metadata.name", "DNS-1035", "a" * 63, "a" * 64),
        (CLAIM, REQUESTS, "at most 32", [{"name": str(i)} for i in range(32)], [{"name": str(i)} for i in range(33)]),
        (CLAIM, f"{REQUESTS}.name", "RFC 1123 label", "a" * 63, "a" * 64),
        (CLAIM, f"{REQUESTS}.exactly.count", "greater than zero", 1, 0),
        (CLAIM, EXPRESSION, "10240 bytes", "a" * 10_240, "a" * 10_241),
        (RELEASE, "name", "longer than 53", "a" * 53, "a" * 54),
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


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [("gp2", 1, 16_384), ("gp3", 1, 65_536), ("io1", 4, 16_384), ("io2", 4, 65_536), ("st1", 125, 16_384)],
)
def test_disks_of_ec2(kind: str, least: int, most: int):
    """botocore ec2 EbsBlockDevice.VolumeSize: so many GiB of each kind; one that is not known is not judged."""

    def fits(size: object) -> bool:
        disk = {"blockDeviceMappings": [{"ebs": {"volumeType": kind, "volumeSize": size}}]}
        return not any("volume size" in each.words for each in broken(TEMPLATE, disk))

    assert [fits(size) for size in (least - 1, least, most, most + 1)] == [False, True, True, False]
    assert fits("[size of other]") and fits(None)


@pytest.mark.parametrize(
    ("mode", "counts"), [("System", {0: False, 1: True, 1000: True, 1001: False}), ("User", {0: True, -1: False})]
)
def test_nodes_of_a_cluster_s_own_pools(mode: str, counts: dict[int, bool]):
    """A system pool is never empty; one that does not say how many it has has one."""

    def told(**pool: Any) -> list[str]:
        found = broken(AKS, {"agentPoolProfiles": [{"mode": mode, **pool}]})
        return [each.path for each in found if "system pools" in each.words]

    assert {count: not told(count=count) for count in counts} == counts
    assert told(count=1001) == ["agentPoolProfiles[0].count"] and told() == []


def test_pools_of_a_cluster_are_a_hundred():
    """One of them its own: 99 others beside it, and no more."""
    others = [Existing(AKS_POOL, {"resourceName": name}) for name in ["mine"] * 98 + ["another"] * 99]
    told = [
        [each.path for each in broken(AKS_POOL, {"resourceName": "mine"}, among) if "100" in each.words]
        for among in (others, [*others, Existing(AKS_POOL, {"resourceName": "mine"})])
    ]

    assert told == [[], ["resourceName"]]


@pytest.mark.parametrize(
    ("name", "completions", "fits"), [("n" * 61, 10, True), ("n" * 61, 11, False), ("n" * 60, 11, True)]
)
def test_pods_of_an_indexed_job_have_names(name: str, completions: int, fits: bool):
    """The job's, a hyphen and the last index: 63 characters at the most."""
    job = {"metadata": {"name": name}, "spec": {"completionMode": "Indexed", "completions": completions}}

    assert fits is not any("DNS label" in each.words for each in broken("kubernetes:batch/v1:Job", job))


@pytest.mark.parametrize(
    ("port", "fits"), [(0, False), (1, True), (65_535, True), (65_536, False), ("http", True), ("x", False)]
)
@pytest.mark.parametrize("way", ["httpGet", "tcpSocket", "grpc"])
@pytest.mark.parametrize("probe", ["startupProbe", "readinessProbe", "livenessProbe"])
def test_ports_of_probes(probe: str, way: str, port: int | str, fits: bool):
    """A number, or the name of a port that the container has."""
    container = {"name": "a", "ports": [{"name": "http", "containerPort": 80}], probe: {way: {"port": port}}}
    job = {"spec": {"template": {"spec": {"containers": [container]}}}}
    told = [each.path for each in broken("kubernetes:batch/v1:Job", job) if "65535" in each.words]

    assert told == ([] if fits else [f"spec.template.spec.containers[0].{probe}.{way}.port"])


@pytest.mark.parametrize(
    ("request_", "limit", "fits"),
    [
        ("1", "1", True),
        ("1", "1000m", True),
        ("1001m", "1", False),
        ("1Ki", "1024", True),
        ("1Ki", "1k", False),
        ("1Mi", "1024Ki", True),
        ("1Gi", "1025Mi", True),
        ("1Ti", "1T", False),
        ("1G", "1000M", True),
        ("1.5", "1500m", True),
        ("1 of another unit", "1", True),
    ],
)
def test_quantities_are_numbers(request_: str, limit: str, fits: bool):
    """In whatever unit; https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/."""
    resources = {"requests": {"memory": request_}, "limits": {"memory": limit}}
    job = {"spec": {"template": {"spec": {"containers": [{"name": "a", "resources": resources}]}}}}

    assert fits is not any("RESOURCE limit" in each.words for each in broken("kubernetes:batch/v1:Job", job))


@pytest.mark.parametrize(
    ("request_", "limit", "fits"), [("8", "8", True), ("7", "8", False), ("8", "7", False), ("8", None, False)]
)
def test_devices_are_asked_for_as_many_as_they_may_be(request_: str, limit: str | None, fits: bool):
    """An extended resource is never overcommitted: what is requested is the limit."""
    limits = {} if limit is None else {"example.com/gpu": limit}
    resources = {"requests": {"example.com/gpu": request_}, "limits": limits}
    job = {"spec": {"template": {"spec": {"initContainers": [{"name": "a", "resources": resources}]}}}}

    assert fits is not any("RESOURCE limit" in each.words for each in broken("kubernetes:batch/v1:Job", job))


@pytest.mark.parametrize(("throughput", "step"), [("40", 48), ("125", 16), ("250", 8), ("500", 4)])
def test_steps_of_azure_lustre(throughput: str, step: int):
    """TiB by MB/s for each TiB."""

    def fits(size: int) -> bool:
        inputs = {"storageCapacityTiB": size, "zones": ["1"], "sku": {"name": f"AMLFS-Durable-Premium-{throughput}"}}
        return not any("Increment" in each.words for each in broken(AZURE_LUSTRE, inputs))

    assert [fits(size) for size in (step, step + 1, 2 * step, 3 * step // 2)] == [True, False, True, False]


@pytest.mark.parametrize("token", [LUSTRE, AZURE_LUSTRE, FILES])
def test_a_size_that_is_not_known_yet_is_not_judged(token: str):
    """Nor one of a throughput that is to come."""
    later = "[size of other]"
    sizes = {"capacityGib": later, "storageCapacityTiB": later, "sku": {"name": later}, "capacityInGbs": later}

    assert [each for each in broken(token, sizes) if each.path in sizes] == []


@pytest.mark.parametrize(("throughput", "step"), [("1000", 9000), ("500", 18_000), ("250", 36_000), ("125", 72_000)])
def test_steps_of_google_lustre(throughput: str, step: int):
    """GiB by MB/s for each TiB."""

    def fits(size: int) -> bool:
        inputs = {"capacityGib": str(size), "perUnitStorageThroughput": throughput}
        return not any("Step size" in each.words for each in broken(LUSTRE, inputs))

    assert [fits(size) for size in (step, step + 1, 2 * step, 3 * step // 2)] == [True, False, True, False]
