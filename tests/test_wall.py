"""The wall of the house: what plans imports neither Pulumi nor a component."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rdma_cluster
from rdma_cluster.common import CLOUDS

from tests.stacks import ROOT, STACKS

PACKAGE = Path(rdma_cluster.__file__).parent
PURE = ("catalog", "claims", "common", "conform", "constraints", "fabrics", "injection", "nccl", "supply", "upgrades")
RIGHT_OF_IT = ("component", "program", "pulling", "tagging", "testing", "__init__")


def left_of_the_wall() -> list[str]:
    """Every module that must not know of Pulumi: facts, claims, verdicts, plans, and what these stand on."""
    found = [f"rdma_cluster.{path.stem}" for path in PACKAGE.glob("*.py") if path.stem not in RIGHT_OF_IT]
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        is_pure_addon = parts[:2] == ("incluster", "addons") and parts[-1] != "component"
        if "plan" in parts or parts[0] in PURE or is_pure_addon:
            found.append(".".join(("rdma_cluster", *(part for part in parts if part != "__init__"))))
    # What GKE and plain machines make alike is the one file of `common` that imports an SDK.
    return [name for name in found if not name.endswith(("__main__", "google.resources"))]


def test_the_wall_is_where_it_should_be():
    """The list is not empty by mistake."""
    modules = left_of_the_wall()

    for wanted in (
        "catalog.gke",
        "claims.generate",
        "common.google.names",
        "common.stack",
        "conform.judge",
        "fabrics.gib",
        "nccl.verdict",
        "gke.plan.node_pool",
        "incluster.plan.in_cluster",
        "constraints.kubernetes",
        "incluster.addons.plan",
        "incluster.addons.queues.charts",
    ):
        assert f"rdma_cluster.{wanted}" in modules


@pytest.mark.parametrize("addon", ["inference", "injection", "monitoring", "queues", "storage"])
def test_an_addon_has_the_same_parts_as_the_others(addon: str):
    """Its component alone may import Pulumi, so it has one, and nothing of it stands elsewhere."""
    files = {path.name for path in (PACKAGE / "incluster" / "addons" / addon).glob("*.py")}

    assert {"__init__.py", "args.py", "plan.py", "component.py"} <= files


def test_the_in_cluster_package_knows_no_cloud():
    """Clouds import it, for what runs in their clusters; the other way round would be a circle."""
    clouds = "|".join(("common", "google", *CLOUDS))
    files = sorted((PACKAGE / "incluster").rglob("*.py"))
    wrong = [path.name for path in files if re.search(rf"^\s*from \.\.+({clouds})[. ]", path.read_text(), re.MULTILINE)]

    assert files and wrong == []


def test_plans_import_no_pulumi():
    """Not one of these modules, nor anything they import; and so no component, for each of them does."""
    code = f"""
import importlib, sys
for name in {left_of_the_wall()!r}:
    importlib.import_module(name)
    wrong = [each for each in sys.modules if each.split(".")[0].startswith(("pulumi", "grpc"))]
    if wrong:
        sys.exit(f"{{name}} imports {{wrong[0]}}")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")


COMMANDS = [
    *(["plan", stack] for stack in STACKS),
    ["plan", "gke", "--json"],
    ["machines", "a4-highgpu-8g"],
    ["--help"],
]


@pytest.fixture(scope="module")
def commands() -> list[dict[str, Any]]:
    """What each command returned and printed, and what it had imported by then, one after the other in a process."""
    code = f"""
import json, sys
from contextlib import redirect_stdout
from io import StringIO
from rdma_cluster.cli.app import run

done = []
for words in {COMMANDS!r}:
    with redirect_stdout(StringIO()) as out:
        code = run(words)
    wrong = [each for each in sys.modules if each.split(".")[0].startswith(("pulumi", "grpc"))]
    done.append({{"code": code, "out": out.getvalue(), "wrong": wrong}})
print(json.dumps(done))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.parametrize("number", range(len(COMMANDS)), ids=lambda number: " ".join(COMMANDS[number]))
def test_command_imports_no_pulumi(number: int, commands: list[dict[str, Any]]):
    """A plan is fast enough for an editor because of this."""
    done = commands[number]

    assert (done["code"], done["wrong"]) == (0, [])
    assert done["out"]


def test_components_do():
    """The same look finds Pulumi where it is, so that the tests above can fail."""
    code = 'import sys, rdma_cluster.component; assert "pulumi" in sys.modules'
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_test_file_imports_an_sdk_to_be_collected(imported_early: list[str]):
    """Each of several processes would wait for all SDKs, and so would who runs one test: import them in a test."""
    assert imported_early == []
