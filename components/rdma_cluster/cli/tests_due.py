"""Which pools a change has tested again, told from two graphs before any `up`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_offline import Graph
from rdma_agent.acceptance import pool_proof
from rdma_agent.names import POOL

_BUSY = {
    "keep": "where its GPUs are in use, the earlier proof is kept",
    "wait": "`up` waits until enough of its nodes are idle",
    "fail": "`up` fails where its GPUs are in use",
}


def tests_due(before: Graph, after: Graph) -> list[str]:
    """A sentence for each pool that the change has tested, with the reason and what becomes of work on it."""
    old = {
        **dict(_of_release(before, _runs(after))),
        **{pool: _proof(run["values"]) for pool, run in _runs(before).items()},
    }
    return [line for pool, run in _runs(after).items() for line in _due(pool, run, old.get(pool))]


def _due(pool: str, run: Mapping[str, Any], proof: pool_proof.PoolProof | None) -> Iterator[str]:
    if proof is None:
        yield f"pool {pool} is tested for the first time: its test waits for {run['nodes']} idle nodes"
    elif why := pool_proof.voided(proof, run["values"]):
        yield f"pool {pool} is tested again ({'; '.join(why)}); {_BUSY[run['onBusy']]}"


def _runs(graph: Graph) -> dict[str, Any]:
    """What the runners of a graph work by, by pool."""
    data = (each.inputs.get("data") or {} for each in graph.of_type("kubernetes:core/v1:ConfigMap"))
    runs = [json.loads(texts["run.json"]) for texts in data if "run.json" in texts]
    return {run["pool"]: run for run in runs}


def _of_release(graph: Graph, runs: Mapping[str, Any]) -> Iterator[tuple[str, pool_proof.PoolProof]]:
    """The proofs of a release that kept no values, as its tests tell them."""
    texts = {
        each.inputs["metadata"]["name"]: (each.inputs.get("data") or {}).get("expectation.json")
        for each in graph.of_type("kubernetes:core/v1:ConfigMap")
    }
    for each in graph.resources:
        kind = each.type.rpartition(":")[2]
        pool = each.inputs["metadata"].get("labels", {}).get(POOL, "") if kind in ("Job", "MPIJob") else ""
        if pool in runs and (text := texts.get(runs[pool]["earlier"]["expectation"])):
            run = runs[pool]
            pins, release = run["earlier"]["values"], run["earlier"]["release"]
            yield pool, pool_proof.of_release(each.inputs, json.loads(text), run["values"], pins, release)


def _proof(values: Mapping[str, Any]) -> pool_proof.PoolProof:
    return pool_proof.PoolProof("", "", values)
