"""``rdma-cluster proofs``: what each node of a living cluster has shown of its fabric, and which take work unproven."""

import json as codec
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import InputError, Refused
from ..frozen import frozen
from ..incluster.in_pod import proof
from ..kubernetes_api.client import Answered, Client
from ..kubernetes_api.connect import connected
from .options import KUBECONFIG, WHOSE
from .output import as_json, table

_NAMESPACE, _PROVER = "rdma-readiness", "rdma-prover"
_TESTS = {
    "Job": "/apis/batch/v1/namespaces/rdma-acceptance/jobs",
    "MPIJob": "/apis/kubeflow.org/v2beta1/namespaces/rdma-acceptance/mpijobs",
}
"""Where the prover's tests are, by kind."""
_CONDITION = "RdmaFabricProven"
_TEST_LABEL, _TEST_NODES = "rdma-cluster/proves", "rdma-cluster/nodes"


@frozen
class NodeProof:
    """What is known of a node."""

    node: str
    pool: str
    state: str
    """``proven``, ``testing``, ``failed`` or ``unproven``."""
    takes_work: bool
    message: str
    proof: proof.Proof | None

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        shown = self.proof
        known: dict[str, Any] = {"node": self.node, "pool": self.pool, "state": self.state}
        known |= {"takesWork": self.takes_work, "message": self.message}
        if shown is None:
            return known
        history = [{"at": _time(at), "busbwGBytes": gbps} for at, gbps in shown.history]
        figures = {"busbwGBytes": shown.busbw, "floorGBytes": shown.floor, "usualGBytes": shown.usual}
        tested = {"at": _time(shown.at), "by": shown.by, "beside": list(shown.beside), **figures}
        return {**known, "proof": {**tested, "fingerprint": shown.fingerprint, "history": history}}


def show_proofs(kubeconfig: Path | None, json: bool) -> int:
    """Print every node of every pool that is proved. Returns 1 when one takes work unproven.

    Raises ``Refused`` for a cluster that cannot be read, or has no prover.
    """
    if kubeconfig is None:
        raise _refused(f"missing; name {WHOSE}")
    with connected(kubeconfig, KUBECONFIG) as client:
        config = _config(client)
        label = config["poolLabel"]
        selector = f"{label} in ({','.join(pool['name'] for pool in config['pools'])})"
        nodes = client.request("GET", "/api/v1/nodes", labelSelector=selector)["items"]
        testing = {name for test in _tests(client, config) for name in codec.loads(test)}
    rows = sorted((node_proof(node, label, testing) for node in nodes), key=lambda row: (row.pool, row.node))
    wrong = [row for row in rows if row.takes_work and row.state not in ("proven", "testing")]
    if json:
        print(as_json({"nodes": [row.to_dict() for row in rows], "unprovenAtWork": [row.node for row in wrong]}))
    else:
        _print(rows, wrong)
    return 1 if wrong else 0


def node_proof(node: Mapping[str, Any], label: str, testing: set[str]) -> NodeProof:
    """What a node's object says."""
    metadata, name = node["metadata"], node["metadata"]["name"]
    labels, shown = metadata.get("labels", {}), proof.proof_of(metadata.get("annotations", {}))
    conditions = node.get("status", {}).get("conditions", [])
    told = next((each for each in conditions if each["type"] == _CONDITION), {})
    fingerprint = labels.get(proof.LABEL)
    is_proven = shown is not None and shown.boot == proof.boot_of(node) and fingerprint == shown.fingerprint
    state = "proven" if is_proven else "failed" if fingerprint == proof.FAILED else "unproven"
    if name in testing and not is_proven:
        state = "testing"
    takes_work = proof.taint_value(node) is None and not node.get("spec", {}).get("unschedulable", False)
    if state == "testing" and takes_work:
        state = "unproven"
    return NodeProof(name, labels.get(label, ""), state, takes_work, told.get("message", ""), shown)


def _print(rows: Sequence[NodeProof], wrong: Sequence[NodeProof]) -> None:
    if not rows:
        print("no node of a pool that is proved has joined")
        return
    print(table([_cells(row) for row in rows]))
    for row in rows:
        if row.state != "proven" and row.message:
            print(f"{row.node}: {row.message}")
    for row in wrong:
        print(f"{row.node} takes work and is not proven")


def _cells(row: NodeProof) -> dict[str, Any]:
    shown = row.proof
    return {
        "node": row.node,
        "pool": row.pool,
        "state": row.state,
        "proven": _time(shown.at) if shown else None,
        "by": shown.by if shown else None,
        "beside": " ".join(shown.beside) if shown else None,
        "GB/s": f"{shown.busbw:g}" if shown and shown.busbw else None,
        "floor": f"{shown.floor:g}" if shown and shown.floor else None,
        "usual": f"{shown.usual:g}" if shown and shown.usual else None,
    }


def _time(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _config(client: Client) -> dict[str, Any]:
    """What the prover of the cluster works by."""
    try:
        found = client.request("GET", f"/api/v1/namespaces/{_NAMESPACE}/configmaps/{_PROVER}")
    except Answered as answered:
        if answered.code != 404:
            raise
        where = f"{_NAMESPACE}/{_PROVER}"
        raise _refused(f"the cluster has no prover ({where}); set readiness.enabled: true in its stack") from None
    return codec.loads(found["data"]["config.json"])


def _tests(client: Client, config: Mapping[str, Any]) -> Iterator[str]:
    """The nodes of each test that runs now, as its annotation has them."""
    for kind in {pool["template"]["test"]["kind"] for pool in config["pools"]}:
        for test in client.request("GET", _TESTS[kind], labelSelector=_TEST_LABEL)["items"]:
            conditions = test.get("status", {}).get("conditions") or []
            ended = {each["type"] for each in conditions if each["status"] == "True"}
            if not ended & {"Complete", "Failed", "Succeeded"}:
                yield test["metadata"]["annotations"][_TEST_NODES]


def _refused(words: str) -> Refused:
    return Refused([InputError((KUBECONFIG,), words)])
