"""State is an interface: an upgrade of the library keeps what a released version made, unless the changelog says so."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from pulumi_offline import Graph
from pulumi_offline.graph import type_and_name
from rdma_cluster import __version__
from tests.released import record
from tests.released.record import VERSIONS, graphs_of, is_released, lines_of, lost, path_of, read, said, unsaid, write
from tests.stacks import ROOT, STACKS, graph_of

POOL = "gcp:container/nodePool:NodePool gke-a4"


def recorded() -> Iterator[Any]:
    """Each recorded graph: the stacks for `make test`, their variants for `make thorough`."""
    for version in VERSIONS:
        for stack in STACKS:
            for name, graph in graphs_of(stack).items():
                marks = [pytest.mark.thorough] if name != stack else []
                yield pytest.param(stack, version, name, graph, id=f"{version} {name}", marks=marks)


@pytest.mark.parametrize(("stack", "version", "name", "graph"), list(recorded()))
def test_an_upgrade_keeps_what_there_is(stack: str, version: str, name: str, graph: tuple[str, ...]):
    """No network, cluster, pool, store or proof is deleted or made anew, nor anything else that is in a state.

    A resource with another name carries an alias; what must go is said in the changelog: - Replaces `TYPE NAME`: why.
    """
    path = path_of(version, stack)
    kept = read(path.read_text()) if path.exists() else {}
    if name not in kept:
        pytest.skip(f"{version} had no graph of {name}")

    losses = unsaid(lost(kept[name], graph_of(*graph)), said(version))

    again = "" if is_released(version) else f"; {version} is not out yet: python -m tests.released {stack}"
    assert not losses, "\n".join([f"an upgrade from {version} loses this{again}", *losses])


def changed(old: str, new: str, alias: dict[str, Any] | None = None) -> Graph:
    """The graph of the stack gke where ``old`` is called ``new``, in types and names; the component has an alias."""
    graph = json.loads(json.dumps(graph_of("gke").to_dict()).replace(old, new))
    for each in graph["resources"]:
        if each["type"] == new and alias:
            each["options"]["aliases"] = [alias]
    return Graph.from_dict(graph)


def test_a_renamed_component_is_found():
    """All that is below it would go and come, the networks of a living pool among them."""
    old, new = "rdma-cluster:index:GkeHpcNetwork", "rdma-cluster:index:GkeFabric"

    losses = list(lost(lines_of(graph_of("gke")), changed(old, new)))

    assert f"{old} gke: gone" in losses and "gcp:compute/network:Network gke-primary: gone" in losses


def test_a_renamed_component_with_an_alias_loses_nothing():
    """Its alias is handed on to all that is below it."""
    old, new = "rdma-cluster:index:GkeHpcNetwork", "rdma-cluster:index:GkeFabric"

    assert list(lost(lines_of(graph_of("gke")), changed(old, new, {"type": old}))) == []


def other_input(token: str, name: str, path: tuple[str, ...], value: Any) -> Graph:
    """The graph of the stack gke where one resource has another input."""
    graph = json.loads(json.dumps(graph_of("gke").to_dict()))
    (inputs,) = [each["inputs"] for each in graph["resources"] if type_and_name(each["urn"]) == (token, name)]
    for key in path[:-1]:
        inputs = inputs[key]
    inputs[path[-1]] = value
    return Graph.from_dict(graph)


@pytest.mark.parametrize(
    ("path", "value", "found"),
    [
        (("nodeConfig", "spot"), True, [f"{POOL}: inputs.nodeConfig.spot"]),
        (("upgradeSettings", "maxSurge"), 1, []),
        (("version",), "1.36", []),
    ],
    ids=lambda value: str(value),
)
def test_an_input_that_makes_a_pool_anew_is_found(path: tuple[str, ...], value: Any, found: list[str]):
    """By what the provider does with the input, and not by every change."""
    after = other_input("gcp:container/nodePool:NodePool", "gke-a4", path, value)

    assert list(lost(lines_of(graph_of("gke")), after)) == found


def test_a_proof_that_would_run_again_is_found():
    """A test has its digest in its name."""
    after = other_input("kubernetes:batch/v1:Job", "gke-a4-test", ("metadata", "name"), "nccl-a4-00000000")

    assert list(lost(lines_of(graph_of("gke")), after)) == ["kubernetes:batch/v1:Job gke-a4-test: inputs.metadata.name"]


def test_what_the_changelog_says_may_go(tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    """By type and name, with a reason, and only for those who have an earlier version."""
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text(
        "## 0.2.0\n\n- Replaces `a:b:C gke-*`: why\n- Removes `a:b:D d`:\n\n## 0.1.0\n\n- Removes `e`: f\n"
    )
    monkeypatch.setattr(record, "CHANGELOG", changelog)

    assert (said("0.1.0"), said("0.3.0"), is_released("0.1.0")) == (["a:b:C gke-*"], [], True)
    assert unsaid(iter(["a:b:C gke-a4: gone", "a:b:C aks: gone"]), said("0.1.0")) == ["a:b:C aks: gone"]


def test_what_is_released_is_recorded():
    """Before its section stands in the changelog: afterwards nobody can tell any more what it made."""
    headings = re.findall(r"^## \[?(\d[^\]\s]*)", record.CHANGELOG.read_text(), re.MULTILINE)

    assert [each for each in headings if each not in VERSIONS] == []


def test_what_comes_after_a_release_has_a_version_of_its_own():
    """The changelog has a section of this version, or one of what is not released yet, and not both."""
    unreleased = "\n## Unreleased\n" in record.CHANGELOG.read_text()

    assert unreleased is not is_released(__version__), f"{__version__} is released: raise __version__"


def test_pages_name_the_release_that_there_is():
    """Its tag is what other languages add; before the first one it is this version."""
    released = re.search(r"^## \[?(\d[^\]\s]*)", record.CHANGELOG.read_text(), re.MULTILINE)
    pages = [path.read_text() for path in (*ROOT.glob("docs/*.md"), ROOT / "README.md")]

    tags = {tag for page in pages for tag in re.findall(r"tag such as `@v([^`]+)`", page)}
    assert tags == {released[1] if released else __version__}


def test_a_record_is_read_as_it_was_written():
    """A variant as its difference from the stack."""
    graphs = {name: graph_of(*graph) for name, graph in list(graphs_of("gce").items())[:3]}

    assert read(write(graphs)) == {name: lines_of(graph) for name, graph in graphs.items()}
