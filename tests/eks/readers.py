"""Node groups, addresses and device classes of an EKS graph."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import NamedTuple

from pulumi_offline import Graph, Resource
from rdma_cluster.catalog.eks import MACHINES, EksMachine
from tests.clouds import Pool

GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
SUBNET = "aws:ec2/subnet:Subnet"
CLUSTER = "aws:eks/cluster:Cluster"
WHOLE = "rdma-cluster:index:EksRdmaCluster"

_MACHINES = {machine.name: machine for machine in MACHINES}


class NodeGroup(NamedTuple):
    """A GPU node group and what its nodes are made of."""

    resource: Resource
    template: Resource | None
    machine: EksMachine | None
    """``None`` where the group does not say it, or the catalogue does not know it."""


def gpu_groups(graph: Graph) -> list[NodeGroup]:
    """The node groups of GPU machines, or of an image with NVIDIA's driver."""
    templates = {f"[id of {each.type} {each.name}]": each for each in graph.of_type(TEMPLATE)}
    found = []
    for group in graph.of_type(GROUP):
        template = templates.get(group.inputs.get("launchTemplate", {}).get("id"))
        types = group.inputs.get("instanceTypes") or [template.inputs.get("instanceType") if template else None]
        machine = _MACHINES.get(types[0])
        if (machine and machine.gpu) or "NVIDIA" in group.inputs.get("amiType", ""):
            found.append(NodeGroup(group, template, machine))
    return found


def gpu_pools(graph: Graph) -> Iterator[Pool]:
    """The GPU node groups as pools."""
    for group in gpu_groups(graph):
        own = group.resource.inputs
        yield Pool(own["nodeGroupName"], own["scalingConfig"]["maxSize"], own.get("taints", []), group.resource)


def ranges(graph: Graph) -> Iterator[tuple[str, IPv4Network]]:
    """Every subnet, and the block of the services."""
    for subnet in graph.of_type(SUBNET):
        yield subnet.name, IPv4Network(subnet.inputs["cidrBlock"])
    for cluster in graph.of_type(CLUSTER):
        yield f"{cluster.name}/services", IPv4Network(cluster.inputs["kubernetesNetworkConfig"]["serviceIpv4Cidr"])


def device_classes(graph: Graph) -> Iterator[str]:
    """AWS's build of DraNet brings a class, and a user's drivers bring theirs."""
    for release in graph.of_type("kubernetes:helm.sh/v3:Release"):
        if release.inputs["chart"].rpartition("/")[2] == "aws-dranet":
            yield "efa.networking.k8s.aws"
    for whole in graph.of_type(WHOLE):
        for part, name in (("gpu", "gpu.nvidia.com"), ("nic", "efa.networking.k8s.aws")):
            if whole.inputs.get("drivers", {}).get(part) == "existing":
                yield name
