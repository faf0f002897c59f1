"""Every example does what it says."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi_offline import preview
from rdma_cluster.hosting import components_of
from rdma_cluster.hosting.schema import schema_of
from tests.stacks import ROOT

# As `python -m pytest`, without the collector, which takes half of the time while an SDK is imported.
PYTEST = "import gc, sys, pytest; gc.disable(); sys.exit(pytest.main(sys.argv[1:]))"
EXAMPLES = ROOT / "examples"


PROGRAMS = sorted(path.parent for path in EXAMPLES.glob("*/__main__.py"))
QUICK = ("foreign", "in-cluster", "existing-eks")
EXISTING = [folder for folder in PROGRAMS if folder.name.startswith("existing-")]


def of_programs(folders: list[Path]) -> pytest.MarkDecorator:
    """Every program, most of them for `make thorough`."""
    marks = {folder: [] if folder.name in QUICK else [pytest.mark.thorough] for folder in folders}
    params = [pytest.param(folder, id=folder.name, marks=marks[folder]) for folder in folders]
    return pytest.mark.parametrize("folder", params)


@of_programs(PROGRAMS)
def test_program_runs(folder: Path):
    """As `pulumi preview` would run it, with its own settings; every program says what it costs."""
    graph = preview(folder)

    assert graph.outputs
    assert "COST" in (folder / "__main__.py").read_text()


def test_foreign_program():
    """The components' resources and the program's own, side by side."""
    graph = preview(EXAMPLES / "foreign")

    assert graph.outputs["pool"] == "a4"
    assert len(graph.of_type("gcp:compute/network:Network")) == 3
    assert {each.type for each in graph.resources if each.parent is None} == {
        "rdma-cluster:index:GkeGpuNodePool",
        "rdma-cluster:index:GkeHpcNetwork",
        "gcp:storage/bucket:Bucket",
    }


@of_programs(EXISTING)
def test_nothing_is_made_beside_what_exists(folder: Path):
    """No second network, no second cluster: pools and what they need, and objects in the cluster."""
    graph = preview(folder)
    made = {each.type.rpartition(":")[2] for each in graph.resources}

    assert (
        made & {"Cluster", "ManagedCluster", "Network", "Subnetwork", "Vpc", "Subnet", "VirtualNetwork", "Vcn"} == set()
    )
    assert {"NodePool", "NodeGroup", "AgentPool", "ClusterNetwork"} & made


def test_everything_in_a_cluster_goes_to_the_one_that_is_named():
    """And to no ambient one; the parts fit each other by their defaults."""
    graph = preview(EXAMPLES / "in-cluster")
    provider = graph.one("pulumi:providers:kubernetes").urn
    in_cluster = [each for each in graph.resources if each.type.startswith("kubernetes:")]

    assert {each.provider for each in in_cluster} == {provider}
    templates = graph.of_type("kubernetes:resource.k8s.io/v1:ResourceClaimTemplate")
    classes = set(re.findall(r"'deviceClassName': '([^']+)'", str([each.inputs["spec"] for each in templates])))
    assert classes == {"gpu.nvidia.com", "efa.networking.k8s.aws"}
    assert "aws-dranet" in {each.inputs["name"] for each in graph.of_type("kubernetes:helm.sh/v3:Release")}


def test_every_example_is_listed():
    """README names each folder."""
    listed = set(re.findall(r"\[([-\w]+)\]\(\1\)", (EXAMPLES / "README.md").read_text()))

    assert listed == {path.name for path in EXAMPLES.iterdir() if path.is_dir()}


def literals(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The components of a program in TypeScript with their args: an object's literal is a flow mapping of YAML."""
    for match in re.finditer(r"new rdma\.(\w+)\(\s*\"[^\"]+\",\s*", text):
        depth, end = 0, match.end()
        while end == match.end() or depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield match[1], yaml.safe_load(text[match.end() : end])


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_typescript_keeps_to_the_schema():
    """Names of components, keys at every depth, keys that are needed, and outputs that are read."""
    text = (EXAMPLES / "typescript" / "index.ts").read_text()
    schema = schema_of(components_of("gke", "incluster"))
    wrong: list[str] = []

    def check(where: str, value: Any, keys: dict[str, Any], needed: list[str]) -> None:
        wrong.extend(f"{where}.{key}: unknown" for key in value.keys() - keys.keys())
        wrong.extend(f"{where}.{key}: missing" for key in set(needed) - value.keys())
        for key in value.keys() & keys.keys():
            below(f"{where}.{key}", value[key], keys[key])

    def below(where: str, value: Any, of: dict[str, Any]) -> None:
        if isinstance(value, list):
            for item in value:
                below(where, item, of["items"])
        elif isinstance(value, dict) and "$ref" in of:
            shape = schema["types"][of["$ref"].rpartition("/")[2]]
            check(where, value, shape["properties"], shape.get("required", []))

    made = dict(literals(text))
    for name, args in made.items():
        component = schema["resources"][f"rdma-cluster:index:{name}"]
        check(name, args, component["inputProperties"], component.get("requiredInputs", []))
    variables = dict(re.findall(r"const (\w+) = new rdma\.(\w+)", text))
    for variable, output in re.findall(r"^export const \w+ = (\w+)\.(\w+);", text, re.MULTILINE):
        if output not in schema["resources"][f"rdma-cluster:index:{variables[variable]}"]["properties"]:
            wrong.append(f"{variable}.{output}: no output")

    assert set(made) == {"GkeRdmaCluster", "ClaimTemplates"}
    assert wrong == []
    assert "COST" in text


@pytest.mark.thorough
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/test_*.py")), ids=lambda path: path.parent.name)
def test_tests_of_a_user_pass(path: Path):
    """With pytest alone, outside of our own settings."""
    done = subprocess.run(
        [sys.executable, "-c", PYTEST, "-q", "-c", "/dev/null", "-p", "no:cacheprovider", path.name],
        cwd=path.parent,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout
