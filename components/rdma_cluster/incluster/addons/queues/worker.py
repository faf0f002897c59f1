"""A cluster that takes jobs from a manager: the queues of shared names, and the manager's rights here."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from rdma_agent.names import GPU
from ....base.kubernetes_names import is_domain
from ...plan.pool import GpuPool
from ...plan.rights import rule
from .args import DEFAULT_KINDS, GROUPS, DispatchKind, QueueWorker
from .objects import GROUP, local_queue_of, queue_name, quotas_of

ACCOUNT = "rdma-cluster-dispatch"
"""The manager's account here, what it may do, and its token."""
NAMESPACE = "kueue-system"
LONGEST_QUEUE = 63


@frozen
class WorkerPlan:
    """What a manager finds on this cluster."""

    local_queues: tuple[Mapping[str, Any], ...]
    """Under the shared names."""
    namespaces: tuple[str, ...]
    """Where the manager makes jobs."""
    everywhere: tuple[dict[str, Any], ...]
    """Rules of what the manager sees in all namespaces."""
    within: tuple[dict[str, Any], ...]
    """Rules of what it does in ``namespaces``."""
    gpus: Mapping[str, int]
    """By shared queue."""


def plan_worker(
    worker: QueueWorker, pools: Sequence[GpuPool], namespaces: Sequence[str], errors: ErrorList
) -> WorkerPlan | None:
    """The plan, or ``None`` with errors; ``pools`` are those that have a queue."""
    by_name = {pool.name: pool for pool in pools}
    own = {queue_name(name): name for name in by_name}
    if not worker["queues"]:
        errors.at("queues").add("empty; name at least one queue, e.g. {train: POOL}")
    for queue, pool in worker["queues"].items():
        at = errors.at("queues", queue)
        check_queue_name(queue, at)
        if pool not in by_name:
            at.add(f"got {pool!r}; no pool with a queue has this name; choose from {', '.join(by_name)}")
        elif own.get(queue, pool) != pool:
            at.add(f"{queue} is the queue of pool {own[queue]}; give the shared queue another name")
    kinds = kinds_of(worker.get("kinds"), errors.at("kinds"))
    if errors:
        return None
    everywhere, within = rights(kinds)
    return WorkerPlan(
        local_queues=tuple(
            local_queue_of(queue, queue_name(pool), namespace)
            for namespace in namespaces
            for queue, pool in worker["queues"].items()
            if queue not in own
        ),
        namespaces=tuple(namespaces),
        everywhere=everywhere,
        within=within,
        gpus={queue: quotas_of(by_name[pool])[GPU] for queue, pool in worker["queues"].items()},
    )


def check_kubeconfig(kubeconfig: Any, errors: ErrorList) -> None:
    """Of this cluster: text, or an output that becomes some."""
    if kubeconfig is None:
        errors.add("missing; with worker the output dispatch tells the manager this cluster's address")
    if not isinstance(kubeconfig, str):
        return
    try:
        token_kubeconfig(kubeconfig, "")
    except (ValueError, KeyError, TypeError):
        errors.add("is no kubeconfig as JSON; write what `kubectl config view --flatten --minify --output json` prints")


def check_queue_name(queue: str, errors: ErrorList) -> None:
    """A queue's name is the value of a label of its jobs."""
    if not is_domain(queue) or len(queue) > LONGEST_QUEUE:
        errors.add(
            f"a queue's name is 1 to {LONGEST_QUEUE} lower-case letters, digits, hyphens and dots, with a letter or "
            "digit first, last and on both sides of a dot"
        )


def kinds_of(kinds: Sequence[DispatchKind] | None, errors: ErrorList) -> tuple[DispatchKind, ...]:
    """Those that are named, each once, or the usual ones."""
    if kinds is None:
        return DEFAULT_KINDS
    if not kinds:
        errors.add("empty; name at least one kind, or leave the key out")
    for i, kind in enumerate(kinds):
        if kind in kinds[:i]:
            errors.at(i).add(f"{kind.value} is listed twice; list each kind once")
    return tuple(kinds)


def rights(kinds: Sequence[DispatchKind]) -> tuple[tuple[dict[str, Any], ...], tuple[dict[str, Any], ...]]:
    """What the manager needs here: in all namespaces, and in those of its jobs.

    It watches all namespaces, since Kueue asks for no one of them, and lists workloads to delete those that nobody
    knows any more; all else is for one object (kueue@v0.19.2 pkg/controller/admissionchecks/multikueue). Kueue's own
    script lets it make jobs and pods of every kind in every namespace.
    """
    jobs = [(GROUPS[kind], f"{kind.value}s") for kind in kinds]
    everywhere = (rule(GROUP, "workloads", "list", "watch"), *(rule(*job, "watch") for job in jobs))
    within = (
        rule(GROUP, "workloads", "create", "delete", "get", "update"),
        rule(GROUP, "workloads/status", "patch"),
        *(rule(*job, "create", "delete", "get") for job in jobs),
    )
    return everywhere, within


def token_kubeconfig(kubeconfig: str, token: str) -> str:
    """The kubeconfig of a cluster, as JSON, with a token in place of its users' own credentials."""
    config = json.loads(kubeconfig)
    users = [{"name": each["name"], "user": {"token": token}} for each in config["users"]]
    return json.dumps({**config, "users": users})
