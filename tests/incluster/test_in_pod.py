"""The scripts of pods, as their ConfigMaps bring them: each finds the client of the API server beside it."""

import subprocess
import sys
from pathlib import Path

import pytest
from rdma_cluster.incluster import in_pod

from tests.stacks import graph_of

_READY = "gke readiness.enabled=true"
SHIPPED_BY = {
    "mark_nodes.py": "gke",
    "mpi_watcher.py": "oke",
    "serving_check.py": "oke-405b",
    "await_webhook.py": "oke-405b",
    "await_definitions.py": "oke-b200",
    "cluster_state.py": _READY,
    "decide.py": _READY,
    "fill.py": _READY,
    "fleet.py": _READY,
    "lease.py": _READY,
    "mark_proofs.py": _READY,
    "metrics.py": _READY,
    "outcomes.py": _READY,
    "pairs.py": _READY,
    "proof.py": _READY,
    "prover.py": _READY,
    "rings.py": _READY,
    "fault_readings.py": _READY,
    "fault_rules.py": _READY,
    "fault_conditions.py": _READY,
    "fault_taints.py": _READY,
    "fault_watcher.py": _READY,
}
"""A stack with each script, and what is set there."""


def test_every_script_is_shipped():
    """Each one here, and the client, which needs no ConfigMap of its own."""
    here = {path.name for path in Path(in_pod.__file__).parent.glob("*.py")}

    assert here == {*SHIPPED_BY, in_pod.API_FILE, "__init__.py"}


@pytest.mark.parametrize("script", SHIPPED_BY)
def test_a_script_starts_from_its_config_map_alone(script: str, tmp_path: Path):
    """With the files that are mounted with it, and nothing installed."""
    config_maps = graph_of(*SHIPPED_BY[script].split()).of_type("kubernetes:core/v1:ConfigMap")
    holding = [each.inputs["data"] for each in config_maps if script in each.inputs.get("data", {})]
    assert holding
    for number, files in enumerate(holding):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)

        code = f"import sys; sys.path.insert(0, {str(folder)!r}); import {Path(script).stem}"
        started = subprocess.run([sys.executable, "-E", "-S", "-c", code], cwd=folder, capture_output=True, text=True)

        assert (started.returncode, started.stderr) == (0, "")
