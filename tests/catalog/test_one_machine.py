"""A machine is one row in one file: nothing else is touched to plan it, show it and prove its claims."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.stacks import ROOT

_ROWS = {
    # By cloud: the catalogue's file, the imaginary machine, its row, and what a pool of it needs beside its name.
    "gke": (
        "gke.py",
        "a9-highgpu-8g",
        """_hgx(
        name="a9-highgpu-8g",
        vcpus=300,
        gpu=Gpu("NVIDIA B900", 900, "Imaginary"),
        min_kubernetes={"gpudirect": "1.32.2-gke.1475000"},
        driver=">=570",
        sources=(_TOOLKIT,),
        accelerator="nvidia-b900",
        quota_family="NVIDIA_B900",
    ),""",
        (),
    ),
    "eks": (
        "eks/gpu.py",
        "p9.48xlarge",
        """_p5(
        name="p9.48xlarge", **_P5_TREE,
        vcpus=300,
        gpu=Gpu("NVIDIA B900", 900, "Imaginary"),
        sources=(OFI_NCCL,),
    ),""",
        (),
    ),
    "oke": (
        "oke/hgx.py",
        "BM.GPU.B900.8",
        """_h200(
        name="BM.GPU.B900.8",
        vcpus=300,
        gpu=Gpu("NVIDIA B900", 900, "Imaginary"),
        driver=">=570",
        sources=(STACK,),
        vfs=8,
        image_listed=False,
    ),""",
        # Oracle's lists of images name shapes: of a new one the user brings the image.
        ("--set=pools[0].image={id: ocid1.image.oc1..example}",),
    ),
}
EACH_CLOUD = pytest.mark.parametrize(
    "cloud", ["gke", *(pytest.param(cloud, marks=pytest.mark.thorough) for cloud in _ROWS if cloud != "gke")]
)


def copy_with(row: str, file: str, folder: Path) -> Path:
    """A copy of the project in which a row stands first among the machines of a file of the catalogue."""
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    for name in ("components", "stacks"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    path = folder / "components" / "rdma_cluster" / "catalog" / file
    head, start, rows = path.read_text().partition("\nMACHINES = (\n")
    assert start
    path.write_text(f"{head}{start}    {row}\n{rows}")
    return folder


def touched(project: Path) -> list[str]:
    """Files of the copy's package that are new, gone or different."""
    ours, theirs = (
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (ROOT / "components" / "rdma_cluster", project / "components" / "rdma_cluster")
    )
    files = {path for path in ours.keys() | theirs.keys() if "__pycache__" not in path.parts}
    return sorted(str(path) for path in files if ours.get(path) != theirs.get(path))


def command(project: Path, *words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the copy's own command."""
    start = f"import rdma_cluster.cli as it; assert {str(project)!r} in it.__file__; it.main()"
    environment = {**os.environ, "PYTHONPATH": str(project / "components"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", start, *words], cwd=project, env=environment, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


@EACH_CLOUD
def test_one_row_in_one_file_is_a_machine(cloud: str, tmp_path: Path):
    """The command plans a stack of it, shows it in full, and proves claims on it."""
    file, name, row, options = _ROWS[cloud]
    project = copy_with(row, file, tmp_path)

    # Nobody published what it reaches.
    pool = (f"--set=pools[0].machine={name}", "--set=acceptance.waive=[bandwidth]", *options)
    code, out, err = command(project, "plan", cloud, "--json", *pool)
    assert code == 0, err
    assert name in json.loads(out)["rails"]

    code, out, err = command(project, "machines", name, "--json")
    assert code == 0, err
    assert [(each["name"], each["vcpus"], each["cloud"]) for each in json.loads(out)] == [(name, 300, cloud)]

    code, out, err = command(project, "claims", name, "--pairs=2", "--json")
    assert code == 0, err
    assert json.loads(out)["machine"] == name

    assert touched(project) == [f"catalog/{file}"]


@EACH_CLOUD
def test_a_row_without_vcpus_fails_at_once(cloud: str, tmp_path: Path):
    file, _name, row, _options = _ROWS[cloud]
    project = copy_with(row.replace("        vcpus=300,\n", ""), file, tmp_path)

    code, _out, err = command(project, "machines")

    assert code != 0
    assert f"{cloud.capitalize()}Machine needs vcpus" in err
