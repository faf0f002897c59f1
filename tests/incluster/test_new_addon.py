"""A new add-on is a folder and an entry: it is planned, explained and installed, and nothing else changes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.stacks import ROOT

ORIGINAL = ROOT / "components" / "rdma_cluster"
FOLDER = Path("incluster") / "addons"
FILES: dict[str, str] = yaml.safe_load(Path(__file__).with_name("greeting.yaml").read_text(encoding="utf-8"))
ENTRY = {
    "from .queues.args import QueueOptions\n": "from .greeting.args import GreetingOptions\n",
    "    readiness: NotRequired[ReadinessOptions]\n": (
        '    greeting: NotRequired[GreetingOptions]\n    """A greeting for all pods. Default: none."""\n'
    ),
    "    warnings: tuple[str, ...] = ()\n": '    greeting: "Part[GreetingOptions, Any] | None" = None\n',
}
"""Lines of the list of add-ons, and what is written before them."""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the package with the add-on in it."""
    copy = tmp_path_factory.mktemp("greeting") / "rdma_cluster"
    shutil.copytree(ORIGINAL.parent, copy.parent, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    (copy / FOLDER / "greeting").mkdir()
    for name, text in FILES.items():
        (copy / FOLDER / "greeting" / name).write_text(text)
    entry = copy / FOLDER / "__init__.py"
    text = entry.read_text()
    for place, lines in ENTRY.items():
        assert text.count(place) == 1
        text = text.replace(place, lines + place)
    entry.write_text(text)
    return copy


def said(package: Path, *words: str, code: int = 0) -> str:
    """Return what the copy's command prints before it ends with a code."""
    program = "import sys; from rdma_cluster.cli.app import run; sys.exit(run(sys.argv[1:]))"
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("cloud", ["gke", "oke"])
def test_the_key_of_an_add_on_is_the_users_on_every_cloud(package: Path, cloud: str):
    """It is explained, stands in the schema of stack files, and is refused where it cannot work, on or off."""
    assert "A greeting for all pods" in said(package, "explain", "greeting", "--cloud", cloud)
    assert "greeting" in said(package, "schema", cloud)
    for enabled in ("true", "false"):
        asked = ("--set", f"greeting.enabled={enabled}", "--set", "greeting.words=''")
        assert "greeting.words: empty; say something" in said(package, "plan", cloud, *asked, code=2)
    assert "greeting: nobody may answer" in said(package, "plan", cloud, "--set", "greeting.enabled=true")


def test_no_claim_goes_to_the_namespace_of_an_add_on(package: Path):
    assert "the greeting" in said(package, "plan", "gke", "--set", "claims.namespaces=[greetings]", code=2)


def test_an_add_on_is_installed_behind_what_it_comes_after(package: Path):
    """Of all other resources the whole cluster alone is another one: it shows the key."""
    more = ("--set", "greeting.enabled=true")
    graphs: list[Any] = [json.loads(said(package, "preview", "gke", "--json", *each)) for each in ((), more)]
    (before, after) = ({each["urn"]: each for each in graph["resources"]} for graph in graphs)
    new = {after[urn]["type"]: after[urn] for urn in after.keys() - before.keys()}
    component = new["rdma-cluster:index:Greeting"]

    assert new.keys() == {"rdma-cluster:index:Greeting", "kubernetes:core/v1:ConfigMap"}
    assert component["inputs"] == {"enabled": True}
    assert any("ClaimTemplates" in urn for urn in component["dependencies"])
    assert new["kubernetes:core/v1:ConfigMap"]["inputs"]["data"] == {"text": "hello, 1"}
    changed = [urn for urn in before if before[urn] != after[urn]]
    assert len(changed) == 1 and ":GkeRdmaCluster::" in changed[0]
