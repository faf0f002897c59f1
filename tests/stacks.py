"""The graphs of our stacks, each built once in a run of the tests."""

from contextlib import chdir
from functools import cache
from pathlib import Path

import yaml
from rdma_cluster.cli.preview import run_program
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.config import CLOUD
from rdma_cluster.offline import Graph

ROOT = Path(__file__).parents[1]
STACKS = sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in (ROOT / "stacks").glob("Pulumi.*"))
PROGRAMS = sorted(path.stem for path in (ROOT / "stacks").glob("*.py"))
"""The clouds that have a stack program."""


@cache
def cloud_of(stack: str) -> str:
    """The cloud that a stack's file names."""
    return yaml.safe_load((ROOT / "stacks" / f"Pulumi.{stack}.yaml").read_text())["config"][CLOUD]


@cache
def graph_of(stack: str, *overrides: str) -> Graph:
    """What `rdma-cluster preview STACK --set ...` shows. Nobody may change it: it is shared."""
    with chdir(ROOT):
        return run_program(*read_stack(stack, None, overrides))
