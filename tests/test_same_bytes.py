"""Two previews of one configuration are the same, byte by byte."""

import json
import os
import subprocess
import sys
from functools import cache

import pytest
from rdma_cluster.cli.output import as_json
from tests.clouds import clouds
from tests.stacks import ROOT, graph_of

# In one process, which asks the other one once.
pytestmark = [pytest.mark.xdist_group("same bytes"), pytest.mark.thorough]

GRAPHS = {
    f"{cloud.name}: {name}": cloud.graphs[name]
    for cloud in clouds()
    # With two of something a set has an order to lose.
    for name in [name for name in cloud.graphs if name.startswith("two ")] or cloud.stacks[:1]
}

PREVIEWS = """
import gc, json
gc.disable()
from contextlib import redirect_stdout
from io import StringIO
from rdma_cluster.cli.app import run

texts = {{}}
for name, words in {graphs!r}.items():
    with redirect_stdout(StringIO()) as out:
        assert run(["preview", *words, "--json"]) == 0
    texts[name] = out.getvalue()
print(json.dumps(texts))
"""


@cache
def elsewhere() -> dict[str, str]:
    """The output of the command for each stack, in a process of another hash seed."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    commands = {name: [stack, *(f"--set={each}" for each in overrides)] for name, (stack, *overrides) in GRAPHS.items()}
    code = PREVIEWS.format(graphs=commands)

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", GRAPHS)
def test_a_preview_in_another_process_is_byte_identical(name: str):
    """Every set has another order there."""
    assert elsewhere()[name] == as_json(graph_of(*GRAPHS[name]).to_dict()) + "\n"
