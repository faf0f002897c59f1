"""A trial that ran: the cluster of a stack with all its tests done, as an API server answers."""

import copy
import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.cli import living as conform_reads
from rdma_cluster.kubernetes_api import connect
from tests.cli.commands import command
from tests.conform.synthetic import answers, promised
from tests.nccl import render

READY = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-28T10:14:00Z"}
HOSTS = ("gke-acme-llm-prod-a4-0.acme.example.com", "gke-acme-llm-prod-a4-1.acme.example.com")
BUSBW = (330.0, 340.0, 350.0, 355.0)
"""GB/s at 1 to 8 GiB, above half of the wire of an A4."""


def log(form: str = "gIB", busbw: tuple[float, ...] = BUSBW) -> str:
    """What a test's container prints on a healthy A4."""
    made = render.log(HOSTS, form=form, busbw=busbw, collective="reduce_scatter", table=render.Table(announced=True))
    # The nodes have eight B200 and print what loads NCCL.
    lines = [line.replace("NVIDIA H200", "NVIDIA B200") for line in made]
    return "\n".join(["NCCL version 2.27.5+cuda12.9", *lines]) + "\n"


def world(stack: str = "gke", text: str | None = None) -> dict[str, Any]:
    """The answers by path; the caller may change texts in them."""
    given = copy.deepcopy(answers(promised(stack)))
    for node in given.nodes:
        node["metadata"]["creationTimestamp"] = "2026-11-28T10:12:00Z"
        node["status"]["conditions"] = [READY]
    name = given.nodes[0]["metadata"]["name"]
    driver = {
        "name": "nvidia-driver-installer-x",
        "namespace": "kube-system",
        "creationTimestamp": "2026-11-28T10:14:00Z",
    }
    driver["ownerReferences"] = [{"name": "nvidia-driver-installer"}]
    ready = {"conditions": [{**READY, "lastTransitionTime": "2026-11-28T10:17:00Z"}]}
    test = {"name": "test-0", "namespace": "rdma-acceptance"}
    containers = [{"name": "nccl"}]
    pods = [
        {"metadata": driver, "spec": {"nodeName": name, "containers": containers}, "status": ready},
        {"metadata": test, "spec": {"nodeName": name, "containers": containers}, "status": {}},
    ]
    done = {"startTime": "2026-11-28T10:17:00Z", "completionTime": "2026-11-28T10:21:30Z"}
    job = {"metadata": {"name": "gke-a4-test", "labels": {"rdma-cluster/pool": "a4"}}, "status": done}
    return {"answers": given, "pods": pods, "jobs": [job], "log": log() if text is None else text}


class Client:
    """Answers as the API server of such a world."""

    server = "https://10.0.0.1"

    def __init__(self, of: dict[str, Any]):
        self._of = of

    def request(self, method: str, path: str, **_: str) -> dict[str, Any]:
        assert method == "GET"
        return {"/api/v1/nodes": {"items": self._of["answers"].nodes}, "/api/v1/pods": {"items": self._of["pods"]}}.get(
            path
        ) or {"items": self._of["jobs"] if path.endswith("/jobs") else []}

    def text(self, path: str, **_: str) -> str:
        assert path.startswith("/api/v1/namespaces/rdma-acceptance/pods/") and path.endswith("/log")
        return self._of["log"]


def serve(monkeypatch: pytest.MonkeyPatch, of: dict[str, Any]) -> None:
    """Makes the command read this world, whatever its kubeconfig."""

    @contextmanager
    def connected(kubeconfig: Path, option: str) -> Generator[Client]:
        yield Client(of)

    monkeypatch.setattr(conform_reads, "read_cluster", lambda *_: (of["answers"], []))
    monkeypatch.setattr(connect, "connected", connected)


def report(**more: Any) -> str:
    """What `pulumi stack output report --json` prints."""
    proofs = {
        "a4": {"status": "proven", "seconds": 270, "provenAt": "2026-11-28T10:21:30Z", "collective": "all_reduce"}
    }
    pools = [{"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "gpus": "8 x NVIDIA B200"}]
    told = {"form": "rdma-cluster/report/1", "stack": "gke", "pools": pools, "proofs": proofs, "phases": []}
    return json.dumps({**told, **more})


def events(extra: str = "") -> str:
    """The engine's event log of a node pool that took two minutes."""
    urn, of = f"urn:pulumi:gke::p::gcp:container/nodePool:NodePool::gke-{extra}a4", "gcp:container/nodePool:NodePool"
    lines = [
        {"timestamp": 1795860000, "resourcePreEvent": {"metadata": {"op": "create", "urn": urn, "type": of}}},
        {"timestamp": 1795860131, "resOutputsEvent": {"metadata": {"op": "create", "urn": urn, "type": of}}},
    ]
    return "\n".join(map(json.dumps, lines)) + "\n"


def gather(folder: Path, told: str, *engine: str) -> tuple[int, bytes, str]:
    """Runs the verb; what is in the archive, and what it printed."""
    (folder / "report.json").write_text(told)
    words = ["trial", "gke", "--gather", str(folder / "t.tar.gz"), "--kubeconfig", "k"]
    words += ["--report", str(folder / "report.json")]
    for i, text in enumerate(engine):
        (folder / f"{i}.json").write_text(text)
        words += ["--engine", str(folder / f"{i}.json")]
    code, out, err = command(*words)
    return code, (folder / "t.tar.gz").read_bytes() if code < 2 else b"", out + err
