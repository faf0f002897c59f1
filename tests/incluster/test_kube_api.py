"""The one client of what runs in pods: what it sends, and how often it tries again."""

import io
import ssl
import time
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPSHandler, ProxyHandler

import pytest
from rdma_agent import kube_api


class Opener:
    """Answers in turn; a number is a code that is an error."""

    def __init__(self, *answers: Any) -> None:
        self._answers: Iterator[Any] = iter(answers)
        self.asked: list[Any] = []
        self.said: list[io.BytesIO] = []

    def open(self, request: Any, timeout: float) -> io.BytesIO:
        """The next answer."""
        self.asked.append((request, timeout))
        answer = next(self._answers)
        if isinstance(answer, int):
            self.said.append(io.BytesIO(b"x" * 900))
            raise HTTPError(request.full_url, answer, "no", Message(), self.said[-1])
        return io.BytesIO(answer)


@pytest.fixture
def api(tmp_path: Path) -> Any:
    """Of a server that answers so."""

    def made(*answers: Any) -> tuple[kube_api.Api, Opener]:
        (tmp_path / "token").write_text("first\n")
        client, opener = kube_api.Api("http://127.0.0.1:1", tmp_path, 7), Opener(*answers)
        client._opener = opener  # ty: ignore[invalid-assignment]
        return client, opener

    return made


def test_what_is_sent(api: Any, tmp_path: Path):
    """The token as it is now, the type of what is written, and no type of nothing."""
    client, opener = api(b"{}", b'{"made": 2}', b"{}")
    client.get("/a")
    (tmp_path / "token").write_text("second")
    assert client.merge("/b", {"x": 1}) == {"made": 2}
    client.open("/c", "DELETE", {})
    requests = [request for request, _ in opener.asked]

    assert [each.method for each in requests] == ["GET", "PATCH", "DELETE"]
    assert [each.get_header("Authorization") for each in requests] == ["Bearer first", "Bearer second", "Bearer second"]
    types = [each.get_header("Content-type") for each in requests]
    assert types == [None, "application/merge-patch+json", "application/json"]
    assert [each.data for each in requests] == [None, b'{"x": 1}', b"{}"]
    assert {timeout for _, timeout in opener.asked} == {7}


@pytest.mark.parametrize(
    ("answers", "ends"),
    [
        ([b"{}", b"{}"], True),
        ([b"{}", 409, b"{}", b"{}"], True),
        ([b"{}", 409, b"{}", 409, b"{}", 409, b"{}", b"{}"], True),
        ([b"{}", 409, b"{}", 409, b"{}", 409, b"{}", 409, b"{}", b"{}"], 409),
        ([b"{}", 403, b"{}", b"{}"], 403),
        ([404], 404),
    ],
)
def test_a_change_is_tried_again_where_somebody_was_faster(api: Any, answers: list[Any], ends: bool | int):
    """Four times in all, and of no other refusal; done, it is done once."""
    client, opener = api(*answers)
    if ends is True:
        assert client.change("/n", lambda _: {"x": 1}) is True
        assert len(opener.asked) == len(answers)
        return

    with pytest.raises(HTTPError) as refused:
        client.change("/n", lambda _: {"x": 1})
    assert refused.value.code == ends


def test_whom_the_client_trusts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The authority that the kubelet mounts beside the token; a server without TLS needs none."""
    trusted: list[Any] = []

    def context(cafile: Path) -> ssl.SSLContext:
        trusted.append(cafile)
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    monkeypatch.setattr(ssl, "create_default_context", context)
    kube_api.Api("https://kubernetes.default.svc", tmp_path)
    assert trusted == [tmp_path / "ca.crt"]
    kube_api.Api("http://127.0.0.1:1", tmp_path)
    assert len(trusted) == 1


def test_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch):
    """Whatever the image's environment says; TLS is that of the client."""
    monkeypatch.setenv("https_proxy", "http://proxy.example")
    handlers = vars(kube_api.direct_opener(tls := ssl.create_default_context()))["handlers"]

    assert not [each for each in handlers if isinstance(each, ProxyHandler)]
    (secure,) = [each for each in handlers if isinstance(each, HTTPSHandler)]
    assert vars(secure)["_context"] is tls


def test_nothing_to_change(api: Any):
    """Is only looked at."""
    client, opener = api(b"{}")

    assert client.change("/n", lambda _: None) is False
    assert [request.method for request, _ in opener.asked] == ["GET"]


def test_what_a_server_says_is_kept_and_nothing_stays_open(api: Any):
    """So that whoever tells of an error has its words, and nobody has to close it."""
    client, opener = api(403)
    with pytest.raises(HTTPError) as refused:
        client.get("/n")

    assert (str(refused.value), refused.value.read()) == ("HTTP Error 403: no", b"x" * 500)
    assert opener.said[0].closed


@pytest.mark.parametrize(("warning", "type_"), [(True, "Warning"), (False, "Normal")])
def test_an_event_of_a_node(warning: bool, type_: str):
    """As k8s.io/api core/v1 Event has it: of the node by its name and its uid, in the namespace of nodes' events."""
    node = {"metadata": {"name": "n", "uid": "u"}}
    event = kube_api.event_of(node, {"component": "c"}, "n.", "Reason", "words", warning=warning)

    assert event.pop("firstTimestamp") == event.pop("lastTimestamp")
    assert event == {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"generateName": "n.", "namespace": "default"},
        "involvedObject": {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"},
        "reason": "Reason",
        "message": "words",
        "type": type_,
        "source": {"component": "c"},
        "count": 1,
    }
    assert kube_api.EVENTS == "/api/v1/namespaces/default/events"


def test_a_time_is_as_the_api_writes_it(monkeypatch: pytest.MonkeyPatch):
    """In UTC, wherever the node is."""
    monkeypatch.setattr(kube_api.time, "gmtime", lambda: time.struct_time((2026, 1, 2, 3, 4, 5, 0, 0, 0)))

    assert kube_api.stamp() == "2026-01-02T03:04:05Z"


def test_words_of_others_act_on_no_terminal():
    """A byte a character; lines stay."""
    assert kube_api.plain("a\x1b[2J\tü\u2028\x7f~ \n") == "a?[2J????~ \n"
