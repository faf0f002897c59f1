"""A fifth cloud is a folder, a stack, and one line: no other file of ours knows of it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rdma_cluster.offline import Graph

from tests.stacks import ROOT

pytestmark = pytest.mark.variant

HERE = Path(__file__).parent
LINE = 'CLOUDS = ("'
PROGRAM = '''"""A cluster on the moon, from this stack's configuration."""

import pulumi
from rdma_cluster.moon import MoonRdmaCluster
from rdma_cluster.moon.plan import STACK_KEYS, plan_rdma_cluster_args
from rdma_cluster.program import configured

plan = configured(plan_rdma_cluster_args, STACK_KEYS)
pulumi.export("workloads", MoonRdmaCluster(pulumi.get_stack(), plan.args, plan=plan).workloads)
'''
STACK = """config:
  moon:crater: tycho
  rdma-cluster:cloud: moon
  rdma-cluster:pools:
    - name: rover
      nodes: 2
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the moon in it."""
    folder = tmp_path_factory.mktemp("moon")
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copy(ROOT / name, folder)
    for name in ("components", "stacks"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    package = folder / "components" / "rdma_cluster"
    shutil.copytree(HERE / "moon", package / "moon", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "stacks" / "moon.py").write_text(PROGRAM)
    (folder / "stacks" / "Pulumi.moon.yaml").write_text(STACK)
    clouds = package / "common" / "__init__.py"
    text = clouds.read_text()
    assert text.count(LINE) == 1
    clouds.write_text(text.replace(LINE, f'{LINE}moon", "'))
    return folder


def command(project: Path, *words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the copy's own command."""
    start = f"import rdma_cluster.cli as it; assert {str(project)!r} in it.__file__; it.main()"
    environment = {**os.environ, "PYTHONPATH": str(project / "components")}
    done = subprocess.run(
        [sys.executable, "-c", start, *words], cwd=project, env=environment, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


def test_moon_is_previewed(project: Path):
    """The program runs with the SDK's checks, and all that a cluster gets is there, down to the proof."""
    code, out, err = command(project, "preview", "moon", "--json")
    assert code == 0, err
    graph = Graph.from_dict(json.loads(out))

    components = {each.type.rpartition(":")[2] for each in graph.resources if each.type.startswith("rdma-cluster:")}
    assert components == {"MoonRdmaCluster", "DraDrivers", "NcclInstaller", "ClaimTemplates", "NcclAcceptance"}
    assert len(graph.of_type("kubernetes:batch/v1:Job")) == 1
    assert graph.outputs["workloads"]["rover"]["nodeSelector"] == {"moon.example/pool": "rover"}


def test_moon_is_planned_and_refused(project: Path):
    """The command knows its rails, its stack, its keys and its errors."""
    code, out, err = command(project, "plan", "moon", "--json")
    assert code == 0, err
    assert len(json.loads(out)["rails"]["a3-ultragpu-8g"]) == 8

    code, out, err = command(project, "plan", "moon", "--set=pools[0].nodes=0", "--set=claims.pairs=[9]")
    assert (code, out) == (2, "")
    assert "pools[0].nodes: got 0; must be 1 or more" in err.splitlines()
    assert any(line.startswith("claims.pairs[0]: a3-ultragpu-8g: 9 aligned") for line in err.splitlines())


def test_nobody_else_has_heard_of_it():
    """Its name stands in no file of the package, so that nothing but the folder and the line was needed."""
    package = ROOT / "components" / "rdma_cluster"

    assert [path for path in package.rglob("*.py") if '"moon"' in path.read_text() or "Moon" in path.read_text()] == []


def test_it_is_its_own_folders_and_one_line(project: Path):
    """Of the files that were there one differs, in one line; the others are its own."""

    def files(folder: Path) -> dict[str, list[str]]:
        rooms = [folder / "components" / "rdma_cluster", folder / "stacks"]
        found = [path for room in rooms for path in room.rglob("*") if path.suffix in (".py", ".yaml")]
        return {str(path.relative_to(folder)): path.read_text().splitlines() for path in found}

    before, after = files(ROOT), files(project)
    changed = {name for name, lines in before.items() if after[name] != lines}
    own = ("components/rdma_cluster/moon/", "stacks/moon.py", "stacks/Pulumi.moon.yaml")

    assert [name for name in after.keys() - before.keys() if not name.startswith(own)] == []
    assert changed == {"components/rdma_cluster/common/__init__.py"}
    (name,) = changed
    assert sum(a != b for a, b in zip(before[name], after[name], strict=True)) == 1
