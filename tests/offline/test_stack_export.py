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
def test_an_up_to_date_stack_is_made_anew_nowhere(stack: str, tmp_path: Path):
    """Names, ids and defaults of the state differ from the preview's."""
    graph = graph_of(stack)
    before = read(tmp_path, state(graph), graph)

    assert replacements(before, graph) == {}
    assert {each.urn for each in before.resources} == {each.urn for each in graph.resources}


def test_a_script_is_not_taken_for_an_output(tmp_path: Path):
    """A text with brackets and the word between those of an output is a text like any other."""
    graph = graph_of("gke")
    (config,) = (each for each in graph.of_type("kubernetes:core/v1:ConfigMap") if each.name == "gke")
    name = next(name for name, text in config.inputs["data"].items() if "[" in text and " of " in text)
    written = state(graph)
    kept = written["deployment"]["resources"][-len(graph.resources) :][graph.resources.index(config)]
    kept["inputs"]["data"][name] += "# another\n"

    difference = diff(read(tmp_path, written, graph), graph)

    assert [change.path for change in difference.changed[config.urn]] == [f'inputs.data["{name}"]']


@pytest.mark.parametrize("written", [[], 1, {"deployment": {"resources": [1]}}, {"deployment": 1}, {"resources": "x"}])
def test_a_file_without_graph_and_state_is_refused(written: Any, tmp_path: Path):
    """The error says how to make one."""
    with pytest.raises(Refused, match="holds no graph and no state; make one with `rdma-cluster preview STACK --json`"):
        read(tmp_path, written, graph_of("gke"))
