"""A trial from its stack file to the patch: the engine's own files, on simulated clouds, and a cluster that answers."""

import json
from contextlib import chdir
from pathlib import Path

import pytest
from rdma_cluster.catalog.latencies import latency
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.trial.archive import read
from rdma_rehearsal import engine as engines
from rdma_rehearsal.clock import Clock
from rdma_rehearsal.engine import Engine
from rdma_rehearsal.faults import FaultPlan
from rdma_rehearsal.inventory import Inventory
from rdma_rehearsal.serve import serving
from rdma_rehearsal.timeline import Log
from tests.cli.commands import command
from tests.stacks import ROOT
from tests.trial.living import serve, world

CLUSTER = "gcp:container/cluster:Cluster"
SCALE = 120


def project(folder: Path) -> Path:
    """Our project, where a stack file may be written."""
    (folder / "stacks").mkdir(parents=True)
    for entry in ROOT.iterdir():
        if entry.name not in ("stacks", ".git", "build"):
            (folder / entry.name).symlink_to(entry)
    for entry in (ROOT / "stacks").iterdir():
        (folder / "stacks" / entry.name).symlink_to(entry)
    return folder


def test_a_trial_is_written_run_and_gathered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The time that a cluster took in the engine becomes its latency in the patch."""
    root = project(tmp_path / "root")
    code, out, err = command("trial", "gke", "--write", "--json", folder=root)
    assert (code, err) == (0, "")
    assert json.loads(out)["set"] == ["pools[0].capacity={spot: true}"]
    with chdir(root):
        settings = read_stack("gke-trial", None, [])[1]
    monkeypatch.setenv("PULUMI_DEBUG_COMMANDS", "true")
    monkeypatch.setattr(engines, "KEPT", (*engines.KEPT, "PULUMI_DEBUG_COMMANDS"))
    clock = Clock(SCALE)
    files = {name: tmp_path / f"{name}.json" for name in ("events", "report", "state", "history")}
    with serving(Inventory(tmp_path / "world"), clock, FaultPlan(), Log(clock)) as ports:
        engine = Engine(tmp_path / "run", root, settings, ports)
        up = engine.run("up", "--yes", "--skip-preview", "--parallel", "64", "--event-log", str(files["events"]))
        assert up.code == 0, up.text
        files["report"].write_text(engine.run("stack", "output", "report", "--json").text)
        files["state"].write_text(engine.exported())
        files["history"].write_text(engine.run("stack", "history", "--json").text)
        assert engine.run("destroy", "--yes", "--skip-preview").code == 0
    serve(monkeypatch, world("gke"))
    words = ["trial", "gke-trial", "--gather", str(tmp_path / "t.tar.gz"), "--kubeconfig", "k"]
    words += ["--report", str(files["report"])]
    for name in ("events", "state", "history"):
        words += ["--engine", str(files[name])]
    code, out, err = command(*words, folder=root)
    assert (code, err) == (0, ""), out + err

    trial = read((tmp_path / "t.tar.gz").read_bytes(), "t")
    took = {each["of"]: each["end"] - each["begin"] for each in trial.about["phases"] if each["phase"] == "resource"}
    assert took[CLUSTER] == pytest.approx(latency(CLUSTER).create / SCALE, abs=3)
    assert {each["phase"] for each in trial.about["phases"]} == {"resource", "up", "nodes", "driver", "test"}
    assert trial.report["form"] == "rdma-cluster/report/1" and "my-project" not in str(trial.report)
    code, out, _ = command("machines", "--from-trial", str(tmp_path / "t.tar.gz"))
    assert code == 0 and f'+    "{CLUSTER}": Latency({took[CLUSTER]}, 240, Source(' in out
