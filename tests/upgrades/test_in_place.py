"""What a change in place does to work that runs is told, with its pools and how many of their nodes at a time."""

import json
import mmap
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline import Graph
from rdma_cluster import __version__
from rdma_cluster.catalog import charts
from rdma_cluster.catalog.artifact import Chart, records_of
from rdma_cluster.catalog.in_place import CHARTS
from rdma_cluster.fabrics import FABRICS, HostPlugin
from rdma_cluster.upgrades.in_place import on_running, row_of
from tests.cli.commands import command
from tests.clouds import clouds
from tests.stacks import graph_of

FULL = ("gke", "pools[0].nodes=10", "readiness={enabled: true, onFault: quarantine}", "queues.enabled=true")
Edit = Callable[[dict[str, Any]], None]


def since(name: str, edit: Edit | None, *graph: str) -> list[str]:
    """What is told of a change from a graph in which the resource of this name was another, or was not."""
    after = graph_of(*(graph or FULL))
    data = json.loads(after.to_json())
    found = [each for each in data["resources"] if each["inputs"].get("metadata", each["inputs"]).get("name") == name]
    kinds = [each for each in found if each["type"].rpartition(":")[2] in ("Release", "DaemonSet", "Deployment")]
    (one,) = kinds or found
    if edit is not None:
        edit(one["inputs"])
        return on_running(Graph.from_dict(data), after)
    data["resources"].remove(one)
    return on_running(after, Graph.from_dict(data))


def image(inputs: dict[str, Any]) -> None:
    inputs["spec"]["template"]["spec"]["containers"][0]["image"] = "older"


def put(key: str, value: Any) -> Edit:
    return lambda inputs: inputs.update({key: value})


@pytest.mark.parametrize(
    ("name", "edit", "begins", "says"),
    [
        ("dranet", put("version", "1.3.0"), "dranet 1.3.0 -> 1.4.0: restarts on pool a4, 1 of 10 nodes", "keep their"),
        ("dra-driver-nvidia-gpu", put("version", "0.4.1"), "dra-driver-nvidia-gpu 0.4.1", "3 of 10 nodes at"),
        ("dranet", lambda inputs: inputs["values"].pop("affinity"), "dranet (values: affinity): restarts", "1 of 10"),
        ("dranet", put("timeout", 5), "dranet: `helm upgrade`", "nothing restarts"),
        ("kueue", put("version", "0.18.0"), "kueue 0.18.0 -> ", "on no node of a pool: jobs that are admitted go on"),
        ("nccl-installer-gib", image, "nccl-installer-gib: restarts on pool a4, 3 of 10", "two versions"),
        ("rdma-prover", image, "rdma-prover: restarts, on no node of a pool", "tests that run go on"),
        ("kueue", None, "kueue: removed", "every queue and Workload goes"),
        ("nccl-installer-gib", None, "nccl-installer-gib: removed on pool a4, at once", "others go on"),
    ],
)  # fmt: skip
def test_a_change_is_told_in_one_line(name: str, edit: Edit | None, begins: str, says: str):
    (line,) = since(name, edit)
    assert line.startswith(begins) and says in line


def test_a_file_alone_is_read_by_the_next_pods():
    """Where the pods that read it restart, too, their line says so, and it has none of its own."""

    def other(graph: Graph, *kinds: str) -> Graph:
        data = json.loads(graph.to_json())
        for each in data["resources"]:
            metadata = each["inputs"].get("metadata") or {}
            if metadata.get("name") == "rdma-fault-watcher" and each["type"].rpartition(":")[2] in kinds:
                spec = each["inputs"]
                spec.update({"data": {"run.py": "older"}} if "data" in spec else {})
                if "spec" in spec:
                    image(spec)
        return Graph.from_dict(data)

    after = graph_of(*FULL)
    (alone,) = on_running(other(after, "ConfigMap"), after)
    (both,) = on_running(other(after, "ConfigMap", "DaemonSet"), after)
    assert alone.startswith("ConfigMap rdma-fault-watcher (of rdma-fault-watcher): pods that run keep what they read")
    assert both.startswith("rdma-fault-watcher: restarts on pool a4, 3 of 10 nodes at a time")


def test_nothing_runs_on_in_a_cluster_that_is_made_anew():
    before = graph_of("gke")
    assert on_running(before, graph_of("gke", "kubernetes.name=other")) == [] == on_running(before, before)


@pytest.mark.parametrize("stack", [stack for cloud in clouds() for stack in cloud.stacks])
def test_the_catalogue_knows_all_that_restarts(stack: str):
    """A chart, a DaemonSet or a controller without a row would be told as not known."""
    kinds = ("kubernetes:helm.sh/v3:Release", "kubernetes:apps/v1:DaemonSet", "kubernetes:apps/v1:Deployment")
    unknown = [each.name for kind in kinds for each in graph_of(stack).of_type(kind) if row_of(each) is None]
    assert unknown == [] and CHARTS.keys() == {each.name for each in records_of(charts, Chart)}


def test_the_upgrade_of_what_is_in_the_cluster_names_each_part():
    code, out, _ = command("upgrade", "aks", "--part", "in-cluster", "--to", __version__, "--json")
    (step,) = json.loads(out)["steps"]

    assert code == 0 and [each.split()[0].rstrip(":") for each in step["restarts"]] == [
        "gpu-operator", "network-operator", "mpi-operator",
    ]  # fmt: skip
    assert command("upgrade", "gce", "--part", "in-cluster", "--to", __version__)[0] == 2
    assert command("upgrade", "aks", "--part", "in-cluster", "--to", "0.0.1")[0] == 2


PLUGINS = {each.plugin.name: each.plugin for each in FABRICS.values() if isinstance(each.plugin, HostPlugin)}


@pytest.mark.parametrize("name", PLUGINS)
def test_a_plugin_that_a_process_has_open_stays_what_it_was(name: str, tmp_path: Path):
    """Written into the file that there is, it would change under the process, which ends (PyO3/setuptools-rust#295)."""
    copies = [line for line in PLUGINS[name].script.splitlines() if line.startswith("cp ")]
    assert copies
    for line in copies:
        *words, source, target = line.split()
        new, there = tmp_path / source.strip("/"), tmp_path / target.strip("/")
        for folder, text in ((new, b"new"), (there, b"old")):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "libnccl-net.so").write_bytes(text)
        with (there / "libnccl-net.so").open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as seen:
            subprocess.run([*words, f"{new}/.", str(there)], check=True)
            assert seen[:] == b"old" and (there / "libnccl-net.so").read_bytes() == b"new"
