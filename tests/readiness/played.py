"""A cluster whose objects are told by path, in the place of the one that a kubeconfig names."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.kubernetes_api import connect
from rdma_cluster.kubernetes_api.client import Answered, Client

CONFIG = "/api/v1/namespaces/rdma-readiness/configmaps/rdma-prover"
NODES = "/api/v1/nodes"
JOBS = "/apis/batch/v1/namespaces/rdma-acceptance/jobs"


class Played(Client):
    """Answers with what it holds; of what it has not it says so in words of its own."""

    def __init__(self, held: Mapping[str, Any], words: str) -> None:
        self._server, self._held, self._words = "https://played", held, words

    def close(self) -> None:
        """Nothing is open."""

    def request(self, method: str, path: str, body: Any = None, content: str = "", **params: str) -> dict[str, Any]:
        if method != "GET" or path not in self._held:
            raise Answered(404, self._words)
        return self._held[path]


def play(monkeypatch: pytest.MonkeyPatch, held: Mapping[str, Any], words: str = "not found") -> None:
    """Whoever connects is before such a cluster."""
    monkeypatch.setattr(connect, "Client", lambda connection: Played(held, words))


def prover(*nodes: Mapping[str, Any], testing: tuple[str, ...] = ()) -> dict[str, Any]:
    """The objects of a cluster that has a prover."""
    config = {"poolLabel": "pool", "pools": [{"name": "a", "template": {"test": {"kind": "Job"}}}]}
    annotations = {"rdma-cluster/nodes": json.dumps(testing)}
    tests = [{"metadata": {"name": "t", "annotations": annotations}, "status": {}}] if testing else []
    return {
        CONFIG: {"data": {"config.json": json.dumps(config)}},
        NODES: {"items": list(nodes)},
        JOBS: {"items": tests},
    }


def kubeconfig(folder: Path, server: str = "https://127.0.0.1:1", name: str = "a") -> str:
    """A kubeconfig whose every name is ``name``."""
    named = {"name": name}
    config = {
        "current-context": name,
        "contexts": [{**named, "context": {"cluster": name, "user": name}}],
        "clusters": [{**named, "cluster": {"server": server}}],
        "users": [{**named, "user": {"token": name}}],
    }
    (folder / "kubeconfig").write_text(json.dumps(config))
    return str(folder / "kubeconfig")
