"""What a user reads who names a kubeconfig that cannot be used, or a cluster that says no or nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline.errors import Refused, spell
from rdma_cluster.kubernetes_api import connect
from rdma_cluster.kubernetes_api.client import Answered, Client

GOOD = {
    "current-context": "c",
    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
    "clusters": [{"name": "c", "cluster": {"server": "https://api.example"}}],
    "users": [{"name": "c", "user": {"token": "t"}}],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A kubeconfig that can be used."""
    made = tmp_path / "kubeconfig"
    made.write_text(json.dumps(GOOD))
    return made


def told(refused: Any) -> list[tuple[str, str]]:
    """Under what, and in which words."""
    return [(spell(each.path), each.reason) for each in refused.value.errors]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"current-context": "x"}, "nothing in it is called 'x'"),
        ({"users": [{"name": "x"}]}, "nothing in it is called 'c'"),
        ({"clusters": []}, "nothing in it is called 'c'"),
        ({"users": [{"name": "c"}]}, "'user'"),
        ({"contexts": 5}, "'int' object is not iterable"),
        ({"users": [{"name": "c", "user": {"client-certificate-data": "no", "client-key-data": "n"}}]}, "padding"),
        (
            {"users": [{"name": "c", "user": {"exec": {"apiVersion": "v1", "command": "false"}}}]},
            "Command '['false']' returned non-zero exit status 1.",
        ),
    ],
)
def test_a_file_that_is_no_kubeconfig(file: Path, changed: dict[str, Any], words: str):
    """Under the option by which it was named, with what is wrong in it."""
    file.write_text(json.dumps(GOOD | changed))

    with pytest.raises(Refused) as refused:
        connect.connect(file, "--kubeconfig")
    ((option, reason),) = told(refused)
    assert option == "--kubeconfig"
    assert reason.startswith(f"{file} is no kubeconfig that can be read: ") and words in reason


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Answered(403, "nodes is forbidden"), "https://api.example: nodes is forbidden"),
        (ConnectionRefusedError(111, "refused"), "https://api.example does not answer: [Errno 111] refused"),
        (TimeoutError(), "https://api.example does not answer: TimeoutError"),
    ],
)
def test_a_server_that_says_no_or_nothing(file: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str):
    """In its own words, or in those of the connection; an error without words is told by its kind."""
    closed: list[Client] = []
    monkeypatch.setattr(Client, "close", lambda self: closed.append(self))

    with pytest.raises(Refused) as refused, connect.connected(file, "--kubeconfig") as client:
        raise error
    assert told(refused) == [("--kubeconfig", words)]
    assert closed == [client]
