"""The form of alerts, and those on the proofs of nodes, by what the prover of ``readiness`` publishes."""

from collections.abc import Iterator
from typing import Any

from rdma_agent.names import LAST_LOOK, NODE_FAILED, NODE_PROVEN, PROOF_AGE


def alert(
    name: str, expression: str, summary: str, remedy: str, *, severity: str = "critical", after: str = ""
) -> dict[str, Any]:
    """``after`` is how long it must be so; by default it tells at once."""
    return {
        "alert": name,
        "expr": expression,
        **({"for": after} if after else {}),
        "labels": {"severity": severity},
        "annotations": {"summary": summary, "description": remedy},
    }


PROOFS = "rdma-cluster-proofs"
"""What the job is called under which Prometheus reads the prover."""
_SUSPECT = "ProvenAndDoubted|ProvenSlower"
"""Reasons of the node's condition, of ``rdma_agent.prover.decide``."""
_SILENT_SECONDS = 300
_NODE = "by (pool, node)"


def proof_alerts(renew_seconds: int) -> Iterator[dict[str, Any]]:
    """What stands between a node and its work, and who looks after it; 0 is for proofs that are never renewed."""
    yield alert(
        "NodeFailedProof",
        f"max {_NODE} ({NODE_FAILED}) == 1",
        "{{ $labels.node }} failed the test of its fabric",
        "It takes no work. Its condition RdmaFabricProven says beside whom and why; docs/bad-node.md what to do.",
    )
    yield alert(
        "NodeSuspect",
        f'max by (pool, node, reason) ({NODE_PROVEN}{{reason=~"{_SUSPECT}"}}) == 1',
        "{{ $labels.node }} takes work and is suspected: {{ $labels.reason }}",
        "It failed beside a node since its proof, or is slower than it was: `kubectl describe node` says by how much.",
        severity="warning",
    )
    yield alert(
        "NodeHeld",
        # Whatever the reasons were in between.
        f"max {_NODE} ({NODE_PROVEN}) == 0 unless max {_NODE} ({NODE_FAILED}) == 1",
        "{{ $labels.node }} has not been proven for an hour",
        "Its condition RdmaFabricProven says what it waits for: devices, a neighbour, or a verdict.",
        severity="warning",
        after="1h",
    )
    if renew_seconds:
        yield alert(
            "ProofTooOld",
            f"max {_NODE} ({PROOF_AGE}) > {2 * renew_seconds} and max {_NODE} ({NODE_PROVEN}) == 1",
            "the proof of {{ $labels.node }} is {{ $value | humanizeDuration }} old",
            "Idle nodes are tested again at half of that age: this one always had work, or a tainted device.",
            severity="warning",
        )
    yield alert(
        "ProverGone",
        # No series at all where it cannot be read; an old one where the API server refuses it.
        f"absent(time() - {LAST_LOOK} < {_SILENT_SECONDS})",
        "nobody proves nodes",
        "Nodes that join or boot stay held. Look at the pod of rdma-prover in rdma-readiness, and at its log.",
        after="15m",
    )
