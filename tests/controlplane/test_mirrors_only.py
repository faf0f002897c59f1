"""With one mirror and nothing else allowed, what a server keeps of every stack refers to that mirror alone.

Pod templates with what the server fills in, admission policies and what they add to pods, and the values of charts.
The charts themselves: test_mirrored_charts.py.
"""

import pytest
from pulumi import RunError
from pulumi_offline import Graph
from tests.clouds import clouds
from tests.mirrored import elsewhere, mirrored_graph
from tests.stacks import STACKS
from .api import Api
from .applied import apply_all
from .cluster import Cluster
from .stack_objects import not_applied, of_kubernetes

WITH_KUBERNETES = [stack for cloud in clouds() if cloud.has_kubernetes for stack in cloud.graphs if stack in STACKS]


def with_injection(stack: str) -> Graph:
    """By the API server's own engine, where the stack's version has it."""
    try:
        return mirrored_graph(stack, "injection={enabled: true}")
    except RunError:
        return mirrored_graph(stack, "injection={enabled: true, engine: kyverno}")


@pytest.mark.parametrize("stack", WITH_KUBERNETES)
def test_what_is_kept_is_at_the_mirror(stack: str, api: Api, definitions: Cluster):
    """Injection's objects among them, which name the images that pods are given."""
    graph = with_injection(stack)
    taken = [each for each in of_kubernetes(graph) if not not_applied(each, graph) and each.inputs["kind"] != "Secret"]

    with Cluster(api) as cluster:
        applied = apply_all(taken, cluster, definitions)
        kept = {each.urn: api.get(applied[each.urn].result) for each in taken}

    assert any("image" in str(each) for each in kept.values())
    assert {urn: found for urn, each in kept.items() if (found := list(elsewhere(each)))} == {}
