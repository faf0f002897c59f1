"""Every example does what it says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pulumi_offline import preview
from tests.stacks import ROOT

# As `python -m pytest`, without the collector, which takes half of the time while an SDK is imported.
PYTEST = "import gc, sys, pytest; gc.disable(); sys.exit(pytest.main(sys.argv[1:]))"
EXAMPLES = ROOT / "examples"


PROGRAMS = sorted(path.parent for path in EXAMPLES.glob("*/__main__.py"))
QUICK = ("in-cluster", "existing-eks")
EXISTING = [folder for folder in PROGRAMS if folder.name.startswith("existing-")]


def of_programs(folders: list[Path]) -> pytest.MarkDecorator:
    """Every program, most of them for `make thorough`."""
    marks = {folder: [] if folder.name in QUICK else [pytest.mark.thorough] for folder in folders}
    params = [pytest.param(folder, id=folder.name, marks=marks[folder]) for folder in folders]
    return pytest.mark.parametrize("folder", params)


@of_programs(PROGRAMS)
def test_a_program_runs_and_says_what_it_costs(folder: Path):
    graph = preview(folder)

    assert graph.outputs
    assert "COST" in (folder / "__main__.py").read_text()


@of_programs(EXISTING)
def test_no_second_network_or_cluster_is_made_beside_what_exists(folder: Path):
    graph = preview(folder)
    made = {each.type.rpartition(":")[2] for each in graph.resources}

    assert (
        made & {"Cluster", "ManagedCluster", "Network", "Subnetwork", "Vpc", "Subnet", "VirtualNetwork", "Vcn"} == set()
    )
    assert {"NodePool", "NodeGroup", "AgentPool", "ClusterNetwork"} & made


def test_everything_in_a_cluster_goes_to_the_one_that_is_named():
    """Nothing goes to an ambient cluster, and the parts fit each other by their defaults."""
    graph = preview(EXAMPLES / "in-cluster")
    provider = graph.one("pulumi:providers:kubernetes").urn
    in_cluster = [each for each in graph.resources if each.type.startswith("kubernetes:")]

    assert {each.provider for each in in_cluster} == {provider}
    templates = graph.of_type("kubernetes:resource.k8s.io/v1:ResourceClaimTemplate")
    classes = set(re.findall(r"'deviceClassName': '([^']+)'", str([each.inputs["spec"] for each in templates])))
    assert classes == {"gpu.nvidia.com", "efa.networking.k8s.aws"}
    assert "aws-dranet" in {each.inputs["name"] for each in graph.of_type("kubernetes:helm.sh/v3:Release")}


def test_the_readme_lists_every_example():
    listed = set(re.findall(r"\[([-\w]+)\]\(\1\)", (EXAMPLES / "README.md").read_text()))

    assert listed == {path.name for path in EXAMPLES.iterdir() if path.is_dir()}


@pytest.mark.thorough
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/test_*.py")), ids=lambda path: path.parent.name)
def test_the_tests_of_an_example_pass_outside_of_our_settings(path: Path):
    done = subprocess.run(
        [sys.executable, "-c", PYTEST, "-q", "-c", "/dev/null", "-p", "no:cacheprovider", path.name],
        cwd=path.parent,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout
