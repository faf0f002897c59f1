"""`rdma-cluster rehearse`: what it refuses before it begins, and what it prints; tests/rehearsal has the rest."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest
from rdma_rehearsal.command import told
from rdma_rehearsal.scenario import Outcome
from rdma_rehearsal.timeline import Operation, Timeline
from tests.cli.commands import command


@pytest.mark.parametrize("words", ["rehearse gke", "upgrade gke --to 1.36.1-gke.1842000 --rehearse"])
def test_without_an_engine_it_says_where_to_get_one(words: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "")
    code, out, err = command(*words.split())

    assert (code, out) == (2, "") and "https://www.pulumi.com/docs/iac/download-install/" in err


KUBERNETES = ("gke", "--real-provider", "kubernetes")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["nowhere"], "'nowhere'"),
        (["gke", "--scale", "0"], "--scale: got 0"),
        (["gke", "--fault", "fire:NodePool"], "--fault: got 'fire:NodePool'"),
        (["gke", "--part", "own"], "--part: got own; that is of --real-provider"),
        (["gke", "--real-provider", "gcp", "--real-provider", "azure"], "--real-provider: got 'azure'"),
        (["gce", "--real-provider", "gcp", "--control-plane"], "--control-plane: "),
        ([*KUBERNETES, "--part", "faults"], "--part: not with --real-provider"),
        ([*KUBERNETES], "--real-provider: there is no pulumi-resource-kubernetes"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_option_is_refused_before_the_engine_is_asked(
    words: list[str], named: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """The engine here would fail if it were started."""
    (tmp_path / "pulumi").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path))
    code, out, err = command("rehearse", *words)

    assert (code, out) == (2, "") and named in err


VPC, CLUSTER, POD = (
    f"urn:pulumi:lab::p::{of}"
    for of in ("gcp:compute/network:Network::vpc", "gcp:container/cluster:Cluster::lab", "kubernetes:core/v1:Pod::a")
)
OPERATIONS = [
    Operation("create", VPC, 1.0, 11.0, True),
    Operation("create", CLUSTER, 11.0, 311.0, True),
    Operation("create", POD, 312.0, 314.0, True),
]
STATE = [
    {"urn": VPC},
    {"urn": CLUSTER, "propertyDependencies": {"network": [VPC]}, "dependencies": [VPC]},
    {"urn": POD, "dependencies": [CLUSTER]},
]
OUTCOMES = [
    Outcome("up", seconds=12.4, timeline=Timeline(OPERATIONS, STATE)),
    Outcome("change of nodes", ("one", "two"), "said so", 0.6),
]


def run(folder: Path) -> Generator[Outcome]:
    """A rehearsal in a folder of its own."""
    assert folder.is_dir() and folder.name.startswith("rehearsal-")
    yield from OUTCOMES


def test_each_part_is_right_or_wrong_and_up_says_what_held_it_up(capsys: pytest.CaptureFixture[str]):
    assert told(run, False) == 1
    lines = capsys.readouterr().out.splitlines()

    assert lines[0] == "ok  up  (12 s)" and "313 simulated s" in lines[2] and "312 s" in lines[2]
    rows = [line.split() for line in lines[7:10]]
    assert [row[:2] for row in rows] == [["0", "10"], ["10", "300"], ["311", "2"]]
    assert rows[1][2:8] == ["Cluster", "lab", "Network", "vpc", "input", "network"]
    assert rows[2][2:8] == ["Pod", "a", "Cluster", "lab", "depends_on", "1"]
    assert lines[10].startswith("Pod a was held up for 1 s")
    assert lines[12:] == ["wrong  change of nodes: said so  (1 s)", "      one", "      two"]


def test_a_rehearsal_as_data_has_its_seconds_rounded(capsys: pytest.CaptureFixture[str]):
    assert told(lambda folder: (each for each in OUTCOMES[:1]), True) == 0
    (up,) = json.loads(capsys.readouterr().out)

    assert (up["what"], up["wrong"], up["seconds"]) == ("up", [], 12.4)
    assert (up["ready_s"], up["chain_s"], up["data_chain_s"]) == (313.0, 312.0, 310.0)
    assert [each["idle_s"] for each in up["way"]] == [None, None, "1"]
