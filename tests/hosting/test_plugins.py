"""The plugin folders, started as Pulumi's language host starts them and asked what the engine asks them."""

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
    """What the provider says that a folder's program serves; the SDK's server is all that is left out."""
    with patch("rdma_cluster.hosting.main") as served:
        runpy.run_path(str(ROOT / "packages" / folder / "__main__.py"))
    return json.loads(served.call_args.args[0].schema)


@pytest.fixture(scope="module")
def plugins() -> Generator[Callable[[str], Plugin]]:
    """The plugins by folder, each started when it is first asked for: most of its time goes to the import of SDKs."""
    with ExitStack() as stack:
        yield cache(lambda folder: stack.enter_context(running(ROOT / "packages" / folder)))


def test_folders_are_what_pulumi_looks_for():
    """A folder for each cloud, one for any cluster, one for all: the manifest, and what it needs, pinned as by us."""
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
def test_plugin_answers_the_engine(folder: str, plugins: Callable[[str], Plugin]):
    """Its version is ours, and it describes itself as the provider does in this process."""
    assert plugins(folder).handshake() == rdma_cluster.__version__
    assert plugins(folder).schema() == schema_in(folder)


@pytest.mark.parametrize("folder", FOLDER_NAMES)
def test_plugin_describes_itself(folder: str):
    """Its version is ours; its package has one name whichever folder it comes from; it names the packages it needs."""
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
def test_pool_is_constructed(networks: Any, dependencies: set[str], plugins: Callable[[str], Plugin]):
    """It joins what another resource made, waits for it, and hands its node pool on as the resource it is."""
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
def test_pool_is_previewed_before_its_network_exists(unknown: Any, plugins: Callable[[str], Plugin]):
    """On a first preview nothing of the network is known; what is known is still judged."""
    _, graph = plugins("gke").construct("GkeGpuNodePool", {**POOL, "networks": unknown})

    config = graph.one("gcp:container/nodePool:NodePool").inputs["networkConfig"]
    assert config["additionalNodeNetworkConfigs"] == "[unknown]"
    with pytest.raises(Refusal) as refused:
        plugins("gke").construct("GkeGpuNodePool", {**POOL, "networks": unknown, "nodes": 0})
    assert refused.value.errors == {"nodes": "got 0; must be 1 or more"}


def test_program_in_the_docs_is_constructed(plugins: Callable[[str], Plugin]):
    """The YAML program of docs/other-languages.md."""
    text = (ROOT / "docs" / "other-languages.md").read_text()
    program = yaml.safe_load(text.partition("```yaml\n")[2].partition("```")[0])
    (asked,) = program["resources"].values()

    state, _ = plugins("gke").construct(asked["type"].rpartition(":")[2], asked["properties"])

    assert program["outputs"] == {"workloads": "${train.workloads}"}
    assert "workloads" in state


def test_errors_come_back_with_their_paths(plugins: Callable[[str], Plugin]):
    """All of them at once, spelled as the program spells its keys: the engine shows each beside its value."""
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

    assert refused.value.message == f"these inputs cannot work; {RULES_FOLLOW}"
    assert refused.value.errors == {
        "project": "missing; it has no default",
        "nodes": "must be a whole number, got 1.5",
        "gpuAllocation": "got 'dar'; choose one of dra or device-plugin",
        "machine": "got an output; this decides what is built, so it must be known before: write the value",
        "capacity.flexStart": "must be true or false, got 'yes'",
        "networks[0].subnet": "unknown key; did you mean subnetwork?",
        "locaton": "unknown key; did you mean location?",
    }
