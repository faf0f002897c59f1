"""`protect` on a whole: each key can still change, unless something goes that holds data or capacity."""

from contextlib import chdir
from functools import cache
from types import ModuleType

import pulumi
import pytest
from pulumi_offline import Graph, preview
from pulumi_offline.project import program_of
from rdma_cluster.cli.stack_file import read_stack
from tests.changes.steps import CASES, CLOUDS, step
from tests.clouds import CloudTests, clouds
from tests.stacks import ROOT, graph_of

KEPT = {
    "aws:ec2/subnet:Subnet",
    "aws:ec2/vpc:Vpc",
    "aws:eks/cluster:Cluster",
    "aws:eks/nodeGroup:NodeGroup",
    "azure-native:containerservice:AgentPool",
    "azure-native:containerservice:ManagedCluster",
    "azure-native:network:Subnet",
    "azure-native:network:VirtualNetwork",
    "azure-native:resources:ResourceGroup",
    "gcp:compute/instance:Instance",
    "gcp:compute/network:Network",
    "gcp:compute/subnetwork:Subnetwork",
    "gcp:container/cluster:Cluster",
    "gcp:container/nodePool:NodePool",
    "oci:ContainerEngine/cluster:Cluster",
    "oci:ContainerEngine/nodePool:NodePool",
    "oci:Core/clusterNetwork:ClusterNetwork",
    "oci:Core/subnet:Subnet",
    "oci:Core/vcn:Vcn",
}
"""What holds data or capacity, or what lives in it: who protects a whole wants to be asked before one of these goes."""
WHOLE = "RdmaCluster"


def protecting(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
    """The whole with `protect`, as a user's program would write it."""
    if not args.type_.startswith("rdma-cluster:") or not args.type_.endswith(WHOLE):
        return None
    opts = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(protect=True))
    return pulumi.ResourceTransformationResult(args.props, opts)


@cache
def protected(stack: str, *overrides: str) -> Graph:
    """A stack whose whole is protected."""
    with chdir(ROOT):
        root, settings = read_stack(stack, None, overrides)
        with program_of(root) as main:

            def program() -> None:
                pulumi.runtime.register_stack_transformation(protecting)
                main()

            return preview(program, project=settings.project, stack=settings.stack, config=settings.config)


@pytest.mark.parametrize("cloud", CLOUDS, ids=lambda cloud: cloud.STACK)
def test_what_holds_data_or_capacity_is_protected(cloud: ModuleType):
    """With the whole; and nothing that only stands for something else, such as objects in the cluster."""
    graph = protected(cloud.STACK)
    kept = {each.urn for each in graph.resources if each.options.get("protect")}

    assert {each.urn for each in graph.resources if each.type in KEPT} <= kept
    assert [urn for urn in kept if "kubernetes:" in urn.split("::")[2].rpartition("$")[2]] == []
    assert [urn for urn in kept if "pulumi:providers:" in urn] == []


@pytest.mark.parametrize(("cloud", "key"), CASES)
def test_a_protected_whole_takes_changes(cloud: ModuleType, key: str):
    """Protection stops a change only where it takes away what holds data or capacity."""
    change = step(cloud, key)
    kept = {each.urn for each in protected(cloud.STACK).resources if each.options.get("protect")}
    types = {each.urn: each.type for each in change.before.resources}
    ours = {urn for urn, token in types.items() if token.startswith("rdma-cluster:")}
    going = {each.urn for each in change.difference.removed} | (set(change.anew) - ours)
    blocked = {types[urn] for urn in going & kept}

    assert not blocked or blocked & KEPT, blocked


@pytest.mark.parametrize("cloud", clouds(), ids=lambda cloud: cloud.name)
def test_the_same_is_made(cloud: CloudTests):
    """But for the protection nothing is otherwise."""
    stack = cloud.stacks[0]
    plain, with_protection = graph_of(stack), protected(stack)

    assert [(each.urn, each.inputs) for each in plain.resources] == [
        (each.urn, each.inputs) for each in with_protection.resources
    ]
