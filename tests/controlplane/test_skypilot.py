"""SkyPilot's own detection and its own pod, on the nodes and networks of the stacks that are made for it.

`make skypilot` installs it and says in SKYPILOT where its Python is; without it there is nothing to ask.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi_offline import Graph
from rdma_cluster.catalog import find
from rdma_cluster.catalog.gke import GkeMachine
from tests.stacks import ROOT, graph_of
from .cluster import Cluster

PYTHON = os.environ.get("SKYPILOT", "")
ASKED = ROOT / "tests" / "skypilot" / "asked.py"
LABEL = "cloud.google.com/gke-accelerator"
NETWORKS = "networking.gke.io/interfaces"
STACKS = {
    ("gke-a3-high",): "GCP_TCPX",
    ("gke-a3-mega", "skypilot=true"): "GCP_TCPXO",
    ("gke-a3-ultra", "skypilot=true"): "GCP_GPUDIRECT_RDMA",
    ("gke", "skypilot=true"): "GCP_GPUDIRECT_RDMA",
}

pytestmark = pytest.mark.skipif(not PYTHON, reason="SKYPILOT names no Python that has SkyPilot: run `make skypilot`")


def asked(kubeconfig: Path, home: Path, machine: GkeMachine) -> dict[str, Any]:
    """What SkyPilot says."""
    context = yaml.safe_load(kubeconfig.read_text())["current-context"]
    words = [PYTHON, str(ASKED), context, str(machine.gpus), LABEL, str(machine.accelerator)]
    quiet = {"KUBECONFIG": str(kubeconfig), "HOME": str(home), "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"}
    done = subprocess.run(words, env=os.environ | quiet, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def machine_of(graph: Graph) -> GkeMachine:
    """The one machine of a stack's pools."""
    machine = find(graph.one("rdma-cluster:index:GkeGpuNodePool").inputs["machine"], "gke")
    assert isinstance(machine, GkeMachine)
    return machine


def add_node(cluster: Cluster, graph: Graph, machine: GkeMachine) -> None:
    """A node of the pool, with what GKE and its device plugin say of it."""
    family = machine.name.partition("-")[0]
    said = {LABEL: str(machine.accelerator), "node.kubernetes.io/instance-type": machine.name}
    pool = graph.one("rdma-cluster:index:GkeGpuNodePool").inputs["name"]
    labels = {**said, "cloud.google.com/machine-family": family, "cloud.google.com/gke-nodepool": pool}
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    cluster.add_node("of-the-pool", labels, [taint], {"nvidia.com/gpu": str(machine.gpus)})


@pytest.mark.parametrize("stack", STACKS, ids=" ".join)
def test_skypilot_finds_the_fabric(stack: tuple[str, ...], cluster: Cluster, kubeconfig: Path, tmp_path: Path):
    """It knows the network, names networks that there are, and its pod runs on the pool's node."""
    graph = graph_of(*stack)
    machine = machine_of(graph)
    add_node(cluster, graph, machine)
    cluster.add_node("of-no-pool")
    said = asked(kubeconfig, tmp_path, machine)

    assert said["network"] == STACKS[stack]
    named = [each["network"] for each in json.loads(said["pod"]["metadata"]["annotations"][NETWORKS])]
    ours = graph.of_type("kubernetes:networking.gke.io/v1:Network")
    assert set(named) == {"default", *(each.inputs["metadata"]["name"] for each in ours)}
    placement = cluster.schedule_all([as_admitted(said["pod"])], 30.0)["task"]
    assert placement.node == "of-the-pool", placement.message


@pytest.mark.parametrize("capacity", ["flexStart", "queued"])
def test_skypilot_takes_our_output(capacity: str, tmp_path: Path):
    """What stands in its configuration and in its tasks has the form that it knows; a misspelt key has not."""
    told: Any = graph_of("gke-a3-mega", "skypilot=true", f"pools[0].capacity={{{capacity}: true}}").outputs["skypilot"]
    wrong = {**told, "tasks": {"a3-mega": {"kubernetes": {"dws": {"enable": True}}}}}

    assert taken(told, tmp_path) == ""
    assert "enable" in taken(wrong, tmp_path)


def taken(told: dict[str, Any], home: Path) -> str:
    """What SkyPilot says of an output; nothing where all is well."""
    env = os.environ | {"HOME": str(home), "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"}
    words = [PYTHON, str(ASKED.with_name("taken.py"))]
    done = subprocess.run(words, env=env, input=json.dumps(told), capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def as_admitted(pod: dict[str, Any]) -> dict[str, Any]:
    """The pod as GKE admits it: who asks for GPUs as a resource is given the toleration of their nodes' taint."""
    spec = pod["spec"]
    toleration = {"key": "nvidia.com/gpu", "operator": "Exists"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "task", "annotations": pod["metadata"]["annotations"]},
        "spec": {**spec, "tolerations": [*(spec.get("tolerations") or []), toleration]},
    }
