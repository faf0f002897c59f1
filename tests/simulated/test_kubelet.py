"""The fake kubelet makes nodes and runs pods before a server that only keeps what it gets."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.kubernetes_api.client import Answered
from rdma_rehearsal.real.kubernetes.expected import Expected, ExpectedNode, expected
from rdma_rehearsal.real.kubernetes.kubelet import NODES, PODS, SLICES, Kubelet

SECONDS = 10.0
TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


class Server:
    """Objects by path, as a client of an API server sees them."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Any]] = {}
        self.asked: list[str] = []

    def request(self, method: str, path: str, body: Any = None, content: str = "", **params: str) -> dict[str, Any]:
        self.asked.append(path)
        if method == "GET" and path in (NODES, PODS, SLICES):
            name = "/pods/" if path == PODS else f"{path}/"
            items = [each for at, each in sorted(self.kept.items()) if name in at]
            return {"items": items, "metadata": {"resourceVersion": json.dumps(self.kept)}}
        if method == "POST":
            self.kept[f"{path}/{body['metadata']['name']}"] = dict(body)
            return body
        path = path.removesuffix("/status")
        if path not in self.kept:
            raise Answered(404, "not found")
        if method == "PATCH":
            for key, value in body.items():
                self.kept[path][key] = {**self.kept[path].get(key, {}), **value}
        if method == "DELETE":
            return self.kept.pop(path)
        return self.kept[path]

    def pod(self, name: str, node: str = "", owner: str = "ReplicaSet") -> str:
        """A pod; gives its path."""
        meta = {"name": name, "namespace": "a", "uid": name, "creationTimestamp": "2026-11-23T00:00:00Z"}
        spec = {"containers": [{"name": "main", "image": "b"}], **({"nodeName": node} if node else {})}
        path = f"/api/v1/namespaces/a/pods/{name}"
        self.kept[path] = {"metadata": {**meta, "ownerReferences": [{"kind": owner}]}, "spec": spec, "status": {}}
        return path


class Run:
    """A kubelet at work, and the pools that are there."""

    def __init__(self) -> None:
        self.server, self.pools = Server(), {""}
        self.kubelet = Kubelet(self.server, lambda pool: pool in self.pools)  # ty: ignore[invalid-argument-type]

    def until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + SECONDS
        while not holds():
            assert time.monotonic() < deadline, (self.server.kept, self.kubelet.wrong)
            time.sleep(0.02)

    def phase(self, path: str) -> str | None:
        return self.server.kept[path]["status"].get("phase")


@pytest.fixture
def run() -> Iterator[Run]:
    made = Run()
    slices = ({"metadata": {"name": "gpu-0-slice"}},)
    made.kubelet.expect(
        Expected(
            nodes=(
                ExpectedNode("system-0", "", False, {"metadata": {"name": "system-0"}}, [], ()),
                ExpectedNode("gpu-0", "a4", False, {"metadata": {"name": "gpu-0"}}, [TAINT], slices),
            )
        )
    )
    yield made
    made.kubelet.end()
    assert made.kubelet.wrong == []


def test_nodes_come_and_go_with_their_pools(run: Run):
    """They have their taints and what their drivers publish; their pods go with them."""
    run.until(lambda: f"{NODES}/system-0" in run.server.kept)
    assert f"{NODES}/gpu-0" not in run.server.kept

    run.pools.add("a4")
    run.until(lambda: f"{SLICES}/gpu-0-slice" in run.server.kept)
    assert run.server.kept[f"{NODES}/gpu-0"]["spec"] == {"taints": [TAINT]}

    pod = run.server.pod("left", "gpu-0")
    run.pools.remove("a4")
    run.until(lambda: pod not in run.server.kept)
    assert not {f"{NODES}/gpu-0", f"{SLICES}/gpu-0-slice"} & run.server.kept.keys()


def test_pods_run_and_those_of_jobs_end(run: Run):
    """A pod that no scheduler has placed waits, and a deleted one goes."""
    run.until(lambda: f"{NODES}/system-0" in run.server.kept)
    serving, job, waiting = (
        run.server.pod("serving", "system-0"),
        run.server.pod("job", "system-0", "Job"),
        run.server.pod("waiting"),
    )

    run.until(lambda: run.phase(serving) == "Running" and run.phase(job) == "Succeeded")

    status = run.server.kept[serving]["status"]
    assert {each["type"]: each["status"] for each in status["conditions"]}["Ready"] == "True"
    assert status["containerStatuses"][0]["ready"] and status["podIP"].startswith("10.64.")
    assert run.phase(waiting) is None
    run.server.kept[serving]["metadata"]["deletionTimestamp"] = "2026-11-23T00:01:00Z"
    run.until(lambda: serving not in run.server.kept)


def test_a_test_fails_on_demand_and_passes_again(run: Run):
    """Its last word stands where a kubelet puts it."""
    run.kubelet.fail("rail 3 is slow")
    run.until(lambda: f"{NODES}/system-0" in run.server.kept)
    failed = run.server.pod("failed", "system-0", "Job")
    run.until(lambda: run.phase(failed) == "Failed")

    (container,) = run.server.kept[failed]["status"]["containerStatuses"]
    assert container["state"]["terminated"]["message"] == "rail 3 is slow"

    run.kubelet.fail("")
    passed = run.server.pod("passed", "system-0", "Job")
    run.until(lambda: run.phase(passed) == "Succeeded")


@pytest.mark.parametrize(("stack", "namespaces"), [("oke-b200", ["nvidia-network-operator"]), ("gke", [])])
def test_a_clouds_add_on_makes_its_namespace(stack: str, namespaces: list[str]):
    """No other namespace is made, so that a stack that forgets its own is found out."""
    played = expected(*read_stack(stack, None, ()))

    assert [each["metadata"]["name"] for each in played.of_cloud if each["kind"] == "Namespace"] == namespaces
