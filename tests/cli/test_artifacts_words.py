"""``rdma-cluster artifacts`` line by line, on a small graph: the list, what a mirror needs, sizes of a lock."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pulumi_offline import Graph, Resource
from pulumi_offline.problems import BrokenProgram, Problem
from rdma_cluster.catalog import charts, images
from rdma_cluster.cli import artifacts as verb
from rdma_cluster.supply.lock import Lock, Locked
from tests.cli.commands import command

POD, RELEASE, DIGEST = "kubernetes:core/v1:Pod", "kubernetes:helm.sh/v3:Release", f"sha256:{'1' * 64}"
KNOWN, NODE, OWN = images.KUEUE, images.COS_DRIVER_INSTALLER, "own.example/a:1"
JOBSET, EFA = charts.JOBSET, charts.EFA_DEVICE_PLUGIN
Run = Callable[..., tuple[int, str, str]]


def pod(image: str) -> Resource:
    """One with a container of this image."""
    return Resource(f"urn:pulumi:lab::p::{POD}::{image}", POD, "a", None, None, {
        "spec": {"containers": [{"name": "a", "image": image}]}})  # fmt: skip


def release(chart: str) -> Resource:
    """One of this chart."""
    return Resource(f"urn:pulumi:lab::p::{RELEASE}::{chart}", RELEASE, chart, None, None, {"chart": chart})


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the verb in a project with one stack that has these resources."""
    (tmp_path / "Pulumi.yaml").write_text("name: p\n")
    (tmp_path / "Pulumi.lab.yaml").write_text("config: {rdma-cluster:cloud: gke}\n")

    def ran(resources: list[Resource], *words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(verb, "run_program", lambda root, settings: Graph("lab", tuple(resources)))
        return command("artifacts", "lab", *words, folder=tmp_path)

    return ran


def test_the_list(run: Run):
    """Charts first; each with version and repository, processors, how sure it is, and since when."""
    known = [release(EFA.chart), release(JOBSET.chart), pod(NODE.image), pod(KNOWN.image)]
    code, out, err = run([*known, pod(OWN)])

    assert (code, err) == (1, "")
    title, heading, _, *rows = [line.split() for line in out.splitlines()]
    assert (" ".join(title), heading) == ("what stack lab fetches", ["reference", "for", "sure", "date"])
    assert EFA.image is not None
    assert [" ".join(row) for row in rows] == [
        f"{EFA.chart} {EFA.version} {EFA.repo} any sure {EFA.source.seen}",
        f"{JOBSET.chart} {JOBSET.version} any sure {JOBSET.source.seen}",
        f"{EFA.image.image} amd64, arm64 sure {EFA.image.source.seen}",
        f"{NODE.image} amd64, arm64 on the node {NODE.source.seen}",
        f"{OWN} any unknown",
        f"{KNOWN.image} amd64, arm64 sure {KNOWN.source.seen}",
    ]
    assert run(known)[0] == 0


def test_the_list_as_data(run: Run):
    """All that the catalogue knows of each, and who uses it."""
    code, out, _ = run([release(EFA.chart), pod(NODE.image), pod(OWN)], "--json")
    by_name = {each["reference"]: each for each in json.loads(out)}

    assert code == 1
    assert by_name[OWN] == {"reference": OWN, "usedBy": [pod(OWN).urn], "kind": "unknown"}
    assert by_name[EFA.chart] == {
        "reference": EFA.chart, "usedBy": [release(EFA.chart).urn], "certainty": "sure", "evidence": EFA.source.ref,
        "date": EFA.source.seen, "kind": "chart", "published": EFA.chart, "version": EFA.version, "repo": EFA.repo,
    }  # fmt: skip
    assert by_name[NODE.image] == {
        "reference": NODE.image, "usedBy": [pod(NODE.image).urn], "certainty": "sure", "evidence": NODE.source.ref,
        "date": NODE.source.seen, "kind": "image", "published": NODE.image, "architectures": ["amd64", "arm64"],
        "preloaded": True,
    }  # fmt: skip


LINES = """
# In the stack's file, below `config:`, once the copies are there:
#   rdma-cluster:registries:
#     own.example: m.example/own.example
#     quay.io: m.example/quay.io
"""


def test_copies_for_a_mirror(run: Run, tmp_path: Path):
    """What to copy, then the stack's lines; with a lock how much it is of what it knows."""
    resources = [pod(OWN), pod("quay.io/b:2"), pod("quay.io/c:2")]
    copies = (
        "own.example/a:1 m.example/own.example/a:1\nquay.io/b:2 m.example/quay.io/b:2\n"
        "quay.io/c:2 m.example/quay.io/c:2\n"
    )
    assert run(resources, "--mirror", "m.example") == (0, f"{copies}{LINES}", "")
    rows = [
        {"reference": name, "kind": "image", "place": f"m.example/{name}", "sizeBytes": None}
        for name in (OWN, "quay.io/b:2", "quay.io/c:2")
    ]
    lines = {"own.example": "m.example/own.example", "quay.io": "m.example/quay.io"}
    code, out, _ = run(resources, "--mirror", "m.example", "--json")
    assert (code, json.loads(out)) == (0, {"copies": rows, "registries": lines})

    locked = tuple(Locked(name, "image", DIGEST, 1_250_000_000, "m", {}) for name in (OWN, "quay.io/b:2", "gone:1"))
    (tmp_path / "artifacts.lab.lock").write_text(Lock("lab", "2026-01-01", locked).to_text())
    size = "\n# 2.5 GB in 2 of 3 artifacts, by the stack's lock, for its processors.\n"
    assert run(resources, "--mirror", "m.example") == (0, f"{copies}{size}{LINES}", "")
    _, out, _ = run(resources, "--mirror", "m.example", "--json")
    assert [each["sizeBytes"] for each in json.loads(out)["copies"]] == [1_250_000_000, 1_250_000_000, None]


def test_a_bill_has_the_digests_of_the_lock(run: Run, tmp_path: Path):
    """Where there is one."""

    def hashes() -> list[str]:
        (part,) = [each for each in json.loads(run([pod(OWN)], "--sbom")[1])["components"] if each["bom-ref"] == OWN]
        return [each["content"] for each in part.get("hashes", [])]

    assert hashes() == [] and run([pod(OWN)], "--sbom")[1].endswith("\n}\n")
    lock = Lock("lab", "2026-01-01", (Locked(OWN, "image", DIGEST, 1, "m", {}),))
    (tmp_path / "artifacts.lab.lock").write_text(lock.to_text())
    assert hashes() == ["1" * 64]


def test_a_program_that_fails_fetches_nothing(run: Run, monkeypatch: pytest.MonkeyPatch):
    """And a mirror that is no place is refused before it runs."""
    assert run([], "--mirror", "")[0] == 2

    def run_program(root: Path, settings: object) -> Graph:
        raise BrokenProgram((Problem("", "mtu", "is no number"),), Graph("lab", ()))

    monkeypatch.setattr(verb, "run_program", run_program)
    for words in ((), ("--json",), ("--mirror", "m.example"), ("--sbom",)):
        code, out, err = command("artifacts", "gke", *words)
        assert (code, out, err) == (2, "", "1 problem in stack lab\n  mtu: is no number\n")
