"""``rdma-cluster proofs``: what each pool and node of a living cluster has shown, and which take work unproven."""

import json as codec
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nccl_verdict.expectation import size_text
from pulumi_offline.errors import refusal
from pulumi_offline.frozen import frozen
from rdma_agent import names, proof
from ..conform.report import with_measured
from ..kubernetes_api.client import Answered, Client
from ..kubernetes_api.connect import connected
from .options import KUBECONFIG, WHOSE, Verb, json_option, kubeconfig_option, option
from .output import as_json, table
from .page.report import read_report
from .pool_proofs import pool_states
from .stack_file import plan_of, read_stack

_TESTS = {
    "Job": f"/apis/batch/v1/namespaces/{names.TESTS_NAMESPACE}/jobs",
    "MPIJob": f"/apis/kubeflow.org/v2beta1/namespaces/{names.TESTS_NAMESPACE}/mpijobs",
}
"""Where the prover's tests are, by kind."""


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
    measured: proof.Measured = ()
    """The figures of the proof by message size; none where an older judge made it."""
    is_due: bool = False
    """Whether its proof is of an earlier release, driver or threshold: it is tested again when it is idle."""

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        shown = self.proof
        known: dict[str, Any] = {"node": self.node, "pool": self.pool, "state": self.state}
        known |= {"takesWork": self.takes_work, "message": self.message}
        if shown is None:
            return known
        by_size = [{"sizeBytes": size, "busbwGBytes": gbps} for size, gbps in self.measured]
        sizes = {"measured": by_size} if by_size else {}
        history = [{"at": _time(at), "busbwGBytes": gbps} for at, gbps in shown.history]
        figures = {"busbwGBytes": shown.busbw, "floorGBytes": shown.floor, "usualGBytes": shown.usual}
        tested = {"at": _time(shown.at), "by": shown.by, "beside": list(shown.beside), **figures}
        if self.is_due:
            known["due"] = True
        return {**known, "proof": {**tested, **sizes, "fingerprint": shown.fingerprint, "history": history}}


class Proofs(Verb):
    """Print every pool that has been tested, and every node that is proved. Returns 1 when one takes work unproven.

    Raises ``Refused`` for a cluster that cannot be read, or has neither a tested pool nor a prover.
    """

    kubeconfig: Path | None = kubeconfig_option()
    stack: str | None = option("--stack STACK", "and tell what the next `up` of this stack does with each pool's proof")
    report: Path | None = option(
        "--report FILE", "print this report of `up` (pulumi stack output report) with what the nodes measured, as JSON"
    )
    json: bool = json_option()

    def run(self) -> int:
        if self.kubeconfig is None:
            raise refusal(f"missing; name {WHOSE}", KUBECONFIG)
        told = None if self.report is None else read_report(self.report)
        plan = None if self.stack is None else plan_of(read_stack(self.stack, None, [])[1])
        with connected(self.kubeconfig, KUBECONFIG) as client:
            pools = list(pool_states(client, plan))
            config = _config(client, needed=not pools)
            label = config["poolLabel"]
            tested = [pool["name"] for pool in config["pools"]]
            selector = f"{label} in ({','.join(tested)})"
            nodes = client.request("GET", "/api/v1/nodes", labelSelector=selector)["items"] if tested else []
            testing = {name for test in _tests(client, config) for name in codec.loads(test)}
        current = {pool["name"]: pool["fingerprint"] for pool in config["pools"] if "fingerprint" in pool}
        rows = sorted(
            (node_proof(node, label, testing, current) for node in nodes), key=lambda row: (row.pool, row.node)
        )
        wrong = [row for row in rows if row.takes_work and row.state not in ("proven", "testing")]
        empty = sorted({*tested} - {row.pool for row in rows})
        if told is not None:
            print(as_json(with_measured(told, [row.to_dict() for row in rows])))
        elif self.json:
            at_work = [row.node for row in wrong]
            of_nodes = {"nodes": [row.to_dict() for row in rows], "unprovenAtWork": at_work, "poolsWithoutNodes": empty}
            print(as_json({"pools": [pool.to_dict() for pool in pools], **of_nodes}))
        else:
            if pools:
                print(table([pool.row() for pool in pools], "the last test of each pool"))
            if rows or (tested and not empty):
                _print(rows, wrong)
            for pool in empty:
                print(f"pool {pool}: no node has joined, and nothing of it is proven")
        return 1 if wrong else 0


def node_proof(
    node: Mapping[str, Any], label: str, testing: set[str], current: Mapping[str, str] | None = None
) -> NodeProof:
    """What a node's object says. ``current`` has the fingerprint that the prover works by, by pool."""
    metadata, name = node["metadata"], node["metadata"]["name"]
    labels, shown = metadata.get("labels", {}), proof.proof_of(metadata.get("annotations", {}))
    conditions = node.get("status", {}).get("conditions", [])
    told = next((each for each in conditions if each["type"] == names.CONDITION), {})
    fingerprint = labels.get(proof.FABRIC_LABEL)
    is_proven = shown is not None and shown.boot == proof.boot_of(node) and fingerprint == shown.fingerprint
    state = "proven" if is_proven else "failed" if fingerprint == proof.FAILED else "unproven"
    if name in testing and not is_proven:
        state = "testing"
    takes_work = proof.taint_value(node) is None and not node.get("spec", {}).get("unschedulable", False)
    if state == "testing" and takes_work:
        state = "unproven"
    measured = proof.measured_of(metadata.get("annotations", {}), shown)
    pool = labels.get(label, "")
    due = state == "proven" and (current or {}).get(pool, fingerprint) != fingerprint
    return NodeProof(name, pool, state, takes_work, told.get("message", ""), shown, measured, due)


def _print(rows: Sequence[NodeProof], wrong: Sequence[NodeProof]) -> None:
    if rows:
        print(table([_cells(row) for row in rows]))
    if any(row.measured for row in rows):
        print("\n" + table(_by_size(rows), "measured, GB/s by message size"))
    for row in rows:
        if row.state != "proven" and row.message:
            print(f"{row.node}: {row.message}")
    for row in wrong:
        print(f"{row.node} takes work and is not proven")


def _cells(row: NodeProof) -> dict[str, Any]:
    known = {"node": row.node, "pool": row.pool, "state": row.state + (", due" if row.is_due else "")}
    if (shown := row.proof) is None:
        return known | dict.fromkeys(("proven", "by", "beside", "GB/s", "floor", "usual"))
    figures = {"GB/s": shown.busbw, "floor": shown.floor, "usual": shown.usual}
    tested = {"proven": _time(shown.at), "by": shown.by, "beside": " ".join(shown.beside)}
    return {**known, **tested, **{name: f"{value:g}" if value else None for name, value in figures.items()}}


def _by_size(rows: Sequence[NodeProof]) -> list[dict[str, str | None]]:
    """The least out-of-place figures of each node's pairs."""
    sizes = sorted({size for row in rows for size, _ in row.measured})
    known = {row.node: {size: f"{gbps:g}" for size, gbps in row.measured} for row in rows if row.measured}
    return [{"node": node, **{size_text(size): of.get(size) for size in sizes}} for node, of in known.items()]


def _time(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _config(client: Client, *, needed: bool) -> dict[str, Any]:
    """What the prover of the cluster works by; no pools where there is none and nobody needs one."""
    try:
        found = client.request("GET", f"/api/v1/namespaces/{names.PROVER_NAMESPACE}/configmaps/{names.PROVER}")
    except Answered as answered:
        if answered.code != 404:
            raise
        if not needed:
            return {"poolLabel": "", "pools": []}
        where = f"{names.PROVER_NAMESPACE}/{names.PROVER}"
        why = f"the cluster has no prover ({where}); set readiness.enabled: true in its stack"
        raise refusal(why, KUBECONFIG) from None
    return codec.loads(found["data"]["config.json"])


def _tests(client: Client, config: Mapping[str, Any]) -> Iterator[str]:
    """The nodes of each test that runs now, as its annotation has them."""
    for kind in {pool["template"]["test"]["kind"] for pool in config["pools"]}:
        for test in client.request("GET", _TESTS[kind], labelSelector=names.PROVES)["items"]:
            conditions = test.get("status", {}).get("conditions") or []
            ended = {each["type"] for each in conditions if each["status"] == "True"}
            if not ended & {"Complete", "Failed", "Succeeded"}:
                yield test["metadata"]["annotations"][names.NODES]
