"""Components hand the outputs that they declare to whoever made them."""

from importlib import import_module

import pytest
from pulumi_offline import Graph
from rdma_cluster.base.args import to_camel
from rdma_cluster.common import CLOUDS
from rdma_cluster.component.frame import output_types
from tests.clouds import CloudTests, each_graph
from tests.stacks import graph_of


@pytest.mark.parametrize(("cloud", "name"), each_graph())
def test_a_component_registers_the_outputs_of_its_class_and_no_others(cloud: CloudTests, name: str):
    """Other languages get them by names in camelCase."""
    graph: Graph = graph_of(*cloud.graphs[name])
    rooms = [import_module(f"rdma_cluster.{room}") for room in (cloud.name, "incluster")]
    components = [each for each in graph.resources if each.type.startswith("rdma-cluster:index:")]

    assert components
    for each in components:
        kind = each.type.rpartition(":")[2]
        component = next(getattr(room, kind) for room in rooms if kind in room.__all__)
        assert set(each.outputs) == {to_camel(key) for key in output_types(component)}, kind


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_new_project_exports_every_output_of_its_cloud(cloud: str):
    room = import_module(f"rdma_cluster.{cloud}")
    whole = getattr(room, f"{cloud.capitalize()}RdmaCluster")

    # A provider is for programs: no stack exports one.
    assert set(import_module(f"rdma_cluster.{cloud}.plan").OUTPUTS) == output_types(whole).keys() - {"provider"}
