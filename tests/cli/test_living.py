"""What `conform` asks of a living cluster: lists, and a pod on one ready node of each pool that never stays."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rdma_cluster.cli import living
from rdma_cluster.conform.pod import LABELS
from rdma_cluster.kubernetes_api.client import Answered

PODS = "/api/v1/namespaces/kube-system/pods"
CLAIMS = "/apis/resource.k8s.io"
PROMISED: Any = SimpleNamespace(pool_label="pool", pools=[SimpleNamespace(name="a"), SimpleNamespace(name="b")])
NOBODY = ["no pod looked at any node, as was asked"]


def node(name: str, pool: str | None, ready: str = "True") -> dict[str, Any]:
    """A node with another condition before the one that tells whether it is ready."""
    conditions = [{"type": "DiskPressure", "status": "True"}, {"type": "Ready", "status": ready}]
    labels = {} if pool is None else {"labels": {"pool": pool}}
    return {"metadata": {"name": name, **labels}, "status": {"conditions": conditions}}


NODES = [node("a-0", "a", "False"), node("a-1", "a"), node("a-2", "a"), node("b-0", "b"), node("c-0", "c"),
         node("d-0", None), {"metadata": {"name": "e-0", "labels": {"pool": "b"}}}]  # fmt: skip


class Server:
    """An API server in memory; ``ends`` has the end of each node's pod, ``no`` the codes of its refusals."""

    def __init__(self, ends: dict[str, dict[str, Any]], no: dict[str, int], old: list[dict[str, Any]]) -> None:
        self._ends, self._no, self._old = ends, no, old
        self.pods: dict[str, dict[str, Any]] = {each["metadata"]["name"]: each for each in old}
        self.asked: list[str] = []
        self._polls = 0

    def request(self, method: str, path: str, body: Any = None, **params: str) -> dict[str, Any]:
        self.asked.append(f"{method} {path}")
        for words, code in self._no.items():
            if words in self.asked[-1]:
                raise Answered(code, f"{words} is not for you")
        if method == "POST":
            assert body["spec"]["containers"][0]["image"] == "python:3"
            self.pods[body["metadata"]["name"]] = body
        elif method == "DELETE":
            assert body == {"gracePeriodSeconds": 0}
            if self.pods.pop(path.rpartition("/")[2], None) is None:
                raise Answered(404, "not found")
        elif path == PODS:
            assert params == {"labelSelector": ",".join(f"{key}={value}" for key, value in LABELS.items())}
            return {"items": self._old}
        elif path.startswith(PODS):
            self._polls += 1
            pod = self.pods[path.rpartition("/")[2]]
            return {"status": self._ends.get(pod["spec"]["nodeName"], {}) if self._polls > 2 else {"phase": "Pending"}}
        elif path == "/version":
            return {"gitVersion": "v1.36.1"}
        elif path == "/api/v1/nodes":
            return {"items": NODES}
        return {"items": [{"metadata": {"name": path.rpartition("/")[2]}}]}

    def text(self, path: str) -> str:
        return self.pods[path.split("/")[-2]]["spec"]["nodeName"]


Read = Callable[..., tuple[Any, list[str], Server]]
WELL = {"a-1": {"phase": "Succeeded"}, "b-0": {"phase": "Succeeded"}}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Read:
    """Reads a cluster, with a clock that only sleeping moves."""
    now = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds))
    monkeypatch.setattr(living, "time", clock)

    def answers(ends=WELL, no: dict[str, int] | None = None, old: Any = (), image: str | None = "python:3") -> Any:
        server = Server(ends, no or {}, list(old))

        @contextmanager
        def connected(path: Path, option: str) -> Generator[Server]:
            assert (path, option) == (Path("kubeconfig"), "--kubeconfig")
            yield server

        monkeypatch.setattr(living, "connected", connected)
        found, why = living.read_cluster(Path("kubeconfig"), PROMISED, ["x", "y"], image)
        return found, why, server

    return answers


def test_every_list_is_read_once_and_templates_in_each_namespace(read: Read):
    """Without an image no pod is made, and that is said."""
    found, why, server = read(image=None)

    assert found.nodes == NODES and found.version == "v1.36.1" and (found.looks, why) == ({}, NOBODY)
    for kind in ("slices", "daemons", "classes"):
        (each,) = getattr(found, kind)
        assert each["metadata"]["name"] in ("resourceslices", "daemonsets", "deviceclasses")
    assert len(server.asked) == len({*server.asked}) == 7
    assert f"GET {CLAIMS}/v1/namespaces/y/resourceclaimtemplates" in server.asked


def test_one_ready_node_of_each_pool_is_looked_at_and_no_pod_stays(read: Read):
    found, why, server = read()

    assert found.looks == {"a-1": "a-1", "b-0": "b-0"} and (why, server.pods) == ([], {})


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ({"phase": "Failed", "message": "no such image"}, "no such image"),
        ({"phase": "Failed", "reason": "Evicted"}, "Evicted"),
        ({"phase": "Failed"}, "it failed"),
        ({"phase": "Pending"}, "it did not end within "),
        ({}, "it did not end within "),
    ],
)
def test_a_node_that_cannot_be_looked_at_is_told_with_the_reason(read: Read, end: dict[str, Any], said: str):
    found, (why,), server = read({**WELL, "b-0": end})

    assert list(found.looks) == ["a-1"] and why.startswith("b-0: ") and said in why and server.pods == {}


def test_an_older_api_server_has_no_claims_and_that_is_no_error(read: Read):
    found, _, _ = read(no={CLAIMS: 404})
    assert (found.slices, found.templates, found.classes, len(found.looks)) == ([], [[], []], [], 2)
    for no in ({CLAIMS: 403}, {"/apis/apps": 404}):
        with pytest.raises(Answered):
            read(no=no)


def test_an_account_without_rights_to_pods_reads_the_rest(read: Read):
    """Where it may list pods and not make them, each node says so."""
    assert len(read(no={PODS: 403})[1]) == 1
    found, why, _ = read(no={f"POST {PODS}": 403})
    assert not found.looks and [each.partition(":")[0] for each in why] == ["a-1", "b-0"]
    assert read(no={f"DELETE {PODS}": 403})[1] == []
    for no in ({PODS: 500}, {f"DELETE {PODS}": 500}):
        with pytest.raises(Answered):
            read(no=no)


def test_ended_pods_of_a_killed_run_are_swept_and_running_ones_stay(read: Read):
    old = [{"metadata": {"name": each}, "status": {"phase": each}} for each in ("Succeeded", "Failed", "Running")]
    _, _, server = read(old=[*old, {"metadata": {"name": "new"}}])

    assert list(server.pods) == ["Running", "new"]
