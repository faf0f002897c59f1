"""A new fabric is a file and one entry in ``fabrics/``: it is planned, claimed and judged, and nothing else changes."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rdma_agent.payload import payload
from tests.nccl import render
from tests.stacks import ROOT

ORIGINAL = ROOT / "components" / "rdma_cluster"
ENTRY = '"infiniband_aks", "roce"'
FABRIC = '''"""Moonlight: NICs that NCCL reaches by a plugin of its own."""

from dataclasses import replace

from nccl_verdict.expectation import Network
from .fabric import Fabric
from .gib import GIB

NETWORK = Network(transport="Moonlight", names=("Moonbeam",), where_to_look="see the sky")

MOONLIGHT: Fabric = replace(
    GIB,
    name="moonlight",
    nic_attachment=replace(GIB.nic_attachment, driver="moonlight"),
    pod_patch=replace(GIB.pod_patch, env={"NCCL_NET": "Moonbeam"}, source=""),
    acceptance=replace(GIB.acceptance, network=NETWORK),
)

FABRICS = (MOONLIGHT,)
'''
LOOK = """
import json
from rdma_cluster.catalog import find
from rdma_cluster.claims import Target, Whole, solve
from rdma_cluster.fabrics import NIC_DRIVERS
from rdma_agent.payload import payload
from tests.acceptance.plans import args, containers, only, pool
from tests.golden.files import condensed, path_of, write
from tests.stacks import graph_of

test = only(args(pool(fabric="moonlight", gpu_allocation="device-plugin")))
print(json.dumps({
    "env": [each for container in containers(test).values() for each in container.get("env", [])],
    "expectation": json.loads(test.expectation.to_json()),
    "pods": solve(find("a3-ultragpu-8g"), Whole(), Target(NIC_DRIVERS["moonlight"])).copies,
    "judge": payload("nccl_verdict"),
    "same_golden": write(condensed(graph_of("gke"))) == path_of("gke").read_text(),
}))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the fabric in it."""
    copy = tmp_path_factory.mktemp("moonlight") / "rdma_cluster"
    shutil.copytree(ORIGINAL.parent, copy.parent, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    (copy / "fabrics" / "moonlight.py").write_text(FABRIC)
    face = copy / "fabrics" / "__init__.py"
    text = face.read_text()
    assert text.count(ENTRY) == 1
    face.write_text(text.replace(ENTRY, f'{ENTRY}, "moonlight"'))
    return copy


def run(package: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Python with the copy in its path."""
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    return subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def seen(package: Path) -> dict[str, Any]:
    """What the copy plans, claims and puts into pods."""
    done = run(package, "-c", LOOK)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_new_fabric_is_planned_and_claimed(seen: dict[str, Any]):
    """Its pods get what it adds, its driver's claims fill a node, and the judge is handed its names."""
    assert {"name": "NCCL_NET", "value": "Moonbeam"} in seen["env"]
    assert seen["expectation"]["network"]["names"] == ["Moonbeam"]
    assert seen["pods"] == 1


@pytest.mark.parametrize(("network", "code"), [("Moonbeam", 0), ("Moonbeam_v2", 0), ("gIB", 1), ("Socket", 1)])
def test_a_log_with_the_new_fabrics_names_passes_and_no_other(
    package: Path, seen: dict[str, Any], tmp_path: Path, network: str, code: int
):
    (tmp_path / "expect.json").write_text(json.dumps(seen["expectation"]))
    lines = [line.replace("gIB", network) for line in render.log()]
    gpu = seen["expectation"]["gpu_model"]
    (tmp_path / "log").write_bytes(render.joined([re.sub("NVIDIA H200$", gpu, line) for line in lines]))
    done = run(package, "-m", "nccl_verdict", "--expect", str(tmp_path / "expect.json"), str(tmp_path / "log"))

    assert done.returncode == code, done.stdout + done.stderr
    assert "Moonlight: `Using network Moonbeam` from every process" in done.stdout


def test_a_new_fabric_changes_neither_the_judge_nor_other_stacks(seen: dict[str, Any]):
    assert seen["judge"] == payload("nccl_verdict")
    assert seen["same_golden"]
