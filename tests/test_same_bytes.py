"""Two previews of one configuration are the same, byte by byte."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rdma_cluster.cli.output import as_json

from tests.stacks import ROOT, STACKS, graph_of

SCRIPT = Path(sys.executable).parent / "rdma-cluster"


@pytest.mark.parametrize("stack", STACKS)
def test_previews_are_byte_identical(stack: str):
    """In this process and in one of another hash seed, which makes the order of every set another one."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    environment = {**os.environ, "PYTHONHASHSEED": seed}

    other = subprocess.run([SCRIPT, "preview", stack, "--json"], cwd=ROOT, env=environment, capture_output=True)

    assert (other.returncode, other.stderr) == (0, b"")
    assert other.stdout.decode() == as_json(graph_of(stack).to_dict()) + "\n"
