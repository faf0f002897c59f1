"""A program cannot tell a Python that forks from one that starts."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rdma_rehearsal.fork_server import pythons
from rdma_rehearsal.fork_server_main import PROGRAM

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork: run on Linux or macOS")
TELL = """
import json, os, sys
early = "colorsys" in sys.modules
import colorsys
print(json.dumps([sys.argv, os.getcwd(), os.environ.get("TOLD"), __name__, hash("a"), sys.stdin.read(), early]))
print("an error", file=sys.stderr)
sys.exit(32)
"""
WAIT = """
import signal
# Where tests run in the background, a shell has them ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
import sys, time
try:
    print("begun")
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(7)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """The path of the language host's program."""
    return tmp_path / PROGRAM


def test_a_program_has_the_words_folder_environment_and_files_of_its_command(script: Path, tmp_path: Path):
    """It ends as the command does."""
    script.write_text(TELL)
    environment = {**os.environ, "TOLD": "so"}

    cold, warm = (
        subprocess.run(
            [python, str(script), "a", "b"], cwd=tmp_path, env=environment, input="in", capture_output=True, text=True
        )
        for python in (sys.executable, pythons()[0])
    )

    assert (warm.returncode, warm.stderr) == (cold.returncode, cold.stderr) == (32, "an error\n")
    told = json.loads(warm.stdout)
    assert told[:4] == json.loads(cold.stdout)[:4] == [[str(script), "a", "b"], str(tmp_path), "so", "__main__"]
    assert told[5] == "in"


def test_modules_that_were_imported_once_are_there(script: Path):
    """So they are for a Python with another hash seed."""
    script.write_text(TELL)
    runs = [
        subprocess.run([python, str(script)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        for python in (*pythons(), *pythons())
    ]
    *_, (*_, first_seed, _, there), (*_, second_seed, _, also_there) = [json.loads(each.stdout) for each in runs]

    assert there
    assert also_there
    assert first_seed != second_seed


def test_an_interrupt_reaches_the_program(script: Path):
    """The engine ends a program so."""
    script.write_text(WAIT)
    with subprocess.Popen([pythons()[0], str(script)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)

        assert process.wait(timeout=30) == 7
