"""The wall of the house as it is while the command runs: what plans imports neither Pulumi nor a component.

What a file may import is a contract in pyproject.toml, which `make lint` holds.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rdma_cluster
from tests.stacks import ROOT, STACKS

PACKAGE = Path(rdma_cluster.__file__).parent
RIGHT_OF_IT = """
def right_of_the_wall(modules):
    packages = {each.split(".")[0] for each in modules}
    return sorted(each for each in packages if each == "grpc" or each.startswith("pulumi") and each != "pulumi_offline")
"""
"""What a process has imported of Pulumi, in which every command below runs."""


@pytest.mark.parametrize("addon", ["inference", "injection", "monitoring", "queues", "storage"])
def test_an_addon_has_the_same_parts_as_the_others(addon: str):
    """Its component alone may import Pulumi, so it has one, and nothing of it stands elsewhere."""
    files = {path.name for path in (PACKAGE / "incluster" / "addons" / addon).glob("*.py")}

    assert {"__init__.py", "args.py", "plan.py", "component.py"} <= files


COMMANDS = [
    *(["plan", stack] for stack in STACKS),
    ["plan", "gke", "--json"],
    ["machines", "a4-highgpu-8g"],
    ["--help"],
]


@pytest.fixture(scope="module")
def commands() -> list[dict[str, Any]]:
    """What each command returned and printed, and what it had imported by then, one after the other in a process."""
    code = f"""{RIGHT_OF_IT}
import json, sys
from contextlib import redirect_stdout
from io import StringIO
from rdma_cluster.cli.app import run

done = []
for words in {COMMANDS!r}:
    with redirect_stdout(StringIO()) as out:
        code = run(words)
    done.append({{"code": code, "out": out.getvalue(), "wrong": right_of_the_wall(sys.modules)}})
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
    code = RIGHT_OF_IT + "import sys, rdma_cluster.component.frame; assert 'pulumi' in right_of_the_wall(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_test_file_imports_an_sdk_to_be_collected(imported_early: list[str]):
    """Each of several processes would wait for all SDKs, and so would who runs one test: import them in a test."""
    assert imported_early == []
