"""GPU pools and addresses of a graph, read alike from every cloud."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Any, NamedTuple

from rdma_cluster.catalog.eks import MACHINES, EksMachine
from rdma_cluster.offline import Graph, Resource

GKE_POOL = "gcp:container/nodePool:NodePool"
GKE_SUBNET = "gcp:compute/subnetwork:Subnetwork"
EKS_POOL = "aws:eks/nodeGroup:NodeGroup"
EKS_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
EKS_SUBNET = "aws:ec2/subnet:Subnet"
EKS_CLUSTER = "aws:eks/cluster:Cluster"
POOL_LABELS = ("cloud.google.com/gke-nodepool", "eks.amazonaws.com/nodegroup")

_EKS_MACHINES = {machine.name: machine for machine in MACHINES}


class Pool(NamedTuple):
    """GPU nodes, of whatever cloud."""

    name: str
    nodes: int
    """As many as it may grow to."""
    taints: list[dict[str, str]]
    resource: Resource


class NodeGroup(NamedTuple):
    """A GPU node group on EKS and what its nodes are made of."""

    resource: Resource
    template: Resource | None
    machine: EksMachine | None
    """``None`` where it is not said, or not known."""


def gpu_pools(graph: Graph) -> list[Pool]:
    """The GPU pools of the clouds that are known here."""
    found = []
    for pool in graph.of_type(GKE_POOL):
        node = pool.inputs["nodeConfig"]
        if node.get("guestAccelerators"):
            nodes = pool.inputs.get("nodeCount") or pool.inputs["autoscaling"]["totalMaxNodeCount"]
            found.append(Pool(pool.inputs["name"], nodes, node.get("taints", []), pool))
    for group in eks_groups(graph):
        own = group.resource.inputs
        found.append(Pool(own["nodeGroupName"], own["scalingConfig"]["maxSize"], own.get("taints", []), group.resource))
    return found


def eks_groups(graph: Graph) -> list[NodeGroup]:
    """The node groups of GPU machines, or of an image with NVIDIA's driver."""
    templates = {f"[id of {each.type} {each.name}]": each for each in graph.of_type(EKS_TEMPLATE)}
    found = []
    for group in graph.of_type(EKS_POOL):
        template = templates.get(group.inputs.get("launchTemplate", {}).get("id"))
        types = group.inputs.get("instanceTypes") or [template.inputs.get("instanceType") if template else None]
        machine = _EKS_MACHINES.get(types[0])
        if (machine and machine.gpu) or "NVIDIA" in group.inputs.get("amiType", ""):
            found.append(NodeGroup(group, template, machine))
    return found


def ranges(graph: Graph) -> Iterator[tuple[str, IPv4Network]]:
    """Every block of addresses by its name, services' included."""
    for subnet in graph.of_type(GKE_SUBNET):
        yield subnet.name, IPv4Network(subnet.inputs["ipCidrRange"])
        for each in subnet.inputs.get("secondaryIpRanges", []):
            yield f"{subnet.name}/{each['rangeName']}", IPv4Network(each["ipCidrRange"])
    for subnet in graph.of_type(EKS_SUBNET):
        yield subnet.name, IPv4Network(subnet.inputs["cidrBlock"])
    for cluster in graph.of_type(EKS_CLUSTER):
        yield f"{cluster.name}/services", IPv4Network(cluster.inputs["kubernetesNetworkConfig"]["serviceIpv4Cidr"])


def chosen(pod: dict[str, Any]) -> list[str]:
    """The pools that a pod's affinity and selector name, or a chart's values in the place of a pod."""
    required = pod.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    terms = [each for term in required.get("nodeSelectorTerms", []) for each in term.get("matchExpressions", [])]
    names = [name for term in terms if term["key"] in POOL_LABELS for name in term.get("values", [])]
    names += [name for label, name in pod.get("nodeSelector", {}).items() if label in POOL_LABELS]
    labels = pod.get("supportedInstanceLabels", {})
    return names + (labels["values"] if set(labels.get("keys", [])) & set(POOL_LABELS) else [])


def chart_of(release: Resource) -> str:
    """A chart's name, without the registry and the digest it comes by."""
    return release.inputs["chart"].partition("@")[0].rpartition("/")[2]


def chart_pods(release: Resource) -> dict[str, Any]:
    """Where a chart's values say where its pods run."""
    values = release.inputs.get("values", {})
    return values.get("kubeletPlugin", values)
