"""The graphs of our stacks, each built once in a run of the tests."""

import os
import pickle
from contextlib import chdir
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi_offline import Graph
from rdma_cluster.base.config import CLOUD
from rdma_cluster.cli.preview import run_program
from rdma_cluster.cli.stack_file import read_stack

ROOT = Path(__file__).parents[1]
STACKS = sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in (ROOT / "stacks").glob("Pulumi.*"))
PROGRAMS = sorted(path.stem for path in (ROOT / "stacks").glob("*.py"))
"""The clouds that have a stack program."""
SHARED = "RDMA_CLUSTER_TEST_GRAPHS"


@cache
def cloud_of(stack: str) -> str:
    """The cloud that a stack's file names."""
    return yaml.safe_load((ROOT / "stacks" / f"Pulumi.{stack}.yaml").read_text())["config"][CLOUD]


def one_of_each_cloud() -> list[Any]:
    """Every stack as a parameter: a cloud's first one for `make test`, all others for `make thorough`."""
    seen: set[str] = set()
    found = []
    for stack in STACKS:
        found.append(pytest.param(stack, marks=[pytest.mark.thorough] if cloud_of(stack) in seen else []))
        seen.add(cloud_of(stack))
    return found


@cache
def graph_of(stack: str, *overrides: str) -> Graph:
    """What `rdma-cluster preview STACK --set ...` shows. Nobody may change it: it is shared.

    Processes that run side by side share it by a file, in the folder that SHARED names (tests/conftest.py).
    """
    file = Path(os.environ.get(SHARED, os.devnull)) / sha256(repr((stack, overrides)).encode()).hexdigest()
    if file.exists():
        return pickle.loads(file.read_bytes())
    with chdir(ROOT):
        graph = run_program(*read_stack(stack, None, overrides))
    if file.parent.is_dir():
        written = file.with_suffix(f".{os.getpid()}")
        written.write_bytes(pickle.dumps(graph))
        written.rename(file)
    return graph
