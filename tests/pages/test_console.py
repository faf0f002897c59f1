"""The console blocks of our pages: each command runs as it is printed, or is named here with why it cannot.

What a page shows below a command is what the command prints (``printed.py`` says what may vary). A command with nothing
below it shows nothing of it.
"""

import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
from rdma_cluster.cli.app import run
from tests.nccl import render
from tests.pages.blocks import Block, run_blocks
from tests.pages.printed import shows
from tests.stacks import PROGRAMS, ROOT

NOT_RUN = {
    "aws": "needs an account",
    "az": "needs an account",
    "curl": "needs a cluster",
    "gcloud": "needs an account",
    "oci": "needs an account",
    "docker": "needs a machine with GPUs",
    "helm": "needs a cluster",
    "kubectl": "needs a cluster",
    "make e2e": "runs tests; the target is looked up",
    "make mutate": "runs tests; the target is looked up",
    "make test": "runs tests; the target is looked up",
    "pulumi": "needs an account",
    ".venv/bin/pytest": "runs tests",
}
"""Programs, and why a test cannot run them."""
SLOW = ("preview", "make preview", "init")
"""What imports an SDK, or makes files for one that does."""
OURS = f"exec {sys.executable} -c 'import sys; from rdma_cluster.cli import main; sys.exit(main())' \"$@\""
APPLY = "kubectl apply"
"""What is run by a program of ours, with the words of the real one."""
KUBECTL = f'exec {sys.executable} {Path(__file__).with_name("kubectl.py")} "$@"'
LOGS = {
    "run.log": render.log(),
    **{f"pair-{one}.log": render.log([f"node-{one}", f"node-{one + 1}"]) for one in (0, 1)},
    "results/run.log": render.log(form="EFA", collective="all_reduce", busbw=(380, 400, 450, 470)),
}
"""Logs of a reader's own runs."""


class Command(NamedTuple):
    """One command of a block, and what the page shows below it."""

    line: str
    shown: str

    @property
    def why_not(self) -> str | None:
        """Why it is not run, if it is not."""
        words = [word for word in self.line.split() if "=" not in word]
        if " ".join(words[:2]) == APPLY:
            return None
        return NOT_RUN.get(words[0]) or NOT_RUN.get(" ".join(words[:2]))

    @property
    def words(self) -> list[str] | None:
        """What our command is given, where no shell has anything else to do."""
        ours, *words = shlex.split(self.line, comments=True)
        signs = shlex.shlex(self.line, posix=True, punctuation_chars=True)
        return words if ours == "rdma-cluster" and not any(set(word) <= set("();<>|&") for word in signs) else None

    @property
    def code(self) -> int:
        """What it exits with: the README shows a plan that is refused, and two graphs that differ."""
        return 2 if "nodes=0" in self.line else int("graph diff" in self.line)


def commands(block: Block) -> list[Command]:
    """A line that ends in a backslash goes on."""
    _, *rest = re.split(r"^\$ ", block.text.replace("\\\n", " "), flags=re.MULTILINE)
    return [Command(*each.partition("\n")[::2]) for each in rest]


ALL = {block.name: commands(block) for block in run_blocks("console")}
RUN = {name: ours for name, every in ALL.items() if (ours := [each for each in every if not each.why_not])}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone as a reader has it, where what a command writes is nobody's; a job's file, and logs of runs."""
    for entry in ROOT.iterdir():
        if not entry.name.startswith("."):
            (tmp_path / entry.name).symlink_to(entry)
    for text in (block.text for block in run_blocks("yaml") if block.text.startswith("# job.yaml")):
        (tmp_path / "job.yaml").write_text(text)
    (tmp_path / "results").mkdir()
    for name, lines in LOGS.items():
        text = render.joined(lines)
        (tmp_path / name).write_bytes(text.replace(b"H200", b"B200") if "pair" in name else text)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    for name, script in {"rdma-cluster": OURS, "kubectl": KUBECTL}.items():
        (tmp_path / ".venv" / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / ".venv" / "bin" / name).chmod(0o755)
    (tmp_path / ".venv" / ".run").touch()  # `make` takes the environment as made
    return tmp_path


def of_blocks() -> list[object]:
    """Every block, the slow ones for `make thorough`; a tutorial where its cloud's SDK is imported anyway."""
    slow = {name for name, ours in RUN.items() if any(word in each.line for each in ours for word in SLOW)}
    marks = {name: [pytest.mark.thorough] if name in slow else [] for name in RUN}
    for name, cloud in ((name, cloud) for name in RUN for cloud in PROGRAMS if f"tutorial-{cloud}." in name):
        marks[name].append(pytest.mark.xdist_group(cloud))
    return [pytest.param(name, marks=marks[name]) for name in RUN]


def in_shell(commands: list[Command], clone: Path, printed: Path) -> list[str]:
    """What each prints, one after the other in one shell."""
    paths = {"PATH": f"{clone / '.venv/bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "components")}
    plain = {key: value for key, value in os.environ.items() if key not in ("PYTHONWARNINGS", "MAKEFLAGS", "MAKELEVEL")}
    script = "\n".join(
        f"{{ {each.line}\n}} > {printed / str(number)} 2>&1\n[ $? = {each.code} ] || exit 9"
        for number, each in enumerate(commands)
    )
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", script], cwd=clone, capture_output=True, text=True, env={**plain, **paths}
    )
    said = [(printed / str(number)).read_text() for number in range(len(list(printed.iterdir())))]

    assert done.returncode == 0, f"{commands[len(said) - 1].line}\n{said[-1][-2000:]}"
    return said


def in_this_process(commands: list[Command], clone: Path) -> list[str]:
    """The same without a shell: a process for each would import everything anew."""
    said = []
    for each in commands:
        with chdir(clone), redirect_stdout(StringIO()) as out, redirect_stderr(out):
            code = run(each.words or ())
        assert code == each.code, f"{each.line}\n{out.getvalue()[-2000:]}"
        said.append(out.getvalue())
    return said


@pytest.mark.parametrize("name", of_blocks())
def test_commands_run_as_printed(name: str, clone: Path, tmp_path_factory: pytest.TempPathFactory):
    """One after the other; a plan that the page shows refused is refused."""
    if all(each.words for each in RUN[name]):
        said = in_this_process(RUN[name], clone)
    else:
        said = in_shell(RUN[name], clone, tmp_path_factory.mktemp("printed"))
    for command, text in zip(RUN[name], said, strict=True):
        assert not command.shown or shows(command.shown, text), f"$ {command.line}\n{text}"
        assert "Traceback" not in text
        assert "No such file" not in text


def test_nothing_is_excused_in_vain():
    """Each program that is not run stands in a page."""
    reasons = {each.why_not for every in ALL.values() for each in every}

    assert {None, *NOT_RUN.values()} == reasons
    assert RUN


def test_every_target_is_there():
    """`make TARGET` of a page is in the Makefile."""
    makefile = (ROOT / "Makefile").read_text()
    targets = {each for line in re.findall(r"^([a-z][\w -]*):", makefile, re.MULTILINE) for each in line.split()}
    asked = {match for every in ALL.values() for each in every for match in re.findall(r"\bmake ([\w-]+)", each.line)}

    assert asked
    assert asked <= targets
