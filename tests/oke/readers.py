"""Pools, addresses and device classes of an OKE graph."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Any

from pulumi_offline import Graph, Resource
from rdma_cluster.catalog import find
from tests.clouds import Pool

NODE_POOL = "oci:ContainerEngine/nodePool:NodePool"
NETWORK = "oci:Core/clusterNetwork:ClusterNetwork"
INSTANCE = "oci:Core/instance:Instance"
RACK = "oci:Core/computeGpuMemoryCluster:ComputeGpuMemoryCluster"
TEMPLATE = "oci:Core/instanceConfiguration:InstanceConfiguration"
COMPUTE_CLUSTER = "oci:Core/computeCluster:ComputeCluster"
CLUSTER = "oci:ContainerEngine/cluster:Cluster"
VCN = "oci:Core/vcn:Vcn"
SUBNET = "oci:Core/subnet:Subnet"
RULE = "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule"
POLICY = "oci:Identity/policy:Policy"
RELEASE = "kubernetes:helm.sh/v3:Release"
ADDON = "oci:ContainerEngine/addon:Addon"
POOL = "rdma-cluster:index:OkeGpuNodePool"
ADOPTED = "rdma-cluster:index:OkeAdoptedNodes"
STORAGE = "rdma-cluster:index:OkeStorage"
FILES = "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem"
WHOLE = "rdma-cluster:index:OkeRdmaCluster"


def makers(graph: Graph) -> Iterator[tuple[Resource, Resource]]:
    """What makes GPU nodes, beside the component that it belongs to."""
    pools = {pool.urn: pool for pool in graph.of_type(POOL)}
    for kind in (NODE_POOL, NETWORK, INSTANCE, RACK):
        for each in graph.of_type(kind):
            if each.parent in pools:
                yield pools[each.parent], each


def gpu_pools(graph: Graph) -> Iterator[Pool]:
    """The pools that are made, and those that are taken in."""
    for pool, maker in makers(graph):
        yield Pool(pool.inputs["name"], pool.inputs["nodes"], _taints(pool), maker)
    for adopted in graph.of_type(ADOPTED):
        (first, *_) = (each for each in graph.resources if each.parent == adopted.urn and "Patch" in each.type)
        yield Pool(adopted.inputs["name"], adopted.inputs["nodes"], _taints(adopted), first)


def _taints(pool: Resource) -> list[dict[str, str]]:
    """OKE's own doing, on every node of a GPU shape: no field of the API says it."""
    machine = find(pool.inputs["machine"], "oke")
    return [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}] if machine and machine.gpu else []


def launches(graph: Graph) -> Iterator[tuple[str, dict[str, Any]]]:
    """How each self-managed node is launched: a template's details, or an instance's own inputs."""
    for template in graph.of_type(TEMPLATE):
        yield template.name, template.inputs["instanceDetails"]["launchDetails"]
    for instance in graph.of_type(INSTANCE):
        yield instance.name, instance.inputs


def ranges(graph: Graph) -> Iterator[tuple[str, IPv4Network]]:
    """Every subnet, and what is inside the cluster."""
    for subnet in graph.of_type(SUBNET):
        yield subnet.name, IPv4Network(subnet.inputs["cidrBlock"])
    for cluster in graph.of_type(CLUSTER):
        for key, cidr in cluster.inputs["options"]["kubernetesNetworkConfig"].items():
            yield f"{cluster.name}/{key}", IPv4Network(cidr)


def device_classes(graph: Graph) -> Iterator[str]:
    """A user's drivers bring theirs."""
    for whole in graph.of_type(WHOLE):
        for part, name in (("gpu", "gpu.nvidia.com"), ("nic", "dranet")):
            if whole.inputs.get("drivers", {}).get(part) == "existing":
                yield name
