"""Where the command writes to: terminals of any width, pipes that close, outputs that are closed, full or ASCII."""

import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from rdma_cluster import __version__
from tests.cli.commands import command
from tests.stacks import ROOT, STACKS

pytestmark = pytest.mark.variant

COMMAND = str(Path(sys.executable).parent / "rdma-cluster")


PLANS = f"from rdma_cluster.cli.app import run; [run(['plan', stack]) for stack in {STACKS}]"
"""All stacks in one process."""


def on_terminal(*words: str, columns: int, **environment: str) -> str:
    """What the command shows on a terminal of this width."""
    return shown_by(COMMAND, *words, columns=columns, **environment)


def shown_by(*words: str, columns: int, **environment: str) -> str:
    """What a program shows there."""
    here, there = pty.openpty()
    env = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm", **environment}
    with subprocess.Popen(words, cwd=ROOT, stdout=there, stderr=there, env=env) as process:
        os.close(there)
        shown = b""
        while select.select([here], [], [], 60)[0]:
            try:
                shown += os.read(here, 1 << 16)
            except OSError:  # Linux says so when the other end is closed
                break
        process.wait(60)
    os.close(here)
    assert process.returncode == 0
    return shown.decode().replace("\r\n", "\n")


def through_shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line of bash; the command is `$it`."""
    env = {**os.environ, "it": COMMAND, **environment}
    return subprocess.run(["bash", "-c", line], cwd=ROOT, env=env, capture_output=True, text=True)


def test_plans_fit_eighty_columns():
    """No line of any table is longer than the terminal, styles not counted; every name of a rail is whole."""
    before, *shown = shown_by(sys.executable, "-c", PLANS, columns=80).split("stack \x1b[1m")

    assert (before, len(shown)) == ("", len(STACKS))
    for stack, plan in zip(STACKS, shown, strict=True):
        plain = re.sub(r"\x1b\[\d+m", "", plan)
        assert plain.startswith(f"{stack}\n")
        assert max(map(len, plain.splitlines())) <= 80
        assert re.search(r"^3 +[-\d]", plain, re.MULTILINE)


def test_wider_terminals_are_used():
    """The same plan has longer lines where there is room."""
    narrow, wide = (on_terminal("plan", "gke", columns=columns) for columns in (80, 118))

    assert 80 < max(map(len, wide.splitlines())) <= 118 + len("\x1b[1m\x1b[0m")
    assert len(narrow.splitlines()) > len(wide.splitlines())


def test_colours_can_be_declined():
    """By NO_COLOR, and by a terminal that has none."""
    assert "\x1b" not in on_terminal("plan", "gke", columns=80, NO_COLOR="1")
    assert "\x1b" not in on_terminal("plan", "gke", columns=80, TERM="dumb")


def test_reader_that_has_enough():
    """`| head` ends quietly, however much was left to write."""
    done = through_shell('set -o pipefail; "$it" machines --json | head -1; exit ${PIPESTATUS[0]}')

    assert (done.returncode, done.stdout, done.stderr) == (0, "[\n", "")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('"$it" plan gke >&-', "standard output is closed; there is nowhere to write to\n"),
        ('"$it" plan gke > /dev/full', "No space left on device\n"),
        ('d=$(mktemp -d); cd "$d"; rmdir "$d"; "$it" plan gke', "this folder is gone; change into one that exists\n"),
        (
            '"$it" verdict /dev/zero --machine a4-highgpu-8g --nodes 2 --plot /no/such/plot.svg',
            "--plot: '/no/such/plot.svg' cannot be written; name a file in a folder that is there\n",
        ),
        ('"$it" plan gke --config /tmp', "tmp: cannot be read: Is a directory\n"),
    ],
)
def test_nowhere_to_read_or_write(line: str, expected: str):
    """One line that says why, and exit code 2."""
    done = through_shell(line)

    assert (done.returncode, done.stderr) == (2, expected)


def test_flags_are_checked_before_a_log_is_read():
    """A log that never ends is not begun where a waiver names no gate."""
    done = through_shell('timeout 30 "$it" verdict /dev/zero --machine a4-highgpu-8g --nodes 2 --waive speed')

    assert done.returncode == 2 and "--waive: got 'speed'" in done.stderr


@pytest.mark.thorough
def test_terminal_that_knows_ascii_only():
    """Lines are drawn with what it has."""
    done = through_shell('"$it" preview gke', PYTHONIOENCODING="ascii")

    assert (done.returncode, done.stderr) == (0, "")
    assert "`-- GkeRdmaCluster gke\n" in done.stdout and "\n-----" in done.stdout


def test_stack_file_from_a_pipe():
    """Standard input, and a file that is a pipe."""
    plain = through_shell('"$it" plan gke')
    piped = through_shell('"$it" plan gke --config - < stacks/Pulumi.gke.yaml')
    substituted = through_shell('"$it" plan gke --config <(cat stacks/Pulumi.gke.yaml)')

    assert (plain.returncode, plain.stdout) == (piped.returncode, piped.stdout)
    assert (plain.returncode, plain.stdout) == (substituted.returncode, substituted.stdout)


def test_version_and_help():
    """Both on stdout, with exit code 0; every verb has its help."""
    assert re.fullmatch(
        rf"rdma-cluster {__version__}( \([0-9a-f]{{7,}}(-dirty)?\))?\n", through_shell('"$it" --version').stdout
    )
    for verb in ("", "plan", "preview", "stacks", "machines", "claims", "verdict", "graph diff", "init", "schema"):
        code, out, err = command(*verb.split(), "-h")
        assert (code, err) == (0, "")
        assert out.startswith(f"usage: rdma-cluster {verb}".rstrip())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("pl", ["plan"]),
        ("plan gke-a", ["gke-a3-high", "gke-a3-mega", "gke-a3-ultra", "gke-a4x"]),
        ("plan gke --se", ["--set"]),
        ("machines a4-", ["a4-highgpu-8g"]),
        ("graph ''", ["diff"]),
        ("deploy ''", []),
    ],
)
def test_completion(words: str, expected: list[str]):
    """What bash offers next, through the script that the command prints."""
    line = (
        'PATH=$(dirname "$it"):$PATH; source <(rdma-cluster completion bash); '
        f"COMP_WORDS=(rdma-cluster {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _rdma_cluster; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = through_shell(line)

    assert (done.stdout.split(), done.stderr) == (expected, "")


def test_stacks():
    """Every stack of the project with its cloud."""
    done = through_shell('"$it" stacks')

    assert [line.split()[0] for line in done.stdout.splitlines()[2:]] == sorted(STACKS)
