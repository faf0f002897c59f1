"""While the command plans, it imports neither Pulumi nor a component; `make lint` holds what a file may import."""

import json
import subprocess
import sys

import pytest
from tests.stacks import ROOT, STACKS

COMMANDS = [
    *(["plan", stack] for stack in STACKS),
    ["plan", "gke", "--json"],
    ["machines", "a4-highgpu-8g"],
    ["--help"],
]
CODE = f"""
import json, sys
from contextlib import redirect_stdout
from io import StringIO
from rdma_cluster.cli.app import run

def imported():
    packages = {{each.split(".")[0] for each in sys.modules}} - {{"pulumi_offline"}}
    return sorted(each for each in packages if each == "grpc" or each.startswith("pulumi"))

done = {{}}
for words in {COMMANDS!r}:
    with redirect_stdout(StringIO()) as out:
        code = run(words)
    done[" ".join(words)] = [code, bool(out.getvalue()), imported()]
import rdma_cluster.component.frame
done["a component"] = [0, True, ["pulumi"] if "pulumi" in imported() else []]
print(json.dumps(done))
"""


@pytest.fixture(scope="module")
def commands() -> dict[str, list]:
    """Exit code, output and imports of each command, one after the other in a process; then those of a component."""
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.parametrize("command", [" ".join(words) for words in COMMANDS])
def test_a_command_that_plans_imports_no_pulumi(command: str, commands: dict[str, list]):
    """A plan is fast enough for an editor because of this."""
    assert commands[command] == [0, True, []]
    assert commands["a component"][2] == ["pulumi"], "the look is blind"


def test_no_test_file_imports_an_sdk_while_it_is_collected(imported_early: list[str]):
    """Each of several processes would wait for all SDKs, and so would who runs one test."""
    assert imported_early == []
