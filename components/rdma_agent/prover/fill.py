"""The objects of one test of the prover's: what `up` runs for a pool of two nodes, made for these nodes. Pure.

A test of ours holds it to the plan: filled in for n nodes it is what the plan makes of a pool of n nodes.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..names import POOL, PROVER_PRIORITY, PROVES


def ring(nodes: int) -> list[list[tuple[int, int]]]:
    """Each node beside its two neighbours, in rounds of disjoint pairs: ``[[(0, 1), (2, 3)], [(1, 2), (3, 0)]]``."""
    if nodes == 2:
        return [[(0, 1)]]
    edges, even = [(i, (i + 1) % nodes) for i in range(nodes)], nodes - nodes % 2
    rounds = [edges[0:even:2], edges[1:even:2]]
    return [*rounds, edges[even:]] if even < nodes else rounds


def filled(template: Mapping[str, Any], name: str, nodes: Sequence[str]) -> list[dict[str, Any]]:
    """The test, its Service where it has one, and the ConfigMap of what it must show; the first owns the others."""
    names = {template["name"]: name, template["host"]: name, template["config"]: name}
    test = _renamed(template["test"], names, name)
    rounds = ring(len(nodes))
    pairs = sum(map(len, rounds))
    seconds = template["ready_seconds"] + 60 + len(rounds) * template["collectives"] * (template["pair_seconds"] + 30)
    env = {
        "NODES": str(len(nodes)),
        "ROUNDS": "\n".join(" ".join(f"{one},{two}" for one, two in each) for each in rounds),
        "SECONDS_IN_ALL": str(seconds),
    }
    memory, later = f"{256 + 4 * pairs}Mi", seconds - template["seconds"]
    if test["kind"] == "Job":
        _job(test, len(nodes), later, nodes)
        pods = [test["spec"]["template"]]
    else:
        pods = _mpi_job(test, len(nodes), later, nodes)
    for pod in pods:
        for container in pod["spec"]["containers"]:
            for variable in container.get("env", []):
                if variable["name"] in env:
                    variable["value"] = env[variable["name"]]
            if container["name"] == "verdict":
                container["resources"]["limits"]["memory"] = memory
    expectation = {**json.loads(template["expectation"]), "tests": pairs * template["collectives"]}
    metadata = {"name": name, "namespace": test["metadata"]["namespace"]}
    data = {"expectation.json": json.dumps(expectation)}
    service = [_renamed(template["service"], names, name)] if template.get("service") else []
    return [test, *service, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}]


def asked_for(
    test: dict[str, Any], pool: str, record: Mapping[str, Sequence[str]], pull_secret: str = ""
) -> dict[str, Any]:
    """The test as the prover makes it: found again by its pool, with the nodes that it is of, and of no priority."""
    metadata = test["metadata"]
    metadata["labels"] = {**metadata.get("labels", {}), PROVES: pool}
    # Who awaits it reads its annotations, and `up` does not.
    metadata["annotations"] = {key: json.dumps(list(value)) for key, value in record.items()}
    replicas = test["spec"].get("mpiReplicaSpecs", {"": test["spec"]})
    for each in replicas.values():
        each["template"]["spec"]["priorityClassName"] = PROVER_PRIORITY
        if pull_secret:
            each["template"]["spec"]["imagePullSecrets"] = [{"name": pull_secret}]
        for container in each["template"]["spec"]["containers"]:
            if container["name"] == "verdict":
                container["env"].append({"name": "MARK_NODES", "value": "proofs"})
    return test


def pinned(spec: dict[str, Any], nodes: Sequence[str]) -> None:
    """Lets a pod run on these nodes alone. A field takes one value, and terms are alternatives."""
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]} for node in nodes]
    affinity = spec.setdefault("affinity", {})
    affinity["nodeAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}


def _job(job: dict[str, Any], count: int, later: int, nodes: Sequence[str]) -> None:
    spec = job["spec"]
    spec["completions"] = spec["parallelism"] = count
    spec["activeDeadlineSeconds"] += later
    pinned(spec["template"]["spec"], nodes)


def _mpi_job(job: dict[str, Any], count: int, later: int, nodes: Sequence[str]) -> list[dict[str, Any]]:
    spec = job["spec"]
    spec["runPolicy"]["activeDeadlineSeconds"] += later
    worker, launcher = (spec["mpiReplicaSpecs"][role] for role in ("Worker", "Launcher"))
    worker["replicas"] = count
    worker["template"]["spec"]["activeDeadlineSeconds"] += later
    for each in (worker, launcher):
        pinned(each["template"]["spec"], nodes)
    return [worker["template"], launcher["template"]]


def _renamed(value: Any, names: Mapping[str, str], name: str) -> Any:
    """A copy in which whole texts that are names of the template's are those of this test."""
    if isinstance(value, dict):
        own = {POOL: name} if isinstance(value.get(POOL), str) else {}
        return {key: own.get(key, _renamed(each, names, name)) for key, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each, names, name) for each in value]
    return names.get(value, value) if isinstance(value, str) else value
