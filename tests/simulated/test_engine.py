"""A rehearsal reads the engine's words, and leaves the user's files alone."""

from pathlib import Path

import pytest
from pulumi_offline.project import Settings
from rdma_rehearsal.engine import Engine, Ran

FAILED = """\
Diagnostics:
  pulumi:pulumi:Stack (rdma-cluster-gke):
    error: Program failed with an unhandled exception:
    Traceback (most recent call last):
      File "stacks/gke.py", line 4, in <module>
        from rdma_cluster.gke import GkeRdmaCluster
    ImportError: cannot import name 'GkeRdmaCluster'

  gcp:compute:Network (gke-primary):
    error: googleapi: Error 409: Already exists

  gcp:container:NodePool (gke-a4):
    error: 1 error occurred:
    \t* GCE_STOCKOUT: gke-a4

  pulumi:pulumi:Stack (rdma-cluster-gke):
    error: Program failed with an unhandled exception:
    Traceback (most recent call last):
      File "runners.py", line 123, in run
        raise KeyboardInterrupt()
    KeyboardInterrupt

Resources:
    + 1 to create
"""


def test_errors_are_one_line_each():
    """A traceback is told by what was raised, every other error in the cloud's own words with its resource."""
    assert Ran("up", 255, FAILED, 1.0).errors == [
        "ImportError: cannot import name 'GkeRdmaCluster'",
        "gcp:compute:Network (gke-primary): googleapi: Error 409: Already exists",
        "gcp:container:NodePool (gke-a4): GCE_STOCKOUT: gke-a4",
    ]


def test_the_files_of_a_user_stay_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The engine writes its salt into the stack's file, which may lie beside Pulumi.yaml."""
    engine, root = tmp_path / "bin" / "pulumi", tmp_path / "root"
    engine.parent.mkdir()
    engine.write_text("#!/bin/sh\n[ $2 = init ] && echo 'encryptionsalt: v1' >> Pulumi.dev.yaml\nexit 0\n")
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", str(engine.parent), prepend=":")
    root.mkdir()
    files = {"Pulumi.yaml": "name: mine\nruntime: python\n", "Pulumi.dev.yaml": "config: {}\n", "__main__.py": ""}
    for name, text in files.items():
        (root / name).write_text(text)

    Engine(tmp_path / "run", root, Settings("mine", "dev", {"mine:zone": "a"}), {})

    assert {name: (root / name).read_text() for name in files} == files
    assert "v1" in (tmp_path / "run" / "project" / "Pulumi.dev.yaml").read_text()
    assert (tmp_path / "run" / "project" / "__main__.py").exists()
