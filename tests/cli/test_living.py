"""What `conform` asks of a living cluster: lists, and a pod on one ready node of each pool that never stays."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rdma_cluster.cli import living
from rdma_cluster.conform.pod import LABELS, SECONDS
from rdma_cluster.kubernetes_api.client import Answered

PODS = "/api/v1/namespaces/kube-system/pods"
PROMISED: Any = SimpleNamespace(pool_label="pool", pools=[SimpleNamespace(name="a"), SimpleNamespace(name="b")])


def node(name: str, pool: str | None, ready: str = "True") -> dict[str, Any]:
    """As the API shows it, with another condition before."""
    conditions = [{"type": "DiskPressure", "status": "True"}, {"type": "Ready", "status": ready}]
    labels = {} if pool is None else {"labels": {"pool": pool}}
    return {"metadata": {"name": name, **labels}, "status": {"conditions": conditions}}


NODES = [node("a-0", "a", "False"), node("a-1", "a"), node("a-2", "a"), node("b-0", "b"), node("c-0", "c"),
         node("d-0", None), {"metadata": {"name": "e-0", "labels": {"pool": "b"}}}]  # fmt: skip


class Server:
    """An API server, in memory; ``ends`` says how the pod of a node ends, ``no`` what is answered with a code."""

    def __init__(self, ends: dict[str, dict[str, Any]], no: dict[str, int], old: list[dict[str, Any]]) -> None:
        self._ends, self._no, self._old = ends, no, old
        self.pods: dict[str, dict[str, Any]] = {each["metadata"]["name"]: each for each in old}
        self.made: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.polls = 0

    def request(self, method: str, path: str, body: Any = None, **params: str) -> dict[str, Any]:
        self.asked.append(f"{method} {path}")
        for words, code in self._no.items():
            if words in self.asked[-1]:
                raise Answered(code, f"{words} is not for you")
        if method == "POST":
            self.pods[body["metadata"]["name"]] = body
            self.made.append(body)
        elif method == "DELETE":
            assert body == {"gracePeriodSeconds": 0}
            if self.pods.pop(path.rpartition("/")[2], None) is None:
                raise Answered(404, "not found")
        elif path == PODS:
            assert params == {"labelSelector": ",".join(f"{key}={value}" for key, value in LABELS.items())}
            return {"items": self._old}
        elif path.startswith(PODS):
            self.polls += 1
            pod = self.pods[path.rpartition("/")[2]]
            return {"status": self._ends.get(pod["spec"]["nodeName"], {}) if self.polls > 2 else {"phase": "Pending"}}
        elif path == "/version":
            return {"gitVersion": "v1.36.1"}
        elif path == "/api/v1/nodes":
            return {"items": NODES}
        return {"items": [{"metadata": {"name": path.rpartition("/")[2]}}]}

    def text(self, path: str) -> str:
        return json.dumps({"log of": self.pods[path.split("/")[-2]]["spec"]["nodeName"]})


Read = Callable[..., tuple[Any, list[str], Server]]
WELL = {"a-1": {"phase": "Succeeded"}, "b-0": {"phase": "Succeeded"}}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Read:
    """Reads a cluster, with a clock that only sleeping moves."""
    now = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds))
    monkeypatch.setattr(living, "time", clock)

    def answers(
        ends: dict[str, dict[str, Any]] = WELL,
        no: dict[str, int] | None = None,
        old: list[dict[str, Any]] | None = None,
        image: str | None = "python:3",
    ) -> tuple[Any, list[str], Server]:
        server = Server(ends, no or {}, old or [])

        @contextmanager
        def connected(path: Path, option: str) -> Generator[Server]:
            assert (path, option) == (Path("kubeconfig"), "--kubeconfig")
            yield server

        monkeypatch.setattr(living, "connected", connected)
        found, why = living.read_cluster(Path("kubeconfig"), PROMISED, ["x", "y"], image)
        return found, why, server

    return answers


def test_everything_is_listed(read: Read):
    """Each kind once, templates in each namespace; without the pod nothing is made, and that is said."""
    found, why, server = read(image=None)

    assert found.nodes == NODES and found.version == "v1.36.1" and not found.looks
    named = {
        key: [each["metadata"]["name"] for each in getattr(found, key)] for key in ("slices", "daemons", "classes")
    }
    assert named == {"slices": ["resourceslices"], "daemons": ["daemonsets"], "classes": ["deviceclasses"]}
    assert [[each["metadata"]["name"] for each in of] for of in found.templates] == [["resourceclaimtemplates"]] * 2
    assert sorted(server.asked) == sorted([
        "GET /api/v1/nodes", "GET /apis/resource.k8s.io/v1/resourceslices", "GET /apis/apps/v1/daemonsets",
        "GET /apis/resource.k8s.io/v1/namespaces/x/resourceclaimtemplates",
        "GET /apis/resource.k8s.io/v1/namespaces/y/resourceclaimtemplates",
        "GET /apis/resource.k8s.io/v1/deviceclasses", "GET /version",
    ])  # fmt: skip
    assert why == ["no pod looked at any node, as was asked"]


def test_one_ready_node_of_each_pool_is_looked_at(read: Read):
    """The first; its pod's log is what was seen, and no pod stays."""
    found, why, server = read()

    assert {node: json.loads(look) for node, look in found.looks.items()} == {
        "a-1": {"log of": "a-1"}, "b-0": {"log of": "b-0"},
    }  # fmt: skip
    assert (why, server.pods, len(server.made)) == ([], {}, 2)
    assert all(each["spec"]["containers"][0]["image"] == "python:3" for each in server.made)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ({"phase": "Failed", "message": "no such image"}, "no such image"),
        ({"phase": "Failed", "reason": "Evicted"}, "Evicted"),
        ({"phase": "Failed"}, "it failed"),
        ({"phase": "Pending"}, f"it did not end within {SECONDS} s"),
        ({}, f"it did not end within {SECONDS} s"),
    ],
)
def test_a_node_that_cannot_be_looked_at(read: Read, end: dict[str, Any], said: str):
    """Is told with the reason; the others are looked at all the same."""
    found, why, server = read({**WELL, "b-0": end})

    assert list(found.looks) == ["a-1"] and why == [f"b-0: no pod could look: {said}"]
    assert server.pods == {}


def test_an_older_api_server_has_no_claims(read: Read):
    """Which is no error; any other answer is."""
    found, _, _ = read(no={"/apis/resource.k8s.io": 404})
    assert (found.slices, found.templates, found.classes, len(found.looks)) == ([], [[], []], [], 2)
    for no in ({"/apis/resource.k8s.io": 403}, {"/apis/apps": 404}):
        with pytest.raises(Answered):
            read(no=no)


def test_an_account_without_rights_to_pods(read: Read):
    """Reads the rest; where it may list and not make them, each node says so."""
    _, why, _ = read(no={PODS: 403})
    assert why == [f"no pod could look at any node: {PODS} is not for you"]
    found, why, _ = read(no={f"POST {PODS}": 403})
    assert not found.looks and why == [
        f"{each}: no pod could look: POST {PODS} is not for you" for each in ("a-1", "b-0")
    ]
    with pytest.raises(Answered):
        read(no={PODS: 500})
    with pytest.raises(Answered):
        read(no={f"DELETE {PODS}": 500})
    assert read(no={f"DELETE {PODS}": 403})[1] == []


def test_ended_pods_of_others_are_swept(read: Read):
    """Those of a run that was killed; one that still runs may be another person's."""
    old = [
        {"metadata": {"name": f"old-{phase}"}, "status": {"phase": phase}}
        for phase in ("Succeeded", "Failed", "Running")
    ]
    _, _, server = read(old=[*old, {"metadata": {"name": "old-new"}}])

    assert list(server.pods) == ["old-Running", "old-new"]
