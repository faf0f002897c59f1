"""`rdma-cluster artifacts` of a small graph: the list, what a mirror needs, and a bill of materials."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pulumi_offline import Graph, Resource
from rdma_cluster.catalog import charts, images
from rdma_cluster.cli import artifacts as verb
from rdma_cluster.supply.lock import Lock, Locked
from tests.cli.commands import command
from tests.cli.small_project import broken_program, pod, release, write_project

KNOWN, NODE, OWN = images.KUEUE, images.COS_DRIVER_INSTALLER, "own.example/a:1"
EFA, DIGEST = charts.EFA_DEVICE_PLUGIN, f"sha256:{'1' * 64}"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the verb in a project with one stack that has these resources."""
    write_project(tmp_path)

    def ran(resources: list[Resource], *words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(verb, "run_program", lambda root, settings: Graph("lab", tuple(resources)))
        return command("artifacts", "lab", *words, folder=tmp_path)

    return ran


def lock(folder: Path, *references: str) -> None:
    """Writes a lock of the stack that holds these."""
    locked = tuple(Locked(name, "image", DIGEST, 1_250_000_000, "m", {}) for name in references)
    (folder / "artifacts.lab.lock").write_text(Lock("lab", "2026-01-01", locked).to_text())


def test_each_artifact_is_listed_with_how_sure_it_is_and_since_when(run: Run):
    """Charts come first and bring their images; what the catalogue does not know is exit code 1."""
    known = [release(EFA.chart), pod(NODE.image), pod(KNOWN.image)]
    code, out, err = run([*known, pod(OWN)])
    assert (code, err) == (1, "") and EFA.image is not None
    assert [" ".join(line.split()) for line in out.splitlines()[3:]] == [
        f"{EFA.chart} {EFA.version} {EFA.repo} any sure {EFA.source.seen}",
        f"{EFA.image.image} amd64, arm64 sure {EFA.image.source.seen}",
        f"{NODE.image} amd64, arm64 on the node {NODE.source.seen}",
        f"{OWN} any unknown",
        f"{KNOWN.image} amd64, arm64 sure {KNOWN.source.seen}",
    ]
    assert run(known)[0] == 0


def test_a_mirror_gets_its_copies_and_the_stack_its_registries(run: Run, tmp_path: Path):
    """With a lock it also says how much there is to copy, as far as the lock knows it."""
    names = (OWN, "quay.io/b:2", "quay.io/c:2")
    resources = [pod(name) for name in names]
    code, out, err = run(resources, "--mirror", "m.example")
    copies, _, lines = out.partition("\n\n")

    assert (code, err) == (0, "") and copies.splitlines() == [f"{name} m.example/{name}" for name in names]
    assert lines.splitlines()[1:] == [
        "#   rdma-cluster:registries:", "#     own.example: m.example/own.example", "#     quay.io: m.example/quay.io",
    ]  # fmt: skip
    lock(tmp_path, OWN, "quay.io/b:2", "gone:1")
    assert "\n# 2.5 GB in 2 of 3 artifacts" in run(resources, "--mirror", "m.example")[1]
    data = json.loads(run(resources, "--mirror", "m.example", "--json")[1])
    assert [each["sizeBytes"] for each in data["copies"]] == [1_250_000_000, 1_250_000_000, None]
    assert data["copies"][0]["place"] == f"m.example/{OWN}"
    assert data["registries"] == {"own.example": "m.example/own.example", "quay.io": "m.example/quay.io"}
    assert run([], "--mirror", "")[0] == 2


@pytest.mark.parametrize("words", [(), ("--json",), ("--mirror", "m.example"), ("--sbom",)])
def test_a_program_that_fails_fetches_nothing(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]):
    monkeypatch.setattr(verb, "run_program", broken_program)

    code, out, err = command("artifacts", "gke", *words)
    assert (code, out) == (2, "") and "mtu" in err
