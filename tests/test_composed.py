"""What examples/composed-CLOUD builds by hand is what the cloud's whole builds of the same choices."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline import Graph, Resource, preview
from pulumi_offline.graph import title
from docs.generate import COMPONENTS, components as components_page
from tests.clouds import CloudTests, clouds
from tests.stacks import ROOT

OURS = "rdma-cluster:index:"
MOST_LINES = 60
_DIGEST = re.compile(r'(nccl-[a-z0-9]+-|/proves": "|\bnode\\": \\")[0-9a-f]{8,16}\b')
"""What tells a proof from another. By hand it follows the pool alone, in a whole the cluster and its network, too."""


def composed(cloud: CloudTests) -> Path:
    return ROOT / "examples" / f"composed-{cloud.name}"


def whole(cloud: CloudTests) -> Graph:
    """The graph of the whole, with the args by which every test has it on its own."""
    (name,) = [name for name in cloud.components if name.endswith("RdmaCluster")]

    def program() -> None:
        getattr(cloud.package, name)("train", cloud.components[name])

    return preview(program, project="whole", stack="dev", config={})


def waits_for(resource: Resource, by_urn: dict[str, Resource]) -> set[str]:
    """What it waits for, by itself or with a component that it is a part of."""
    parent = by_urn.get(resource.parent or "")
    of_parents = waits_for(parent, by_urn) if parent else set()
    return of_parents | {title(urn) for urn in resource.dependencies if OURS not in title(urn)}


def rows(graph: Graph) -> Counter[str]:
    """Everything of a graph but parents, the names that no other resource reads, and what components show as inputs."""
    by_urn = {each.urn: each for each in graph.resources}
    found: Counter[str] = Counter()
    for each in graph.resources:
        provider, inputs = title(each.provider) if each.provider else None, each.inputs
        waited = sorted(waits_for(each, by_urn))
        options = {key: title(of) if key == "deletedWith" else of for key, of in each.options.items()}
        if each.type.startswith(OURS):
            # Its children have its providers, and wait as it does.
            provider, inputs, waited = None, {}, []
            options.pop("providers", None)
        row = json.dumps([each.type, inputs, options, provider, waited], sort_keys=True)
        found[_DIGEST.sub(r"\1", row)] += 1
    return found


@pytest.mark.parametrize("cloud", clouds(), ids=repr)
def test_a_program_composed_by_hand_builds_what_the_whole_builds(cloud: CloudTests):
    by_hand, by_whole = preview(composed(cloud)), whole(cloud)

    more, less = rows(by_hand) - rows(by_whole), rows(by_whole) - rows(by_hand)
    assert [*more.elements()] == []
    (further,) = less.elements()
    assert json.loads(further)[0] == f"{OURS}{cloud.name.capitalize()}RdmaCluster"


@pytest.mark.parametrize("cloud", clouds(), ids=repr)
def test_a_composed_program_fits_one_screen(cloud: CloudTests):
    assert len((composed(cloud) / "__main__.py").read_text().splitlines()) <= MOST_LINES


@pytest.mark.parametrize(
    ("change", "runs_again"),
    [({}, False), ({"labels": {"team": "a"}}, False), ({"capacity": {"on_demand": True}}, True)],
    ids=["same", "labels", "capacity"],
)
def test_a_pool_composed_by_hand_is_proved_again_with_other_nodes(change: dict[str, Any], runs_again: bool):
    """As in a whole: other nodes prove nothing of the old ones, and a label moves no node."""
    (gke,) = [each for each in clouds() if each.name == "gke"]

    def name_of(args: dict[str, Any]) -> str:
        def program() -> None:
            from rdma_cluster.gke import GkeGpuNodePool
            from rdma_cluster.incluster import NcclAcceptance

            of_pool: Any = {**gke.components["GkeGpuNodePool"], **args}
            pool = GkeGpuNodePool("a4", of_pool)
            taint = {"key": "nvidia.com/gpu", "value": "present"}
            NcclAcceptance("a4", {"pools": [pool.listed], "pool_label": gke.pool_label, "taint": taint})

        graph = preview(program, project="foreign", stack="dev", config={})
        return graph.one("kubernetes:batch/v1:Job", "a4-a4-test").inputs["metadata"]["name"]

    assert (name_of(change) != name_of({})) is runs_again


def test_nobody_waits_for_a_pool_that_has_no_nodes():
    """A flex-start pool has none until a job asks: `up` says so, and ends."""
    (gke,) = [each for each in clouds() if each.name == "gke"]

    def program() -> None:
        from rdma_cluster.gke import GkeGpuNodePool

        args: Any = {**gke.components["GkeGpuNodePool"], "capacity": {"flex_start": True}}
        assert "until a job asks" in GkeGpuNodePool("a4", args).listed.get("skip_reason", "")

    preview(program, project="foreign", stack="dev", config={})


@pytest.mark.golden
def test_the_page_of_the_four_components_has_what_the_stacks_have():
    """`make docs` writes it."""
    assert COMPONENTS.read_text(encoding="utf-8") == components_page()


def test_stack_programs_are_alike_line_by_line():
    """They differ by the cloud's name, by the first line, and by outputs that a cloud alone has."""
    forms = {cloud.name: _form(cloud.name) for cloud in clouds() if cloud.has_kubernetes}
    shared = set.intersection(*map(set, forms.values()))

    alike = {tuple(line for line in form if line in shared) for form in forms.values()}
    assert len(alike) == 1
    own = {line for form in forms.values() for line in form} - shared
    assert all(line.startswith('pulumi.export("') for line in own), own


def _form(cloud: str) -> list[str]:
    lines = (ROOT / "stacks" / f"{cloud}.py").read_text().splitlines()[1:]
    return [line.replace(cloud, "CLOUD").replace(cloud.capitalize(), "CLOUD") for line in lines if line]
