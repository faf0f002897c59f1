"""A job with one pod on each node: its claims, its pool's pod patch, its queue and its place in the network."""

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_offline.frozen import frozen
from ...catalog.releases import NcclTests
from ...fabrics import GpuAllocation
from ...injection import SWITCH
from ...injection.device_requests import GPU, DeviceRequest
from ..addons.queues.objects import PREFERRED, QUEUE_LABEL, part_cpu
from .claim_templates import Offer
from .full_node import apart, compute_domain, devices, full_node_intent, placed
from .host_ports import SSH
from .nccl_test_job import OF_TEST, led, mpirun, peers_only, sshd
from .security import verbatim
from .workload import Workload

_APART = "rdma-cluster/job"
"""Label of pods that take a part of a node each: one node has one pod of a job."""
_PORT = "29500"
"""PyTorch's own for the rendezvous."""


@frozen
class Node:
    """What a pod says of its node."""

    gpus: int
    patch: Mapping[str, Any]
    """In the form of ``Workload.pod_patch()``."""
    source: str = ""
    """The script that its program has to source."""
    cpu: str = ""
    """The CPUs by which Kueue tells that the node is full; empty where plugins count its GPUs."""
    shared: bool = False
    """Whether the pod takes a part of the node, so that the next pod of its job would find room there."""


def node_of(workload: Workload, claimed: bool, part: DeviceRequest | None = None) -> Node:
    """A node of a pool, whose workload has its machine; where only a ``part`` of it is taken, with that part alone."""
    machine = workload.machine
    assert machine is not None
    gpus, patch = machine.gpus, workload.pod_patch()
    if part is not None:
        gpus, patch = part.gpus, {**patch, "resources": {"limits": dict(part.limits)} if part.limits else {}}
    cpu = part_cpu(machine, workload.allocation, gpus) if claimed else ""
    return Node(gpus, patch, workload.adds.source, cpu, shared=gpus < machine.gpus)


def any_node(gpus: int) -> Node:
    """A node of any machine with so many GPUs: injection brings its fabric, and the judge can read the job's log."""
    judged = {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,NET"}
    nothing: dict[str, Any] = {"nodeSelector": {}, "tolerations": [], "volumes": [], "volumeMounts": []}
    return Node(
        gpus,
        {
            **nothing,
            "annotations": {SWITCH: "true"},
            "env": [{"name": name, "value": value} for name, value in judged.items()],
            "resources": {"limits": {GPU: str(gpus)}},
            "securityContext": {},
        },
    )


@frozen
class Training:
    """What is to run, and where."""

    name: str
    namespace: str
    nodes: int
    node: Node
    """What its pods add to run there."""
    claims: tuple[str, ...]
    """Names of the claim templates that together hold a node's devices."""
    image: str
    program: tuple[str, ...]
    """The command of each pod; of an MPIJob, of each rank."""
    queue: str = ""
    """The LocalQueue to wait in; empty for none."""
    levels: tuple[str, ...] = ()
    """Labels of the queue's topology, hosts last; none where it has none, or they are not known."""
    env: tuple[str, ...] = ()
    """Variables of the program as ``NAME=VALUE``, which stand above all others."""
    test: NcclTests | None = None
    """The image that the program is of, where it is nccl-tests: its folder, its mpirun, its sshd."""
    channels: bool = False
    """Whether its pods get an IMEX channel each, for NVLink between nodes."""

    def kind(self, asked: str) -> str:
        """The kind of job: of nccl-tests a ``job`` where the image holds the keys of its sshd, else an ``mpijob``."""
        return asked if self.test is None else "job" if self.test.daemon else "mpijob"


def full_node_claims(offers: Sequence[Offer], allocation: GpuAllocation) -> tuple[str, ...] | None:
    """Names of the templates that a pod of a whole node takes; ``None`` where none are offered."""
    wanted = full_node_intent(allocation)
    windows = next((offer.windows for offer in offers if offer.intent == wanted), None)
    return None if windows is None else tuple(template.name for template in windows[0])


def objects(kind: str, training: Training) -> list[dict[str, Any]]:
    """The objects of a ``job``, ``jobset``, ``mpijob`` or ``trainjob``, in the order in which they can be applied."""
    jobs = {"job": _job, "jobset": _jobset, "mpijob": _mpijob, "trainjob": _trainjob}[training.kind(kind)](training)
    if not training.channels:
        return jobs
    return [compute_domain(training.name, training.namespace, _channel(training)), *jobs]


def _job(training: Training) -> list[dict[str, Any]]:
    labels = {"app.kubernetes.io/name": training.name}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata(training),
        # Pods find each other by name before they are ready.
        "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": labels},
    }
    pod = _pod(training, _rendezvous(training, f"{training.name}-0.{training.name}") if training.test is None else [])
    pod["metadata"]["labels"] = {**pod["metadata"].get("labels", {}), **labels}
    pod["spec"]["subdomain"] = training.name
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": _queued(training)}
    spec = {**_suspended(training), **_indexed(training), "template": pod}
    if training.test is None:
        return [service, {**job, "spec": spec}]
    return [service, peers_only(training.name, training.namespace, labels), {**job, "spec": {**spec, **OF_TEST}}]


def _jobset(training: Training) -> list[dict[str, Any]]:
    pod = _pod(training, _rendezvous(training, f"{training.name}-node-0-0.{training.name}"))
    nodes = {"name": "node", "replicas": 1, "template": {"spec": {**_indexed(training), "template": pod}}}
    spec = {**_suspended(training), "network": {"enableDNSHostnames": True}, "replicatedJobs": [nodes]}
    jobset = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": _queued(training)}
    return [{**jobset, "spec": spec}]


def _mpijob(training: Training) -> list[dict[str, Any]]:
    worker = _pod(training, [])
    # The operator brings the keys; sshd is what starts the ranks.
    # In the host's network the host's own has the usual port.
    port = SSH if "hostNetwork" in training.node.patch else 22
    worker["spec"]["containers"][0]["command"] = sshd(port, training.test)
    del worker["spec"]["restartPolicy"]
    launcher = {
        "name": "launcher",
        "image": training.image,
        "command": [*mpirun(training, port), *_ranks(training)],
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
    }
    launchers = {"replicas": 1, "restartPolicy": "Never", "template": {"spec": {"containers": [launcher]}}}
    workers = {"replicas": training.nodes, "restartPolicy": "Never", "template": worker}
    spec = {
        "slotsPerWorker": max(training.node.gpus, 1),
        "sshAuthMountPath": "/root/.ssh",
        "launcherCreationPolicy": "WaitForWorkersReady",
        "runPolicy": {"cleanPodPolicy": "Running", "backoffLimit": 0, **_suspended(training)},
        "mpiReplicaSpecs": {"Launcher": launchers, "Worker": workers},
    }
    return [{"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": _queued(training), "spec": spec}]


def _trainjob(training: Training) -> list[dict[str, Any]]:
    """A runtime of its own: a TrainJob's patches have no claims (Kubeflow Trainer 2.3)."""
    pod = _pod(training, [])
    # Its trainer is known by this name and label.
    pod["spec"]["containers"][0]["name"] = "node"
    step = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
    nodes = {"name": "node", "template": {"metadata": step, "spec": {"template": pod}}}
    runtime = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {**_metadata(training), "labels": {"trainer.kubeflow.org/framework": "torch"}},
        "spec": {
            "mlPolicy": {"numNodes": training.nodes, "torch": {}},
            "template": {"spec": {"replicatedJobs": [nodes]}},
        },
    }
    job = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": _queued(training),
        "spec": {
            **_suspended(training),
            "runtimeRef": {"apiGroup": "trainer.kubeflow.org", "kind": "TrainingRuntime", "name": training.name},
            "trainer": {"numNodes": training.nodes, "numProcPerNode": max(training.node.gpus, 1)},
        },
    }
    return [runtime, job]


def _channel(training: Training) -> str:
    return f"{training.name}-channel"


def _metadata(training: Training) -> dict[str, Any]:
    return {"name": training.name, "namespace": training.namespace}


def _queued(training: Training) -> dict[str, Any]:
    labels = {"labels": {QUEUE_LABEL: training.queue}} if training.queue else {}
    return {**_metadata(training), **labels}


def _suspended(training: Training) -> dict[str, Any]:
    """No pod starts before Kueue admits the job, even while Kueue is away."""
    return {"suspend": True} if training.queue else {}


def _indexed(training: Training) -> dict[str, Any]:
    many = {"parallelism": training.nodes, "completions": training.nodes}
    # NCCL cannot take a rank back: one pod that fails is the end of the job.
    return {**many, "completionMode": "Indexed", "backoffLimit": 0}


def _rendezvous(training: Training, first: str) -> list[dict[str, Any]]:
    """Variables by which pods find the first: PyTorch's, and torchrun's own, which then needs no option for it."""
    values = {
        "MASTER_ADDR": first,
        "MASTER_PORT": _PORT,
        "PET_MASTER_ADDR": first,
        "PET_MASTER_PORT": _PORT,
        "PET_NNODES": str(training.nodes),
        "PET_NPROC_PER_NODE": str(training.node.gpus),
    }
    index = {"fieldRef": {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}
    ranked = {"name": "PET_NODE_RANK", "valueFrom": index}
    return [*({"name": name, "value": value} for name, value in values.items()), ranked]


def _program(training: Training) -> list[str]:
    """The program of each pod or rank, behind the fabric's script and then the variables of the user."""
    program = [verbatim(word) for word in (*(["env", *training.env] if training.env else []), *training.program)]
    if script := training.node.source:
        program = ["bash", "-c", f'source {script} && exec "$@"', "bash", *program]
    return program


def _ranks(training: Training) -> list[str]:
    """The same of ranks that mpirun starts: sshd hands on no variable of its container."""
    env = [verbatim(f"{each['name']}={each['value']}") for each in training.node.patch["env"]]
    return [*(["env", *env] if env else []), *_program(training)]


def _pod(training: Training, env: Sequence[dict[str, Any]]) -> dict[str, Any]:
    part = training.node.patch
    claims = [{"name": f"devices-{i}", "resourceClaimTemplateName": name} for i, name in enumerate(training.claims)]
    if training.channels:
        claims.append({"name": "channel", "resourceClaimTemplateName": _channel(training)})
    cpu = {"requests": {"cpu": training.node.cpu}} if training.node.cpu else {}
    resources = {**cpu, **devices(part, claims)}
    # Kueue looks for the smallest part of the network, of this level or a wider one, that holds all pods.
    near = {PREFERRED: training.levels[-2]} if training.queue and len(training.levels) > 1 else {}
    annotations = {**part.get("annotations", {}), **near}
    container = {
        "name": "main",
        "image": training.image,
        "command": _program(training) if training.test is None else led(training, _ranks(training)),
        "env": [*part["env"], *env],
        "resources": resources,
        "securityContext": part["securityContext"],
        "volumeMounts": part["volumeMounts"],
    }
    spec = {"restartPolicy": "Never", **placed(part, claims), "containers": [container], "volumes": part["volumes"]}
    metadata: dict[str, Any] = {"annotations": annotations} if annotations else {}
    if training.node.shared:
        metadata["labels"] = {_APART: training.name}
        spec["affinity"] = apart(metadata["labels"])
    return {"metadata": metadata, "spec": spec}
