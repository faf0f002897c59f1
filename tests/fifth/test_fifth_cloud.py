"""A fifth cloud is a folder, its files of the catalogue, a stack, and one line: no other file of ours knows of it.

It has InfiniBand, and machines of its own that are a platform and a preset of it. All of its figures are invented.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pulumi_offline import Graph
from tests.nccl import render
from tests.stacks import ROOT

pytestmark = pytest.mark.variant

HERE = Path(__file__).parent
MACHINE = "gpu-l9-sxm.8gpu-96vcpu-1200gb"
LABELS = {"moon.example/platform": "gpu-l9-sxm", "moon.example/preset": "8gpu-96vcpu-1200gb"}
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
      platform: gpu-l9-sxm
      preset: 8gpu-96vcpu-1200gb
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
    for room in ("moon", "catalog"):
        own = shutil.ignore_patterns("__pycache__")
        shutil.copytree(HERE / room, package / room, ignore=own, dirs_exist_ok=True)
    (folder / "stacks" / "moon.py").write_text(PROGRAM)
    (folder / "stacks" / "Pulumi.moon.yaml").write_text(STACK)
    clouds = package / "common" / "__init__.py"
    text = clouds.read_text()
    assert text.count(LINE) == 1
    clouds.write_text(text.replace(LINE, f'{LINE}moon", "'))
    return folder


def python(project: Path, code: str, *words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a program in the copy."""
    start = f"import rdma_cluster.cli as it; assert {str(project)!r} in it.__file__; {code}"
    environment = {**os.environ, "PYTHONPATH": str(project / "components")}
    done = subprocess.run(
        [sys.executable, "-c", start, *words], cwd=project, env=environment, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


def command(project: Path, *words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the copy's own command."""
    return python(project, "it.main()", *words)


def test_moon_is_previewed(project: Path):
    """The program runs with the SDK's checks, and all that a cluster gets is there, down to the proof."""
    code, out, err = command(project, "preview", "moon", "--json")
    assert code == 0, err
    graph = Graph.from_dict(json.loads(out))

    components = {each.type.rpartition(":")[2] for each in graph.resources if each.type.startswith("rdma-cluster:")}
    assert components == {"MoonRdmaCluster", "DraDrivers", "ClaimTemplates", "MpiOperator", "NcclAcceptance"}
    assert len(graph.of_type("kubernetes:kubeflow.org/v2beta1:MPIJob")) == 1
    workload = graph.outputs["workloads"]["rover"]
    assert workload["nodeSelector"] == {"moon.example/pool": "rover"}
    assert {"name": "NCCL_IB_HCA", "value": "=" + ",".join(f"mlx5_{i}" for i in range(8))} in workload["env"]
    # A node says its crater before the test, as Azure's say their placement group.
    assert "cat /etc/crater" in out and "placementGroupId" not in out


def test_moon_is_planned_and_refused(project: Path):
    """The command knows its rails, its stack, its keys and its errors."""
    code, out, err = command(project, "plan", "moon", "--json")
    assert code == 0, err
    assert len(json.loads(out)["rails"][MACHINE]) == 8

    code, out, err = command(project, "plan", "moon", "--set=pools[0].nodes=0", "--set=claims.pairs=[9]")
    assert (code, out) == (2, "")
    assert "pools[0].nodes: got 0; must be 1 or more" in err.splitlines()
    assert any(line.startswith(f"claims.pairs[0]: {MACHINE}: 9 aligned") for line in err.splitlines())

    code, out, err = command(project, "plan", "moon", "--set=pools[0].preset=9gpu")
    assert (code, out) == (2, "")
    assert "pools[0].preset: unknown machine 'gpu-l9-sxm.9gpu'; nearest are gpu-l9" in err and MACHINE in err


def test_its_machine_is_in_the_catalogue(project: Path):
    """It is listed, its NICs are claimed in pairs with its GPUs, and whoever misses a machine hears of it."""
    code, out, err = command(project, "machines", "--cloud", "moon", "--json")
    assert code == 0, err
    assert [(each["cloud"], each["name"], each["prices"]) for each in json.loads(out)] == [
        ("moon", MACHINE, []),
        ("moon", "gpu-l9-sxm.4gpu-48vcpu-600gb", []),
    ]
    code, out, err = command(project, "claims", MACHINE, "--pairs", "2", "--json")
    assert code == 0, err
    proof = json.loads(out)
    assert (proof["satisfiable"], proof["podsPerNode"]) == (True, 4)
    requests = proof["templates"][0]["spec"]["spec"]["devices"]["requests"]
    assert [each["exactly"]["deviceClassName"] for each in requests] == ["dranet", "gpu.nvidia.com"] * 2
    assert "0000:11:00.0" in str(requests[0]) and "0000:21:00.0" in str(requests[2])
    code, out, err = command(project, "claims", "gpu-l1.1gpu")
    assert (code, out) == (2, "")
    assert "gpu-l1.1gpu has no InfiniBand; nearest with a fabric are" in err


def test_pods_are_sent_to_both_words_of_it(project: Path):
    """A job and a policy for a machine of which nothing else is known select its nodes by platform and preset."""
    code, out, err = command(project, "job", MACHINE, "--nodes", "2")
    assert code == 0, err
    assert all(f"{key}: {value}" in out for key, value in LABELS.items()) and "instance-type" not in out
    code, out, err = command(project, "inject", "--machine", MACHINE, "--policy", "native")
    assert code == 0, err
    assert all(key in out and value in out for key, value in LABELS.items()) and "instance-type" not in out


@pytest.mark.parametrize(("network", "code"), [("IB", 0), ("Socket", 1)])
def test_its_logs_are_judged(project: Path, tmp_path: Path, network: str, code: int):
    """By InfiniBand's names, its own GPUs and its own threshold."""
    lines = render.log(form="InfiniBand", collective="all_reduce")
    text = "\n".join(re.sub(r"\] NVIDIA .*", "] NVIDIA L900", line) for line in lines)
    (tmp_path / "log").write_text(text.replace("Using network IB", f"Using network {network}"))
    given, out, err = command(project, "verdict", str(tmp_path / "log"), "--machine", MACHINE, "--nodes", "2")

    assert given == code, out + err
    assert "320 GB/s" in out


def test_a_snapshot_names_it(project: Path):
    """A living node's two labels are one machine, and of a preset that nobody knew a row is made."""
    look = """
import json, sys
from rdma_cluster.conform.reader import Answers, read_answers
from rdma_cluster.conform.row import cloud_of
labels = {"pool": "a", **json.loads(sys.argv[1])}
node = {"metadata": {"name": "n", "labels": labels}}
(seen,) = read_answers(Answers(nodes=[node]), "pool", ["a"], "0.1.0").snapshot["nodes"]
print(seen["machine"], cloud_of(seen["machine"]))
"""
    new = {**LABELS, "moon.example/preset": "2gpu-24vcpu-300gb"}
    for labels, name in ((LABELS, MACHINE), (new, "gpu-l9-sxm.2gpu-24vcpu-300gb")):
        code, out, err = python(project, f"exec({look!r})", json.dumps(labels))
        assert (code, out) == (0, f"{name} moon\n"), err


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
    package = "components/rdma_cluster"
    own = ("stacks/moon.py", "stacks/Pulumi.moon.yaml", f"{package}/moon/", f"{package}/catalog/moon.py")
    own = (*own, f"{package}/catalog/clouds/moon.py", f"{package}/catalog/prices/moon.py")

    assert [name for name in after.keys() - before.keys() if not name.startswith(own)] == []
    assert changed == {f"{package}/common/__init__.py"}
    (name,) = changed
    assert sum(a != b for a, b in zip(before[name], after[name], strict=True)) == 1
