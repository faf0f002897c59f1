"""Pools, addresses and device classes of a GKE graph."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from pulumi_offline import Graph
from tests.clouds import Pool

POOL = "gcp:container/nodePool:NodePool"
SUBNET = "gcp:compute/subnetwork:Subnetwork"
CLUSTER = "gcp:container/cluster:Cluster"
WHOLE = "rdma-cluster:index:GkeRdmaCluster"


def gpu_pools(graph: Graph) -> Iterator[Pool]:
    """The pools with accelerators."""
    for pool in graph.of_type(POOL):
        node = pool.inputs["nodeConfig"]
        if node.get("guestAccelerators"):
            scaled = pool.inputs.get("autoscaling")
            nodes = scaled["totalMaxNodeCount"] if scaled else pool.inputs["nodeCount"]
            yield Pool(pool.inputs["name"], nodes, node.get("taints", []), pool)


def ranges(graph: Graph) -> Iterator[tuple[str, IPv4Network]]:
    """Every subnet of a GKE fabric and its secondary ranges."""
    for subnet in (each for each in graph.of_type(SUBNET) if ":GkeHpcNetwork::" in (each.parent or "")):
        yield subnet.name, IPv4Network(subnet.inputs["ipCidrRange"])
        for each in subnet.inputs.get("secondaryIpRanges", []):
            yield f"{subnet.name}/{each['rangeName']}", IPv4Network(each["ipCidrRange"])


def device_classes(graph: Graph) -> Iterator[str]:
    """Google's managed driver brings a class, and a user's drivers bring theirs."""
    if any("cloud.google.com/gke-networking-dra-driver" in str(pool.inputs) for pool in graph.of_type(POOL)):
        yield "mrdma.google.com"
    for whole in graph.of_type(WHOLE):
        for part, name in (("gpu", "gpu.nvidia.com"), ("nic", "dranet")):
            if whole.inputs.get("drivers", {}).get(part) == "existing":
                yield name
