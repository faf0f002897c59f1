"""A job of whole nodes is the same pods, whichever kind of object it is written as."""

from typing import Any

import pytest
from rdma_cluster.claims import Gpus, Nics, Template, Whole
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.incluster.plan.claim_templates import Offer
from rdma_cluster.incluster.plan.job import Node, Training, full_node_claims, objects

BARE: dict[str, Any] = {
    "nodeSelector": {"pool": "a"},
    "tolerations": [],
    "env": [{"name": "NCCL_NET", "value": "gIB"}],
    "resources": {},
    "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
    "volumes": [],
    "volumeMounts": [],
}
"""The part of a pod whose fabric asks for nothing more."""
FULL: dict[str, Any] = {
    **BARE,
    "annotations": {"networks": "all"},
    "tolerations": [{"key": "gpu", "operator": "Exists"}],
    "initContainers": [{"name": "daemon"}],
    "hostNetwork": True,
    "resources": {"limits": {"nvidia.com/gpu": "8"}},
    "volumes": [{"name": "shared-memory"}],
    "volumeMounts": [{"name": "shared-memory"}],
}


def training(node: Node, **more: Any) -> Training:
    """Return a training on three nodes."""
    given: dict[str, Any] = {"claims": (), "image": "my/train:1", "program": ("run", "$(X)"), **more}
    return Training("train", "team", 3, node, **given)


def full(**more: Any) -> Training:
    """Return a training in a queue, whose pods have all that a pod can have."""
    given = {"claims": ("whole", "more"), "queue": "a", "levels": ("block", "rack", "host"), "channels": True, **more}
    return training(Node(8, FULL, source="/env.sh", cpu="97"), **given)


def bare() -> Training:
    """Return a training outside of queues, whose pods claim nothing."""
    return training(Node(0, BARE))


def pod_of(kind: str, made: Training) -> dict[str, Any]:
    """Return the template of the pods that train."""
    found = objects(kind, made)
    spec = found[-1]["spec"]
    if kind == "job":
        return spec["template"]
    if kind == "mpijob":
        return spec["mpiReplicaSpecs"]["Worker"]["template"]
    (nodes,) = (found[-2]["spec"]["template"]["spec"] if kind == "trainjob" else spec)["replicatedJobs"]
    return nodes["template"]["spec"]["template"]


@pytest.mark.parametrize("kind", ["job", "jobset", "mpijob", "trainjob"])
def test_a_pod_has_its_fabric_claims_and_a_whole_node(kind: str):
    pod = pod_of(kind, full())
    spec, (main,) = pod["spec"], pod["spec"]["containers"]
    claims = {each["name"]: each["resourceClaimTemplateName"] for each in spec["resourceClaims"]}

    assert pod["metadata"]["annotations"]["networks"] == "all"
    assert list(claims.values()) == ["whole", "more", "train-channel"]
    assert [each["name"] for each in main["resources"]["claims"]] == list(claims)
    assert main["resources"]["requests"] == {"cpu": "97"} and main["resources"]["limits"] == {"nvidia.com/gpu": "8"}
    assert (spec["nodeSelector"], spec["tolerations"]) == (FULL["nodeSelector"], FULL["tolerations"])
    assert (spec["hostNetwork"], spec["dnsPolicy"]) == (True, "ClusterFirstWithHostNet")
    assert (spec["initContainers"], spec["volumes"]) == (FULL["initContainers"], FULL["volumes"])
    assert (main["image"], main["volumeMounts"]) == ("my/train:1", FULL["volumeMounts"])
    assert main["securityContext"] == FULL["securityContext"] and main["env"][0] == FULL["env"][0]


def test_a_pod_that_fails_ends_the_job():
    """All pods must run together."""
    job, mpi_job = (objects(kind, full())[-1]["spec"] for kind in ("job", "mpijob"))

    assert job["backoffLimit"] == mpi_job["runPolicy"]["backoffLimit"] == 0 and job["completions"] == 3


@pytest.mark.parametrize(("made", "slots", "ranks"), [(full(), 8, "24"), (bare(), 1, "3")])
def test_an_mpi_launcher_starts_a_rank_for_each_gpu(made: Training, slots: int, ranks: str):
    """Nodes without GPUs have a rank each; the workers only listen, and the launcher waits for them."""
    spec = objects("mpijob", made)[-1]["spec"]
    (launcher,) = spec["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"]
    (worker,) = pod_of("mpijob", made)["spec"]["containers"]

    assert (spec["slotsPerWorker"], spec["launcherCreationPolicy"]) == (slots, "WaitForWorkersReady")
    assert (launcher["command"][0], launcher["image"], launcher["command"][-2:]) == (
        "mpirun",
        "my/train:1",
        ["run", "$$(X)"],
    )
    assert launcher["command"][launcher["command"].index("-np") + 1] == ranks
    assert worker["command"][0] == "/usr/sbin/sshd"
    assert {name: each["replicas"] for name, each in spec["mpiReplicaSpecs"].items()} == {"Launcher": 1, "Worker": 3}


def test_a_trainjob_has_a_runtime_of_its_own():
    """The runtime holds the pod, for a TrainJob's patches know no claims; Trainer finds it by name and label."""
    *_, runtime, job = objects("trainjob", full())
    (node,) = runtime["spec"]["template"]["spec"]["replicatedJobs"]

    assert job["spec"]["runtimeRef"]["kind"] == runtime["kind"] == "TrainingRuntime"
    assert job["spec"]["runtimeRef"]["name"] == runtime["metadata"]["name"]
    assert runtime["metadata"]["labels"] == {"trainer.kubeflow.org/framework": "torch"}
    assert node["template"]["metadata"]["labels"] == {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    assert node["name"] == pod_of("trainjob", full())["spec"]["containers"][0]["name"] == "node"
    assert job["spec"]["trainer"] == {"numNodes": 3, "numProcPerNode": 8}
    assert runtime["spec"]["mlPolicy"]["numNodes"] == 3


def test_a_pod_of_a_whole_node_takes_the_whole_nodes_templates():
    """An offer that is a part of a node is never taken; where a plugin has the GPUs, the NICs alone are."""
    gpus, nics, first, second = (Template(name, ()) for name in ("gpus", "nics", "first", "second"))
    offers = [Offer(Gpus(8), ((gpus,),), 1), Offer(Whole(), ((first, second),), 1), Offer(Nics(), ((nics,),), 1)]

    assert full_node_claims(offers, GpuAllocation.DRA) == ("first", "second")
    assert full_node_claims(offers, GpuAllocation.DEVICE_PLUGIN) == ("nics",)
    assert full_node_claims(offers[:1], GpuAllocation.DRA) is None
