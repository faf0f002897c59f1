"""A plan says what its graph fetches, so that a demand is judged before any resource."""

import pytest
from rdma_cluster.catalog.artifact import Chart
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.common.stack import plan_of
from rdma_cluster.incluster.plan.artifacts import planned
from rdma_cluster.supply.artifacts import artifacts
from tests.stacks import cloud_of, graph_of, one_of_each_cloud

ADDONS = ("queues.enabled=true", "monitoring.enabled=true")


@pytest.mark.parametrize("stack", one_of_each_cloud())
def test_a_plan_fetches_what_its_graph_fetches(stack: str):
    """Images that are on the node already are left aside."""
    overrides = () if cloud_of(stack) == "gce" else ADDONS
    _, settings = read_stack(stack, None, overrides)

    found = planned(plan_of(cloud_of(stack), settings.config, stack))

    listed = artifacts(graph_of(stack, *overrides))
    assert set(found) == {
        f"{each.record.repo}/{each.record.name}"
        if isinstance(each.record, Chart) and each.record.repo
        else each.reference
        for each in listed
        if not getattr(each.record, "preloaded", False)
    }
