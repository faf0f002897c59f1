"""The files of docs/unit-tests.md run as they are printed, and fail where the program is wrong."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.stacks import ROOT

BLOCK = re.compile(r"^```python\n# (\S+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = dict(BLOCK.findall((ROOT / "docs" / "unit-tests.md").read_text()))
RUN = "import gc, runpy, sys; gc.disable(); runpy.run_module(sys.argv.pop(1), run_name='__main__')"
PYTEST = ("pytest", "-q", "-c", "/dev/null", "-p", "no:cacheprovider", "test_infra.py")
UNITTEST = ("unittest", "test_with_unittest")


def run_page(folder: Path, command: tuple[str, ...], *changes: tuple[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the page's files as a user would, with a change of the program."""
    for name, text in FILES.items():
        for old, new in changes:
            text = text.replace(old, new)
        (folder / name).write_text(text)
    command = (sys.executable, "-c", RUN, *command)
    # The tests' own settings of Python are not the user's.
    plain = {key: value for key, value in os.environ.items() if key != "PYTHONWARNINGS"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=plain)


@pytest.mark.thorough
@pytest.mark.parametrize("command", [PYTEST, UNITTEST], ids=lambda command: command[0])
def test_the_page_runs_as_printed(command: tuple[str, ...], tmp_path: Path):
    """pytest has our mocks, and unittest the echo of Pulumi's documentation."""
    done = run_page(tmp_path, command)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize(
    "change",
    [('"nodes": 2', '"nodes": 3'), ('"team": "research"', '"team": "else"'), ("labels=LABELS", "labels={}")],
    ids=str,
)
def test_the_pages_tests_fail_for_a_wrong_program(change: tuple[str, str], tmp_path: Path):
    old, new = change

    assert run_page(tmp_path, PYTEST, (old, new)).returncode != 0
