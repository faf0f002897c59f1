"""`rdma-cluster lock` of a small graph, before registries that answer."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from pulumi_offline import Graph
from rdma_cluster.cli import lock as verb
from rdma_cluster.supply import registry
from rdma_cluster.supply.fetched import Fetched
from rdma_cluster.supply.lock import Lock, Locked, read_lock
from tests.cli.commands import command
from tests.cli.small_project import pod, write_project

ONE, TWO = f"sha256:{'1' * 64}", f"sha256:{'2' * 64}"
FOUND: dict[str, Locked] = {
    "a/x:1": Locked("a/x:1", "image", ONE, 7, "m", {}, "cosign"),
    "a/y:1": Locked("a/y:1", "image", ONE, 7, "m", {}, holds=False),
    "a/z:1": Locked("a/z:1", "helm", ONE, 7, "m", {}, holds=False),
}
"""The answers of a registry for the images of three pods; the last two cannot be held."""
OLD = Lock("lab", "2026-01-01", tuple(FOUND.values()))
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the verb in a project with one stack; a test may give other answers."""
    write_project(tmp_path)
    monkeypatch.setattr(verb, "run_program", lambda root, settings: Graph("lab", tuple(map(pod, FOUND))))

    def ran(*words: str, **answers: Locked | str) -> tuple[int, str, str]:
        other = {name.replace("_", "/") + ":1": each for name, each in answers.items()}

        def ask(wanted: Iterable[Fetched]) -> dict[str, Locked | str]:
            return {each.reference: other.get(each.reference, FOUND[each.reference]) for each in wanted}

        monkeypatch.setattr(registry, "ask", ask)
        return command("lock", "lab", *words, folder=tmp_path)

    return ran


def test_a_lock_is_written_and_says_what_it_cannot_hold(run: Run, tmp_path: Path):
    code, out, err = run()
    lock = read_lock(tmp_path / "artifacts.lab.lock")

    assert (code, err) == (0, "")
    counts, node, helm = out.splitlines()
    assert "3 artifacts, 1 held by digest, 1 seen signed" in counts
    assert node.startswith("  not held: a/y:1 (") and helm.startswith("  not held: a/z:1 (Helm")
    assert lock is not None and (lock.stack, lock.artifacts) == ("lab", tuple(FOUND.values()))


def test_a_lock_keeps_its_date_until_an_answer_changes(run: Run, tmp_path: Path):
    path = tmp_path / "artifacts.lab.lock"
    path.write_text(OLD.to_text())

    assert run("--json") == (0, OLD.to_text(), "") and path.read_text() == OLD.to_text()
    code, out, _ = run("--json", a_x=replace(FOUND["a/x:1"], digest=TWO))
    new = json.loads(out)
    assert (code, path.read_text()) == (0, out)
    assert new["date"] > "2026-01-01" and new["artifacts"][0]["digest"] == TWO


def test_an_artifact_that_cannot_be_had_keeps_the_lock_from_being_written(run: Run, tmp_path: Path):
    code, out, err = run(a_x="not there", a_z="it wants a credential")

    assert (code, out) == (1, "")
    assert err.startswith("a/x:1: not there\na/z:1: it wants a credential\n2 of 3 artifacts ")
    assert not (tmp_path / "artifacts.lab.lock").exists()


def test_a_comparison_says_what_has_moved_and_writes_nothing(run: Run, tmp_path: Path):
    code, out, err = run("--check")
    assert (code, out) == (2, "") and "artifacts.lab.lock" in err
    path = tmp_path / "artifacts.lab.lock"
    path.write_text(OLD.to_text())

    code, out, _ = run("--check")
    assert code == 0 and "2026-01-01" in out and json.loads(run("--check", "--json")[1]) == []
    code, out, _ = run("--check", a_x="not there")
    assert code == 1 and out.startswith("a/x:1: not there\n3 artifacts ")
    code, out, _ = run("--check", "--json", a_x="not there")
    assert (code, json.loads(out)) == (1, [{"reference": "a/x:1", "what": "not there"}])
    assert path.read_text() == OLD.to_text()
