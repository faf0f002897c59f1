"""Pools and addresses of a graph of plain machines."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from pulumi_offline import Graph, Resource
from tests.clouds import Pool

INSTANCE = "gcp:compute/instance:Instance"
SUBNET = "gcp:compute/subnetwork:Subnetwork"
VMS = "rdma-cluster:index:GceGpuVms"


def gpu_pools(graph: Graph) -> Iterator[Pool]:
    """Every machine, as a pool of one: each is made, named and replaced by itself."""
    for machine in graph.of_type(INSTANCE):
        yield Pool(machine.inputs["name"], 1, [], machine)


def machines_of(graph: Graph, vms: Resource) -> list[Resource]:
    """The machines of a component, in order."""
    return [machine for machine in graph.of_type(INSTANCE) if machine.parent == vms.urn]


def ranges(graph: Graph) -> Iterator[tuple[str, IPv4Network]]:
    """Every subnet of a fabric of plain machines."""
    for subnet in graph.of_type(SUBNET):
        if ":GceHpcNetwork::" in (subnet.parent or ""):
            yield subnet.name, IPv4Network(subnet.inputs["ipCidrRange"])


def device_classes(graph: Graph) -> Iterator[str]:
    """None: nothing here is claimed."""
    yield from ()
