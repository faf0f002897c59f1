"""What a rehearsal prints: each part as it comes, what held it up, and the same as data."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest
from rdma_rehearsal.command import told
from rdma_rehearsal.scenario import Outcome
from rdma_rehearsal.timeline import Operation, Timeline

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


def test_for_people(capsys: pytest.CaptureFixture[str]):
    """Right or wrong with its reasons and real seconds; behind `up` the chain, the way, and what idled."""
    assert told(run, False) == 1
    lines = capsys.readouterr().out.splitlines()

    assert lines[0] == "ok  up  (12 s)"
    assert (
        lines[2]
        == "ready after 313 simulated s; the longest chain is 312 s: 1.003 of it. By values alone it would be 310 s."
    )
    assert lines[4] == "what held it up"
    rows = [line.split() for line in lines[7:10]]
    assert [row[:2] for row in rows] == [["0", "10"], ["10", "300"], ["311", "2"]]
    assert rows[1][2:8] == ["Cluster", "lab", "Network", "vpc", "input", "network"]
    assert rows[2][2:8] == ["Pod", "a", "Cluster", "lab", "depends_on", "1"] and rows[0][2:5] == ["Network", "vpc", "-"]
    assert lines[10] == "Pod a was held up for 1 s with 0 operations at once (--parallel)"
    assert lines[12:] == ["wrong  change of nodes: said so  (1 s)", "      one", "      two"]


def test_for_programs(capsys: pytest.CaptureFixture[str]):
    """One list at the end, seconds rounded."""
    assert told(lambda folder: (each for each in OUTCOMES[:1]), True) == 0
    (up,) = json.loads(capsys.readouterr().out)

    assert {key: up[key] for key in ("what", "wrong", "said", "seconds")} == {
        "what": "up", "wrong": [], "said": "", "seconds": 12.4,
    }  # fmt: skip
    assert (up["ready_s"], up["chain_s"], up["data_chain_s"]) == (313.0, 312.0, 310.0)
    assert [(each["resource"], each["idle_s"]) for each in up["way"]] == [
        ("Network vpc", None), ("Cluster lab", None), ("Pod a", "1"),
    ]  # fmt: skip
    assert {each["published"] for each in up["way"]} <= {"yes", "no"}
