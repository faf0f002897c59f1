"""Two previews of one configuration are the same, byte by byte."""

import json
import os
import subprocess
import sys

import pytest
from rdma_cluster.cli.output import as_json

from tests.stacks import ROOT, STACKS, graph_of

PREVIEWS = """
import gc, json
gc.disable()
from contextlib import redirect_stdout
from io import StringIO
from rdma_cluster.cli.app import run

texts = {{}}
for stack in {stacks!r}:
    with redirect_stdout(StringIO()) as out:
        assert run(["preview", stack, "--json"]) == 0
    texts[stack] = out.getvalue()
print(json.dumps(texts))
"""


@pytest.fixture(scope="module")
def elsewhere() -> dict[str, str]:
    """What the command prints of each stack, in a process of another hash seed."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    code = PREVIEWS.format(stacks=STACKS)

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("stack", STACKS)
def test_previews_are_byte_identical(stack: str, elsewhere: dict[str, str]):
    """In this process and in the other one, where the order of every set is another."""
    assert elsewhere[stack] == as_json(graph_of(stack).to_dict()) + "\n"
