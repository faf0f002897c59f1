"""The graphs of our stacks, each built once in a run of the tests."""

from contextlib import chdir
from functools import cache
from pathlib import Path

from rdma_cluster.cli.preview import run_program
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.offline import Graph

ROOT = Path(__file__).parents[1]
STACKS = sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in (ROOT / "stacks").glob("Pulumi.*"))


@cache
def graph_of(stack: str, *overrides: str) -> Graph:
    """What `rdma-cluster preview STACK --set ...` shows. Nobody may change it: it is shared."""
    with chdir(ROOT):
        return run_program(*read_stack(stack, None, overrides))
