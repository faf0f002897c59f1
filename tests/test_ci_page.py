"""The step `compare` of docs/ci.md runs as it is printed; its exit code and its comment say what changes."""

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


def compare(folder: Path, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, int]:
    """Exit code and comment of the step after a change of the stack file, and the exit code of the step behind it."""
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
    keep = subprocess.run(["bash", "-e", "-c", STEPS["keep what is there"]], cwd=folder, capture_output=True, text=True)
    assert not keep.stderr, keep.stderr
    return done.returncode, (folder / "comment.md").read_text(), keep.returncode


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("old", "new", "code", "told", "kept"),
    [
        ("nodes: 2", "nodes: 2", 0, "nothing changes", 0),
        ("nodes: 2", "nodes: 4", 0, "~ inputs.nodeCount: 2 -> 4", 0),
        ("nodes: 2", "nodes: 0", 2, "pools[0].nodes: got 0; must be 1 or more", 0),
        ("a4-highgpu-8g", "a3-ultragpu-8g", 0, "! replaces the pool gke-a4: ", 1),
        ("name: a4", "name: gpu", 0, "! deletes the pool gke-a4 and ", 1),
        ("us-west8-c", "us-west8-b", 0, "! replaces the network gke-rails ", 1),
    ],
)
# More than six parameters: a case has five parts.
def test_the_comment_tells_a_change_a_refusal_and_what_is_replaced(
    old: str, new: str, code: int, told: str, kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A refusal fails the job and stands in the comment all the same."""
    got, comment, keep = compare(tmp_path, old, new, monkeypatch)

    assert (got, keep) == (code, kept)
    assert told in comment
    assert comment.count("```") == 4
