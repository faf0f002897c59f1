"""The stacks build what they built when somebody last looked."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline import Graph, diff, render
from tests.golden.files import TESTS, condensed, first_of, kept, path_of, read, write
from tests.stacks import STACKS, graph_of


@pytest.mark.golden
def test_stacks_build_what_they_built():
    """One test for all stacks: a change that many stacks share fails once. `make golden` writes the files."""
    assert set(TESTS.rglob("golden/*.yaml")) == {path_of(stack) for stack in STACKS}

    changes = {stack: render(diff(kept(stack), condensed(graph_of(stack)))) for stack in STACKS}

    changed = "\n".join(f"{stack}:\n{lines}" for stack, lines in changes.items() if lines)
    assert not changed, f"stacks differ from their golden graphs; if that is right, run make golden\n{changed}"


@pytest.mark.parametrize("stack", ["gke", "gke-a3-ultra"])
def test_golden_text_holds_the_whole_graph(stack: str):
    """What is written reads back the same, as a whole and as the difference from the cloud's first stack."""
    graph, first = condensed(graph_of(stack)), first_of(stack)
    like = condensed(graph_of(first)) if first else None

    assert read(write(graph)) == graph
    assert read(write(graph, like), like) == graph


def test_changed_property_is_one_line():
    graph = condensed(graph_of("gke"))
    pool = graph.one("gcp:container/nodePool:NodePool", "gke-a4")
    changed = replace(pool, inputs={**pool.inputs, "nodeCount": 3})
    other = replace(graph, resources=tuple(changed if each is pool else each for each in graph.resources))

    expected = "~ gcp:container/nodePool:NodePool gke-a4\n    ~ inputs.nodeCount: 2 -> 3\n"
    assert expected == render(diff(read(write(graph)), other))


@pytest.mark.thorough
@pytest.mark.parametrize("stack", ["gke", "oke"])
def test_every_changed_property_is_seen(stack: str):
    """The golden form differs wherever the graph does, also inside of what it keeps as a digest."""
    for resource in graph_of(stack).to_dict()["resources"]:
        before = condensed(Graph.from_dict({"stack": stack, "resources": [resource], "outputs": {}}))
        other = deepcopy(resource)
        for holder, key in _leaves(other):
            was, holder[key] = holder[key], f"{holder[key]} of another"
            after = condensed(Graph.from_dict({"stack": stack, "resources": [other], "outputs": {}}))
            holder[key] = was

            assert after != before, f"{resource['urn']}: {key}"


def _leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the holder and the key of every value that is neither a mapping nor a list."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, dict | list):
            yield from _leaves(item)
        else:
            yield value, key
