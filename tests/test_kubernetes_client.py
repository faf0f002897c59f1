"""A client of the Kubernetes API asks as its API concepts page says, and tells what a server answers."""

import json
import ssl
from collections.abc import Callable
from http.client import HTTPException
from typing import Any

import pytest
from rdma_cluster.kubernetes_api import client as room
from rdma_cluster.kubernetes_api.client import Answered, Client, Kind
from rdma_cluster.kubernetes_api.kubeconfig import Connection

SERVED = {
    "resources": [
        {"name": "jobs/status", "kind": "Job", "namespaced": False},
        {"name": "jobs", "kind": "Job", "namespaced": True},
        {"name": "jobs/scale", "kind": "Job", "namespaced": False},
        {"name": "classes", "kind": "Class", "namespaced": False},
    ]
}
JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "n"}}
AT = "/apis/batch/v1/namespaces/n/jobs/j"


class Wire:
    """A connection that is never opened: it gives its answers in order, and keeps what it is asked."""

    def __init__(self, *answers: Any):
        self._answers = iter(answers)
        self.asked: list[tuple[str, str, Any]] = []
        self.headers: dict[str, str] = {}
        self.closed = 0

    def request(self, method: str, path: str, text: str | None, headers: dict[str, str]) -> None:
        """Take the next answer: an object, a code with what stands below it, or an error of the connection."""
        self.asked.append((method, path, text and json.loads(text)))
        self.headers = headers
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        self.status, self._body = answer if isinstance(answer, tuple) else (200, json.dumps(answer).encode())

    def getresponse(self) -> "Wire":
        return self

    def read(self) -> bytes:
        return self._body

    def close(self) -> None:
        self.closed += 1

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None: ...


NOT_FOUND, FORBIDDEN = (404, b'{"message": "not found"}'), (403, b'{"message": "forbidden"}')


@pytest.fixture
def before(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Client, Wire]]:
    """Makes a client of an API server that gives these answers."""

    def made(*answers: Any, server: str = "https://api.example") -> tuple[Client, Wire]:
        wire = Wire(*answers)
        monkeypatch.setattr(room, "HTTPSConnection", lambda *_, **__: wire)
        return Client(Connection(server, ssl.create_default_context(), {"Authorization": "Bearer t"})), wire

    return made


def test_requests_go_below_the_servers_own_path_with_the_users_headers(before: Any):
    client, wire = before({"a": 1}, (200, b"a\xff\n"), server="https://api.example/of/a/box/")

    assert client.request("POST", "/api/v1/nodes", {"kind": "Node"}, dryRun="All", limit="5") == {"a": 1}
    assert wire.headers == {
        "Authorization": "Bearer t",
        "Accept": "application/json, */*",
        "Content-Type": "application/json",
    }
    assert client.text("/log", container="c d") == "a\ufffd\n"  # a program may log what is no text
    assert wire.asked == [
        ("POST", "/of/a/box/api/v1/nodes?dryRun=All&limit=5", {"kind": "Node"}),
        ("GET", "/of/a/box/log?container=c+d", None),
    ]
    client.close()
    assert wire.closed == 1


@pytest.mark.parametrize(
    ("code", "answer", "words"),
    [
        (300, b'{"message": "nodes is forbidden"}', "nodes is forbidden"),
        (500, b" no \n", "no"),
        (403, b"7", "7"),
        (404, b"no\xff", "no\ufffd"),
    ],
)
def test_a_code_from_300_on_is_a_no_in_the_servers_words(before: Any, code: int, answer: bytes, words: str):
    with pytest.raises(Answered) as refused:
        before((code, answer))[0].request("GET", "/x")
    assert (refused.value.code, str(refused.value)) == (code, words)
    assert before((299, b"{}"))[0].request("GET", "/x") == {}


@pytest.mark.parametrize("error", [HTTPException("idle"), ConnectionResetError("idle"), ssl.SSLError("idle")])
def test_a_connection_that_was_idle_is_opened_once_more(before: Any, error: Exception):
    """Servers end those that nobody uses."""
    client, wire = before(error, {"a": 1})
    assert client.request("GET", "/x") == {"a": 1}
    assert (wire.asked, wire.closed) == ([("GET", "/x", None)] * 2, 1)

    client, wire = before(error, error, {"a": 1})
    with pytest.raises(type(error), match="idle"):
        client.request("GET", "/x")
    assert len(wire.asked) == wire.closed == 2


def test_a_kind_is_looked_up_once_in_its_group(before: Any):
    """Subresources are passed over, and the other kinds of the group come with it."""
    client, wire = before(SERVED, {"resources": []}, NOT_FOUND, {"resources": []})

    assert client.kind(JOB) == Kind("/apis/batch/v1", "jobs", True)
    assert client.path({**JOB, "kind": "Class"}) == "/apis/batch/v1/classes/j"
    assert client.path({**JOB, "metadata": {"name": "j"}}) == "/apis/batch/v1/namespaces/default/jobs/j"
    assert client.kind({"apiVersion": "v1", "kind": "Pod"}) is None
    assert client.kind({"apiVersion": "none/v1", "kind": "Job"}) is None
    assert wire.asked == [("GET", path, None) for path in ("/apis/batch/v1", "/api/v1", "/apis/none/v1")]
    with pytest.raises(Answered, match=r'"Pod" in version "v1"'):
        client.path({"apiVersion": "v1", "kind": "Pod"})


def test_an_object_is_applied_read_and_deleted(before: Any):
    """Applying takes the fields of other managers and allows no unknown one; a deletion takes the pods with it."""
    client, wire = before(SERVED, {"applied": 1}, {"read": 1}, {"deleted": 1})

    assert client.apply(JOB) == {"applied": 1}
    assert wire.headers["Content-Type"] == "application/apply-patch+yaml"
    assert client.get(JOB) == {"read": 1}
    client.delete(JOB)
    assert wire.asked[1:] == [
        ("PATCH", f"{AT}?fieldManager=rdma-cluster-rehearsal&force=true&fieldValidation=Strict", JOB),
        ("GET", AT, None),
        ("DELETE", AT, {"propagationPolicy": "Background"}),
    ]


def test_an_object_that_is_not_there_is_no_error(before: Any):
    client, wire = before(SERVED, NOT_FOUND, NOT_FOUND, FORBIDDEN, FORBIDDEN)

    assert client.get(JOB) is None
    client.delete(JOB)
    assert wire.asked[-1][0] == "DELETE"
    for ask in (client.get, client.delete):
        with pytest.raises(Answered, match="forbidden"):
            ask(JOB)


def test_waiting_ends_after_a_minute(before: Any, monkeypatch: pytest.MonkeyPatch):
    now = [1000.0]
    monkeypatch.setattr(room.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(room.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    client, _ = before()

    client.until(lambda: now[0] >= 1059.9, "the pod")
    with pytest.raises(Answered, match="the pod") as refused:
        client.until(lambda: False, "the pod")
    assert refused.value.code == 504 and 60 < now[0] - 1059.9 < 60.3
