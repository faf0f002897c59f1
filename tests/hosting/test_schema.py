"""Every other language reads a schema that is inferred from the components' classes."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pulumi
import pytest
from jsonschema import Draft202012Validator
from pulumi_offline.unknowns import UNKNOWN
from rdma_cluster.base.args import to_camel
from rdma_cluster.common import CLOUDS
from rdma_cluster.component.frame import output_types
from rdma_cluster.hosting import components_of
from rdma_cluster.hosting.schema import schema_of
from typing_extensions import get_type_hints
from tests.stacks import STACKS, graph_of

# The analyzer leaves a file of the SDK's open.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def components() -> list[type[pulumi.ComponentResource]]:
    """All components; their classes bring every SDK."""
    return components_of(*CLOUDS, "incluster")


@pytest.fixture(scope="module")
def schema(components: list[type[pulumi.ComponentResource]]) -> dict[str, Any]:
    """The schema of all components as one package."""
    return schema_of(components)


def test_the_schema_has_every_key_as_an_input_and_every_output(
    components: list[type[pulumi.ComponentResource]], schema: dict[str, Any]
):
    for component in components:
        args = component.__init__.__annotations__["args"]
        read = schema["resources"][f"rdma-cluster:index:{component.__name__}"]

        assert set(read["inputProperties"]) == {to_camel(key) for key in get_type_hints(args)}, component
        assert set(read["properties"]) == {to_camel(key) for key in output_types(component)}, component
        assert set(read["requiredInputs"]) == {to_camel(key) for key in args.__required_keys__}, component


def keys(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every type, choice and key of a schema, with its description."""
    for token, resource in schema["resources"].items():
        yield token, resource
        for side in ("inputProperties", "properties"):
            yield from ((f"{token}.{key}", told) for key, told in resource[side].items())
    for token, kind in schema["types"].items():
        yield token, kind
        yield from ((f"{token}.{key}", told) for key, told in kind.get("properties", {}).items())
        yield from ((f"{token}.{choice['name']}", choice) for choice in kind.get("enum", []))


def test_every_type_key_and_choice_is_described(schema: dict[str, Any]):
    """The descriptions are Markdown of one line or a paragraph."""
    described = dict(keys(schema))

    assert [path for path, told in described.items() if not told.get("description", "").strip()] == []
    assert [path for path, told in described.items() if "``" in told["description"]] == []
    assert [path for path, told in described.items() if "\n " in told["description"]] == []


ANYTHING = {
    "rdma-cluster:index:AksRdmaCluster.skypilot": "SkyPilot's own configuration",
    "rdma-cluster:index:GkeRdmaCluster.skypilot": "SkyPilot's own configuration",
    "rdma-cluster:index:OkeRdmaCluster.skypilot": "SkyPilot's own configuration",
    "rdma-cluster:index:PodSidecar.startupProbe": "a probe as Kubernetes has it",
}
"""Outputs whose keys are not told, and why."""


def open_keys(schema: dict[str, Any]) -> Iterator[str]:
    """Outputs, and keys of their shapes, that hold anything at all."""
    shapes = [(token, resource["properties"]) for token, resource in schema["resources"].items()]
    seen: set[str] = set()
    while shapes:
        token, properties = shapes.pop()
        for key, told in properties.items():
            text = json.dumps(told)
            if "pulumi.json#/Any" in text:
                yield f"{token}.{key}"
            assert "$ref" in text or "type" in told, (token, key)
            for name in set(re.findall(r"#/types/([^\"]+)", text)) - seen:
                seen.add(name)
                shapes.append((name, schema["types"][name].get("properties", {})))


def test_every_output_is_typed(schema: dict[str, Any]):
    """In every language an editor completes `workloads`, `proofs` and `storage` to their last key."""
    assert set(open_keys(schema)) == ANYTHING.keys()


def camel(value: Any) -> Any:
    """Keys as a program in another language gets them."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    return {to_camel(key): camel(of) for key, of in value.items()} if isinstance(value, dict) else value


@pytest.mark.thorough
@pytest.mark.xdist_group("test_schema.py")  # with the others that read the schema, which needs every SDK
@pytest.mark.parametrize("stack", STACKS)
def test_outputs_of_our_stacks_have_the_keys_of_their_types_and_no_others(schema: dict[str, Any], stack: str):
    types = json.loads(json.dumps(schema["types"]).replace('"$ref": "pulumi.json#/Any"', '"title": "anything"'))
    for shape in types.values():
        if "properties" in shape:
            shape["additionalProperties"] = False
        if "enum" in shape:
            shape["enum"] = [choice["value"] for choice in shape["enum"]]
    checked = 0
    for each in graph_of(stack).resources:
        for key, told in schema["resources"].get(each.type, {"properties": {}})["properties"].items():
            if "#/types/" in json.dumps(told) and each.outputs[key] != UNKNOWN:
                checked += 1
                errors = Draft202012Validator({"types": types, **told}).iter_errors(camel(each.outputs[key]))
                assert [f"{each.name}.{key}: {error.message}" for error in errors] == []
    assert checked


def test_only_links_take_outputs(schema: dict[str, Any]):
    """A value that decides what is built must be known."""
    pool = schema["resources"]["rdma-cluster:index:GkeGpuNodePool"]["inputProperties"]
    network = schema["types"]["rdma-cluster:index:GkeNodeNetwork"]["properties"]
    existing = schema["types"]["rdma-cluster:index:EksExistingCluster"]["properties"]

    assert not any(told.get("plain") for told in (pool["cluster"], pool["networks"], *network.values()))
    assert not any(told.get("plain") for told in existing.values())
    assert all(pool[key]["plain"] for key in ("machine", "nodes", "capacity"))
