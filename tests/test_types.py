"""Type checkers at their strictest take the programs that we show."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.stacks import ROOT

VALUES = """
import pulumi
from rdma_cluster.gke import GkeEndpoint, GkeRdmaCluster

for endpoint in ("dns", GkeEndpoint.DNS):
    cluster = GkeRdmaCluster(
        "train",
        {
            "project": "my-project",
            "zone": "us-west8-c",
            "kubernetes": {"endpoint": endpoint},
            "pools": [
                {
                    "name": "a4",
                    "machine": "a4-highgpu-8g",
                    "nodes": 2,
                    "capacity": {"spot": True},
                    "gpu_allocation": "dra",
                }
            ],
        },
    )
    names: pulumi.Output[list[str]] = cluster.workloads.apply(lambda pools: pools["a4"]["claimTemplates"])
    status: pulumi.Output[str] = cluster.proofs.apply(lambda proofs: proofs["a4"]["status"])
"""
WRONG = VALUES.replace('"capacity": ', '"capacities": ')
SDKS = ("aws", "azure_native", "gcp", "kubernetes", "oci")

# Pyright's own rules at their strictest, by the fork of it whose Node.js comes from the package index.
PYRIGHT = ("basedpyright", "--level", "error", "--pythonpath", sys.executable, "--project", "pyrightconfig.json")
MYPY = ("mypy", "--config-file", "mypy.ini", "--cache-dir", ".cache", ".")


def check(checker: tuple[str, ...], folder: Path, programs: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a checker over programs beside the installed package, as a user has them."""
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    # The SDKs are not ours, and mypy reads each for half a minute.
    skipped = "".join(f"[mypy-pulumi_{sdk}.*]\nfollow_imports = skip\n" for sdk in SDKS)
    # Mypy's extra checks take no record by ** that leaves out optional keys: so do composed programs share some.
    (folder / "mypy.ini").write_text(f"[mypy]\nstrict = true\nextra_checks = false\n{skipped}")
    paths = {**os.environ, "PYTHONPATH": str(ROOT / "components")}
    command = (sys.executable, "-m", *checker)
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=paths)


def programs() -> dict[str, str]:
    """Every program that we show, by a name of its own."""
    (readme,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    examples = {path.parent.name: path.read_text() for path in (ROOT / "examples").glob("*/__main__.py")}
    return {"readme": readme, "values": VALUES, **examples}


@pytest.mark.thorough
@pytest.mark.parametrize("checker", [PYRIGHT, MYPY], ids=lambda checker: checker[0])
def test_programs_that_we_show_are_well_typed(checker: tuple[str, ...], tmp_path: Path):
    """Choices are written by value and by member, and outputs are read by their keys."""
    done = check(checker, tmp_path, programs())

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("checker", [PYRIGHT, MYPY], ids=lambda checker: checker[0])
def test_a_type_checker_finds_a_misspelt_key(checker: tuple[str, ...], tmp_path: Path):
    """A checker that understood nothing would take everything."""
    done = check(checker, tmp_path, {"wrong": WRONG})

    assert done.returncode == 1
    assert "capacities" in done.stdout
