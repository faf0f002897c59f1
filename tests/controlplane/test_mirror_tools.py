"""The lists for a mirror, run by the tools that they are for, from a registry with made-up contents into another.

oras and regctl are built from their Go modules. skopeo's module is not to be had from Go's proxy; its list is held by
the form that its manual gives (tests/supply/test_mirror.py).
"""

import os
import shlex
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest
from rdma_cluster.supply.fetched import Fetched, fetched
from rdma_cluster.supply.lock import Locked
from rdma_cluster.supply.mirror import FORMS, place_of
from rdma_cluster.supply.registry import ask
from rdma_rehearsal.controlplane.servers import HOST
from tests.stacks import graph_of
from . import build
from .registries import Registry, registry

SIGNED = "application/vnd.dev.sigstore.bundle.v0.3+json"


@pytest.fixture(scope="module")
def tools() -> Path:
    """The folder with both programs."""
    return build.build("copying")


@pytest.fixture(scope="module")
def wanted() -> list[Fetched]:
    """What a stack fetches by a tag: of what has a digest no made-up content can take the place."""
    listed = [each for each in fetched(graph_of("aks")) if each.kind != "helm" and "@" not in each.reference]
    assert len(listed) > 5
    return listed


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, tools: Path, wanted: list[Fetched]) -> Generator[Registry]:
    """One registry that plays all hosts of the world; the first of its images is signed."""
    folder = tmp_path_factory.mktemp("world")
    with registry(folder) as made:
        for each in wanted:
            repository, _, tag = each.reference.rpartition(":")
            if each.kind == "chart":
                made.chart(repository, tag)
            else:
                made.image(repository, tag, *(each.architectures or ("amd64",)), content=each.reference)
        (folder / "bundle.json").write_text("{}")
        attach = [tools / "oras", "attach", "--artifact-type", SIGNED, f"{by_name(made)}/{wanted[0].reference}"]
        done = subprocess.run([*attach, "bundle.json"], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        yield made


def by_name(of: Registry) -> str:
    """A registry as oras knows this machine: by its name alone it speaks to it without TLS."""
    return of.host.replace(HOST, "localhost")


@pytest.mark.parametrize("tool", ["oras", "regctl"])
def test_a_tool_copies_its_list(tool: str, tools: Path, world: Registry, wanted: list[Fetched], tmp_path: Path):
    """Line by line as printed: everything lies where the stack looks, with the same bytes, and signed as before."""
    environment = os.environ | {"HOME": str(tmp_path)}
    with registry(tmp_path) as mirror:
        if tool == "regctl":
            for host in (by_name(world), by_name(mirror)):
                command = [tools / tool, "registry", "set", "--tls", "disabled", host]
                subprocess.run(command, env=environment, check=True, capture_output=True)
        for line in FORMS[tool](wanted, f"{by_name(mirror)}/gpu").splitlines():
            program, *words = shlex.split(line)
            words[-2] = f"{by_name(world)}/{words[-2]}"
            done = subprocess.run([tools / program, *words], env=environment, capture_output=True, text=True)
            assert done.returncode == 0, (line, done.stderr)
        there = answers(wanted, [place_of(each, f"{by_name(mirror)}/gpu") for each in wanted])

    here = answers(wanted, [f"{by_name(world)}/{each.reference}" for each in wanted])
    assert all(isinstance(each, Locked) for each in there), there
    assert [_content(each) for each in there] == [_content(each) for each in here]
    assert isinstance(there[0], Locked) and there[0].signature == "sigstore"


def answers(wanted: list[Fetched], places: list[str]) -> list[Locked | str]:
    """What is told of each at its place."""
    asked = (Fetched(place, each.kind, each.architectures) for place, each in zip(places, wanted, strict=True))
    return list(ask(asked).values())


def _content(each: Locked | str) -> tuple[str, str, dict[str, str]] | None:
    return (each.digest, each.signature, dict(each.platforms)) if isinstance(each, Locked) else None
