"""The report of a stack, for whoever signs its cluster off: what was built, how it is known, what each phase may take.

Its JSON form is an interface: keys are added, never renamed. What `up` shows adds the proofs to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..common.stack import StackPlan
from ..common.summary import Summary
from .promises import counted, promises

FORM = "rdma-cluster/report/1"


def report(plan: StackPlan, summary: Summary, stack: str) -> dict[str, Any]:
    """What a plan says before anything runs."""
    counts = counted(promises(plan, summary))
    return {
        "form": FORM,
        "stack": stack,
        "cluster": list(summary.rows_of("cluster")),
        "pools": [*summary.rows_of("pools"), *summary.rows_of("adopted")],
        "versions": list(summary.rows_of("versions")),
        "evidence": {evidence.value: count for evidence, count in counts.items()},
        "phases": list(_phases(plan)),
        "warnings": list(summary.warnings),
    }


def with_proofs(told: Mapping[str, Any], proofs: Mapping[str, Any]) -> dict[str, Any]:
    """A report with what the tests have shown, and the seconds that each took beside its budget."""
    phases = []
    for phase in told["phases"]:
        proof = proofs.get(phase["of"], {}) if phase["phase"] == "proof" else {}
        seconds = {"seconds": proof["seconds"]} if "seconds" in proof else {}
        phases.append({**phase, **seconds})
    proven = bool(proofs) and all(proof.get("status") == "proven" for proof in proofs.values())
    due = {pool: proof["due"] for pool, proof in proofs.items() if proof.get("due")}
    return {**told, "phases": phases, "proofs": dict(proofs), "proven": proven, **({"due": due} if due else {})}


def with_measured(told: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A report with the figures by message size that the proofs of living ``nodes`` hold, a row a node and size."""
    rows = []
    for node in nodes:
        proof = node.get("proof", {})
        of = {"pool": node["pool"], "node": node["node"], "at": proof.get("at")}
        rows += [{**of, **line} for line in proof.get("measured", ())]
    return {**told, "measured": rows}


def _phases(plan: StackPlan) -> Iterator[dict[str, Any]]:
    """Each part of `up` that has a time-out, in the order in which they begin."""
    for pool in plan.pools:
        yield {"phase": "nodes", "of": pool.name, "budgetSeconds": 60 * pool.create_minutes}
    in_cluster = plan.in_cluster
    for part in (in_cluster.drivers, in_cluster.device_plugins) if in_cluster is not None else ():
        for settings in (part.plan.gpu, part.plan.nic) if part is not None else ():
            if settings is not None:
                yield {"phase": "driver", "of": settings.chart.title, "budgetSeconds": settings.timeout_seconds}
    for test in plan.tests:
        yield {"phase": "proof", "of": test.pool, "budgetSeconds": test.timeout_seconds}
