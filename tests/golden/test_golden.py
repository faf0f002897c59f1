"""The stacks build what they built when somebody last looked."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline import Graph, diff, render
from tests.golden.files import TESTS, condensed, first_of, kept, path_of, read, write
from tests.stacks import STACKS, graph_of, one_of_each_cloud


@pytest.mark.golden
@pytest.mark.parametrize("stack", STACKS)
def test_stack_is_as_it_was(stack: str):
    """A change of a graph comes with a change of its golden file: `python -m tests.golden` writes it."""
    assert path_of(stack).exists(), f"{stack} has no golden graph yet; run python -m tests.golden {stack}"

    changes = render(diff(kept(stack), condensed(graph_of(stack))))

    assert not changes, f"stack {stack} is not what it was; if it should be so, run python -m tests.golden\n{changes}"


def test_no_golden_file_without_a_stack():
    """A golden file of a stack that is gone guards nothing."""
    assert set(TESTS.rglob("golden/*.yaml")) == {path_of(stack) for stack in STACKS}


@pytest.mark.parametrize("stack", one_of_each_cloud())
def test_text_holds_the_graph(stack: str):
    """What is written is read back the same, as a whole and as the difference from the cloud's first stack."""
    graph, first = condensed(graph_of(stack)), first_of(stack)
    like = condensed(graph_of(first)) if first else None

    assert read(write(graph)) == graph
    assert read(write(graph, like), like) == graph


def test_difference_is_small():
    """A stack that differs in machine, zone and capacity is a few lines."""
    assert path_of("gke-a3-ultra").read_text().count("\n") * 10 < path_of("gke").read_text().count("\n")


def test_a_change_is_seen():
    """One property, one line."""
    graph = condensed(graph_of("gke"))
    pool = graph.one("gcp:container/nodePool:NodePool", "gke-a4")
    changed = replace(pool, inputs={**pool.inputs, "nodeCount": 3})
    other = replace(graph, resources=tuple(changed if each is pool else each for each in graph.resources))

    expected = "~ gcp:container/nodePool:NodePool gke-a4\n    ~ inputs.nodeCount: 2 -> 3\n"
    assert expected == render(diff(read(write(graph)), other))


@pytest.mark.parametrize("stack", one_of_each_cloud())
def test_every_property_counts(stack: str):
    """Wherever a graph says something else, its golden form does, too: also inside of what is kept as a digest."""
    for resource in graph_of(stack).to_dict()["resources"]:
        before = condensed(Graph.from_dict({"stack": stack, "resources": [resource], "outputs": {}}))
        other = deepcopy(resource)
        for holder, key in _leaves(other):
            was, holder[key] = holder[key], f"{holder[key]} of another"
            after = condensed(Graph.from_dict({"stack": stack, "resources": [other], "outputs": {}}))
            holder[key] = was

            assert after != before, f"{resource['urn']}: {key}"


def _leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a value that is neither mapping nor list."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, dict | list):
            yield from _leaves(item)
        else:
            yield value, key
