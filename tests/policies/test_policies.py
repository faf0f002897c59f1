"""Policies over every graph, and for each policy a graph that breaks it: one that cannot fail is no policy."""

import json
from functools import cache
from inspect import isfunction
from types import ModuleType

import pytest
from pulumi_offline import Graph
from tests.clouds import CloudTests, clouds, each_graph
from tests.policies import admission, claims, common, in_cluster, named, pods, tree
from tests.policies.breaking import Break, Policy
from tests.stacks import graph_of


def public(module: ModuleType) -> list[Policy]:
    """The policies of a module."""
    return [
        policy
        for name, policy in vars(module).items()
        if isfunction(policy) and not name.startswith("_") and policy.__module__ == module.__name__
    ]


@cache
def text_of(*stack: str) -> str:
    """A graph as JSON: the cheapest copy that can be changed."""
    return json.dumps(graph_of(*stack).to_dict())


def name_of(policy: Policy) -> str:
    """A policy's name."""
    return getattr(policy, "__name__", "")


def policies(cloud: CloudTests) -> list[Policy]:
    """All that a cloud's graphs are held to: those of all clouds, and its own."""
    of_kubernetes = (admission, claims, in_cluster, named, pods) if cloud.has_kubernetes else ()
    return [policy for module in (*of_kubernetes, tree, cloud.policies) for policy in public(module)]


def breaks(cloud: CloudTests) -> list[tuple[str | None, Break]]:
    """What breaks a graph of a cloud, with the graph's name where only that one has it."""
    common_ones: list[tuple[str | None, Break]] = [(None, each) for each in common.BREAKS]
    of_cloud = [(graph, each) for graph, some in cloud.breaks.items() for each in some]
    held = policies(cloud)
    return [(graph, each) for graph, each in common_ones + of_cloud if each[0] in held]


def spoiled(cloud: CloudTests, graph: str | None, broken: Break) -> Graph | None:
    """The graph, or the first of the cloud's that has what the break takes away, with one thing wrong."""
    for name in [graph] if graph else cloud.graphs:
        data = json.loads(text_of(*cloud.graphs[name]))
        try:
            broken[1](data)
        except StopIteration:
            if graph:
                raise
            continue
        return Graph.from_dict(data)
    return None


@pytest.mark.parametrize(("cloud", "graph"), each_graph())
def test_graph_keeps_to_every_policy(cloud: CloudTests, graph: str):
    """No violation in any graph."""
    built = graph_of(*cloud.graphs[graph])

    assert {name_of(policy): found for policy in policies(cloud) if (found := list(policy(built)))} == {}


@pytest.mark.variant  # many break in one of these alone
@pytest.mark.parametrize(
    ("cloud", "policy"),
    [
        pytest.param(cloud, policy, id=f"{cloud.name}: {name_of(policy)}")
        for cloud in clouds()
        for policy in policies(cloud)
    ],
)
def test_policy_finds(cloud: CloudTests, policy: Policy):
    """Each thing that breaks it is caught, in a graph with that one thing wrong; some graph of the cloud has one."""
    bad = [(graph, spoiled(cloud, graph, broken)) for graph, broken in breaks(cloud) if broken[0] is policy]
    found = [(graph, list(policy(each))) for graph, each in bad if each is not None]

    assert found and [graph for graph, violations in found if not violations] == []


@pytest.mark.variant
@pytest.mark.parametrize("broken", common.BREAKS, ids=lambda broken: name_of(broken[0]))
def test_a_common_break_has_a_graph(broken: Break):
    """What no graph of any cloud has is taken away nowhere."""
    assert any(spoiled(cloud, None, broken) for cloud in clouds() if broken[0] in policies(cloud))


@pytest.mark.parametrize("cloud", clouds(), ids=lambda cloud: cloud.name)
def test_every_policy_can_fail(cloud: CloudTests):
    """Each has a graph that breaks it, on every cloud that it is about."""
    broken = {policy for _, (policy, _) in breaks(cloud)}

    assert broken == set(policies(cloud))
