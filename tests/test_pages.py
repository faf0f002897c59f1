"""The console blocks of README and docs/: each command runs as it is printed, or is named here with why it cannot.

An HTML comment above a block, `<!-- not run: WHY -->`, leaves out the whole block.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stacks import ROOT

NOT_RUN = {
    "aws": "needs an account",
    "az": "needs an account",
    "curl": "needs a cluster",
    "docker": "needs a machine with GPUs",
    "helm": "needs a cluster",
    "kubectl": "needs a cluster",
    "make": "runs the tests themselves; its target is looked up",
    "pulumi": "needs an account",
    ".venv/bin/pytest": "runs the tests themselves",
}
"""Programs, and why a test cannot run them."""

BLOCK = re.compile(r"^(?:<!-- not run: (.+) -->\n)?```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
JOB = "apiVersion: v1\nkind: Pod\nmetadata: {name: train}\nspec: {containers: [{name: main, image: train}]}\n"


def program(command: str) -> str:
    """What a command starts, behind what it sets in the environment."""
    return next(word for word in command.split() if "=" not in word)


def blocks() -> dict[str, list[str]]:
    """The commands of every block that may run, by page and number; a line that ends in a backslash goes on."""
    found = {}
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for number, (reason, text) in enumerate(BLOCK.findall(page.read_text())):
            if not reason:
                lines = text.replace("\\\n", " ").splitlines()
                found[f"{page.name}-{number}"] = [line[2:] for line in lines if line.startswith("$ ")]
    return found


def code_of(command: str) -> int:
    """What it exits with: the README shows a plan that is refused, and two graphs that differ."""
    return 2 if "nodes=0" in command else int("graph diff" in command)


BLOCKS = blocks()
RUN = {
    name: ours
    for name, commands in BLOCKS.items()
    if any(program(each) == "rdma-cluster" for each in commands)
    and (ours := [each for each in commands if program(each) not in NOT_RUN])
}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone as a reader has it, where what a command writes is nobody's; and a job's file."""
    for name in ("Pulumi.yaml", "__main__.py", "stacks", "components"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "job.yaml").write_text(JOB)
    (tmp_path / "bin").mkdir()
    ours = f"exec {sys.executable} -c 'import sys; from rdma_cluster.cli import main; sys.exit(main())' \"$@\""
    for name, script in {"rdma-cluster": ours, "kubectl": "exec cat > /dev/null"}.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


@pytest.mark.thorough
@pytest.mark.parametrize("name", RUN)
def test_commands_run_as_printed(name: str, clone: Path):
    """One after the other in one shell; a plan that the page shows refused is refused."""
    paths = {"PATH": f"{clone / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "components")}
    plain = {key: value for key, value in os.environ.items() if key != "PYTHONWARNINGS"}
    script = "\n".join(f"{each}\n[ $? = {code_of(each)} ] || exit 9" for each in RUN[name])
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", script], cwd=clone, capture_output=True, text=True, env={**plain, **paths}
    )

    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    assert "No such file" not in done.stderr


def test_every_other_command_is_known():
    """What is not run has its reason."""
    started = {program(command) for commands in BLOCKS.values() for command in commands}

    assert started - {"rdma-cluster", "mkdir"} == NOT_RUN.keys() & started
    assert RUN


def test_every_target_is_there():
    """`make TARGET` of a page is in the Makefile."""
    targets = {"thorough"} | set(
        re.findall(r"^([a-z][\w-]*)(?: [\w-]+)*:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    )
    asked = [
        each.split("make ")[1].split()[0] for every in BLOCKS.values() for each in every if program(each) == "make"
    ]

    assert asked
    assert set(asked) <= targets
