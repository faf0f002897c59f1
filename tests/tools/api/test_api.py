"""The clouds' own models of their APIs take every request that a stack makes."""

import json
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from pulumi_offline import Graph
from tests.clouds import CloudTests, clouds, each_graph, with_all_graphs
from tests.stacks import graph_of
from tests.tools.api.sdks import SDKS
from tools.api.known import of_graphs, path_of
from tools.api.request import errors, places
from tools.api.tables import tables, tables_of

pytestmark = pytest.mark.variant

_NO_CLOUD = ("rdma-cluster:", "pulumi:", "kubernetes:")  # Kubernetes' API server is asked itself, in `make e2e`


def wrong(graph: Graph) -> Iterator[str]:
    """What the clouds' models say against a graph."""
    for resource in graph.resources:
        if resource.type.startswith(_NO_CLOUD):
            continue
        if resource.type not in tables():
            yield f"{resource.type}: there is no table of its request"
        else:
            inputs = json.dumps(resource.inputs, sort_keys=True)
            yield from (f"{resource.name}: {error}" for error in _errors(resource.type, inputs))


@cache
def _errors(token: str, inputs: str) -> tuple[str, ...]:
    """What a model says against a request: once, because graphs have most of their resources in common."""
    return tuple(errors(tables()[token], json.loads(inputs)))


def _paths(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield (here := f"{path}.{key}".lstrip("."))
            yield from _paths(item, here)
    elif isinstance(value, list):
        for item in value:
            yield from _paths(item, path)


@pytest.mark.parametrize(("cloud", "graph"), each_graph())
def test_the_model_of_the_api_takes_every_resource(cloud: CloudTests, graph: str):
    assert list(wrong(graph_of(*cloud.graphs[graph]))) == []


@pytest.mark.parametrize("cloud", with_all_graphs())
def test_no_table_speaks_of_what_nobody_sets(cloud: CloudTests):
    """An entry for an input that no graph has would hide the next one of that name."""
    used: dict[str, set[str]] = defaultdict(set)
    for graph in cloud.graphs.values():
        for resource in graph_of(*graph).resources:
            used[resource.type].update(_paths(resource.inputs))

    idle = {
        table.token: paths
        for table in tables_of(cloud.name)
        if (paths := {*table.renamed, *table.own} - used[table.token])
    }
    assert idle == {}


@pytest.mark.parametrize(
    "sdk", [pytest.param(sdk, marks=[pytest.mark.xdist_group(of[0].name)]) for sdk, of in SDKS.items()]
)
def test_the_package_holds_what_the_models_say(sdk: str):
    """`python -m tools.api` renews it."""
    kept = json.loads(path_of(sdk).read_text())
    graphs = (graph_of(*graph) for cloud in SDKS[sdk] for graph in cloud.graphs.values())

    assert kept["types"] == of_graphs(tables(), graphs)


@pytest.mark.parametrize("cloud", clouds(), ids=lambda cloud: cloud.name)
def test_an_excused_field_is_still_deprecated(cloud: CloudTests):
    for table in tables_of(cloud.name):
        found = dict(places(table.shape))
        for place in table.excused:
            assert found[place].deprecated, f"{table.token}: {place}"
