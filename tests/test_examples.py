"""Every example does what it says."""

import subprocess
import sys
from pathlib import Path

import pytest
from rdma_cluster.offline import preview

from tests.stacks import ROOT

# As `python -m pytest`, without the collector, which takes half of the time while an SDK is imported.
PYTEST = "import gc, sys, pytest; gc.disable(); sys.exit(pytest.main(sys.argv[1:]))"
EXAMPLES = ROOT / "examples"


@pytest.mark.parametrize(
    "folder", sorted(path.parent for path in EXAMPLES.glob("*/Pulumi.yaml")), ids=lambda path: path.name
)
def test_program_runs(folder: Path):
    """As `pulumi preview` would run it, with its own settings; every program says what it costs."""
    graph = preview(folder)

    assert graph.outputs
    assert "COST" in (folder / "__main__.py").read_text()


def test_foreign_program():
    """The components' resources and the program's own, side by side."""
    graph = preview(EXAMPLES / "foreign")

    assert graph.outputs["pool"] == "a4"
    assert len(graph.of_type("gcp:compute/network:Network")) == 3
    assert {each.type for each in graph.resources if each.parent is None} == {
        "rdma-cluster:index:GkeGpuNodePool",
        "rdma-cluster:index:GkeHpcNetwork",
        "gcp:storage/bucket:Bucket",
    }


@pytest.mark.thorough
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/test_*.py")), ids=lambda path: path.parent.name)
def test_tests_of_a_user_pass(path: Path):
    """With pytest alone, outside of our own settings."""
    done = subprocess.run(
        [sys.executable, "-c", PYTEST, "-q", "-c", "/dev/null", "-p", "no:cacheprovider", path.name],
        cwd=path.parent,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout
