"""A program of a pod starts from the files of its ConfigMap alone."""

import subprocess
import sys
from pathlib import Path

import pytest
from rdma_agent.run import PROGRAMS
from tests.stacks import graph_of

CASES = {
    **dict.fromkeys(("judge", "compare", "mark-suspects", "mark-proofs", "run-test", "watch-test"), ("gke",)),
    **dict.fromkeys(("check-serving", "judge-serving", "await-webhook"), ("oke-405b",)),
    "await-definitions": ("oke-b200",),
    **dict.fromkeys(("prove", "watch-faults"), ("gke", "readiness.enabled=true")),
}
"""Each program, and a stack whose pods have its files."""


def test_every_program_is_tried():
    assert CASES.keys() == PROGRAMS.keys()


@pytest.mark.parametrize("program", CASES)
def test_a_program_starts_from_its_config_map_alone(program: str, tmp_path: Path):
    """The files lie in one folder, and nothing is installed."""
    module = PROGRAMS[program]
    key = f"{module}.__main__.py" if module == "nccl_verdict" else f"{module}.py"
    config_maps = graph_of(*CASES[program]).of_type("kubernetes:core/v1:ConfigMap")
    having = [each.inputs["data"] for each in config_maps if key in each.inputs.get("data", {})]
    for name, text in next(each for each in having if "run.py" in each).items():
        (tmp_path / name).write_text(text)

    code = f"import sys, run; sys.meta_path.insert(0, run.FlatFolder(run.Path({str(tmp_path)!r}))); import {module}"
    started = subprocess.run([sys.executable, "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, env={})

    assert (started.returncode, started.stderr) == (0, "")
