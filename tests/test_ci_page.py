"""docs/ci.md: the workflow's step `compare` runs as it is printed, and its exit code and comment say what changes."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.stacks import ROOT

PAGE = (ROOT / "docs" / "ci.md").read_text()
(WORKFLOW,) = (yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
STEPS = {step["name"]: step["run"] for step in WORKFLOW["jobs"]["change"]["steps"] if "name" in step}
COMMAND = "import sys; from rdma_cluster.cli import main; sys.exit(main())"


def compare(folder: Path, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """The exit code of the step and its comment, where a pull request changes `old` in the stack file to `new`."""
    (base := folder / "base").mkdir()
    subprocess.run([sys.executable, "-c", COMMAND, "init", "gke"], cwd=base, check=True, capture_output=True)
    (command := base / ".venv" / "bin" / "rdma-cluster").parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{COMMAND}" "$@"\n')
    command.chmod(0o755)
    shutil.copytree(base, folder / "head")
    stack = folder / "head" / "Pulumi.gke.yaml"
    assert old in stack.read_text()
    stack.write_text(stack.read_text().replace(old, new))
    monkeypatch.setenv("STACK", "gke")
    # As GitHub runs a step whose shell nobody names.
    done = subprocess.run(["bash", "-e", "-c", STEPS["compare"]], cwd=folder, capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.returncode, (folder / "comment.md").read_text()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("new", "code", "told"),
    [
        ("nodes: 2", 0, "nothing changes"),
        ("nodes: 4", 0, "~ inputs.nodeCount: 2 -> 4"),
        ("nodes: 0", 2, "pools[0].nodes: got 0; must be 1 or more"),
    ],
)
def test_the_comment_tells_the_change(new: str, code: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Nothing, a change, and a refusal, which fails the job and stands in the comment all the same."""
    got, comment = compare(tmp_path, "nodes: 2", new, monkeypatch)

    assert got == code
    assert told in comment
    assert comment.count("```") == 4
