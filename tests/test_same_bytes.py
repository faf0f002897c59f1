"""Two previews of one configuration are the same, byte by byte."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stacks import ROOT, STACKS, graph_of

SCRIPT = Path(sys.executable).parent / "rdma-cluster"


@pytest.mark.parametrize("stack", STACKS)
def test_previews_are_byte_identical(stack: str):
    """In processes of different hash seeds, and in this one."""
    running = [
        subprocess.Popen(
            [SCRIPT, "preview", stack, "--json"],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
        )
        for seed in ("1", "2")
    ]
    one, other = (process.communicate()[0] for process in running)

    assert one == other
    assert [process.returncode for process in running] == [0, 0]
    assert len(graph_of(stack).resources) == one.count(b'"urn":') > 0
