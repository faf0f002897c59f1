"""Who names a kubeconfig that cannot be used, or a cluster that says no or nothing, reads why."""

import json
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.kubernetes_api import connect
from rdma_cluster.kubernetes_api.client import Answered, Client

GOOD = {
    "current-context": "c",
    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
    "clusters": [{"name": "c", "cluster": {"server": "https://api.example"}}],
    "users": [{"name": "c", "user": {"token": "t"}}],
}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"current-context": "x"}, "'x'"),
        ({"clusters": []}, "'c'"),
        ({"users": [{"name": "c"}]}, "'user'"),
        ({"contexts": 5}, "'int' object is not iterable"),
        ({"users": [{"name": "c", "user": {"client-certificate-data": "no", "client-key-data": "n"}}]}, "padding"),
        ({"users": [{"name": "c", "user": {"exec": {"apiVersion": "v1", "command": "false"}}}]}, "exit status 1"),
    ],
)
def test_a_file_that_is_no_kubeconfig_is_refused_under_its_option(tmp_path: Path, changed: dict[str, Any], words: str):
    file = tmp_path / "kubeconfig"
    file.write_text(json.dumps(GOOD))
    assert connect.connect(file, "--kubeconfig").server == "https://api.example"
    file.write_text(json.dumps(GOOD | changed))

    with pytest.raises(Refused) as refused:
        connect.connect(file, "--kubeconfig")
    assert str(refused.value).startswith(f"--kubeconfig: {file} is no kubeconfig") and words in str(refused.value)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Answered(403, "nodes is forbidden"), "https://api.example: nodes is forbidden"),
        (ConnectionRefusedError(111, "refused"), "[Errno 111] refused"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_a_server_that_says_no_or_nothing_is_told_by_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
):
    """The connection is closed all the same."""
    closed: list[Client] = []
    monkeypatch.setattr(Client, "close", lambda self: closed.append(self))
    (tmp_path / "kubeconfig").write_text(json.dumps(GOOD))

    with pytest.raises(Refused) as refused, connect.connected(tmp_path / "kubeconfig", "--kubeconfig") as client:
        raise error
    assert str(refused.value).startswith("--kubeconfig: https://api.example") and words in str(refused.value)
    assert closed == [client]
