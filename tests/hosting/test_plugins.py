"""The plugin folders answer what the engine asks them, started as Pulumi's language host starts them."""

import json
import runpy
from collections.abc import Callable, Generator
from contextlib import ExitStack
from functools import cache
from typing import Any
from unittest.mock import patch

import pytest
import rdma_cluster
import yaml
from pulumi_offline.errors import RULES_FOLLOW
from pulumi_offline.unknowns import UNKNOWN
from rdma_cluster.common import CLOUDS
from tests.hosting.engine import URN, Plugin, Refusal, output, running
from tests.stacks import ROOT

FOLDERS = sorted(path.parent for path in (ROOT / "packages").glob("*/PulumiPlugin.yaml"))
FOLDER_NAMES = [*CLOUDS, "all", "incluster"]

FABRIC = f"{URN}rdma-cluster:index:GkeHpcNetwork::net"
RAIL = {"network": "n", "subnetwork": "s"}
RAILS = [{"network": "n", "subnetwork": output("s", FABRIC)}] * 9
POOL = {
    "project": "proj-a",
    "zone": "us-west8-c",
    "location": "us-west8",
    "cluster": output("c", f"{URN}gcp:container/cluster:Cluster::c"),
    "name": "a4",
    "machine": "a4-highgpu-8g",
    "nodes": 2.0,
    "capacity": {"reservation": {"name": "r", "subBlock": None}, "spot": None},
    "networks": RAILS,
}

# In one process, which makes what they share once.
pytestmark = [
    pytest.mark.xdist_group("plugins"),
    pytest.mark.thorough,
    # The analyzer leaves a file of the SDK's open.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def needs(folder: str) -> set[str]:
    """The SDKs that a folder asks for."""
    lines = (ROOT / "packages" / folder / "requirements.txt").read_text().splitlines()
    return {line.partition("==")[0] for line in lines if line.startswith("pulumi-")}


@cache
def schema_in(folder: str) -> dict[str, Any]:
    """The schema that a folder's program serves; only the SDK's server is left out."""
    with patch("rdma_cluster.hosting.main") as served:
        runpy.run_path(str(ROOT / "packages" / folder / "__main__.py"))
    return json.loads(served.call_args.args[0].schema)


@pytest.fixture(scope="module")
def plugins() -> Generator[Callable[[str], Plugin]]:
    """The plugins by folder, each started when it is first asked for: most of its time goes to the import of SDKs."""
    with ExitStack() as stack:
        yield cache(lambda folder: stack.enter_context(running(ROOT / "packages" / folder)))


def test_each_folder_has_a_manifest_and_our_pinned_requirements():
    files = [path for path in ROOT.glob("requirements-*.txt") if path.stem != "requirements-dev"]
    pins = {line.partition("==")[0]: line for path in files for line in path.read_text().splitlines()}

    assert sorted(FOLDER_NAMES) == [folder.name for folder in FOLDERS]
    for folder in FOLDERS:
        manifest = yaml.safe_load((folder / "PulumiPlugin.yaml").read_text())
        assert manifest["runtime"]["name"] == "python"
        *pinned, ours = (folder / "requirements.txt").read_text().splitlines()[1:]
        assert [pins[line.partition("==")[0]] for line in pinned] == pinned
        # A path is relative to where pip runs, and that is the folder.
        assert (folder / ours.partition("[")[0]).resolve() == ROOT


@pytest.mark.parametrize("folder", ["gke", "eks"])
def test_a_plugin_answers_the_engine_as_it_does_in_this_process(folder: str, plugins: Callable[[str], Plugin]):
    assert plugins(folder).handshake() == rdma_cluster.__version__
    assert plugins(folder).schema() == schema_in(folder)


@pytest.mark.parametrize("folder", FOLDER_NAMES)
def test_a_folders_schema_has_our_version_and_names_the_packages_it_needs(folder: str):
    schema = schema_in(folder)

    assert schema["version"] == rdma_cluster.__version__
    assert {token.split(":")[0] for token in (*schema["resources"], *schema["types"])} == {"rdma-cluster"}
    referred = {f"pulumi-{each['name']}" for each in schema["dependencies"]}
    # OKE's components hand out OCIDs, and no resource of its SDK; without a cluster there is none of Kubernetes.
    unreferred = {"oke": {"pulumi-oci"}, "all": {"pulumi-oci"}, "gce": {"pulumi-kubernetes"}}.get(folder, set[str]())
    assert referred == (needs(folder) - unreferred if folder != "incluster" else set())
    assert "rdma-cluster:index:ClaimTemplates" in schema["resources"]


@pytest.mark.parametrize(
    ("networks", "dependencies"),
    [(RAILS, {FABRIC}), (output([RAIL] * 9, FABRIC), {FABRIC}), ([output(RAIL, FABRIC)] * 9, {FABRIC})],
    ids=["outputs in a list", "a list that is an output", "a list of outputs"],
)
def test_a_pool_joins_what_another_resource_made_and_waits_for_it(
    networks: Any, dependencies: set[str], plugins: Callable[[str], Plugin]
):
    """It hands its node pool on as the resource it is."""
    state, graph = plugins("gke").construct("GkeGpuNodePool", {**POOL, "networks": networks})

    pool = graph.one("gcp:container/nodePool:NodePool")
    assert dependencies <= set(pool.dependencies)
    assert pool.inputs["nodeCount"] == 2
    assert pool.inputs["cluster"] == "c"
    attached = pool.inputs["networkConfig"]["additionalNodeNetworkConfigs"]
    assert attached == [RAIL] * 9
    assert state["name"] == "a4"
    assert state["nodePool"]["urn"] == pool.urn


@pytest.mark.parametrize("unknown", [output(None, FABRIC), UNKNOWN], ids=["output", "bare"])
def test_a_pool_is_previewed_before_its_network_exists(unknown: Any, plugins: Callable[[str], Plugin]):
    """What is known is still judged."""
    _, graph = plugins("gke").construct("GkeGpuNodePool", {**POOL, "networks": unknown, "labels": {"team": unknown}})

    inputs = graph.one("gcp:container/nodePool:NodePool").inputs
    assert inputs["nodeConfig"]["labels"]["team"] == "[unknown]"
    config = inputs["networkConfig"]
    assert config["additionalNodeNetworkConfigs"] == "[unknown]"
    with pytest.raises(Refusal) as refused:
        plugins("gke").construct("GkeGpuNodePool", {**POOL, "networks": unknown, "nodes": 0})
    assert set(refused.value.errors) == {"nodes"}


def test_the_yaml_program_of_the_documentation_is_constructed(plugins: Callable[[str], Plugin]):
    text = (ROOT / "docs" / "other-languages.md").read_text()
    program = yaml.safe_load(text.partition("```yaml\n")[2].partition("```")[0])
    (asked,) = program["resources"].values()

    state, _ = plugins("gke").construct(asked["type"].rpartition(":")[2], asked["properties"])

    assert program["outputs"] == {"workloads": "${train.workloads}"}
    assert "workloads" in state


def test_all_errors_come_back_at_once_with_their_paths(plugins: Callable[[str], Plugin]):
    """The engine shows each beside its value, spelt as the program spells its keys."""
    wrong = {
        **{key: value for key, value in POOL.items() if key != "project"},
        "nodes": 1.5,
        "gpuAllocation": "dar",
        "machine": output("a4-highgpu-8g"),
        "capacity": {"flexStart": "yes"},
        "networks": [{"network": "n", "subnet": "s"}],
        "locaton": "us-west8",
    }

    with pytest.raises(Refusal) as refused:
        plugins("gke").construct("GkeGpuNodePool", wrong)

    assert refused.value.message.endswith(RULES_FOLLOW)
    assert set(refused.value.errors) == {
        *("project", "nodes", "gpuAllocation", "machine", "capacity.flexStart", "networks[0].subnet", "locaton")
    }
    assert "subnetwork" in refused.value.errors["networks[0].subnet"]
