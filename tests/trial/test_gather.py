"""`rdma-cluster trial --gather`: one archive with all that tells of the metal, and nothing of its owner."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from nccl_verdict.reader import read_bytes
from nccl_verdict.verdict import judge
from rdma_cluster.trial.archive import read
from rdma_cluster.trial.redact import Redactor
from tests.conform.owners import DISTINCT, OWNERS, leaves
from tests.examples import examples
from tests.nccl import forms, render
from tests.nccl.cases import CASES
from tests.nccl.twins import TWINS
from tests.trial.living import events, gather, report, serve, world

PLANTED = (*OWNERS, "AKIAIOSFODNN7EXAMPLE", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "eyJhbGciOiJIUzI1NiJ9.e30.abc",
    "123456789012", "/home/jane.doe/acme.pem", "10.98.76.54:29500", "https://acme.example.com/x?y=4711")  # fmt: skip
GONE = (*DISTINCT, "akia", "16c7e42f", "eyjhb", "acme.pem", "29500")


def test_an_archive_tells_times_versions_and_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The log keeps its verdict; times are those of the engine and of Kubernetes."""
    serve(monkeypatch, given := world())
    code, data, out = gather(tmp_path, report(), events())
    trial = read(data, "t")

    assert code == 0, out
    assert {(each["phase"], each["of"]): each["end"] - each["begin"] for each in trial.about["phases"]} == {
        ("resource", "gcp:container/nodePool:NodePool"): 131, ("nodes", "pool-0"): 120,
        ("driver", "nvidia-driver-installer"): 180, ("test", "pool-0"): 270,
    }  # fmt: skip
    assert trial.about.get("versions") == {"nccl": "2.27.5+cuda12.9"}
    assert trial.report["proofs"]["pool-0"]["seconds"] == 270
    assert trial.report["pools"][0]["machine"] == "a4-highgpu-8g"
    before, after = (read_bytes(text.encode()) for text in (given["log"], *trial.logs))
    assert [run.rows for run in after] == [run.rows for run in before]
    assert after[0].hosts == ["node-0", "node-1"]


PLAIN = world()
PATHS = [("pods", *path) for path in leaves(PLAIN["pods"])] + [("jobs", *path) for path in leaves(PLAIN["jobs"])]
PATHS += [("report", *path) for path in leaves(json.loads(report()))]
LINES = len(PLAIN["log"].splitlines())


@settings(max_examples=examples(25, 300), deadline=None)
@given(st.data())
def test_a_text_of_the_owner_survives_nowhere(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject):
    """Any word of a log and any text that is read may be one of the owner's, or end with it."""
    given, told, folder = world(), json.loads(report()), tmp_path_factory.mktemp("trial")
    for path in data.draw(st.lists(st.sampled_from(PATHS), max_size=12)):
        at: Any = told if path[0] == "report" else given[path[0]]
        for key in path[1:-1]:
            at = at[key]
        if path[-1] not in (
            "form",
            "startTime",
            "completionTime",
            "creationTimestamp",
            "lastTransitionTime",
            "namespace",
        ):
            at[path[-1]] = data.draw(st.sampled_from(PLANTED))
    told[data.draw(st.sampled_from(PLANTED))] = {"warnings": list(PLANTED)}
    lines = given["log"].splitlines()
    for number in data.draw(st.lists(st.integers(0, LINES - 1), max_size=30)):
        words = lines[number].split(" ")
        place = data.draw(st.integers(0, len(words)))
        owner, how = (
            data.draw(st.sampled_from(PLANTED)),
            data.draw(st.sampled_from(("{} ", "({})", "X={}", "[{}]", "{}/x"))),
        )
        lines[number] = " ".join([*words[:place], how.format(owner), *words[place:]])
    given["log"] = "\n".join([*lines, *PLANTED, *(f"NCCL INFO NCCL_NET_{each} set by {each}" for each in PLANTED)])
    with pytest.MonkeyPatch.context() as patched:
        serve(patched, given)
        code, packed, out = gather(folder, json.dumps(told), events("acme-"))

    assert code < 2, out
    kept = gzip.decompress(packed).decode().lower()
    assert [each for each in GONE if each in kept] == []


RENDERED = {form: (render.joined(render.log(["acme-a.example", "acme-b.example"], form=form)), render.want(form))
    for form in forms.FABRICS}  # fmt: skip
NAMED = b"# nccl-test: /home/acme/nccl-tests/build/all_reduce_perf -b 1G -e 8G -f 2\n"
RENDERED["named by its path"] = (NAMED + RENDERED["gIB"][0], RENDERED["gIB"][1])
RENDERED |= {name: (twin.text(), twin.expectation) for name, twin in TWINS.items()}
RENDERED |= {case.name: (case.text, case.expectation) for case in CASES}


@pytest.mark.parametrize("name", RENDERED)
def test_a_log_without_names_has_the_verdict_of_the_whole_log(name: str):
    """On every fabric, of published runs, and by every gate."""
    text, want = RENDERED[name]
    plain = Redactor({}).log(text.decode())
    runs = [read_bytes(each) for each in (text, plain.encode())]
    whole, kept = (judge(each, want) for each in runs)

    assert [run.collective for run in runs[1]] == [run.collective for run in runs[0]]
    assert [(gate.name, gate.passed) for gate in kept.gates] == [(gate.name, gate.passed) for gate in whole.gates]
    assert kept.points == whole.points and "acme" not in plain


@pytest.mark.parametrize(
    ("text", "phase"),
    [
        (json.dumps([{"kind": "update", "result": "succeeded", "startTime": "2026-11-28T10:00:00.000Z",
            "endTime": "2026-11-28T10:21:40.000Z"}]), ("up", "stack", 1300)),
        (json.dumps({"version": 3, "deployment": {"resources": [
            {"urn": "a", "type": "gcp:compute/network:Network", "created": "2026-11-28T10:00:17Z"},
            {"urn": "b", "type": "gcp:container/cluster:Cluster", "created": "2026-11-28T10:08:17Z",
                "dependencies": ["a"]},
            {"urn": "c", "type": "acme:index:Thing", "created": "2026-11-28T10:09:17Z", "parent": "b"},
        ]}}), ("resource", "gcp:container/cluster:Cluster", 480)),
    ],
    ids=["history", "state"],
)  # fmt: skip
def test_the_engines_files_tell_times(
    text: str, phase: tuple[str, str, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    serve(monkeypatch, world())
    phases = read(gather(tmp_path, report(), text)[1], "t").about["phases"]
    told = [
        (each["phase"], each["of"], each["end"] - each["begin"])
        for each in phases
        if each["phase"] in ("up", "resource")
    ]

    assert told == [phase]


@pytest.mark.parametrize(("file", "words"), [("[]", "wrote"), ('{"a": 1}', "--engine"), ("acme", "--engine")])
def test_a_file_of_another_kind_is_refused(file: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    serve(monkeypatch, world())
    code, _, out = gather(tmp_path, report(), file)

    assert words in out and (code == 2) == (words == "--engine")
