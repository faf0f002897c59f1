"""``rdma-cluster lock`` line by line, on a small graph and before registries that answer."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from pulumi_offline import Graph, Resource
from pulumi_offline.problems import BrokenProgram, Problem
from rdma_cluster.cli import lock as verb
from rdma_cluster.supply import registry
from rdma_cluster.supply.fetched import Fetched
from rdma_cluster.supply.lock import Lock, Locked, read_lock
from tests.cli.commands import command

ONE, TWO = f"sha256:{'1' * 64}", f"sha256:{'2' * 64}"
POD = "kubernetes:core/v1:Pod"
FOUND: dict[str, Locked] = {
    "a/x:1": Locked("a/x:1", "image", ONE, 7, "m", {}, "cosign"),
    "a/y:1": Locked("a/y:1", "image", ONE, 7, "m", {}, holds=False),
    "a/z:1": Locked("a/z:1", "helm", ONE, 7, "m", {}, holds=False),
}
"""As a registry would answer for the images of three pods; the last two cannot be held."""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the verb in a project with one stack; other answers may stand in the place of the usual ones."""
    (tmp_path / "Pulumi.yaml").write_text("name: p\n")
    (tmp_path / "Pulumi.lab.yaml").write_text("config: {rdma-cluster:cloud: gke}\n")
    pods = [
        Resource(f"urn:pulumi:lab::p::{POD}::{name}", POD, name, None, None, {"spec": {"containers": [
            {"name": "a", "image": name}]}})
        for name in FOUND
    ]  # fmt: skip
    monkeypatch.setattr(verb, "run_program", lambda root, settings: Graph("lab", tuple(pods)))

    def ran(*words: str, **answers: Locked | str) -> tuple[int, str, str]:
        other = {name.replace("_", "/") + ":1": each for name, each in answers.items()}

        def ask(wanted: Iterable[Fetched]) -> dict[str, Locked | str]:
            return {each.reference: other.get(each.reference, FOUND[each.reference]) for each in wanted}

        monkeypatch.setattr(registry, "ask", ask)
        return command("lock", "lab", *words, folder=tmp_path)

    return ran


def test_a_lock_is_written(run: Run, tmp_path: Path):
    """How many are held and signed, and each that is not held with the reason."""
    code, out, err = run()
    lock = read_lock(tmp_path / "artifacts.lab.lock")

    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "artifacts.lab.lock: 3 artifacts, 1 held by digest, 1 seen signed; commit it with the stack",
        "  not held: a/y:1 (the node completes its tag)",
        "  not held: a/z:1 (Helm takes it by name and version)",
    ]
    assert lock is not None and (lock.stack, lock.artifacts) == ("lab", tuple(FOUND.values()))


def test_the_same_answers_keep_the_date(run: Run, tmp_path: Path):
    """Other ones bring today's; as data the lock itself is printed."""
    path = tmp_path / "artifacts.lab.lock"
    old = Lock("lab", "2026-01-01", tuple(FOUND.values()))
    path.write_text(old.to_text())

    assert run("--json") == (0, old.to_text(), "")
    assert path.read_text() == old.to_text()
    moved = replace(FOUND["a/x:1"], digest=TWO)
    code, out, _ = run("--json", a_x=moved)
    new = json.loads(out)
    assert (code, path.read_text()) == (0, out)
    assert new["date"] > "2026-01-01" and new["artifacts"][0]["digest"] == TWO


def test_what_cannot_be_had(run: Run, tmp_path: Path):
    """Each with its reason, and nothing is written."""
    assert run(a_x="not there", a_z="it wants a credential") == (
        1,
        "",
        "a/x:1: not there\na/z:1: it wants a credential\n"
        "2 of 3 artifacts cannot be locked; artifacts.lab.lock is as it was\n",
    )
    assert not (tmp_path / "artifacts.lab.lock").exists()


def test_a_comparison(run: Run, tmp_path: Path):
    """What has moved, and the count; nothing is written, whatever there is."""
    nothing = "no artifacts.lab.lock to compare with; write it with `rdma-cluster lock lab`"
    assert run("--check") == (2, "", f"{nothing}\n")
    path = tmp_path / "artifacts.lab.lock"
    path.write_text(text := Lock("lab", "2026-01-01", tuple(FOUND.values())).to_text())

    assert run("--check") == (0, "3 artifacts locked on 2026-01-01, none otherwise now\n", "")
    assert json.loads(run("--check", "--json")[1]) == []
    code, out, _ = run("--check", a_x="not there")
    assert (code, out) == (1, "a/x:1: not there\n3 artifacts locked on 2026-01-01, 1 otherwise now\n")
    code, out, _ = run("--check", "--json", a_x="not there")
    assert (code, json.loads(out)) == (1, [{"reference": "a/x:1", "what": "not there"}])
    assert path.read_text() == text


def test_a_program_that_fails_locks_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It says what is wrong, and writes no lock."""

    def run_program(root: Path, settings: object) -> Graph:
        raise BrokenProgram((Problem("", "mtu", "is no number"),), Graph("lab", ()))

    monkeypatch.setattr(verb, "run_program", run_program)
    assert run() == (2, "", "1 problem in stack lab\n  mtu: is no number\n")
    assert not (tmp_path / "artifacts.lab.lock").exists()
