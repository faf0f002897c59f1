"""The acceptance test's objects in a real API server: accepted, and each of its pods has a whole node to itself."""

from collections.abc import Sequence
from typing import Any

import pytest
from rdma_agent.names import TESTS_NAMESPACE as NAMESPACE
from rdma_cluster.catalog import Machine
from rdma_cluster.claims import Target
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.fabrics.dranet import DRANET
from rdma_cluster.fabrics.efa import AWS_DRANET
from rdma_cluster.incluster.plan.acceptance import AcceptancePlan, PoolTest, runner_job
from rdma_cluster.incluster.plan.acceptance.pod import FILES, expectation_name
from tests.acceptance.plans import args, efa, plan, pool
from tests.machines import known_machine
from .api import Object
from .applied import define_mpi_job
from .cluster import Cluster, allocation
from .scenarios import device_classes

SECONDS = 60.0
TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


def namespace() -> Object:
    """As the component makes it."""
    meta = {"name": NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "privileged"}}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": meta}


def apply_each(cluster: Cluster, objects: Sequence[Object]) -> None:
    for each in objects:
        cluster.apply(each)


def config_map(name: str, data: dict[str, str]) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": NAMESPACE}, "data": data}


def prepare(cluster: Cluster, made: AcceptancePlan, target: Target, nodes: int) -> PoolTest:
    """Everything that comes before the test: nodes with their devices, namespace, files, claims. Returns the test."""
    (test,) = made.tests
    machine = known_machine(test.expectation.machine)
    cluster.apply(namespace())
    apply_each(cluster, device_classes([target]))
    for number in range(nodes):
        add_node(cluster, machine, target, f"{test.pool}-node-{number}", test.pool)
    cluster.apply(config_map(FILES, made.files))
    cluster.apply(config_map(expectation_name(test.short), test.config))
    apply_each(cluster, [template.manifest(NAMESPACE) for template in test.templates])
    return test


def add_node(cluster: Cluster, machine: Machine, target: Target, name: str, label: str) -> None:
    cluster.add_node(name, {"pool": label}, [TAINT])
    apply_each(cluster, [each.manifest() for each in resource_slices(machine, target, name)])


def pods_of(cluster: Cluster, selector: str, count: int) -> list[Object]:
    """The pods, once there are so many and each is bound to a node."""
    bound: dict[str, Object] = {}
    for pod in cluster.api.watch("v1", "Pod", NAMESPACE, SECONDS, labelSelector=selector):
        if pod["spec"].get("nodeName"):
            bound[pod["metadata"]["name"]] = pod
        if len(bound) == count:
            return list(bound.values())
    raise TimeoutError(f"{len(bound)} of {count} pods are bound: {sorted(bound)}")


def assert_full_nodes(cluster: Cluster, pods: list[Object], machine: str) -> None:
    """Every pod on a node of its own, with all its GPUs and NICs."""
    row = known_machine(machine)
    assert len({pod["spec"]["nodeName"] for pod in pods}) == len(pods)
    for pod in pods:
        allocated = [allocation(claim) for claim in cluster.claims(pod).values()]
        held = [device for claim in allocated for devices in claim.values() for device in devices]
        assert len(held) == len(set(held)) == row.gpus + row.nics
        assert {node for node, _ in held} == {pod["spec"]["nodeName"]}


def test_indexed_job(cluster: Cluster):
    """Two nodes, two pods, one each; the third node of the pool is left alone."""
    made = plan(args(pool("gib")))
    test = prepare(cluster, made, Target(DRANET), nodes=3)
    assert test.service is not None
    assert cluster.apply(test.service).warnings == []

    applied = cluster.apply(test.test)

    assert applied.warnings == []
    pods = pods_of(cluster, f"job-name={test.test['metadata']['name']}", 2)
    assert_full_nodes(cluster, pods, "a3-ultragpu-8g")
    host_names = {pod["spec"]["hostname"] for pod in pods}
    assert host_names == {f"{test.test['metadata']['name']}-{i}" for i in range(2)}


@pytest.mark.parametrize(("phase", "condition"), [("Succeeded", "SuccessCriteriaMet"), ("Failed", "FailureTarget")])
def test_job_ends_as_its_first_pod_ends(cluster: Cluster, phase: str, condition: str):
    """The others wait for ever: pod 0 alone decides, and it is the pod with the verdict."""
    test = prepare(cluster, plan(args(pool("gib"))), Target(DRANET), nodes=2)
    job = cluster.apply(test.test).result
    pods = pods_of(cluster, f"job-name={test.test['metadata']['name']}", 2)
    (first,) = (each for each in pods if each["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] == "0")

    cluster.api.merge({**first, "apiVersion": "v1", "kind": "Pod"}, {"status": {"phase": phase}}, "/status")

    def ended(state: Object | None) -> str | None:
        conditions = state["status"].get("conditions", ()) if state else ()
        return next((each["type"] for each in conditions if each["status"] == "True"), None)

    assert cluster.api.wait(job, ended, SECONDS) == condition


def test_no_two_pods_share_a_node(cluster: Cluster):
    """Where devices would let them: the pods keep apart by themselves."""
    made = plan(args(pool("shared", gpu_allocation="device-plugin")))
    test = prepare(cluster, made, Target(DRANET, GpuAllocation.DEVICE_PLUGIN), nodes=0)
    cluster.add_node("roomy", {"pool": "shared"}, [TAINT], {"nvidia.com/gpu": "16"})
    pod = test.test["spec"]["template"]["spec"]
    # NICs by claim would keep them apart, too.
    del pod["resourceClaims"]
    for container in pod["containers"]:
        container["resources"].pop("claims", None)

    cluster.apply(test.test)

    selector = f"job-name={test.test['metadata']['name']}"
    (first,) = pods_of(cluster, selector, 1)
    assert first["spec"]["nodeName"] == "roomy"
    states = cluster.api.watch("v1", "Pod", NAMESPACE, SECONDS, labelSelector=selector)
    assert any("anti-affinity" in (_unschedulable(pod) or "") for pod in states)


def _unschedulable(pod: Object | None) -> str | None:
    for condition in pod["status"].get("conditions", ()) if pod else ():
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return condition.get("message", "")
    return None


@pytest.mark.parametrize("nodes", [2, 64])
@pytest.mark.parametrize("name", ["a" * 40, "My_Pool"])
def test_any_name_and_size_is_accepted(cluster: Cluster, name: str, nodes: int):
    """Names of the longest pools, and all objects of large ones."""
    (test,) = plan(args(pool(name, nodes))).tests
    cluster.apply(namespace())
    assert test.service is not None
    suspended = test.test | {"spec": test.test["spec"] | {"suspend": True}}

    for each in (test.service, config_map(expectation_name(test.short), test.config), suspended):
        assert cluster.apply(each).warnings == []


@pytest.fixture
def mpi(cluster: Cluster, definitions: Cluster) -> Cluster:
    """A cluster that knows MPIJobs; nobody runs them."""
    assert define_mpi_job(definitions).warnings == []
    return cluster


def test_mpi_job(mpi: Cluster):
    """The object is kept as it was sent, suspended too, its status has a place of its own, and its watcher is taken."""
    test = prepare(mpi, plan(efa()), Target(AWS_DRANET), nodes=0)

    spec = runner_job.suspended(test.test, "u1")

    kept = mpi.apply({**test.test, "spec": spec}).result

    assert kept["spec"] == spec
    done = {"conditions": [{"type": "Succeeded", "status": "True"}]}
    assert mpi.api.merge(kept, {"status": done}, "/status")["status"] == done
    assert mpi.api.merge(kept, {"status": {"conditions": []}})["status"] == done  # not by the way of the object
    for name, made in (("runner", test.runner), ("watcher", test.watcher)):
        assert mpi.apply({**made, "metadata": {"name": name, **made["metadata"]}}).warnings == []


def test_workers_have_whole_nodes(mpi: Cluster):
    """The pods that the operator would make of the MPIJob, its launcher on a node beside them."""
    test = prepare(mpi, plan(efa()), Target(AWS_DRANET), nodes=2)
    name, replicas = test.test["metadata"]["name"], test.test["spec"]["mpiReplicaSpecs"]
    pods = [as_operator(name, f"worker-{i}", replicas["Worker"]["template"]) for i in range(2)]
    pods.append(as_operator(name, "launcher", replicas["Launcher"]["template"]))

    for pod in pods:
        assert mpi.apply(pod).warnings == []

    bound = pods_of(mpi, "of=test", 3)
    workers = [pod for pod in bound if "worker" in pod["metadata"]["name"]]
    assert_full_nodes(mpi, workers, "p5.48xlarge")
    (launcher,) = (pod for pod in bound if pod not in workers)
    assert launcher["spec"]["nodeName"] in {pod["spec"]["nodeName"] for pod in workers}
    assert "resourceClaims" not in launcher["spec"]


def as_operator(job: str, role: str, template: dict[str, Any]) -> Object:
    """A pod as the operator makes it, as far as the scheduler looks at it (mpi-operator@v0.8.0 newWorker)."""
    labels = {**template["metadata"]["labels"], "of": "test"}
    spec = {**template["spec"], "hostname": f"{job}-{role}", "subdomain": job, "restartPolicy": "Never"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"{job}-{role}", "namespace": NAMESPACE, "labels": labels},
        "spec": spec,
    }
