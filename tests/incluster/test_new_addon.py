"""A new add-on is a folder and an entry: it is planned, explained and installed, and nothing else changes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.stacks import ROOT

ORIGINAL = ROOT / "components" / "rdma_cluster"
FOLDER = Path("incluster") / "addons"
ENTRY = Path("__init__.py")
FILES = {
    "__init__.py": '"""A greeting for all pods."""\n',
    "args.py": '''"""Options of the greeting."""

from typing import NotRequired

from typing_extensions import TypedDict

from ....base.args import args_schema


@args_schema
class GreetingOptions(TypedDict):
    """A greeting for all pods."""

    enabled: bool
    """Write it down."""
    words: NotRequired[str]
    """What it says. Default: ``hello``."""
''',
    "add_on.py": '''"""The greeting, as a stack plans it."""

from typing import TYPE_CHECKING

from pulumi_offline.errors import ErrorList

from ..add_on import AddOn, After, Stack
from .args import GreetingOptions

if TYPE_CHECKING:
    from .plan import GreetingPlan


def _plan(stack: Stack, options: GreetingOptions, errors: ErrorList) -> "GreetingPlan | None":
    from .plan import plan_greeting

    return plan_greeting(options, len(stack.pools), errors.at("greeting"))


ADD_ON = AddOn("greeting", GreetingOptions, _plan, After.CLAIMS, namespaces={"greetings": "the greeting"})
''',
    "plan.py": '''"""What a greeting says."""

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen

from .args import GreetingOptions


@frozen
class GreetingPlan:
    """What ``Greeting`` writes down."""

    text: str
    warnings: tuple[str, ...] = ("greeting: nobody may answer",)


def plan_greeting(options: GreetingOptions, pools: int, errors: ErrorList) -> GreetingPlan | None:
    """Plan a greeting of some pools. Returns ``None`` when an error was added."""
    words = options.get("words", "hello")
    if not words:
        errors.at("words").add("empty; say something")
    return None if errors else GreetingPlan(f"{words}, {pools}")
''',
    "component.py": '''"""A greeting in a ConfigMap."""

from collections.abc import Mapping
from typing import Any

import pulumi_kubernetes as k8s

from ....component.frame import Opts, PlannedComponent, inputs, waiting_for
from ...on_cluster import Links, on_cluster
from ...plan.context import Part
from ...site import Outputs, Site
from .args import GreetingOptions
from .plan import GreetingPlan


class Greeting(PlannedComponent[GreetingPlan, Links]):
    """A greeting for all pods."""

    def _make(self, name: str, plan: GreetingPlan, links: Links, shown: Mapping[str, Any], opts: Opts) -> None:
        super().__init__("rdma-cluster:index:Greeting", name, shown, opts)
        child = on_cluster(self, links.statements)
        k8s.core.v1.ConfigMap(name, metadata={"name": "greeting"}, data={"text": plan.text}, opts=child)
        self.register_outputs({})


def install(name: str, part: Part[GreetingOptions, GreetingPlan], site: Site) -> Outputs:
    """Write the greeting of a stack down."""
    shown = inputs(GreetingOptions, part.options)
    Greeting.planned(name, part.plan, Links(part.statements), shown, waiting_for(site.on_cluster, site.named))
    return {}
''',
}
IMPORT = "from .queues.args import QueueOptions\n"
KEY = "    readiness: NotRequired[ReadinessOptions]\n"
FIELD = "    warnings: tuple[str, ...] = ()\n"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the add-on in it."""
    copy = tmp_path_factory.mktemp("greeting") / "rdma_cluster"
    shutil.copytree(ORIGINAL.parent, copy.parent, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    (copy / FOLDER / "greeting").mkdir()
    for name, text in FILES.items():
        (copy / FOLDER / "greeting" / name).write_text(text)
    entry = copy / FOLDER / ENTRY
    text = entry.read_text()
    for place, line in (
        (IMPORT, "from .greeting.args import GreetingOptions\n"),
        (KEY, '    greeting: NotRequired[GreetingOptions]\n    """A greeting for all pods. Default: none."""\n'),
        (FIELD, '    greeting: "Part[GreetingOptions, Any] | None" = None\n'),
    ):
        assert text.count(place) == 1
        text = text.replace(place, line + place)
    entry.write_text(text)
    return copy


def said(package: Path, *words: str, code: int = 0) -> str:
    """What the copy's command prints before it ends with a code."""
    program = "import sys; from rdma_cluster.cli.app import run; sys.exit(run(sys.argv[1:]))"
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_a_folder_and_one_file_are_touched(package: Path):
    """Nothing else in the library knows its name."""
    before, after = (
        {path.relative_to(folder): path.read_text() for path in folder.rglob("*.py")} for folder in (ORIGINAL, package)
    )
    touched = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}

    assert touched == {FOLDER / ENTRY, *(FOLDER / "greeting" / name for name in FILES)}


@pytest.mark.parametrize("cloud", ["gke", "oke"])
def test_its_key_is_the_users(package: Path, cloud: str):
    """On every cloud: with its meaning, in the schema of stack files, refused where it cannot work, on or off."""
    assert "A greeting for all pods" in said(package, "explain", "greeting", "--cloud", cloud)
    assert "greeting" in said(package, "schema", cloud)
    for enabled in ("true", "false"):
        asked = ("--set", f"greeting.enabled={enabled}", "--set", "greeting.words=''")
        assert "greeting.words: empty; say something" in said(package, "plan", cloud, *asked, code=2)
    assert "greeting: nobody may answer" in said(package, "plan", cloud, "--set", "greeting.enabled=true")


def test_its_namespace_is_taken(package: Path):
    """By the library: no claim templates go there."""
    assert "the greeting" in said(package, "plan", "gke", "--set", "claims.namespaces=[greetings]", code=2)


def test_it_is_installed(package: Path):
    """Behind what it comes after; of all other resources the whole alone is another: it shows the key."""
    graphs: list[Any] = [
        json.loads(said(package, "preview", "gke", "--json", *more))
        for more in ((), ("--set", "greeting.enabled=true"))
    ]
    (before, after) = ({each["urn"]: each for each in graph["resources"]} for graph in graphs)
    new = {after[urn]["type"]: after[urn] for urn in after.keys() - before.keys()}
    component, map_ = new.pop("rdma-cluster:index:Greeting"), new.pop("kubernetes:core/v1:ConfigMap")

    assert new == {}
    assert component["inputs"] == {"enabled": True}
    assert any("ClaimTemplates" in urn for urn in component["dependencies"])
    assert map_["inputs"]["data"] == {"text": "hello, 1"}
    assert [urn.rpartition("::")[0].rpartition(":")[2] for urn in before if before[urn] != after[urn]] == [
        "GkeRdmaCluster"
    ]
