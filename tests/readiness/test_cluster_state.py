"""What the prover reads out of an API server's objects: nodes, their devices, who has work on them, and its tests."""

import json
from typing import Any

import pytest
from rdma_agent import names
from rdma_agent.prover import cluster_state
from tests.readiness.in_pod import load
from tests.readiness.server import JOBS, SLICES, TESTS, Server

fleet, proof = load("fleet"), load("proof")

THEN = "2026-11-23T09:00:00Z"
SECONDS = 1795424400
"""Since 1970, as `date -d 2026-11-23T09:00:00Z +%s` has it."""
READY = {"type": "Ready", "status": "True", "lastTransitionTime": THEN}
PRESSED = {"type": "DiskPressure", "status": "False", "lastTransitionTime": "2020-01-01T00:00:00Z"}
GPUS, DRIVER = "nvidia.com/gpu", "gpu.nvidia.com"
NODES, PODS = "/api/v1/nodes", "/api/v1/namespaces/default/pods"


def config(**more: Any) -> dict[str, Any]:
    """A prover's configuration with two pools."""
    pool = {"short": "a", "fingerprint": "f", "holds": True, "renewSeconds": 0, "resources": {GPUS: 8}, "slices": {}}
    template = {"test": {"kind": "Job"}}
    pools = [{"name": name, **pool, "short": f"short-{name}", "template": template, **more} for name in ("a", "b")]
    return {"poolLabel": "pool", "pools": pools}


@pytest.fixture
def server() -> Server:
    """A server with a node that lacks nothing."""
    made = Server()
    add(made, "n")
    return made


def add(server: Server, name: str, pool: str = "a", **more: Any) -> dict[str, Any]:
    """A node that waits for its first test."""
    status = {"nodeInfo": {"bootID": "0123456789"}, "conditions": [PRESSED, READY], "allocatable": {GPUS: "8"}}
    parts = {"metadata": {"labels": {"pool": pool}}, "spec": {"taints": [taint()]}, "status": status}
    return server.put(NODES, name, **{**parts, **more})


def taint(value: str = "unproven", key: str = proof.STARTUP_TAINT) -> dict[str, str]:
    """A taint of a node."""
    return {"key": key, "value": value, "effect": "NoSchedule"}


def read(server: Server, now: int = 0, **more: Any) -> Any:
    """The state of the cluster on which the prover decides."""
    return cluster_state.read(server, config(**more), now)[0]


def nodes(server: Server, **more: Any) -> dict[str, Any]:
    """Nodes by name."""
    return {node.name: node for node in read(server, **more).nodes}


def test_a_node_is_read_with_its_pool_its_boot_and_what_it_carries(server: Server):
    """A node of another pool is left out."""
    add(server, "other", "c")
    (bare,) = nodes(server).values()
    shown, tried = proof.Proof(7, "up", "b", "f", ("m",)), proof.Attempts("uid-1-01234567", "t", ("m",), 1)
    metadata = server.node("n")["metadata"]
    metadata["annotations"] = proof.Mark(None, "f", shown, tried).patch(server.node("n"))["metadata"]["annotations"]
    metadata["labels"][proof.FABRIC_LABEL] = "f"
    node = nodes(server)["n"]

    assert (bare.name, bare.pool, bare.boot, bare.joined) == ("n", "a", "uid-1-01234567", SECONDS)
    assert (bare.waits_for, bare.busy, bare.taint, bare.label, bare.proof) == ("", False, "unproven", None, None)
    assert (node.label, node.proof, node.attempts) == ("f", shown, tried)


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"status": {"conditions": [{**READY, "status": "Unknown"}]}}, "not Ready"),
        ({"spec": {"taints": [taint(key=names.FAULT_TAINT)], "unschedulable": True}}, "cordoned"),
        ({"spec": {"taints": [taint(), taint(key=names.FAULT_TAINT)]}}, "a fault"),
        ({"spec": {"taints": [taint(key="nvidia.com/gpu")]}}, ""),
        (
            {"metadata": {"labels": {"pool": "a"}, "deletionTimestamp": THEN}, "spec": {"unschedulable": True}},
            "being deleted",
        ),
        ({"status": {"conditions": [READY], "allocatable": {GPUS: "7"}}}, "7 of 8 nvidia.com/gpu"),
        ({"status": {"conditions": [READY], "allocatable": {GPUS: "8Gi"}}}, "8Gi of 8 nvidia.com/gpu"),
        ({"status": {"conditions": [READY]}}, "0 of 8 nvidia.com/gpu"),
    ],
)
def test_a_node_waits_for_the_more_lasting_reason_first(changed: dict[str, Any], word: str):
    server = Server()
    add(server, "n", **changed)

    told = nodes(server)["n"].waits_for
    assert word in told and bool(told) is bool(word)


def test_devices_are_counted_over_all_slices_of_a_driver():
    """Slices of other nodes and of other drivers do not count; more devices than are wanted are enough."""
    server = Server()
    counts = {"none": [("another", 8)], "some": [(DRIVER, 3), (DRIVER, 4)], "all": [(DRIVER, 4), (DRIVER, 5)]}
    for name, slices in counts.items():
        add(server, name)
        for i, (driver, count) in enumerate(slices):
            devices = [{"name": f"d{j}"} for j in range(count)] or None
            spec = {"driver": driver, "nodeName": name, "pool": {"name": name}, "devices": devices}
            server.put(SLICES, f"{name}-{i}", spec=spec)
    waits = {name: node.waits_for for name, node in nodes(server, slices={DRIVER: 8}).items()}

    assert "0 of 8 devices" in waits["none"] and "7 of 8 devices" in waits["some"] and waits["all"] == ""


def test_a_node_is_busy_with_pods_that_are_not_over_and_not_its_own():
    """Pods of tests do not count, and pods that are listed before it hide nobody."""
    server = Server()
    pods = {
        "job": ("default", "Job", "Running"),
        "alone": ("default", None, "Pending"),
        "succeeded": ("default", "Job", "Succeeded"),
        "failed": ("default", "Job", "Failed"),
        "daemon": ("kube-system", "DaemonSet", "Running"),
        "static": ("kube-system", "Node", "Running"),
        "test": ("rdma-acceptance", "Job", "Running"),
    }
    system = {"namespace": "kube-system", "ownerReferences": [{"kind": "DaemonSet"}]}
    for name, (namespace, owner, phase) in pods.items():
        add(server, name)
        for i in range(3):
            path, running = "/api/v1/namespaces/kube-system/pods", {"phase": "Running"}
            server.put(path, f"{name}-{i}", metadata=system, spec={"nodeName": name}, status=running)
        metadata = {"namespace": namespace, **({"ownerReferences": [{"kind": owner}]} if owner else {})}
        path = f"/api/v1/namespaces/{namespace}/pods"
        server.put(path, name, metadata=metadata, spec={"nodeName": name}, status={"phase": phase})

    assert [name for name, node in nodes(server).items() if node.busy] == ["job", "alone"]


GPU_POD, CLAIM = {"containers": [{"resources": {"limits": {GPUS: "1"}}}]}, {"resourceClaims": [{"name": "c"}]}
CPU_POD: dict[str, Any] = {"containers": [{}, {"resources": {"limits": {"cpu": "1"}}}]}


@pytest.mark.parametrize(
    ("pods", "since"),
    [
        ([("default", GPU_POD, 5)], 5),
        ([("default", CPU_POD | CLAIM, 5)], 5),
        ([("default", CPU_POD, 5)], 0),
        ([("rdma-acceptance", GPU_POD, 5)], 0),
        ([("default", GPU_POD, at) for at in (5, 9, 7)], 9),
    ],
    ids=["limit", "claim", "cpu", "test", "youngest"],
)
def test_work_waits_since_the_youngest_pod_that_asks_for_devices(server: Server, pods: list[Any], since: int):
    for i, (namespace, spec, at) in enumerate(pods):
        metadata = {"namespace": namespace, "creationTimestamp": f"1970-01-01T00:00:0{at}Z"}
        path, status = f"/api/v1/namespaces/{namespace}/pods", {"phase": "Pending"}
        server.put(path, f"p{i}", metadata=metadata, spec=spec, status=status)

    assert read(server).waiting_since == since


def put_test(server: Server, name: str = "t", collection: str = JOBS, **more: Any) -> None:
    """Lets the server hold a test of the prover's."""
    lists = {names.NODES: ["n", "m"], names.SUBJECTS: ["n"], names.BOOTS: ["b", "c"]}
    annotations = {key: json.dumps(value) for key, value in lists.items()}
    metadata = {"labels": {names.PROVES: "short-b"}, "annotations": annotations, "creationTimestamp": THEN}
    server.put(collection, name, metadata={**metadata, **more.pop("metadata", {})}, **more)


REPORT = proof.Report(("n", "m"), ((0, 1, 190.0, True),), (), 180.0)


def judged(server: Server, report: Any, at: str, label: str = "batch.kubernetes.io/job-name") -> None:
    """The judge of a test has ended."""
    end = {"message": f"{load('mark_proofs').text_of(report)}\nwords", "finishedAt": at}
    boxes = [{"name": "launcher", "state": {"terminated": {"message": "of another"}}}]
    metadata = {"namespace": "rdma-acceptance", "labels": {label: "t"}}
    boxes.append({"name": "verdict", "state": {"terminated": end}})
    server.put(f"{TESTS}/pods", "p", metadata=metadata, status={"containerStatuses": boxes})


@pytest.mark.parametrize("label", ["batch.kubernetes.io/job-name", "training.kubeflow.org/job-name"])
def test_a_test_has_ended_when_its_judge_has(server: Server, label: str):
    """The controller of its Job says so later, and the outcome is the same then, so that nothing counts twice."""
    put_test(server)
    judged(server, REPORT, "2026-11-23T09:09:00Z", label)
    before = read(server).tests
    end = {"type": "Complete", "status": "True", "lastTransitionTime": "2026-11-23T09:10:00Z"}
    server.held[JOBS]["t"]["status"] = {"conditions": [end]}

    assert before == [fleet.Test("t", "b", ("n", "m"), ("n",), ("b", "c"), SECONDS, SECONDS + 540, REPORT, "words")]
    assert read(server).tests == before


@pytest.mark.parametrize(
    ("told", "message", "ended"),
    [
        ({"reason": "Deadline", "message": "too long", "lastTransitionTime": THEN}, "Deadline: too long", SECONDS),
        ({"reason": "OnlyThis"}, "OnlyThis", SECONDS + 1),
    ],
)
def test_a_test_without_a_judge_ends_in_the_words_of_whoever_ended_it(
    server: Server, told: dict[str, str], message: str, ended: int
):
    """An end without a time counts right after the beginning."""
    put_test(server, status={"conditions": [{"type": "Failed", "status": "True", **told}]})
    put_test(server, "r", status={"conditions": [{"type": "Complete", "status": "False"}]})
    test, runs = read(server).tests

    assert runs.ended == 0
    assert (test.ended, test.report, test.message) == (ended, None, message)


def test_a_test_that_is_being_deleted_or_of_a_pool_that_is_gone_is_left_out(server: Server):
    put_test(server, "x", metadata={"deletionTimestamp": THEN})
    put_test(server, "y", metadata={"labels": {names.PROVES: "gone"}})
    put_test(server, "z")

    assert [test.name for test in read(server).tests] == ["z"]


@pytest.mark.parametrize(
    ("labels", "more", "by_up"),
    [
        ({"rdma-cluster/pool": "short-b"}, {"status": {}}, {"b"}),
        ({"rdma-cluster/pool": "short-b"}, {"status": {"conditions": [{"type": "Complete", "status": "True"}]}}, set()),
        ({"rdma-cluster/pool": "short-b"}, {"spec": {"suspend": True}}, set()),
        ({"rdma-cluster/pool": "short-b"}, {"spec": {"runPolicy": {"suspend": True}}}, set()),
        ({}, {"status": {}}, set()),
    ],
)
def test_up_tests_a_pool_while_its_job_runs(
    server: Server, labels: dict[str, str], more: dict[str, Any], by_up: set[str]
):
    """One that waits for its runner tests nothing: where a proof counts it waits for ever."""
    server.put(JOBS, "of-up", metadata={"labels": labels}, **more)

    assert read(server).tested_by_up == by_up
