"""``plan --evidence`` of a few promises, line by line."""

import json

import pytest
from pulumi_offline.project import Settings
from rdma_cluster.catalog.machine import Known, Source
from rdma_cluster.cli import evidence
from rdma_cluster.conform.promises import Promise

DOCUMENT, CODE = Source("docs.aws.amazon.com/x", "2026-01-01"), Source("github.com/a/b", "2026-02-01")
PROMISES = [
    Promise("m1", "nics", Known.PUBLISHED, (CODE,), ""),
    Promise("m1", "mtu", Known.INFERRED, (), "one source"),
    Promise("m1", "roots", Known.PUBLISHED, (DOCUMENT, CODE), ""),
    Promise("m2", "gpus", Known.PUBLISHED, (CODE,), ""),
    Promise("m2", "mtu", Known.INFERRED, (), "one source"),
    Promise("m1", "numa", Known.INFERRED, (), "one source"),
]


@pytest.fixture(autouse=True)
def promised(monkeypatch: pytest.MonkeyPatch) -> None:
    """The promises of every stack."""
    monkeypatch.setattr(evidence, "promises_of", lambda settings: PROMISES)


def test_for_people(capsys: pytest.CaptureFixture[str]):
    """How many of each class and what that means; then those together that rest on the same, by machine where open."""
    assert evidence.show_evidence(Settings("p", "lab"), False) == 0
    counts, *rest = capsys.readouterr().out.split("\n\n")[1:]

    assert [line.split("   ")[:1] + line.split()[-1:] for line in counts.splitlines()[2:]] == [
        ["measured", "there"], ["documented", "it"], ["in code", "document"], ["not published", "tell"],
        ["inferred", "tell"], ["not known", "tell"],
    ]  # fmt: skip
    assert [[word for word in line.split() if word.isdigit()] for line in counts.splitlines()[2:]] == [
        ["0"], ["1"], ["2"], ["0"], ["3"], ["0"],
    ]  # fmt: skip
    assert rest == [
        "documented: roots: docs.aws.amazon.com/x (2026-01-01); github.com/a/b (2026-02-01)",
        "in code: nics, gpus: github.com/a/b (2026-02-01)",
        "inferred: mtu, numa: m1: one source",
        "inferred: mtu: m2: one source\n",
    ]


def test_for_programs(capsys: pytest.CaptureFixture[str]):
    """Counts and promises, each with its sources or its reason."""
    assert evidence.show_evidence(Settings("p", "lab"), True) == 0
    data = json.loads(capsys.readouterr().out)

    assert data["stack"] == "lab" and data["counts"]["in code"] == 2
    assert data["promises"][:2] == [
        {"of": "m1", "what": "nics", "known": "in code", "sources": [{"ref": CODE.ref, "seen": CODE.seen}],
         "reason": None},
        {"of": "m1", "what": "mtu", "known": "inferred", "sources": [], "reason": "one source"},
    ]  # fmt: skip
