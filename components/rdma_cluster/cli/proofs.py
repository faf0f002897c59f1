"""``rdma-cluster proofs``: what each node of a living cluster has shown of its fabric, and which take work unproven."""

import json as codec
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import InputError, Refused
from ..frozen import frozen
from ..incluster.in_pod import proof
from .output import as_json, table

_NAMESPACE, _PROVER, _TESTS = "rdma-readiness", "rdma-prover", "rdma-acceptance"
_CONDITION = "RdmaFabricProven"
_TEST_LABEL, _TEST_NODES = "rdma-cluster/proves", "rdma-cluster/nodes"
_SECONDS = 60


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

    Raises ``Refused`` where `kubectl` cannot tell, and for a cluster without a prover.
    """
    config = _config(kubeconfig)
    label = config["poolLabel"]
    names = ",".join(pool["name"] for pool in config["pools"])
    nodes = _get(kubeconfig, "nodes", "--selector", f"{label} in ({names})")["items"]
    testing = {name for test in _tests(kubeconfig, config) for name in codec.loads(test)}
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


def _config(kubeconfig: Path | None) -> dict[str, Any]:
    """What the prover of the cluster works by."""
    found = _get(kubeconfig, "configmap", _PROVER, "--namespace", _NAMESPACE, "--ignore-not-found")
    if not found:
        raise _refused(f"the cluster has no prover ({_NAMESPACE}/{_PROVER}); set readiness.enabled: true in its stack")
    return codec.loads(found["data"]["config.json"])


def _tests(kubeconfig: Path | None, config: Mapping[str, Any]) -> Iterator[str]:
    """The nodes of each test that runs now, as its annotation has them."""
    kinds = {pool["template"]["test"]["kind"].lower() for pool in config["pools"]}
    for kind in sorted(kinds):
        tests = _get(kubeconfig, f"{kind}s", "--namespace", _TESTS, "--selector", _TEST_LABEL)
        for test in tests["items"]:
            ended = {each["type"] for each in test.get("status", {}).get("conditions", []) if each["status"] == "True"}
            if not ended & {"Complete", "Failed", "Succeeded"}:
                yield test["metadata"]["annotations"][_TEST_NODES]


def _get(kubeconfig: Path | None, *words: str) -> dict[str, Any]:
    """What `kubectl get` prints: it knows every way to log in."""
    where = [f"--kubeconfig={kubeconfig}"] if kubeconfig else []
    command = ["kubectl", *where, "get", *words, "--output", "json"]
    try:
        asked = subprocess.run(
            command,
            capture_output=True,
            encoding="utf-8",
            errors="backslashreplace",  # a plugin that logs in complains on the same stream, in whatever encoding
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
            env=dict(os.environ),
        )
    except FileNotFoundError:
        raise _refused("kubectl is not on PATH; install it, it reads the cluster") from None
    except subprocess.TimeoutExpired:
        raise _refused(f"kubectl has not answered within {_SECONDS} s") from None
    if asked.returncode:
        # Above its last line stand its retries.
        said = asked.stderr.strip().splitlines() or [f"ended with {asked.returncode}"]
        raise _refused(f"kubectl: {said[-1][-500:]}")
    return codec.loads(asked.stdout) if asked.stdout.strip() else {}


def _refused(reason: str) -> Refused:
    return Refused([InputError((), reason)])
