"""The graphs of our stacks, each built once: `make test`, `make thorough` and `make scan` share them."""

import os
import pickle
import shutil
import sys
from collections.abc import Iterator
from contextlib import chdir
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi_offline import Graph, sdk
from rdma_cluster.base.config import CLOUD
from rdma_cluster.cli.preview import run_program
from rdma_cluster.cli.stack_file import read_stack

ROOT = Path(__file__).parents[1]
STACKS = sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in (ROOT / "stacks").glob("Pulumi.*"))
PROGRAMS = sorted(path.stem for path in (ROOT / "stacks").glob("*.py"))
"""The clouds that have a stack program."""
SHARED = "RDMA_CLUSTER_TEST_GRAPHS"
"""The environment variable that names another folder for graphs, or os.devnull where no graph may be kept."""
KEPT = ROOT / "build" / "graphs"
_SDKS = ("pulumi", "pulumi-aws", "pulumi-azure-native", "pulumi-gcp", "pulumi-kubernetes", "pulumi-oci")
_PACKAGES: dict[str, str] = {each.removeprefix("pulumi-"): each.replace("-", "_") for each in _SDKS}
_OLDER = 3
"""So many other states of the source keep their graphs."""


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
    """Return what `rdma-cluster preview STACK --set ...` shows. Nobody may change it: it is shared.

    Processes and runs share it by a file, as long as nothing changes that a graph is built from.
    """
    file = graphs() / sha256(repr((stack, overrides)).encode()).hexdigest()
    if file.exists():
        graph = pickle.loads(file.read_bytes())
        # Who builds a graph has imported its SDKs; what these know about types is asked of a kept one, too.
        for package in {sdk.package(each.type) for each in graph.resources} & _PACKAGES.keys():
            import_module(_PACKAGES[package])
        return graph
    with chdir(ROOT):
        graph = run_program(*read_stack(stack, None, overrides))
    if file.parent.is_dir():
        written = file.with_suffix(f".{os.getpid()}")
        written.write_bytes(pickle.dumps(graph))
        written.rename(file)
    return graph


def graphs() -> Path:
    """Return the folder of the graphs that this source and these SDKs build."""
    if chosen := os.environ.get(SHARED):
        return Path(chosen)
    folder = KEPT / _digest()
    os.environ[SHARED] = str(folder)  # for the processes that this one starts
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for old in sorted(KEPT.iterdir(), key=lambda each: each.stat().st_mtime)[: -1 - _OLDER]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


def _digest() -> str:
    """Digest every file that a graph is built from, the versions of the SDKs and of Python."""
    installed = [[found.version for found in distributions(name=each)] for each in _SDKS]
    found = sha256(repr((sys.version, installed)).encode())
    for file in _sources():
        found.update(b"%s %d " % (str(file.relative_to(ROOT)).encode(), file.stat().st_size))
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def _sources() -> Iterator[Path]:
    yield from sorted(each for each in ROOT.glob("*.*") if each.suffix in (".py", ".yaml", ".toml"))
    for folder in ("components", "stacks"):
        for at, folders, files in os.walk(ROOT / folder):
            folders[:] = sorted(each for each in folders if each != "__pycache__" and not each.endswith(".egg-info"))
            yield from (Path(at, each) for each in sorted(files))
