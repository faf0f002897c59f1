"""The stacks build what they built when somebody last looked."""

from dataclasses import replace

import pytest
from rdma_cluster.offline import diff, render

from tests.golden.files import TESTS, condensed, path_of, read, write
from tests.stacks import STACKS, graph_of


@pytest.mark.parametrize("stack", STACKS)
def test_stack_is_as_it_was(stack: str):
    """A change of a graph comes with a change of its golden file: `python -m tests.golden` writes it."""
    assert path_of(stack).exists(), f"{stack} has no golden graph yet; run python -m tests.golden {stack}"
    kept = read(path_of(stack).read_text())

    changes = render(diff(kept, condensed(graph_of(stack))))

    assert not changes, f"stack {stack} is not what it was; if it should be so, run python -m tests.golden\n{changes}"


def test_no_golden_file_without_a_stack():
    """A golden file of a stack that is gone guards nothing."""
    assert set(TESTS.glob("*/golden/*.yaml")) == {path_of(stack) for stack in STACKS}


def test_text_holds_the_graph():
    """What is written is read back the same, and by URN."""
    graph = graph_of("gke")

    assert read(write(graph)) == graph
    assert [each.urn for each in read(write(graph)).resources] == sorted(each.urn for each in graph.resources)


def test_a_change_is_seen():
    """One property, one line."""
    graph = graph_of("gke")
    pool = graph.one("gcp:container/nodePool:NodePool", "gke-a4")
    changed = replace(pool, inputs={**pool.inputs, "nodeCount": 3})
    other = replace(graph, resources=tuple(changed if each is pool else each for each in graph.resources))

    expected = "~ gcp:container/nodePool:NodePool gke-a4\n    ~ inputs.nodeCount: 2 -> 3\n"
    assert expected == render(diff(read(write(graph)), other))
