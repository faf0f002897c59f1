"""Where the command writes to, in a process of its own: terminals, and pipes that are closed or full."""

import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from tests.stacks import ROOT, STACKS

pytestmark = pytest.mark.variant

COMMAND = str(Path(sys.executable).parent / "rdma-cluster")
PLANS = f"from rdma_cluster.cli.app import run; [run(['plan', stack]) for stack in {STACKS}]"
"""A program that prints the plans of all stacks."""


def on_terminal(*words: str, columns: int, **environment: str) -> str:
    """What a program shows on a terminal of this width."""
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
    """Runs a line of bash in which the command is `$it`."""
    env = {**os.environ, "it": COMMAND, **environment}
    return subprocess.run(["bash", "-c", line], cwd=ROOT, env=env, capture_output=True, text=True)


def test_plans_fit_eighty_columns_and_use_more():
    """Styles do not count; every name of a rail is whole."""
    before, *shown = on_terminal(sys.executable, "-c", PLANS, columns=80).split("stack \x1b[1m")

    assert (before, len(shown)) == ("", len(STACKS))
    for stack, plan in zip(STACKS, shown, strict=True):
        plain = re.sub(r"\x1b\[\d+m", "", plan)
        assert plain.startswith(f"{stack}\n") and max(map(len, plain.splitlines())) <= 80
        assert re.search(r"^3 +[-\d]", plain, re.MULTILINE)
    wide = on_terminal(COMMAND, "plan", "gke", columns=118)
    assert 80 < max(map(len, wide.splitlines())) <= 118 + len("\x1b[1m\x1b[0m")


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_a_reader_can_decline_colours(environment: dict[str, str]):
    assert "\x1b" not in on_terminal(COMMAND, "plan", "gke", columns=80, **environment)


def test_a_reader_that_has_enough_ends_the_command_quietly():
    done = through_shell('set -o pipefail; "$it" machines --json | head -1; exit ${PIPESTATUS[0]}')

    assert (done.returncode, done.stdout, done.stderr) == (0, "[\n", "")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('"$it" plan gke >&-', "standard output is closed"),
        ('"$it" plan gke > /dev/full', "No space left on device"),
        ('d=$(mktemp -d); cd "$d"; rmdir "$d"; "$it" plan gke', "this folder is gone"),
        ('"$it" plan gke --config /tmp', "tmp: "),
        # A log that never ends is not begun where an option is wrong.
        ('timeout 30 "$it" verdict /dev/zero --machine a4-highgpu-8g --nodes 2 --waive speed', "--waive: "),
    ],
)
def test_a_place_that_cannot_be_read_or_written_is_one_line(line: str, named: str):
    done = through_shell(line)

    assert (done.returncode, done.stderr.count("\n")) == (2, 1) and named in done.stderr


@pytest.mark.parametrize("source", ["- < stacks/Pulumi.gke.yaml", "<(cat stacks/Pulumi.gke.yaml)"])
def test_a_stack_file_may_come_from_a_pipe(source: str):
    plain, piped = through_shell('"$it" plan gke'), through_shell(f'"$it" plan gke --config {source}')

    assert (plain.returncode, plain.stdout) == (piped.returncode, piped.stdout)


@pytest.mark.parametrize(("words", "expected"), [("pl", ["plan"]), ("plan gke --se", ["--set"]), ("deploy ''", [])])
def test_bash_completes_by_the_script_that_the_command_prints(words: str, expected: list[str]):
    line = (
        'PATH=$(dirname "$it"):$PATH; source <(rdma-cluster completion bash); '
        f"COMP_WORDS=(rdma-cluster {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _rdma_cluster; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = through_shell(line)

    assert (done.stdout.split(), done.stderr) == (expected, "")
