"""The manifests of a job of whole nodes, key by key, as a person would write them."""

from typing import Any

import pytest
import yaml
from rdma_cluster.catalog import find
from rdma_cluster.claims import Gpus, Nics, Template, Whole
from rdma_cluster.fabrics import FABRICS, GpuAllocation
from rdma_cluster.incluster.plan.claim_templates import Offer
from rdma_cluster.incluster.plan.job import Node, Training, any_node, full_node_claims, node_of, objects
from rdma_cluster.incluster.plan.workload import Workload

BARE: dict[str, Any] = {
    "nodeSelector": {"pool": "a"},
    "tolerations": [],
    "env": [{"name": "NCCL_NET", "value": "gIB"}],
    "resources": {},
    "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
    "volumes": [],
    "volumeMounts": [],
}
"""The pod patch of a fabric that asks for nothing more."""
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
QUEUED = {"name": "train", "namespace": "team", "labels": {"kueue.x-k8s.io/queue-name": "a"}}
FREE = {"name": "train", "namespace": "team"}


def training(node: Node, **more: Any) -> Training:
    """Three nodes."""
    given: dict[str, Any] = {"claims": (), "image": "my/train:1", "program": ("run", "$(X)"), **more}
    return Training("train", "team", 3, node, **given)


def full(**more: Any) -> Training:
    """A job in a queue with all that a pod can have."""
    given = {"claims": ("whole", "more"), "queue": "a", "levels": ("block", "rack", "host"), "channels": True, **more}
    return training(Node(8, FULL, source="/env.sh", cpu="97"), **given)


def bare() -> Training:
    """A job outside of queues, whose pods claim nothing."""
    return training(Node(0, BARE))


def pod_of(made: Training, env: str = "[]") -> dict[str, Any]:
    """The pod template of the full job or the bare one, with further variables."""
    further = yaml.safe_load(env)
    if made.node.patch is BARE:
        text = """
            metadata: {}
            spec:
              restartPolicy: Never
              nodeSelector: {pool: a}
              tolerations: []
              volumes: []
              containers:
              - name: main
                image: my/train:1
                command: [run, $$(X)]
                env: [{name: NCCL_NET, value: gIB}]
                resources: {}
                securityContext: {capabilities: {add: [IPC_LOCK]}}
                volumeMounts: []
            """
    else:
        text = """
            metadata:
              annotations: {networks: all, kueue.x-k8s.io/podset-preferred-topology: rack}
            spec:
              restartPolicy: Never
              nodeSelector: {pool: a}
              tolerations: [{key: gpu, operator: Exists}]
              resourceClaims:
              - {name: devices-0, resourceClaimTemplateName: whole}
              - {name: devices-1, resourceClaimTemplateName: more}
              - {name: channel, resourceClaimTemplateName: train-channel}
              initContainers: [{name: daemon}]
              hostNetwork: true
              dnsPolicy: ClusterFirstWithHostNet
              volumes: [{name: shared-memory}]
              containers:
              - name: main
                image: my/train:1
                command: [bash, -c, 'source /env.sh && exec "$@"', bash, run, $$(X)]
                env: [{name: NCCL_NET, value: gIB}]
                resources:
                  requests: {cpu: "97"}
                  limits: {nvidia.com/gpu: "8"}
                  claims: [{name: devices-0}, {name: devices-1}, {name: channel}]
                securityContext: {capabilities: {add: [IPC_LOCK]}}
                volumeMounts: [{name: shared-memory}]
            """
    pod = yaml.safe_load(text)
    pod["spec"]["containers"][0]["env"] += further
    return pod


def rendezvous(first: str, gpus: int) -> str:
    """The variables by which PyTorch's pods find the first of three."""
    return f"""
        - {{name: MASTER_ADDR, value: {first}}}
        - {{name: MASTER_PORT, value: "29500"}}
        - {{name: PET_MASTER_ADDR, value: {first}}}
        - {{name: PET_MASTER_PORT, value: "29500"}}
        - {{name: PET_NNODES, value: "3"}}
        - {{name: PET_NPROC_PER_NODE, value: "{gpus}"}}
        - name: PET_NODE_RANK
          valueFrom:
            fieldRef: {{fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}
        """


DOMAIN = yaml.safe_load("""
    apiVersion: resource.nvidia.com/v1beta1
    kind: ComputeDomain
    metadata: {name: train, namespace: team}
    spec:
      numNodes: 0
      channel: {resourceClaimTemplate: {name: train-channel}, allocationMode: Single}
    """)
INDEXED = {"parallelism": 3, "completions": 3, "completionMode": "Indexed", "backoffLimit": 0}


@pytest.mark.parametrize(("made", "metadata", "held"), [(full(), QUEUED, {"suspend": True}), (bare(), FREE, {})])
def test_a_job_and_its_service(made: Training, metadata: dict[str, Any], held: dict[str, Any]):
    """The pods of an Indexed Job find the first by the headless Service; one that fails ends the job."""
    pod = pod_of(made, rendezvous("train-0.train", made.node.gpus))
    pod["metadata"]["labels"] = {"app.kubernetes.io/name": "train"}
    pod["spec"]["subdomain"] = "train"
    service = yaml.safe_load("""
        apiVersion: v1
        kind: Service
        metadata: {name: train, namespace: team}
        spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {app.kubernetes.io/name: train}}
        """)
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {**held, **INDEXED, "template": pod}}

    assert objects("job", made) == [*([DOMAIN] if made.channels else []), service, job]


@pytest.mark.parametrize(("made", "metadata", "held"), [(full(), QUEUED, {"suspend": True}), (bare(), FREE, {})])
def test_a_jobset(made: Training, metadata: dict[str, Any], held: dict[str, Any]):
    """JobSet names the pods itself, and makes the Service."""
    pod = pod_of(made, rendezvous("train-node-0-0.train", made.node.gpus))
    nodes = {"name": "node", "replicas": 1, "template": {"spec": {**INDEXED, "template": pod}}}
    jobset = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": metadata,
        "spec": {**held, "network": {"enableDNSHostnames": True}, "replicatedJobs": [nodes]},
    }

    assert objects("jobset", made) == [*([DOMAIN] if made.channels else []), jobset]


@pytest.mark.parametrize(
    ("made", "metadata", "held", "slots", "program"),
    [
        (
            full(),
            QUEUED,
            {"suspend": True},
            8,
            ["-np", "24", "bash", "-c", 'source /env.sh && exec "$@"', "bash", "run", "$$(X)"],
        ),
        (bare(), FREE, {}, 1, ["-np", "3", "run", "$$(X)"]),
    ],
)
def test_an_mpijob(made: Training, metadata: dict[str, Any], held: dict[str, Any], slots: int, program: list[str]):
    """The launcher starts a rank for each GPU by ssh, or one a node where there are none; the workers only listen."""
    worker = pod_of(made)
    worker["spec"]["containers"][0]["command"] = ["/usr/sbin/sshd", "-De"]
    del worker["spec"]["restartPolicy"]
    launcher = {
        "name": "launcher",
        "image": "my/train:1",
        "command": ["mpirun", "--allow-run-as-root", *program],
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
    }
    alone = {"spec": {"containers": [launcher]}}
    spec = {
        "slotsPerWorker": slots,
        "sshAuthMountPath": "/root/.ssh",
        "launcherCreationPolicy": "WaitForWorkersReady",
        "runPolicy": {"cleanPodPolicy": "Running", "backoffLimit": 0, **held},
        "mpiReplicaSpecs": {
            "Launcher": {"replicas": 1, "restartPolicy": "Never", "template": alone},
            "Worker": {"replicas": 3, "restartPolicy": "Never", "template": worker},
        },
    }

    *_, job = objects("mpijob", made)
    assert job == {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize(
    ("made", "metadata", "held", "ranks"), [(full(), QUEUED, {"suspend": True}, 8), (bare(), FREE, {}, 1)]
)
def test_a_trainjob_and_its_runtime(made: Training, metadata: dict[str, Any], held: dict[str, Any], ranks: int):
    """The runtime holds the pod, for a TrainJob's patches know no claims; Trainer finds it by name and label."""
    pod = pod_of(made)
    pod["spec"]["containers"][0]["name"] = "node"
    runtime = yaml.safe_load("""
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainingRuntime
        metadata: {name: train, namespace: team, labels: {trainer.kubeflow.org/framework: torch}}
        spec:
          mlPolicy: {numNodes: 3, torch: {}}
          template:
            spec:
              replicatedJobs:
              - name: node
                template:
                  metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
                  spec: {}
        """)
    runtime["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"] = pod
    named = {"apiGroup": "trainer.kubeflow.org", "kind": "TrainingRuntime", "name": "train"}
    job = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": metadata,
        "spec": {**held, "runtimeRef": named, "trainer": {"numNodes": 3, "numProcPerNode": ranks}},
    }

    assert objects("trainjob", made) == [*([DOMAIN] if made.channels else []), runtime, job]


@pytest.mark.parametrize(
    ("queue", "levels", "near"),
    [
        ("a", ("block", "rack", "host"), "rack"),
        ("a", ("rack", "host"), "rack"),
        ("a", ("host",), None),
        ("a", (), None),
        ("", ("block", "rack", "host"), None),
    ],
)
def test_a_queued_job_prefers_the_narrowest_part_of_the_network(queue: str, levels: tuple[str, ...], near: str | None):
    """The level above the hosts; without a queue, or a level beside the hosts, there is nothing to prefer."""
    (job,) = objects("jobset", full(queue=queue, levels=levels, channels=False))
    annotations = job["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["metadata"]["annotations"]

    assert annotations.get("kueue.x-k8s.io/podset-preferred-topology") == near


def test_a_node_of_any_machine():
    """It asks for GPUs alone, and for the fabric by its annotation; its log is one that the judge can read."""
    assert any_node(4) == Node(
        4,
        {
            "nodeSelector": {},
            "tolerations": [],
            "volumes": [],
            "volumeMounts": [],
            "annotations": {"rdma-cluster/inject": "true"},
            "env": [{"name": "NCCL_DEBUG", "value": "INFO"}, {"name": "NCCL_DEBUG_SUBSYS", "value": "INIT,NET"}],
            "resources": {"limits": {"nvidia.com/gpu": "4"}},
            "securityContext": {},
        },
    )


@pytest.mark.parametrize(
    ("allocation", "claimed", "cpu"),
    [(GpuAllocation.DRA, True, "113"), (GpuAllocation.DRA, False, ""), (GpuAllocation.DEVICE_PLUGIN, True, "")],
)
def test_a_node_of_a_pool(allocation: GpuAllocation, claimed: bool, cpu: str):
    """224 CPUs, of which a pod asks for more than half where claims alone say that the node is full."""
    workload = Workload(FABRICS["gib"], machine=find("a4-highgpu-8g"), allocation=allocation)

    node = node_of(workload, claimed)

    assert node == Node(8, workload.pod_patch(), "/usr/local/gib/scripts/set_nccl_env.sh", cpu)


def test_a_pod_of_a_whole_node_takes_the_whole_nodes_templates():
    """With its GPUs or without, as its pool hands them out; of an offer that is a part of a node none is taken."""
    gpus, nics, first, second = (Template(name, ()) for name in ("gpus", "nics", "first", "second"))
    offers = [Offer(Gpus(8), ((gpus,),), 1), Offer(Whole(), ((first, second),), 1), Offer(Nics(), ((nics,),), 1)]

    assert full_node_claims(offers, GpuAllocation.DRA) == ("first", "second")
    assert full_node_claims(offers, GpuAllocation.DEVICE_PLUGIN) == ("nics",)
    assert full_node_claims(offers[:1], GpuAllocation.DRA) is None
