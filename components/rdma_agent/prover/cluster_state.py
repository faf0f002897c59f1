"""What the API server holds, as the prover's decision reads it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from .. import device_taints, proof
from ..acceptance.in_use import asks_for_devices
from ..acceptance.mark_proofs import read_report
from ..acceptance.test_end import judge_end
from ..kube_api import Api, ended, is_suspended, listed, seconds_of
from ..names import BOOTS, FABRIC_LABEL, FAULT_TAINT, NODES, POOL, PROVES, SUBJECTS, TESTS_NAMESPACE
from .fleet import Node, Pool, Seen, Test

JOBS = f"/apis/batch/v1/namespaces/{TESTS_NAMESPACE}/jobs"
MPI_JOBS = f"/apis/kubeflow.org/v2beta1/namespaces/{TESTS_NAMESPACE}/mpijobs"
_MOST_LOOK_UPS = 400
"""Nodes whose pods are asked for at one look; those beyond count as busy."""


def read(api: Api, config: Mapping[str, Any], now: int) -> tuple[Seen, dict[str, dict[str, Any]]]:
    """Everything that is decided on, and the nodes as the API server has them."""
    pools = {each["name"]: each for each in config["pools"]}
    plans = [pool_of(each) for each in pools.values()]
    label = config["poolLabel"]
    selected = listed(api, "/api/v1/nodes", labelSelector=f"{label} in ({','.join(pools)})")
    raw = {node["metadata"]["name"]: node for node in selected}
    tests, by_up = _tests(api, pools.values())
    rules = device_taints.rules_of(api) if any(each["slices"] for each in pools.values()) else []
    nodes = {name: _node(node, pools[node["metadata"]["labels"][label]], rules) for name, node in raw.items()}
    since = 0
    if _has_to_do(nodes.values(), tests, plans, now):
        for asked, (name, node) in enumerate(nodes.items(), 1):
            busy = asked > _MOST_LOOK_UPS or _has_work(api, name)
            lacks = node.waits_for
            if not lacks and not (node.is_proven and busy):
                lacks = _lacks(api, raw[name], pools[node.pool], rules)
            nodes[name] = replace(node, waits_for=lacks, busy=busy)
        since = _waiting_since(api)
    return Seen(plans, list(nodes.values()), tests, frozenset(by_up), since, now), raw


def pool_of(each: Mapping[str, Any]) -> Pool:
    """A pool of the configuration."""
    return Pool(each["name"], each["fingerprint"], each["holds"], each["renewSeconds"])


def _node(node: Mapping[str, Any], pool: Mapping[str, Any], rules: Sequence[Mapping[str, Any]]) -> Node:
    metadata, annotations = node["metadata"], node["metadata"].get("annotations", {})
    boot = proof.boot_of(node)
    ready = next((each for each in node.get("status", {}).get("conditions", []) if each["type"] == "Ready"), {})
    tainted = device_taints.named_by(rules, metadata["name"], pool["slices"])
    waits_for = tainted if ready.get("status") == "True" else "it is not Ready"
    if any(taint["key"] == FAULT_TAINT for taint in node.get("spec", {}).get("taints", ())):
        waits_for = "a fault of it is not over"
    if node.get("spec", {}).get("unschedulable"):
        waits_for = "it is cordoned"
    if "deletionTimestamp" in metadata:
        waits_for = "it is being deleted"
    return Node(
        metadata["name"],
        pool["name"],
        boot,
        seconds_of(ready.get("lastTransitionTime") or metadata.get("creationTimestamp")),
        waits_for,
        tainted=tainted,
        taint=proof.taint_value(node),
        label=metadata.get("labels", {}).get(FABRIC_LABEL),
        proof=proof.proof_of(annotations),
        attempts=proof.attempts_of(annotations, boot),
    )


def _has_to_do(nodes: Any, tests: Sequence[Test], pools: Sequence[Pool], now: int) -> bool:
    """Whether it matters which nodes are idle: most looks end here, after three requests."""
    if tests:
        return True
    plans = {pool.name: pool for pool in pools}
    for node in nodes:
        if node.waits_for:
            continue
        if not node.is_proven or node.attempts.failed_with:
            if not node.is_failed:
                return True
            continue
        plan, shown = plans[node.pool], node.proof
        if shown and (shown.fingerprint != plan.fingerprint or 0 < plan.renew_seconds <= now - shown.at):
            return True
    return False


def _lacks(api: Api, node: Mapping[str, Any], pool: Mapping[str, Any], rules: Sequence[Mapping[str, Any]]) -> str:
    """Which of its devices a node does not show, or keeps from pods."""
    shown = node.get("status", {}).get("allocatable", {})
    for name, count in pool["resources"].items():
        there = shown.get(name, "0")
        if not there.isdigit() or int(there) < count:
            return f"it shows {there} of {count} {name}"
    if pool["slices"]:
        there_of = dict.fromkeys(pool["slices"], 0)
        query = f"spec.nodeName={node['metadata']['name']}"
        for each in listed(api, "/apis/resource.k8s.io/v1/resourceslices", fieldSelector=query):
            driver = each["spec"]["driver"]
            if driver in there_of:
                if tainted := device_taints.of_slice(rules, each["spec"]):
                    return tainted
                there_of[driver] += len(each["spec"].get("devices") or [])
        for driver, count in pool["slices"].items():
            if there_of[driver] < count:
                return f"{driver} shows {there_of[driver]} of {count} devices"
    return ""


def _has_work(api: Api, node: str) -> bool:
    """Whether a pod is on it that is none of ours, of no DaemonSet and not the kubelet's own."""
    query = f"spec.nodeName={node},status.phase!=Succeeded,status.phase!=Failed"
    for pod in listed(api, "/api/v1/pods", fieldSelector=query):
        kinds = {owner["kind"] for owner in pod["metadata"].get("ownerReferences", [])}
        if pod["metadata"]["namespace"] != TESTS_NAMESPACE and not kinds & {"DaemonSet", "Node"}:
            return True
    return False


def _waiting_since(api: Api) -> int:
    """When the youngest pod was made that asks for devices and has no node; 0 where there is none."""
    pods = listed(api, "/api/v1/pods", fieldSelector="spec.nodeName=,status.phase=Pending")
    work = (pod for pod in pods if pod["metadata"]["namespace"] != TESTS_NAMESPACE and asks_for_devices(pod["spec"]))
    return max((seconds_of(pod["metadata"]["creationTimestamp"]) for pod in work), default=0)


def paths_of(pools: Any) -> list[str]:
    """Where tests are: it may look where some can be, and nowhere else."""
    kinds = {each["template"]["test"]["kind"] for each in pools}
    return [JOBS, MPI_JOBS] if "MPIJob" in kinds else [JOBS]


def _tests(api: Api, pools: Any) -> tuple[list[Test], set[str]]:
    """The prover's own tests, and the pools that `up` tests."""
    names = {each["short"]: each["name"] for each in pools}
    tests, by_up = [], set()
    for job in (job for path in paths_of(pools) for job in listed(api, path)):
        labels = job["metadata"].get("labels", {})
        if PROVES in labels:
            pool = names.get(labels[PROVES])
            if pool and "deletionTimestamp" not in job["metadata"]:
                tests.append(_test(api, job, pool))
        elif labels.get(POOL) in names and not ended(job) and not is_suspended(job):
            by_up.add(names[labels[POOL]])
    return tests, by_up


def _test(api: Api, job: Mapping[str, Any], pool: str) -> Test:
    metadata, end = job["metadata"], ended(job)
    nodes, subjects, boots = (tuple(json.loads(metadata["annotations"][key])) for key in (NODES, SUBJECTS, BOOTS))
    told, at = _verdict(api, metadata["name"])
    report, message = read_report(told)
    started = seconds_of(metadata["creationTimestamp"])
    if end is not None:
        message = message or ": ".join(end.get(key, "") for key in ("reason", "message")).strip(": ")
        at = at or seconds_of(end.get("lastTransitionTime")) or started + 1
    return Test(metadata["name"], pool, nodes, subjects, boots, started, at, report, message)


def _verdict(api: Api, test: str) -> tuple[str, int]:
    """The termination message of the container that judges, and when it ended. Its test has ended then, and before the
    controller says so of its Job: nothing is tried a second time."""
    for label in ("batch.kubernetes.io/job-name", "training.kubeflow.org/job-name"):
        path = f"/api/v1/namespaces/{TESTS_NAMESPACE}/pods?labelSelector={quote(f'{label}={test}')}"
        for pod in api.get(path).get("items") or []:
            if (end := judge_end(pod)).get("message"):
                return end["message"], seconds_of(end["finishedAt"])
    return "", 0
