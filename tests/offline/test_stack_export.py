"""The state of a living stack beside a preview: what an engine and a provider filled in is no change."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline import Graph, Resource, diff
from pulumi_offline.errors import Refused
from pulumi_offline.replacements import replacements
from pulumi_offline.stack_export import read_before
from tests.stacks import graph_of

# As github.com/pulumi/pulumi sdk/go/common/apitype/core.go ResourceV3 and sdk/go/common/resource/sig spell them.
SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "djE6"}
_LATER = re.compile(r"\[(\w+) of [^]]+ ([^]]+)\]")


def lived(value: Any) -> Any:
    """A value as a state holds it: outputs of others are known, and providers say which defaults are theirs."""
    if isinstance(value, dict):
        return {"__defaults": ["filledIn"], "filledIn": True, **{key: lived(item) for key, item in value.items()}}
    if isinstance(value, list):
        return [lived(item) for item in value]
    if value == "[secret]":
        return SECRET
    return _LATER.sub(lambda found: f"projects/p/{found[2]}-0a1b2c3", value) if isinstance(value, str) else value


def state(graph: Graph, stack: str = "prod") -> dict[str, Any]:
    """What `pulumi stack export` writes of a stack of another name that this graph made."""

    def urn(of: str | None) -> str:
        return f"urn:pulumi:{stack}::lab::{of.split('::', 2)[2]}" if of else f"urn:pulumi:{stack}::lab::{ROOT}"

    def one(resource: Resource) -> dict[str, Any]:
        made_up = {} if "metadata" in resource.inputs else {"name": f"{resource.name}-0a1b2c3"}
        kept = {key: resource.options[key] for key in ("deletedWith", "replacementTrigger") if key in resource.options}
        return {
            "urn": urn(resource.urn),
            "type": resource.type,
            "parent": urn(resource.parent),
            "provider": f"{urn(resource.provider)}::0f" if resource.provider else "",
            "inputs": {**made_up, **lived(resource.inputs)},
            **({"deletedWith": urn(kept.pop("deletedWith"))} if "deletedWith" in kept else {}),
            **kept,
        }

    root = {"urn": urn(None), "type": "pulumi:pulumi:Stack"}
    gone = {**one(graph.resources[0]), "delete": True}
    return {"version": 3, "deployment": {"resources": [root, gone, *map(one, graph.resources)]}}


ROOT = "pulumi:pulumi:Stack::lab-prod"


def read(tmp_path: Path, written: Any, after: Graph) -> Graph:
    file = tmp_path / "state.json"
    file.write_text(json.dumps(written))
    return read_before(file, after)


@pytest.mark.parametrize("stack", ["gke", "eks", "aks", "oke"])
def test_a_stack_that_is_up_to_date(stack: str, tmp_path: Path):
    """Nothing is made anew, though names, ids and defaults are others."""
    graph = graph_of(stack)
    before = read(tmp_path, state(graph), graph)

    assert replacements(before, graph) == {}
    assert {each.urn for each in before.resources} == {each.urn for each in graph.resources}


def test_a_change_is_seen_through_it(tmp_path: Path):
    """Another zone on the way: the RoCE network is another, and the pool with it."""
    after = graph_of("gke", "zone=us-west8-b")
    of_state = replacements(read(tmp_path, state(graph_of("gke")), after), after)

    assert of_state == replacements(graph_of("gke"), after)
    assert any("nodePool" in urn for urn in of_state)


def test_a_script_is_no_output(tmp_path: Path):
    """A text that holds brackets and the word between those of an output is a text like any other."""
    graph = graph_of("gke")
    (config,) = (each for each in graph.of_type("kubernetes:core/v1:ConfigMap") if each.name == "gke")
    name = next(name for name, text in config.inputs["data"].items() if "[" in text and " of " in text)
    written = state(graph)
    kept = written["deployment"]["resources"][-len(graph.resources) :][graph.resources.index(config)]
    kept["inputs"]["data"][name] += "# another\n"

    difference = diff(read(tmp_path, written, graph), graph)

    assert [change.path for change in difference.changed[config.urn]] == [f'inputs.data["{name}"]']


def test_what_a_person_took_away_is_a_change(tmp_path: Path):
    """A default of the provider that is gone is none; an input of the program's own is."""
    after = graph_of("gke")
    written = state(after)
    for resource in written["deployment"]["resources"]:
        if resource["type"] == "gcp:container/nodePool:NodePool":
            resource["inputs"]["placementPolicy"] = {"type": "COMPACT"}
    before = read(tmp_path, written, after)

    assert next(iter(replacements(before, after).values())) == ["inputs.placementPolicy"]


def test_a_graph_is_read_too(tmp_path: Path):
    """What `preview --json` wrote."""
    graph = graph_of("gke")

    assert not diff(read(tmp_path, graph.to_dict(), graph), graph)


@pytest.mark.parametrize("written", [[], 1, {"deployment": {"resources": [1]}}, {"deployment": 1}, {"resources": "x"}])
def test_what_holds_neither(written: Any, tmp_path: Path):
    """One sentence, with the way to make one."""
    with pytest.raises(Refused, match="holds no graph and no state; make one with `rdma-cluster preview STACK --json`"):
        read(tmp_path, written, graph_of("gke"))
