"""`rdma-cluster job`: what is printed is a job of whole nodes, of whichever kind."""

import json
from typing import Any

import pytest
import yaml

from tests.cli.commands import command

QUEUES = ("--set", "queues={enabled: true}")


def printed(*words: str) -> list[dict[str, Any]]:
    """The objects."""
    code, out, _ = command("job", *words)
    assert code == 0, out
    return list(yaml.safe_load_all(out))


def pods(found: Any) -> list[dict[str, Any]]:
    """The pod templates in it, outermost first."""
    if isinstance(found, list):
        return [pod for each in found for pod in pods(each)]
    if not isinstance(found, dict):
        return []
    own = [found] if "containers" in found.get("spec", {}) else []
    return own + [pod for each in found.values() for pod in pods(each)]


@pytest.mark.parametrize("kind", ["job", "jobset", "mpijob", "trainjob"])
def test_every_kind_has_one_pod_a_node(kind: str):
    """As many pods as nodes, each with the node's devices and more than half of its CPUs; held until Kueue says go."""
    objects = printed("a4", "--stack", "gke", *QUEUES, "--nodes", "2", "--kind", kind)
    text, worker = json.dumps(objects[-1]), pods(objects)[-1]

    assert worker["spec"]["resourceClaims"] == [
        {"name": "devices-0", "resourceClaimTemplateName": "a4-highgpu-8g-whole"}
    ]
    assert worker["spec"]["containers"][0]["resources"] == {
        "requests": {"cpu": "113"},
        "claims": [{"name": "devices-0"}],
    }
    assert objects[-1]["metadata"]["labels"] == {"kueue.x-k8s.io/queue-name": "a4"}
    assert '"suspend": true' in text
    assert any(f'"{key}": 2' in text for key in ("completions", "replicas", "numNodes"))


def test_near_each_other():
    """In the narrowest part of the network that holds all; where only hosts are known there is nothing to prefer."""
    preferred = "kueue.x-k8s.io/podset-preferred-topology"
    (pod,) = pods(printed("a4", "--stack", "gke", *QUEUES, "--nodes", "2"))
    spot = ("--set", "pools[0].capacity={spot: true}")
    (anywhere,) = pods(printed("a4", "--stack", "gke", *QUEUES, *spot, "--nodes", "2"))

    assert pod["metadata"]["annotations"][preferred] == "cloud.google.com/gce-topology-subblock"
    assert preferred not in anywhere["metadata"].get("annotations", {})


def test_without_queues():
    """Nothing waits, and Kueue is not spoken of."""
    _, job = printed("a4", "--stack", "gke", "--nodes", "2")

    assert "kueue" not in json.dumps(job)
    assert "suspend" not in job["spec"]


def test_a_machine_alone():
    """What the pods name comes with them: p5's devices are too many for one claim."""
    first, second, _, job = printed("p5.48xlarge", "--nodes", "2", "--namespace", "team-a")
    (pod,) = pods(job)
    named = [each["resourceClaimTemplateName"] for each in pod["spec"]["resourceClaims"]]

    assert [(each["kind"], each["metadata"]["name"]) for each in (first, second)] == [
        ("ResourceClaimTemplate", name) for name in named
    ]
    assert {each["metadata"]["namespace"] for each in (first, second, job)} == {"team-a"}
    assert pod["spec"]["nodeSelector"] == {"node.kubernetes.io/instance-type": "p5.48xlarge"}


@pytest.mark.parametrize(("kind", "first"), [("job", "train-0.train"), ("jobset", "train-node-0-0.train")])
def test_pods_find_each_other(kind: str, first: str):
    """torchrun needs no option: how many nodes there are, which this is, and where the first is it is told."""
    (pod,) = pods(printed("a4-highgpu-8g", "--nodes", "4", "--kind", kind)[-1])
    env = {each["name"]: each.get("value") or each["valueFrom"] for each in pod["spec"]["containers"][0]["env"]}

    assert env["MASTER_ADDR"] == env["PET_MASTER_ADDR"] == first
    assert (env["PET_NNODES"], env["PET_NPROC_PER_NODE"]) == ("4", "8")
    assert "job-completion-index" in env["PET_NODE_RANK"]["fieldRef"]["fieldPath"]


def test_a_rack():
    """NVLink between nodes takes a channel for each pod, which a ComputeDomain of the job's own brings."""
    found = printed("p6e-gb200.36xlarge", "--nodes", "18")
    (domain,) = [each for each in found if each["kind"] == "ComputeDomain"]
    (pod,) = pods(found[-1])
    channel = {
        "name": "channel",
        "resourceClaimTemplateName": domain["spec"]["channel"]["resourceClaimTemplate"]["name"],
    }

    assert channel in pod["spec"]["resourceClaims"]
    assert {"name": "channel"} in pod["spec"]["containers"][0]["resources"]["claims"]


def test_own_program():
    """In the user's image, behind the script that the fabric's plugin needs."""
    words = ("--image", "my/train:1", "--run", "torchrun", "--nnodes", "2", "train.py")
    (pod,) = pods(printed("a4-highgpu-8g", "--nodes", "2", *words)[-1])
    (container,) = pod["spec"]["containers"]

    assert container["image"] == "my/train:1"
    assert container["command"][-4:] == ["torchrun", "--nnodes", "2", "train.py"]
    assert "set_nccl_env.sh" in container["command"][2]


def test_a_machine_whose_gpus_nobody_claims():
    """No driver hands AMD's GPUs out by claims: the answer is no, with the reason."""
    code, out, _ = command("job", "Standard_ND96isr_MI300X_v5", "--nodes", "2")

    assert code == 1
    assert "does not serve AMD" in out


def test_a_queue_of_ones_own():
    """A stack without queues lets a job wait in somebody else's, and says whose that has to be."""
    code, out, said = command("job", "a4", "--stack", "gke", "--nodes", "2", "--queue", "team-a")

    assert (code, list(yaml.safe_load_all(out))[-1]["spec"]["suspend"]) == (0, True)
    assert said == "needs Kueue and its queue team-a, which you bring: the stack installs none\n"


def test_a_pool_without_a_queue():
    """Beside one that has a queue: its jobs wait in none."""
    flex = "pools[1]={name: flex, machine: a4-highgpu-8g, nodes: 2, capacity: {flexStart: true}}"
    *_, job = printed("flex", "--stack", "gke", *QUEUES, "--set", flex, "--nodes", "2")

    assert "labels" not in job["metadata"]
    assert "suspend" not in job["spec"]
