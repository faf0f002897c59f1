"""What a client asks: the addresses of objects, by the Kubernetes API concepts page, and what it sends and is told."""

import json
from collections.abc import Mapping
from threading import Lock
from typing import Any

import pytest
from rdma_cluster.kubernetes_api.client import Answered, Client, Kind


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
    ("answer", "words"), [(b'{"message": "nodes is forbidden"}', "nodes is forbidden"), (b" no \n", "no"), (b"7", "7")]
)
def test_a_refusal_says_the_servers_words(answer: bytes, words: str):
    """What it sent, where that is no status of Kubernetes."""
    with pytest.raises(Answered) as refused:
        Spoken(403, answer).text("/api/v1/nodes")
    assert (refused.value.code, str(refused.value)) == (403, words)
