"""The runner of a pool's test on a cluster in memory: when it tests, keeps, waits or fails, and what is left of it."""

import io
import json
from collections.abc import Callable, Mapping
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit

import pytest
from rdma_agent import kube_api
from rdma_agent.acceptance import runner, watcher
from rdma_agent.names import OUTCOME, POOL, TESTS_NAMESPACE
from rdma_cluster.incluster.plan.acceptance import PoolTest, runner_job
from tests.acceptance.plans import args, only

TESTS = f"/apis/batch/v1/namespaces/{TESTS_NAMESPACE}/jobs"
CONFIG_MAPS = f"/api/v1/namespaces/{TESTS_NAMESPACE}/configmaps"
OLD, LATER = "2026-11-01T00:00:00Z", "2026-11-20T00:00:00Z"
PROOF = f"{CONFIG_MAPS}/nccl-proof-a"
SOCKET = "socket: fell back to TCP sockets; wanted none"


class Cluster(kube_api.Api):
    """Holds objects by path. A test that may run ends as ``verdict`` says, unless there is none."""

    def __init__(self) -> None:
        self.held: dict[str, dict[str, Any]] = {}
        self.verdict: str | None = "passed; all_reduce"
        self.began = 0
        """How many tests were let run."""
        self.refusals: list[int] = []
        """Codes with which it answers next."""

    def open(self, path: str, method: str = "GET", body: Any = None, kind: str = "application/json") -> Any:
        """The answer to a request."""
        url = urlsplit(path)
        if self.refusals:
            raise HTTPError(path, self.refusals.pop(0), "no", Message(), io.BytesIO())
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        answer = getattr(self, f"_{method.lower()}")(url.path, query, body)
        if answer is None:
            raise HTTPError(path, 404, "none", Message(), io.BytesIO())
        return io.BytesIO(json.dumps(answer).encode())

    def put(self, path: str, made: str = OLD, **parts: Any) -> None:
        """Hold an object."""
        metadata = {"name": path.rpartition("/")[2], "creationTimestamp": made}
        self.held[path] = {**parts, "metadata": {**metadata, **parts.get("metadata", {})}}

    def node(self, name: str, used_by: str = "", made: str = OLD) -> None:
        """A node of the pool; ``used_by`` names a pod that has its GPUs."""
        self.put(f"/api/v1/nodes/{name}", made)
        if used_by:
            container = {"name": "work", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
            spec = {"nodeName": name, "containers": [container]}
            self.put(f"/api/v1/pods/{name}-{used_by}", metadata={"namespace": "team", "name": used_by}, spec=spec)

    def suspended(self, test: PoolTest, uid: str = "u1") -> None:
        """The objects of a test as `up` makes them, whose runner has this uid."""
        spec = runner_job.suspended(test.test, uid)
        self.put(f"{TESTS}/the-runner", metadata={"uid": uid})
        self.put(f"{TESTS}/the-watcher")
        self.put(f"{TESTS}/{test.test['metadata']['name']}", spec=spec, metadata={"labels": {POOL: "a"}})

    def is_suspended(self, test: PoolTest) -> bool:
        return self.held[f"{TESTS}/{test.test['metadata']['name']}"]["spec"]["suspend"]

    @property
    def proof(self) -> dict[str, Any]:
        """The proof that is kept; empty where none is."""
        return json.loads(self.held[PROOF]["data"]["proof.json"]) if PROOF in self.held else {}

    def _get(self, path: str, query: Mapping[str, str], body: Any) -> Any:
        if path in self.held:
            return self.held[path]
        if "." in path.rpartition("/")[2] or path.rpartition("/")[2] not in ("nodes", "pods", "jobs"):
            return None
        words = query.get("labelSelector", "")
        wanted = dict(word.split("=") for word in words.split(",") if "=" in word)
        found = [each for of, each in self.held.items() if of.rpartition("/")[0] == path]
        if path.endswith(f"{TESTS_NAMESPACE}/pods"):
            return {"items": self._pods()}
        labelled = wanted.keys() - {"pool"}
        return {
            "items": [of for of in found if all(of["metadata"].get("labels", {}).get(k) == wanted[k] for k in labelled)]
        }

    def _post(self, path: str, query: Mapping[str, str], body: Any) -> Any:
        self.put(f"{path}/{body['metadata']['name']}", LATER, **body)
        return {}

    def _patch(self, path: str, query: Mapping[str, str], body: Any) -> Any:
        if path not in self.held:
            return None
        held = self.held[path]
        if "spec" in body:
            held["spec"] = {**held["spec"], **body["spec"]}
            self.began += not body["spec"]["suspend"]
            if self.verdict is not None:
                end = "Complete" if self.verdict.startswith("passed") else "Failed"
                told = {"type": end, "status": "True", "lastTransitionTime": "2026-11-20T00:10:00Z"}
                held["status"] = {"conditions": [told], "startTime": LATER}
        held |= {key: value for key, value in body.items() if key == "data"}
        held["metadata"] |= body.get("metadata", {})
        return held

    def _delete(self, path: str, query: Mapping[str, str], body: Any) -> Any:
        return self.held.pop(path, None)

    def _pods(self) -> list[dict[str, Any]]:
        ended = {"terminated": {"message": self.verdict}} if self.verdict else {}
        first = {"labels": {"batch.kubernetes.io/job-completion-index": "0"}, "name": "a-0"}
        waits = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/2 nodes"}]
        status: dict[str, Any] = {"containerStatuses": [{"name": "verdict", "state": ended}], "phase": "Succeeded"}
        return [{"metadata": first, "status": status if self.verdict else {"phase": "Pending", "conditions": waits}}]


class Clock:
    """Time that passes when somebody sleeps, at once; what happens meanwhile may be given."""

    def __init__(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        self.now, self.meanwhile = 0.0, meanwhile

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.meanwhile()


@pytest.fixture
def cluster() -> Cluster:
    made = Cluster()
    for name in ("n0", "n1"):
        made.node(name)
    return made


def run(cluster: Cluster, monkeypatch: pytest.MonkeyPatch, clock: Clock | None = None, **more: Any) -> runner.Ended:
    """What the runner of a pool of two nodes decides in an `up` that makes it, and its test, again."""
    monkeypatch.setattr(runner, "time", clock or Clock())
    test = only(args(**more))
    cluster.suspended(test)
    return runner.Runner(cluster, json.loads(test.config["run.json"]), "the-runner", 5).run()


def test_a_new_pool_is_tested_and_its_proof_is_kept(cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    end = run(cluster, monkeypatch)

    assert (end.status, end.message) == ("proven", "passed; all_reduce")
    assert cluster.began == 1
    assert cluster.proof["at"] == "2026-11-20T00:10:00Z" and cluster.proof["values"]["machine"] == "a3-ultragpu-8g"


def test_what_is_proven_is_not_tested_again(cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    """Another image of the runner replaces its Job, and a changed script too: the proof still holds."""
    run(cluster, monkeypatch)
    cluster.node("n0", "training")

    assert run(cluster, monkeypatch, images={"python": "mirror.example/python:9"}).status == "proven"
    assert cluster.began == 1 and cluster.is_suspended(only(args()))


def test_a_newer_proof_of_a_newer_release_is_read(cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    """A value that this release does not know voids nothing, and stays."""
    run(cluster, monkeypatch)
    kept = cluster.proof
    kept["values"]["firmware"], kept["signed"] = "28.45", True
    cluster.held[PROOF]["data"]["proof.json"] = json.dumps(kept)

    assert run(cluster, monkeypatch).status == "proven"


BUSY = "1 of 2 nodes are in use: n0 by team/training"
DUE = "threshold: all_gather from 1 GiB 257.0 -> 300.0"
HIGHER: Any = {"thresholds": {"a3-ultragpu-8g": ["all_gather:1G=300"]}}


@pytest.mark.parametrize(("on_busy", "status"), [("keep", "due"), ("fail", "failed"), ("wait", "failed")])
def test_a_test_that_is_due_leaves_work_alone(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, on_busy: str, status: str
):
    """The earlier proof stays, with its date and the reason; nothing is made on nodes that somebody uses."""
    run(cluster, monkeypatch)
    cluster.node("n0", "training")

    end = run(cluster, monkeypatch, on_busy=on_busy, **HIGHER)

    assert end.status == status and BUSY in end.message and DUE in end.message
    assert cluster.began == 1
    assert cluster.proof["at"] == "2026-11-20T00:10:00Z"
    assert (DUE in cluster.proof["due"]) is (on_busy == "keep")


def test_a_kept_pool_is_tested_once_its_nodes_are_idle(cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    run(cluster, monkeypatch)
    cluster.node("n0", "training")
    run(cluster, monkeypatch, **HIGHER)
    del cluster.held["/api/v1/pods/n0-training"]

    assert run(cluster, monkeypatch, **HIGHER).status == "proven"
    assert cluster.proof["due"] == "" and cluster.began == 2


def test_wait_tests_when_work_has_ended(cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    run(cluster, monkeypatch)
    cluster.node("n0", "training")

    def end() -> None:
        cluster.held.pop("/api/v1/pods/n0-training", None)

    ends = Clock(end)

    assert run(cluster, monkeypatch, ends, on_busy="wait", **HIGHER).status == "proven"


@pytest.mark.parametrize("on_busy", ["keep", "wait", "fail"])
def test_a_pool_without_a_proof_is_never_waved_through(cluster: Cluster, monkeypatch: pytest.MonkeyPatch, on_busy: str):
    cluster.node("n0", "training")

    end = run(cluster, monkeypatch, on_busy=on_busy)

    assert end.status == "failed" and BUSY in end.message
    assert cluster.proof == {}


def test_enough_idle_nodes_are_enough(cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    """A pool that has grown by hand: the test takes as many nodes as the plan has."""
    cluster.node("n2", "training")

    assert run(cluster, monkeypatch).status == "proven"


def test_a_fabric_that_fails_has_no_proof_any_more(cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    run(cluster, monkeypatch)
    cluster.verdict = SOCKET

    end = run(cluster, monkeypatch, rerun="again")

    assert (end.status, end.message) == ("failed", SOCKET)
    assert cluster.proof == {}


def test_work_that_was_faster_than_the_test_keeps_its_nodes(cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    """Between the look and the test a job took a node: the pods of the test wait in vain, and leave."""
    run(cluster, monkeypatch)
    cluster.verdict = None
    comes = Clock(lambda: cluster.node("n0", "training"))

    end = run(cluster, monkeypatch, comes, rerun="again")

    assert end.status == "due" and BUSY in end.message
    assert cluster.is_suspended(only(args(rerun="again")))


def test_a_node_that_joined_after_the_proof_voids_it(cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    run(cluster, monkeypatch)
    cluster.node("n1", "training", made="2026-11-21T00:00:00Z")

    end = run(cluster, monkeypatch, images={"python": "mirror.example/python:9"})

    assert end.status == "due" and "1 joined after it, n1 among them" in end.message


def left_by_0_1_0(cluster: Cluster, **more: Any) -> None:
    """The Job and the ConfigMap of a pool that 0.1.0 has proven; their names end in a digest of its own."""
    test = only(args(**more))
    ended = [{"type": "Complete", "status": "True"}]
    status = {"conditions": ended, "completionTime": LATER}
    labels = {"labels": {POOL: "a"}}
    cluster.put(f"{TESTS}/nccl-a-ed15d96d", spec=test.test["spec"], status=status, metadata=labels)
    cluster.put(f"{CONFIG_MAPS}/nccl-expect-a", data={"expectation.json": test.config["expectation.json"]})


def test_a_proof_of_0_1_0_counts_where_its_values_agree(cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    """It kept no values: the environment stands in its Job, the threshold beside it."""
    left_by_0_1_0(cluster)

    end = run(cluster, monkeypatch)

    assert end.status == "proven" and end.proof is not None
    assert (end.proof.by, end.proof.at) == ("0.1.0", LATER)
    assert cluster.began == 0


def test_a_proof_of_0_1_0_is_void_where_they_do_not(cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    left_by_0_1_0(cluster)
    cluster.node("n0", "training")

    end = run(cluster, monkeypatch, **HIGHER)

    assert end.status == "due" and DUE in end.message and "by 0.1.0" in end.message


def test_the_test_of_an_earlier_runner_is_not_touched(cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    """`up` makes runner and test again, one after the other: what failed before must not be taken for this one."""
    test = only(args())
    monkeypatch.setattr(runner, "time", Clock())
    cluster.suspended(test, uid="of-before")
    cluster.put(f"{TESTS}/the-runner", metadata={"uid": "u2"})

    end = runner.Runner(cluster, json.loads(test.config["run.json"]), "the-runner", 5).run()

    assert end.status == "failed" and cluster.began == 0


@pytest.fixture
def up(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, int, str]]:
    """Runner and watcher, one after the other, as their commands are."""
    test = only(args())
    (tmp_path / "run.json").write_text(test.config["run.json"])
    cluster.suspended(test)
    for module in (runner, watcher):
        monkeypatch.setattr(module, "Api", lambda *_: cluster)
        monkeypatch.setattr(module, "time", Clock())

    def run() -> tuple[int, int, str]:
        """The exit codes of both, and the watcher's termination message."""
        ran = runner.main(["--config", str(tmp_path / "run.json"), "--job", "the-runner"])
        words = ["--runner", "the-runner", "--job", "the-watcher", "--seconds", "60"]
        watched = watcher.main([*words, "--termination", str(tmp_path / "log")])
        return ran, watched, (tmp_path / "log").read_text()

    return run


def test_up_passes_and_tells_pulumi(cluster: Cluster, up: Callable[..., tuple[int, int, str]]):
    assert up() == (0, 0, "passed; all_reduce")
    told = json.loads(cluster.held[f"{TESTS}/the-watcher"]["metadata"]["annotations"][OUTCOME])
    assert told["status"] == "proven" and told["at"] == "2026-11-20T00:10:00Z"


def test_up_fails_with_the_verdict(cluster: Cluster, up: Callable[..., tuple[int, int, str]]):
    cluster.verdict = SOCKET

    assert up() == (1, 1, f"{SOCKET}\nanother `up` runs this test again")


def test_up_goes_on_where_a_test_is_due_and_its_runner_fails(cluster: Cluster, up: Callable[..., tuple[int, int, str]]):
    """A Job that failed is made again by the next `up`; one that succeeded never."""
    left_by_0_1_0(cluster, **HIGHER)
    cluster.node("n0", "training", made="2026-11-21T00:00:00Z")

    ran, watched, message = up()

    assert (ran, watched) == (1, 0) and message.startswith("kept: proven on 2026-11-20T00:00:00Z by 0.1.0; ")


def test_trouble_of_the_api_server_is_outlived(cluster: Cluster, up: Callable[..., tuple[int, int, str]]):
    cluster.refusals = [503, 429, 403]

    assert up()[:2] == (0, 0)
