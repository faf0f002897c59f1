"""Policies over every graph, and for each policy a graph that breaks it: one that cannot fail is no policy."""

from collections.abc import Callable
from copy import deepcopy
from inspect import isfunction

import pytest
from rdma_cluster.offline import Graph

from tests.eks.plans import BUILDABLE
from tests.eks.test_graph import CLUSTER, NETWORK
from tests.policies import broken_eks, broken_gke, claims, eks, gke, in_cluster, tree
from tests.policies.broken import Data, Policy
from tests.stacks import STACKS, graph_of

_A3 = "pools[1]={name: a3, machine: a3-ultragpu-8g, nodes: 4, capacity: {spot: true}}"
_RAILS = ", ".join(f"{{network: roce, subnetwork: lane-{i}}}" for i in range(8))
_NETWORKS = (
    "network.existing={network: vpc, subnetwork: nodes, podRange: pods, serviceRange: services, "
    f"gvnic: {{network: second, subnetwork: second-nodes}}, rails: [{_RAILS}]}}"
)
_CLUSTER = "kubernetes={name: mine, existing: {location: us-west8, endpoint: gke.example}}"
_B200 = "pools[1]={name: b200, machine: p6-b200.48xlarge, nodes: 4, capacity: {spot: true}}"
_GB200 = "{name: gb, machine: p6e-gb200.36xlarge, nodes: 18, capacity: {capacityBlock: {id: cr-0123456789abcdef0}}}"
_ANY = "{{name: any, machine: {}, nodes: 2, capacity: {{onDemand: true}}}}"
_GROUP = "arn:aws:resource-groups:us-east-2:111122223333:group/gpus"
_GOVERNMENT = ("zone=us-gov-west-1a", "network.controlPlaneZones=[us-gov-west-1b]")
# No figure for two nodes of it is published.
_WAIVED = "acceptance={waive: [bandwidth]}"

GRAPHS: dict[str, tuple[str, ...]] = {
    **{stack: (stack,) for stack in STACKS},
    "two machines": ("gke", _A3),
    "existing networks": ("gke", _NETWORKS),
    "existing networks and cluster": ("gke", _NETWORKS, _CLUSTER),
    "managed NICs": ("gke", "drivers.nic=managed"),
    "existing drivers": ("gke", "drivers={kernel: existing}"),
    "flex-start": ("gke", "pools[0].capacity={flexStart: true}"),
    "on demand": ("gke", "pools[0].capacity={onDemand: true}"),
    "device plugin": ("gke", "pools[0].gpuAllocation=device-plugin"),
    "device plugin beside claims": ("gke", _A3, "pools[1].gpuAllocation=device-plugin"),
    "zonal, private endpoint": ("gke", "kubernetes={location: zonal, endpoint: private}"),
    "many nodes": ("gke", "pools[0].nodes=900", "network={maxNodes: 1000, cidr: 10.0.0.0/8}"),
    "few nodes": ("gke", "network={maxNodes: 2, cidr: 172.16.0.0/16, podCidr: 100.64.0.0/20}"),
    "two namespaces": ("gke", "claims={namespaces: [default, team-a], pairs: [2, 3], whole: false}"),
    "part of a reservation": ("gke", "pools[0].capacity.reservation={name: r, project: p, block: b, subBlock: s}"),
    "EKS, two machines": ("eks", _B200, _WAIVED),
    "EKS, existing network": ("eks", NETWORK),
    "EKS, existing network and cluster": ("eks", NETWORK, CLUSTER),
    "EKS, reservation": ("eks", "pools[0].capacity={reservation: {id: cr-0123456789abcdef0}}"),
    "EKS, group of reservations": ("eks", f"pools[0].capacity={{reservation: {{group: '{_GROUP}'}}}}"),
    "EKS, reservation in a placement group": ("eks-b200", "pools[0].placementGroup=side-by-side"),
    "EKS, spot": ("eks", "pools[0].capacity={spot: true}"),
    "EKS, on demand": ("eks", "pools[0].capacity={onDemand: true}"),
    "EKS, device plugin": ("eks", "pools[0].gpuAllocation=device-plugin"),
    "EKS, device plugin beside claims": ("eks", "pools[0].gpuAllocation=device-plugin", _B200, _WAIVED),
    "EKS, existing drivers": ("eks", "drivers={gpu: existing, nic: existing}"),
    "EKS, private endpoint": ("eks", "kubernetes={admins: ['arn:aws:iam::111122223333:role/admin']}"),
    "EKS, many nodes": ("eks", "pools[0].nodes=300", "network.maxNodes=320"),
    "EKS, few nodes": ("eks", "network={maxNodes: 2, cidr: 172.16.0.0/19, controlPlaneZones: [us-east-2b]}"),
    "EKS, two namespaces": ("eks", "claims={namespaces: [default, team-a], groups: [3], whole: false}"),
    "EKS, government": ("eks", "aws:region=us-gov-west-1", *_GOVERNMENT),
    "EKS, GB200": ("eks", f"pools=[{_GB200}]", "acceptance={enabled: false}"),
    **{
        f"EKS, {machine.name}": ("eks", f"pools=[{_ANY.format(machine.name)}]", "acceptance={enabled: false}")
        for machine in BUILDABLE
        if machine.gdr
    },
}

POLICIES: list[Policy] = [
    policy
    for module in (claims, eks, gke, in_cluster, tree)
    for name, policy in vars(module).items()
    if isfunction(policy) and not name.startswith("_") and policy.__module__ == module.__name__
]
BREAKS = [
    (graph, policy, spoil)
    for broken in (broken_gke.BREAKS, broken_eks.BREAKS)
    for graph, breaks in broken.items()
    for policy, spoil in breaks
]


def about(policy: Policy, graph: str) -> bool:
    """Whether a policy is of the graph's cloud, or of all."""
    return policy.__module__ != (gke if GRAPHS[graph][0].startswith("eks") else eks).__name__


@pytest.mark.parametrize(
    ("policy", "graph"),
    [(policy, graph) for policy in POLICIES for graph in GRAPHS if about(policy, graph)],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_graph_keeps_to(policy: Policy, graph: str):
    """No violation in any graph."""
    assert list(policy(graph_of(*GRAPHS[graph]))) == []


@pytest.mark.parametrize(("graph", "policy", "spoil"), BREAKS, ids=lambda each: getattr(each, "__name__", None))
def test_policy_finds(graph: str, policy: Policy, spoil: Callable[[Data], object]):
    """A graph with one thing wrong is caught by the policy it breaks."""
    data = deepcopy(graph_of(*GRAPHS[graph]).to_dict())
    spoil(data)

    assert list(policy(Graph.from_dict(data))) != []


@pytest.mark.parametrize("stack", ["gke", "eks"])
def test_every_policy_can_fail(stack: str):
    """Each has a graph that breaks it, on every cloud that it is about."""
    broken = {policy for graph, policy, _ in BREAKS if GRAPHS[graph][0] == stack}

    assert broken == {policy for policy in POLICIES if about(policy, stack)}
