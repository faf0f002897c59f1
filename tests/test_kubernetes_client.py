"""What a client asks: the addresses of objects, by the Kubernetes API concepts page, and what it sends and is told."""

import json
import ssl
from collections.abc import Mapping
from http.client import HTTPException
from threading import Lock
from typing import Any

import pytest
from rdma_cluster.kubernetes_api import client as room
from rdma_cluster.kubernetes_api.client import Answered, Client, Kind
from rdma_cluster.kubernetes_api.kubeconfig import Connection


@pytest.mark.parametrize(
    ("kind", "meta", "path"),
    [
        (Kind("/api/v1", "pods", True), {"name": "a", "namespace": "n"}, "/api/v1/namespaces/n/pods/a"),
        (Kind("/apis/batch/v1", "jobs", True), {"name": "a"}, "/apis/batch/v1/namespaces/default/jobs/a"),
        (Kind("/api/v1", "nodes", False), {"name": "a", "namespace": "n"}, "/api/v1/nodes/a"),
    ],
    ids=["namespace", "default", "none"],
)
def test_path_of_an_object(kind: Kind, meta: dict[str, Any], path: str):
    """kubernetes.io/docs/reference/using-api/api-concepts, "Resource URIs"."""
    assert kind.path(meta) == path


class Spoken(Client):
    """Keeps what it would send."""

    def __init__(self, status: int = 200, answer: bytes = b"{}"):
        self._headers, self._prefix, self._lock = {}, "", Lock()
        self._answer = status, answer
        self.sent: list[str | None] = []

    def _send(self, method: str, path: str, text: str | None, headers: Mapping[str, str]) -> tuple[int, bytes]:
        self.sent.append(text)
        return self._answer


def test_a_question_has_no_body():
    """An object that is written has one."""
    client = Spoken()
    client.text("/api/v1/nodes")
    client._ask("POST", "/api/v1/nodes", {"kind": "Node"}, "application/json", {})

    assert [text and json.loads(text) for text in client.sent] == [None, {"kind": "Node"}]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b'{"message": "nodes is forbidden"}', "nodes is forbidden"),
        (b" no \n", "no"),
        (b"7", "7"),
        (b"no\xff", "no\ufffd"),
    ],
)
def test_a_refusal_says_the_servers_words(answer: bytes, words: str):
    """What it sent, where that is no status of Kubernetes."""
    with pytest.raises(Answered) as refused:
        Spoken(403, answer).text("/api/v1/nodes")
    assert (refused.value.code, str(refused.value)) == (403, words)


def test_a_log_of_any_bytes_is_read():
    """A program may write what is no text."""
    assert Spoken(200, b"a\xff\n").text("/log") == "a\ufffd\n"


class Wire:
    """A connection that is never opened: it says what it is told to, in this order, and keeps what it is asked."""

    def __init__(self, *answers: Any):
        self._answers = iter(answers)
        self.asked: list[tuple[str, str, Any]] = []
        self.headers: dict[str, str] = {}
        self.closed = 0
        self.status = 0

    def request(self, method: str, path: str, text: str | None, headers: dict[str, str]) -> None:
        """Ask, unless what comes next is that nobody is there."""
        self.asked.append((method, path, text and json.loads(text)))
        self.headers = headers
        self.status, self._body = next(self._answers), b"{}"
        if isinstance(self.status, Exception):
            raise self.status
        if isinstance(self.status, dict):
            self.status, self._body = 200, json.dumps(self.status).encode()
        if self.status >= 300:
            self._body = b'{"message": "words of the server"}'

    def getresponse(self) -> "Wire":
        return self

    def read(self) -> bytes:
        return self._body

    def close(self) -> None:
        self.closed += 1

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None: ...


def before(*answers: Any, server: str = "https://api.example") -> tuple[Client, Any]:
    """A client of an API server that answers so: an object, a code, or an error of the connection."""
    made = Client(Connection(server, ssl.create_default_context(), {"Authorization": "Bearer t"}))
    made._http = wire = Wire(*answers)  # ty: ignore[invalid-assignment]
    return made, wire


@pytest.mark.parametrize(
    ("server", "host", "port"),
    [("https://api.example", "api.example", 443), ("https://127.0.0.1:6443/", "127.0.0.1", 6443)],
)
def test_where_a_server_is(server: str, host: str, port: int):
    """By its address, over TLS; nobody waits for it for longer than a minute."""
    made = Client(Connection(server, tls := ssl.create_default_context(), {}))

    assert (made.server, made._http.host, made._http.port) == (server, host, port)
    assert made._http.timeout == 60
    assert made._http._context is tls  # ty: ignore[missing-attribute]


def test_what_goes_over_the_wire():
    """Below the server's own path, with the user's headers; a log is taken as it comes."""
    made, wire = before({"a": 1}, {"b": 2}, server="https://api.example/of/a/box/")

    assert made.request("POST", "/api/v1/nodes", {"kind": "Node"}, dryRun="All", limit="5") == {"a": 1}
    assert wire.headers == {
        "Authorization": "Bearer t",
        "Accept": "application/json, */*",
        "Content-Type": "application/json",
    }
    assert made.text("/log", container="c d") == '{"b": 2}'
    assert wire.headers["Content-Type"] == "application/json"
    assert wire.asked == [
        ("POST", "/of/a/box/api/v1/nodes?dryRun=All&limit=5", {"kind": "Node"}),
        ("GET", "/of/a/box/log?container=c+d", None),
    ]
    made.close()
    assert wire.closed == 1


@pytest.mark.parametrize("code", [300, 404, 500])
def test_a_code_that_is_no_yes(code: int):
    """From 300 on the answer is a no."""
    made, _ = before(code)

    with pytest.raises(Answered) as refused:
        made.request("GET", "/x")
    assert (refused.value.code, str(refused.value)) == (code, "words of the server")
    assert before(299)[0].request("GET", "/x") == {}


@pytest.mark.parametrize("error", [HTTPException("idle"), ConnectionResetError("idle"), ssl.SSLError("idle")])
def test_a_connection_that_was_idle_is_opened_once_more(error: Exception):
    """Servers end those that nobody uses; who does not answer the second time is told of."""
    made, wire = before(error, {"a": 1})
    assert made.request("GET", "/x") == {"a": 1}
    assert (wire.asked, wire.closed) == ([("GET", "/x", None)] * 2, 1)

    made, wire = before(error, error, {"a": 1})
    with pytest.raises(type(error), match="idle"):
        made.request("GET", "/x")
    assert len(wire.asked) == wire.closed == 2


def test_a_server_that_is_slow_is_not_asked_twice():
    """It may be at the first request still."""
    made, wire = before(TimeoutError("slow"), {})

    with pytest.raises(TimeoutError):
        made.request("GET", "/x")
    assert len(wire.asked) == 1


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


def test_a_kind_is_looked_up_once():
    """In its group, past its subresources; others of the group come with it."""
    made, wire = before(SERVED, {"resources": []}, 404, {"resources": []})

    assert made.kind(JOB) == Kind("/apis/batch/v1", "jobs", True)
    assert made.kind({**JOB, "kind": "Class"}) == Kind("/apis/batch/v1", "classes", False)
    assert made.kind({"apiVersion": "v1", "kind": "Pod"}) is None
    assert made.kind({"apiVersion": "none/v1", "kind": "Job"}) is None
    assert wire.asked == [("GET", path, None) for path in ("/apis/batch/v1", "/api/v1", "/apis/none/v1")]


def test_a_kind_that_is_not_served_has_no_path():
    """In the words of kubectl."""
    made, _ = before(404)

    with pytest.raises(Answered) as refused:
        made.path(JOB)
    assert (refused.value.code, str(refused.value)) == (404, 'no matches for kind "Job" in version "batch/v1"')


def test_an_object_is_applied_read_and_deleted():
    """Applied as a manager of fields that takes those of others and allows no unknown one; deleted with its pods."""
    made, wire = before(SERVED, {"applied": 1}, {"read": 1}, {"deleted": 1})

    assert made.apply(JOB) == {"applied": 1}
    assert wire.headers["Content-Type"] == "application/apply-patch+yaml"
    assert made.get(JOB) == {"read": 1}
    made.delete(JOB)
    assert wire.asked[1:] == [
        ("PATCH", f"{AT}?fieldManager=rdma-cluster-rehearsal&force=true&fieldValidation=Strict", JOB),
        ("GET", AT, None),
        ("DELETE", AT, {"propagationPolicy": "Background"}),
    ]


def test_an_object_that_is_not_there():
    """Is none to read, and nothing to delete; any other no is told."""
    made, wire = before(SERVED, 404, 404, 403, 403)

    assert made.get(JOB) is None
    made.delete(JOB)
    assert wire.asked[-1][0] == "DELETE"
    for ask in (made.get, made.delete):
        with pytest.raises(Answered) as refused:
            ask(JOB)
        assert refused.value.code == 403


def test_what_is_waited_for(monkeypatch: pytest.MonkeyPatch):
    """Again and again for a minute; then it is an error that says what."""
    now = [1000.0]
    monkeypatch.setattr(room.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(room.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    made, _ = before()

    made.until(lambda: now[0] >= 1059.9, "the pod")
    assert 1059.9 <= now[0] <= 1060
    with pytest.raises(Answered) as refused:
        made.until(lambda: False, "the pod")
    assert (refused.value.code, str(refused.value)) == (504, "the pod: not within 60 s")
    assert 60 < now[0] - 1059.9 < 60.3
