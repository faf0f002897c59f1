"""What the prover reads out of an API server's objects: nodes, their devices, who has work on them, and its tests."""

import json
from typing import Any

import pytest
from rdma_agent import names
from rdma_agent.prover import cluster_state
from tests.readiness.in_pod import load
from tests.readiness.server import JOBS, MPI_JOBS, SLICES, TESTS, Server

fleet, proof, fill = load("fleet"), load("proof"), load("fill")

THEN = "2026-11-23T09:00:00Z"
SECONDS = 1795424400
"""Since 1970, as `date -d 2026-11-23T09:00:00Z +%s` has it."""
READY = {"type": "Ready", "status": "True", "lastTransitionTime": THEN}
PRESSED = {"type": "DiskPressure", "status": "False", "lastTransitionTime": "2020-01-01T00:00:00Z"}
GPUS, DRIVER = "nvidia.com/gpu", "gpu.nvidia.com"
NODES, PODS = "/api/v1/nodes", "/api/v1/namespaces/default/pods"


def config(**more: Any) -> dict[str, Any]:
    """Of two pools."""
    pool = {"short": "a", "fingerprint": "f", "holds": True, "renewSeconds": 0, "resources": {GPUS: 8}, "slices": {}}
    template = {"test": {"kind": "Job"}}
    pools = [{"name": name, **pool, "short": f"short-{name}", "template": template, **more} for name in ("a", "b")]
    return {"poolLabel": "pool", "pools": pools}


@pytest.fixture
def server() -> Server:
    """With a node that lacks nothing."""
    made = Server()
    add(made, "n")
    return made


def add(server: Server, name: str, pool: str = "a", **more: Any) -> dict[str, Any]:
    """A node that waits for its first test."""
    status = {"nodeInfo": {"bootID": "0123456789"}, "conditions": [PRESSED, READY], "allocatable": {GPUS: "8"}}
    parts = {"metadata": {"labels": {"pool": pool}}, "spec": {"taints": [taint()]}, "status": status}
    return server.put(NODES, name, **{**parts, **more})


def taint(value: str = "unproven", key: str = proof.STARTUP_TAINT) -> dict[str, str]:
    """Of a node."""
    return {"key": key, "value": value, "effect": "NoSchedule"}


def read(server: Server, now: int = 0, **more: Any) -> Any:
    """What is decided on."""
    return cluster_state.read(server, config(**more), now)[0]


def nodes(server: Server, **more: Any) -> dict[str, Any]:
    """By name."""
    return {node.name: node for node in read(server, **more).nodes}


def test_a_node_is_read_as_it_is(server: Server):
    """Its pool, its boot, since when it is Ready; of a pool that is none of ours it is left out."""
    add(server, "other", "c")
    (node,) = nodes(server).values()

    assert (node.name, node.pool, node.boot, node.joined) == ("n", "a", "uid-1-01234567", SECONDS)
    assert (node.waits_for, node.tainted, node.busy, node.taint) == ("", "", False, "unproven")
    assert (node.label, node.proof, node.attempts) == (None, None, proof.Attempts(node.boot))


def test_what_a_node_carries_is_read(server: Server):
    """Its proof, its label, and what was tried in this boot."""
    shown, tried = proof.Proof(7, "up", "b", "f", ("m",)), proof.Attempts("uid-1-01234567", "t", ("m",), 1)
    server.node("n")["metadata"]["annotations"] = proof.Mark(None, "f", shown, tried).patch(server.node("n"))[
        "metadata"
    ]["annotations"]
    server.node("n")["metadata"]["labels"][proof.FABRIC_LABEL] = "f"
    node = nodes(server)["n"]

    assert (node.label, node.proof, node.attempts) == ("f", shown, tried)


@pytest.mark.parametrize(
    ("changed", "waits_for"),
    [
        ({"status": {"conditions": [{**READY, "status": "False"}]}}, "it is not Ready"),
        ({"status": {"conditions": [{**READY, "status": "Unknown"}]}}, "it is not Ready"),
        ({"status": {"conditions": [PRESSED]}}, "it is not Ready"),
        ({"status": {}}, "it is not Ready"),
        ({"spec": {"unschedulable": True}}, "it is cordoned"),
        ({"spec": {"taints": [taint(key="rdma-cluster/fault")], "unschedulable": True}}, "it is cordoned"),
        ({"spec": {"taints": [taint(), taint(key="rdma-cluster/fault")]}}, "a fault of it is not over"),
        ({"spec": {"taints": [taint(key="nvidia.com/gpu")]}}, ""),
        (
            {"metadata": {"labels": {"pool": "a"}, "deletionTimestamp": THEN}, "spec": {"unschedulable": True}},
            "it is being deleted",
        ),
        ({"status": {"conditions": [READY], "allocatable": {GPUS: "7"}}}, "it shows 7 of 8 nvidia.com/gpu"),
        ({"status": {"conditions": [READY], "allocatable": {GPUS: "9"}}}, ""),
        ({"status": {"conditions": [READY], "allocatable": {GPUS: "8Gi"}}}, "it shows 8Gi of 8 nvidia.com/gpu"),
        ({"status": {"conditions": [READY]}}, "it shows 0 of 8 nvidia.com/gpu"),
    ],
)
def test_what_a_node_waits_for(changed: dict[str, Any], waits_for: str):
    """In words that its condition repeats; what is the more lasting reason comes first."""
    server = Server()
    add(server, "n", **changed)

    assert nodes(server)["n"].waits_for == waits_for


def test_a_node_without_conditions_joined_when_it_was_made():
    """Its kubelet has said nothing yet."""
    server = Server()
    add(server, "n", status={})

    assert nodes(server)["n"].joined == server.now


@pytest.mark.parametrize(
    ("devices", "waits_for"),
    [
        ((8, 0), ""),
        ((4, 4), ""),
        ((9, 0), ""),
        ((3, 4), "gpu.nvidia.com shows 7 of 8 devices"),
        ((0, 0), "gpu.nvidia.com shows 0 of 8 devices"),
    ],
)
def test_devices_are_counted_over_all_slices_of_a_driver(server: Server, devices: tuple[int, int], waits_for: str):
    """Of the node alone, and of drivers that the pool has."""
    for i, (node, driver, count) in enumerate(
        [("n", DRIVER, devices[0]), ("n", DRIVER, devices[1]), ("m", DRIVER, 8), ("n", "another", 8)]
    ):
        spec = {"driver": driver, "nodeName": node, "pool": {"name": node}}
        server.put(SLICES, f"s{i}", spec={**spec, "devices": [{"name": f"d{j}"} for j in range(count)] or None})

    assert nodes(server, slices={DRIVER: 8})["n"].waits_for == waits_for


def test_rules_for_devices_are_read_where_one_pool_of_several_has_some(server: Server):
    """Whichever it is."""
    both = config()
    both["pools"][0]["slices"] = {DRIVER: 0}
    made = {"deviceSelector": {"pool": "n"}, "taint": {"key": "k", "effect": "NoSchedule"}}
    server.put("/apis/resource.k8s.io/v1beta2/devicetaintrules", "r", spec=made)

    (node,) = cluster_state.read(server, both, 0)[0].nodes
    assert node.waits_for == "every device of every driver is tainted: k=:NoSchedule"


def test_a_device_that_is_tainted_keeps_its_node(server: Server):
    """Its driver says so."""
    bad = {"name": "d1", "taints": [{"key": "k", "effect": "NoSchedule"}]}
    spec = {"driver": DRIVER, "nodeName": "n", "pool": {"name": "n"}, "devices": [{"name": "d0"}, bad]}
    server.put(SLICES, "s", spec=spec)

    assert nodes(server, slices={DRIVER: 2})["n"].waits_for == "d1 of gpu.nvidia.com is tainted: k=:NoSchedule"


@pytest.mark.parametrize(
    ("namespace", "owner", "phase", "node", "busy"),
    [
        ("default", "Job", "Running", "n", True),
        ("default", None, "Pending", "n", True),
        ("default", "Job", "Succeeded", "n", False),
        ("default", "Job", "Failed", "n", False),
        ("kube-system", "DaemonSet", "Running", "n", False),
        ("kube-system", "Node", "Running", "n", False),
        ("rdma-acceptance", "Job", "Running", "n", False),
        ("default", "Job", "Running", "m", False),
    ],
)
def test_who_has_work_on_a_node(server: Server, namespace: str, owner: str | None, phase: str, node: str, busy: bool):
    """Whatever is neither over, nor of the node itself, nor a test; pods before it hide nobody."""
    system = {"namespace": "kube-system", "ownerReferences": [{"kind": "DaemonSet"}]}
    running = {"spec": {"nodeName": "n"}, "status": {"phase": "Running"}}
    for i in range(3):
        server.put("/api/v1/namespaces/kube-system/pods", f"s{i}", metadata=system, **running)
    owners = [{"kind": owner}] if owner else []
    metadata = {"namespace": namespace, "ownerReferences": owners} if owners else {"namespace": namespace}
    pods = f"/api/v1/namespaces/{namespace}/pods"
    server.put(pods, "p", metadata=metadata, spec={"nodeName": node}, status={"phase": phase})

    assert nodes(server)["n"].busy is busy


def test_a_pool_too_large_for_one_look(server: Server, monkeypatch: pytest.MonkeyPatch):
    """Nodes beyond a number count as busy: they come at another look."""
    monkeypatch.setattr(cluster_state, "_MOST_LOOK_UPS", 2)
    for name in ("m", "o"):
        add(server, name)

    assert [node.busy for node in nodes(server).values()] == [False, False, True]


def test_a_busy_node_that_is_proven_is_asked_for_nothing(server: Server):
    """What it lacks matters to nobody; an idle one may be somebody's neighbour."""
    shown = json.dumps({"at": 1, "by": "up", "boot": "uid-2-01234567", "fingerprint": "f"})
    metadata = {"labels": {"pool": "a", proof.FABRIC_LABEL: "f"}, "annotations": {proof.PROOF: shown}}
    add(server, "p", metadata=metadata, status={**server.node("n")["status"], "allocatable": {}})

    assert nodes(server)["p"].waits_for == "it shows 0 of 8 nvidia.com/gpu"
    server.put(PODS, "w", metadata={"namespace": "default"}, spec={"nodeName": "p"}, status={"phase": "Running"})
    assert (nodes(server)["p"].waits_for, nodes(server)["p"].busy) == ("", True)


@pytest.mark.parametrize(
    ("pods", "since"),
    [
        ([], 0),
        ([("default", {"resources": {"limits": {GPUS: "1"}}}, {}, 5)], 5),
        ([("default", {}, {"resourceClaims": [{"name": "c"}]}, 5)], 5),
        ([("default", {}, {}, 5)], 0),
        ([("default", {"resources": {"limits": {"cpu": "1"}}}, {}, 5)], 0),
        ([("default", {"resources": {"requests": {"cpu": "1"}}}, {}, 5)], 0),
        ([("rdma-acceptance", {"resources": {"limits": {GPUS: "1"}}}, {}, 5)], 0),
        ([("default", {"resources": {"limits": {GPUS: "1"}}}, {"nodeName": "n"}, 5)], 0),
        ([("default", {"resources": {"limits": {GPUS: "1"}}}, {}, at) for at in (5, 9, 7)], 9),
    ],
)
def test_since_when_work_waits_for_devices(server: Server, pods: list[Any], since: int):
    """The youngest pod counts that asks for some and has no node."""
    for i, (namespace, container, spec, at) in enumerate(pods):
        metadata = {"namespace": namespace, "creationTimestamp": f"1970-01-01T00:00:0{at}Z"}
        parts = {"spec": {"containers": [{"name": "sidecar"}, {"name": "c", **container}], **spec}}
        server.put(
            f"/api/v1/namespaces/{namespace}/pods", f"p{i}", metadata=metadata, **parts, status={"phase": "Pending"}
        )

    assert read(server).waiting_since == since


def test_who_has_nothing_to_do_does_not_ask_who_waits(server: Server):
    """A look that ends early."""
    server.node("n")["spec"] = {"unschedulable": True}
    parts = {"spec": {"containers": [{"name": "c", "resources": {"limits": {GPUS: "1"}}}]}}
    server.put(PODS, "p", metadata={"namespace": "default"}, **parts, status={"phase": "Pending"})

    assert read(server).waiting_since == 0


def put_test(server: Server, name: str = "t", collection: str = JOBS, **more: Any) -> None:
    """Hold one."""
    lists = {names.NODES: ["n", "m"], names.SUBJECTS: ["n"], names.BOOTS: ["b", "c"]}
    annotations = {key: json.dumps(value) for key, value in lists.items()}
    metadata = {"labels": {names.PROVES: "short-b"}, "annotations": annotations, "creationTimestamp": THEN}
    server.put(collection, name, metadata={**metadata, **more.pop("metadata", {})}, **more)


def test_a_test_is_read_as_it_is(server: Server):
    """Its pool by the short name on its label."""
    put_test(server)

    assert read(server).tests == [fleet.Test("t", "b", ("n", "m"), ("n",), ("b", "c"), SECONDS)]


def test_a_test_that_has_ended_says_why(server: Server):
    """The judge's report and words; where there are none, the words of whoever ended it."""
    ended = {"type": "Failed", "status": "True", "reason": "DeadlineExceeded", "message": "was too long"}
    ended["lastTransitionTime"] = "2026-11-23T09:10:00Z"
    put_test(server, status={"conditions": [{"type": "Complete", "status": "False"}, ended]})
    (test,) = read(server).tests
    assert (test.ended, test.report, test.message) == (SECONDS + 600, None, "DeadlineExceeded: was too long")

    judged(server, REPORT, "2026-11-23T09:09:00Z")
    (test,) = read(server).tests
    assert (test.ended, test.report, test.message) == (SECONDS + 540, REPORT, "words")


REPORT = proof.Report(("n", "m"), ((0, 1, 190.0, True),), (), 180.0)


def judged(server: Server, report: Any, at: str) -> None:
    """The judge of a test has ended."""
    end = {"message": f"{load('mark_proofs').text_of(report)}\nwords", "finishedAt": at}
    boxes = [{"name": "verdict", "state": {"terminated": end}}]
    metadata = {"namespace": "rdma-acceptance", "labels": {"batch.kubernetes.io/job-name": "t"}}
    server.put(f"{TESTS}/pods", "p", metadata=metadata, status={"containerStatuses": boxes})


def test_a_test_has_ended_when_its_judge_has(server: Server):
    """The controller of its Job says so later: work that takes its nodes meanwhile would cost the test. When it ended
    is the same before and afterwards, so that no outcome counts twice."""
    put_test(server)
    judged(server, REPORT, "2026-11-23T09:09:00Z")
    before = read(server).tests
    end = {"type": "Complete", "status": "True", "lastTransitionTime": "2026-11-23T09:10:00Z"}
    server.held[JOBS]["t"]["status"] = {"conditions": [end]}

    assert [(test.ended, test.report, test.message) for test in before] == [(SECONDS + 540, REPORT, "words")]
    assert read(server).tests == before


@pytest.mark.parametrize(("reason", "message"), [("OnlyThis", ""), ("", "or this")])
def test_a_test_that_ended_without_a_time(server: Server, reason: str, message: str):
    """Counts as ended right after it began, and says what there is."""
    ended = {"type": "Failed", "status": "True", "reason": reason, "message": message}
    put_test(server, status={"conditions": [{k: v for k, v in ended.items() if v}]})
    (test,) = read(server).tests

    assert (test.ended, test.message) == (SECONDS + 1, reason or message)


@pytest.mark.parametrize("type_", ["Complete", "Failed", "Succeeded"])
def test_how_a_test_ends(server: Server, type_: str):
    """As a Job, or as an MPIJob."""
    put_test(server, status={"conditions": [{"type": type_, "status": "True", "lastTransitionTime": THEN}]})
    put_test(server, "r", status={"conditions": [{"type": type_, "status": "False"}]})
    put_test(server, "s", status={"conditions": [{"type": "SuccessCriteriaMet", "status": "True"}]})

    assert [test.ended for test in read(server).tests] == [SECONDS, 0, 0]


def test_tests_that_are_none_of_the_provers(server: Server):
    """One that is being deleted, one of a pool that is gone; those behind them are seen."""
    put_test(server, "x", metadata={"deletionTimestamp": THEN})
    put_test(server, "y", metadata={"labels": {names.PROVES: "gone"}})
    put_test(server, "z")

    assert [test.name for test in read(server).tests] == ["z"]


@pytest.mark.parametrize(
    ("labels", "status", "by_up"),
    [
        ({"rdma-cluster/pool": "short-b"}, {}, {"b"}),
        ({"rdma-cluster/pool": "short-b"}, {"conditions": [{"type": "Complete", "status": "True"}]}, set()),
        ({"rdma-cluster/pool": "gone"}, {}, set()),
        ({}, {}, set()),
    ],
)
def test_pools_that_up_tests(server: Server, labels: dict[str, str], status: dict[str, Any], by_up: set[str]):
    """As long as its test runs."""
    server.put(JOBS, "of-up", metadata={"labels": labels}, status=status)

    assert read(server).tested_by_up == by_up


@pytest.mark.parametrize(("kind", "seen"), [("Job", ["j"]), ("MPIJob", ["j", "m"])])
def test_mpi_jobs_are_looked_for_where_there_can_be_some(server: Server, kind: str, seen: list[str]):
    """Elsewhere the API server does not know them, nor has the prover the right."""
    put_test(server, "j")
    put_test(server, "m", MPI_JOBS)

    assert [test.name for test in read(server, template={"test": {"kind": kind}}).tests] == seen


def test_a_pool_of_the_configuration():
    """As the plan has written it."""
    (pool, _) = read(Server(), fingerprint="f1", holds=False, renewSeconds=7).pools

    assert pool == fleet.Pool("a", "f1", holds=False, renew_seconds=7)
