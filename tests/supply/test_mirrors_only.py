"""With `mirrorsOnly` nothing of any graph names another place than the mirror.

What Helm makes of the charts' values is asked in tests/controlplane/test_mirrored_charts.py.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from rdma_cluster.supply.artifacts import all_charts, artifacts
from rdma_cluster.supply.fetched import registries_of
from tests.clouds import clouds
from tests.mirrored import MIRROR, elsewhere, mirrored_graph
from tests.policies.readers import chart_of
from tests.stacks import graph_of
from .charts import RENDERED

RELEASE = "kubernetes:helm.sh/v3:Release"
CHARTS: dict[str, Any] = yaml.safe_load((Path(__file__).parents[1] / "artifacts" / "chart_images.yaml").read_text())
GRAPHS = {name: graph for cloud in clouds() for name, graph in cloud.graphs.items()}
FIRST = {cloud.stacks[0] for cloud in clouds()}
EACH = [pytest.param(name, marks=() if name in FIRST else pytest.mark.thorough) for name in GRAPHS]


@pytest.mark.parametrize("name", EACH)
def test_every_reference_of_a_graph_is_at_the_mirror(name: str):
    """The artifacts are the same as without the mirror."""
    graph = mirrored_graph(*GRAPHS[name])

    for resource in graph.resources:
        if not resource.type.startswith("rdma-cluster:"):  # whose inputs are what was asked for
            assert list(elsewhere(resource.inputs)) == [], resource.urn
    after, before = artifacts(graph, registries_of(graph)), artifacts(graph_of(*GRAPHS[name]))
    assert {each.record for each in after} == {each.record for each in before}


@pytest.mark.parametrize("name", EACH)
def test_our_values_name_every_image_that_a_chart_starts(name: str):
    """A chart takes from its own values what ours do not name."""
    for release in mirrored_graph(*GRAPHS[name]).of_type(RELEASE):
        record = CHARTS.get(chart_of(release))
        if record is not None:
            assert release.inputs["version"] == record["version"], f"{release.name}: record the images of this version"
            assert unnamed(record, release.inputs.get("values", {})) == [], release.urn


def unnamed(record: Mapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    """The images that a chart starts and that these values do not take from the mirror."""
    found = []
    for path, switch in record["images"].items():
        is_on = not switch or at(values, switch, switch not in record.get("disabled", ()))
        if is_on and not str(at(values, f"{path}.repository", "")).startswith(f"{MIRROR}/"):
            found.append(path)
    return found


def at(values: Any, path: str, default: Any) -> Any:
    """The value under a path of keys."""
    for key in path.split("."):
        if not isinstance(values, Mapping) or key not in values:
            return default
        values = values[key]
    return values


def test_every_chart_with_images_is_rendered_or_recorded():
    assert {each.name for each in all_charts() if each.image} == {*CHARTS, *RENDERED}
