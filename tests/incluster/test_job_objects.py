"""A job of whole nodes is the same pods, whichever kind of object it is written as."""

from typing import Any

import pytest
from rdma_cluster.catalog import find
from rdma_cluster.claims import Gpus, Nics, Template, Whole
from rdma_cluster.fabrics import FABRICS, GpuAllocation
from rdma_cluster.incluster.plan.claim_templates import Offer
from rdma_cluster.incluster.plan.job import Node, Training, any_node, full_node_claims, node_of, objects
from rdma_cluster.incluster.plan.workload import Workload

KINDS = ("job", "jobset", "mpijob", "trainjob")
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
FULL = {
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


@pytest.mark.parametrize("kind", KINDS)
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


@pytest.mark.parametrize("kind", KINDS)
def test_a_pod_that_claims_nothing_says_nothing_of_it(kind: str):
    pod = pod_of(kind, bare())

    assert not {"resourceClaims", "hostNetwork", "dnsPolicy", "initContainers"} & pod["spec"].keys()
    assert pod["spec"]["containers"][0]["resources"] == {} and "annotations" not in pod["metadata"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_in_a_queue_waits_for_it(kind: str):
    """Outside of queues it starts at once; a rack's channels come before the job."""
    queued, free = objects(kind, full()), objects(kind, bare())
    label, held = {"kueue.x-k8s.io/queue-name": "a"}, "runPolicy" if kind == "mpijob" else ""
    specs = [(each[-1]["spec"][held] if held else each[-1]["spec"]) for each in (queued, free)]

    assert queued[-1]["metadata"] == {"name": "train", "namespace": "team", "labels": label}
    assert free[-1]["metadata"] == {"name": "train", "namespace": "team"}
    assert specs[0]["suspend"] is True and "suspend" not in specs[1]
    assert queued[0]["kind"] == "ComputeDomain"
    assert queued[0]["spec"]["channel"]["resourceClaimTemplate"] == {"name": "train-channel"}
    assert "ComputeDomain" not in {each["kind"] for each in free}


@pytest.mark.parametrize(("kind", "first"), [("job", "train-0.train"), ("jobset", "train-node-0-0.train")])
def test_pods_find_the_first_one(kind: str, first: str):
    """PyTorch reads the variables; a pod that fails ends the job, since all must run together."""
    made = objects(kind, full())
    pod = pod_of(kind, full())
    env = {each["name"]: each.get("value") for each in pod["spec"]["containers"][0]["env"]}
    spec = made[-1]["spec"] if kind == "job" else made[-1]["spec"]["replicatedJobs"][0]["template"]["spec"]

    assert env["MASTER_ADDR"] == env["PET_MASTER_ADDR"] == first
    assert env["MASTER_PORT"] == env["PET_MASTER_PORT"] and "PET_NODE_RANK" in env
    assert (env["PET_NNODES"], env["PET_NPROC_PER_NODE"]) == ("3", "8")
    assert (spec["parallelism"], spec["completions"], spec["completionMode"]) == (3, 3, "Indexed")
    assert spec["backoffLimit"] == 0 and pod["spec"]["restartPolicy"] == "Never"
    if kind == "job":
        service = made[-2]
        assert (service["kind"], service["spec"]["clusterIP"]) == ("Service", "None")
        assert service["spec"]["selector"] == pod["metadata"]["labels"]
        assert service["spec"]["publishNotReadyAddresses"] and pod["spec"]["subdomain"] == service["metadata"]["name"]
    else:
        assert made[-1]["spec"]["network"] == {"enableDNSHostnames": True}


def test_a_program_starts_behind_its_fabrics_settings():
    """Kubernetes must not take the user's words for variables of its own."""
    commands = [pod_of("job", each)["spec"]["containers"][0]["command"] for each in (full(), bare())]

    assert commands == [["bash", "-c", 'source /env.sh && exec "$@"', "bash", "run", "$$(X)"], ["run", "$$(X)"]]


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


@pytest.mark.parametrize(
    ("queue", "levels", "near"),
    [
        ("a", ("block", "rack", "host"), "rack"),
        ("a", ("host",), None),
        ("a", (), None),
        ("", ("block", "rack", "host"), None),
    ],
)
def test_a_queued_job_prefers_the_narrowest_part_of_the_network(queue: str, levels: tuple[str, ...], near: str | None):
    """That is the level above the hosts; without a queue, or without such a level, nothing is preferred."""
    annotations = pod_of("jobset", full(queue=queue, levels=levels, channels=False))["metadata"]["annotations"]

    assert annotations.get("kueue.x-k8s.io/podset-preferred-topology") == near


def test_a_node_of_any_machine_asks_for_gpus_and_for_injection():
    """Its log is one that the judge can read."""
    node = any_node(4)

    assert node.gpus == 4 and node.patch["resources"] == {"limits": {"nvidia.com/gpu": "4"}}
    assert node.patch["annotations"] == {"rdma-cluster/inject": "true"}
    assert {"name": "NCCL_DEBUG", "value": "INFO"} in node.patch["env"]


@pytest.mark.parametrize(
    ("allocation", "claimed", "asks"), [("dra", True, True), ("dra", False, False), ("device-plugin", True, False)]
)
def test_a_node_asks_for_cpus_where_claims_alone_say_that_it_is_full(allocation: str, claimed: bool, asks: bool):
    workload = Workload(FABRICS["gib"], machine=find("a4-highgpu-8g"), allocation=GpuAllocation(allocation))
    node = node_of(workload, claimed)

    assert (node.gpus, bool(node.cpu)) == (8, asks)
    assert node.patch == workload.pod_patch() and node.source == node.patch["source"]


def test_a_pod_of_a_whole_node_takes_the_whole_nodes_templates():
    """An offer that is a part of a node is never taken; where a plugin has the GPUs, the NICs alone are."""
    gpus, nics, first, second = (Template(name, ()) for name in ("gpus", "nics", "first", "second"))
    offers = [Offer(Gpus(8), ((gpus,),), 1), Offer(Whole(), ((first, second),), 1), Offer(Nics(), ((nics,),), 1)]

    assert full_node_claims(offers, GpuAllocation.DRA) == ("first", "second")
    assert full_node_claims(offers, GpuAllocation.DEVICE_PLUGIN) == ("nics",)
    assert full_node_claims(offers[:1], GpuAllocation.DRA) is None
