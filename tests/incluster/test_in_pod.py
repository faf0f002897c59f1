"""The scripts of pods, as their ConfigMaps bring them: each finds the client of the API server beside it."""

import subprocess
import sys
from pathlib import Path

import pytest
from rdma_cluster.incluster import in_pod
from rdma_cluster.incluster.addons.readiness.prover import SCRIPTS
from rdma_cluster.incluster.addons.readiness.watcher import SCRIPTS as FAULT_SCRIPTS

from tests.stacks import graph_of

SHIPPED_BY = {
    "mark_nodes.py": "gke",
    "mpi_watcher.py": "oke",
    "serving_check.py": "oke-405b",
    "await_webhook.py": "oke-405b",
    "await_definitions.py": "oke-b200",
}
"""A stack with each script."""
OF_READINESS = ("mark_proofs.py", *SCRIPTS, *FAULT_SCRIPTS)
"""What a stack ships whose nodes are held until they are proven."""


def test_every_script_is_shipped():
    """Each one here, and the client, which needs no ConfigMap of its own."""
    here = {path.name for path in Path(in_pod.__file__).parent.glob("*.py")}

    assert here == {*SHIPPED_BY, *OF_READINESS, in_pod.API_FILE, "__init__.py"}


@pytest.mark.parametrize("script", SHIPPED_BY)
def test_a_script_starts_from_its_config_map_alone(script: str, tmp_path: Path):
    """With the files that are mounted with it, and nothing installed."""
    config_maps = graph_of(SHIPPED_BY[script]).of_type("kubernetes:core/v1:ConfigMap")
    (files,) = [each.inputs["data"] for each in config_maps if script in each.inputs.get("data", {})]
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {Path(script).stem}"
    started = subprocess.run([sys.executable, "-E", "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True)

    assert (started.returncode, started.stderr) == (0, "")


@pytest.mark.parametrize("script", ["mark_nodes.py", "prover.py", "fault_watcher.py"])
def test_what_holds_nodes_starts_from_its_config_map_alone(script: str, tmp_path: Path):
    """The prover, the watcher of faults, and the marker of `up`'s tests, named as the one that it stands for."""
    config_maps = graph_of("gke", "readiness.enabled=true").of_type("kubernetes:core/v1:ConfigMap")
    (files,) = [each.inputs["data"] for each in config_maps if script in each.inputs.get("data", {})]
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {Path(script).stem}"
    started = subprocess.run([sys.executable, "-E", "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True)

    assert (started.returncode, started.stderr) == (0, "")
