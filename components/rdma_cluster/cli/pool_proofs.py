"""The proofs of whole pools in a living cluster, and what the next `up` of a stack does with each."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_offline.frozen import frozen
from rdma_agent.acceptance import pool_proof
from rdma_agent.acceptance.in_use import users
from rdma_agent.names import POOL_PROOF, TESTS_NAMESPACE
from ..common.stack import StackPlan
from ..kubernetes_api.client import Answered, Client

_PREFIX = POOL_PROOF.format("")


@frozen
class PoolState:
    """What a cluster keeps of a pool, or of its test over NVLink."""

    pool: str
    """Its name as the objects of its test have it."""
    proof: pool_proof.PoolProof | None
    used: Mapping[str, str]
    """A pod that uses its devices by node; no text of one that is idle."""
    next_up: str = ""
    """What the next `up` does with it; empty where no stack is named."""

    def row(self) -> dict[str, Any]:
        """A row for people."""
        busy = sum(map(bool, self.used.values()))
        proof = self.proof
        known = {"proven": proof.at, "by": proof.by, "due": proof.due or None} if proof else {}
        shown = {"pool": self.pool, **dict.fromkeys(("proven", "by", "due")), **known}
        following = {"next `up`": self.next_up} if self.next_up else {}
        return {**shown, "in use": f"{busy} of {len(self.used)} nodes", **following}

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        proof = self.proof
        shown = {"at": proof.at, "by": proof.by, "due": proof.due, "values": proof.values} if proof else None
        following = {"nextUp": self.next_up} if self.next_up else {}
        return {
            "pool": self.pool,
            "proof": shown,
            "inUse": {of: pod for of, pod in self.used.items() if pod},
            **following,
        }


class _Reader:
    """A client, as what runs in pods asks the API server."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def get(self, path: str) -> Any:
        return self._client.request("GET", path)


def pool_states(client: Client, plan: StackPlan | None) -> Iterator[PoolState]:
    """Every pool that the cluster has a proof of, or that ``plan`` tests."""
    try:
        maps = client.request("GET", f"/api/v1/namespaces/{TESTS_NAMESPACE}/configmaps").get("items") or []
    except Answered as answered:
        if answered.code not in (403, 404):
            raise
        maps = []
    held = {each["metadata"]["name"]: each.get("data", {}) for each in maps}
    proofs = {
        name.removeprefix(_PREFIX): pool_proof.read(data.get("proof.json", ""))
        for name, data in held.items()
        if name.startswith(_PREFIX)
    }
    runs = [json.loads(data["run.json"]) for data in held.values() if "run.json" in data]
    selectors = {run["pool"]: run["selector"] for run in runs}
    planned = {test.short: json.loads(test.config["run.json"]) for test in plan.tests} if plan else {}
    selectors |= {pool: run["selector"] for pool, run in planned.items()}
    for pool, selector in sorted(selectors.items()):
        used, proof = users(_Reader(client), selector), proofs.get(pool)
        following = _next_up(proof, used, planned.get(pool)) if plan else ""
        yield PoolState(pool, proof, used, following)


def _next_up(proof: pool_proof.PoolProof | None, used: Mapping[str, str], run: Mapping[str, Any] | None) -> str:
    """What the runner of a pool will decide, as far as this moment tells."""
    if run is None:
        return "is not tested any more"
    why = pool_proof.voided(proof, run["values"]) if proof else ["no proof is kept"]
    if not why:
        return "tests nothing: the proof holds"
    idle = sum(not pod for pod in used.values())
    reason = "; ".join(why)
    if idle >= run["nodes"] or not any(used.values()):
        return f"tests: {reason}"
    on_busy = run["onBusy"] if proof or run["onBusy"] != "keep" else "wait"
    words = {"keep": "keeps the proof", "wait": "waits for idle nodes", "fail": "fails"}
    return f"{words[on_busy]}: {reason}"
