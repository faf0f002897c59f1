"""What a release wrote is read today, and what a later one writes is never a traceback.

``files/`` of a release holds what its own code wrote: a lock, a snapshot of a cluster that keeps its plan, the graph of
a small program, `plan gce --json`, a report of `up`, an expectation, and what a node and a test of the prover carry.
"""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from nccl_verdict.expectation import BadExpectationError, from_json
from pulumi_offline import Graph
from pulumi_offline.errors import Refused
from rdma_agent.acceptance.mark_proofs import read_report as read_marks
from rdma_agent.names import BOOTS, NODES, PROVES, SUBJECTS
from rdma_agent.proof import attempts_of, measured_of, proof_of
from rdma_cluster.cli.page.report import read_report, second_half
from rdma_cluster.conform.snapshot import as_text, read
from rdma_cluster.supply.lock import read_lock
from tests.cli.commands import command
from tests.released.record import HERE, VERSIONS

BOOT = "0123abcd-4567ef01"


def lock(file: Path) -> str:
    found = read_lock(file)
    assert found is not None
    return found.to_text()


READERS: dict[str, Callable[[Path], str]] = {
    "artifacts.lab.lock": lock,
    "expectation.json": lambda file: from_json(file.read_text()).to_json(),
    "graph.json": lambda file: Graph.from_dict(json.loads(file.read_text())).to_json(),
    "snapshot.json": lambda file: as_text(read(file.read_bytes(), file.name)),
}
"""What reads a file, and writes it again."""
READ = [pytest.param(HERE / each / "files" / name, id=f"{each} {name}") for each in VERSIONS for name in READERS]


@pytest.mark.parametrize("file", READ)
def test_what_a_release_wrote_is_read_and_written_the_same(file: Path):
    """No value is lost or taken for another."""
    assert json.loads(READERS[file.name](file)) == json.loads(file.read_text())


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a file has an object."""
    if isinstance(value, dict):
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, of in items:
        yield from places(of, (*path, key))


@pytest.mark.parametrize("file", READ)
def test_a_key_of_a_later_release_is_ignored_or_refused_by_name(file: Path, tmp_path: Path):
    """Anywhere in a file."""
    written = json.loads(file.read_text())
    for path in places(written):
        later = inner = deepcopy(written)
        for key in path:
            inner = inner[key]
        inner["later"] = next(iter(inner.values()), 1)  # where keys are names, as good as the others
        (tmp_path / file.name).write_text(json.dumps(later))
        try:
            READERS[file.name](tmp_path / file.name)
        except (Refused, BadExpectationError) as refused:
            assert "later" in str(refused), path


@pytest.mark.parametrize("version", VERSIONS)
def test_a_node_keeps_what_it_has_proven(version: str):
    """Its proof with the history, what was tried, the words of a test, and which test of the prover runs on it."""
    held = json.loads((HERE / version / "files/node.json").read_text())
    proof, tried = proof_of(held["annotations"]), attempts_of(held["annotations"], BOOT)
    marks, words = read_marks(held["report"])

    assert proof is not None and marks is not None
    assert (proof.fingerprint, proof.busbw, proof.history) == ("nccl-p5-e9b5dde7", 481.2, ((1790000000, 470.5),))
    assert (tried.last, tried.failed_with) == ("prove-p5-1a2b", ("node-b",))
    assert measured_of(held["annotations"], proof) == () and words == ""
    assert (marks.passed(), marks.suspected(), marks.busbw("node-a")) == (("node-a", "node-c"), ("node-b",), 481.2)
    metadata = held["test"]
    assert metadata["labels"] == {PROVES: "p5"}
    assert {each: json.loads(of) for each, of in metadata["annotations"].items()} == {
        NODES: ["node-a", "node-b"],
        SUBJECTS: ["node-a"],
        BOOTS: [BOOT],
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_a_report_of_up_is_shown(version: str):
    """With its proofs."""
    page = second_half(read_report(HERE / version / "files/report.json"))

    assert "every pool is proven" in page and "all_reduce" in page and "Google" not in page


def keys(value: Any, path: str = "") -> set[str]:
    """The keys of a plan; rows of a list have the same."""
    if isinstance(value, list):
        return {key for each in value for key in keys(each, f"{path}[]")}
    return (
        {key for name, of in value.items() for key in {f"{path}.{name}", *keys(of, f"{path}.{name}")}}
        if isinstance(value, dict)
        else set()
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_keys_of_a_plan_stay(version: str):
    """As docs/command.md says of `plan --json`."""
    had = json.loads((HERE / version / "files/plan.json").read_text())
    code, out, err = command("plan", had["stack"], "--json")

    assert (code, err) == (0, "")
    assert keys(had) - keys(json.loads(out)) == set()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_snapshot_of_a_release_conforms(version: str):
    """To the plan of today: what was well then is well now."""
    file = HERE / version / "files/snapshot.json"

    assert command("conform", "gke-a3-high", "--offline", str(file))[0] == 0
