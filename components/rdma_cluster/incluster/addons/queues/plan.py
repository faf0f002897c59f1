"""A queue for each pool: its objects, their order, and which pools can have none."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from rdma_agent.names import GPU
from ....base.kubernetes_names import check_key, check_taken, is_domain
from ....fabrics import Claims, GpuAllocation
from ...plan.charts import Settings
from ...plan.claim_templates import DEFAULT_NAMESPACES, check_namespaces, new_namespaces, our_namespaces
from ...plan.context import ClusterContext, context_of
from ...plan.pool import GpuPool
from ...plan.resolve import check_cluster, resolve_all
from .args import QueuesArgs, QueueSettings
from .charts import jobset, kueue
from .dispatch import DispatchPlan, plan_dispatch
from .objects import (
    HOSTNAME,
    admission_check,
    cluster_queue,
    countable,
    flavor,
    local_queue,
    provisioning_config,
    queue_name,
    quotas_of,
    topology,
    topology_name,
)
from .worker import WorkerPlan, check_kubeconfig, plan_worker


@frozen
class QueuesPlan:
    """What ``Queues`` makes."""

    charts: tuple[Settings, Settings]
    """JobSet's and Kueue's."""
    namespaces: tuple[str, ...]
    """Namespaces whose jobs may queue."""
    new_namespaces: tuple[str, ...]
    priorities: Mapping[str, int]
    """Values of PriorityClasses by name."""
    stages: tuple[tuple[Mapping[str, Any], ...], ...]
    """Objects in the API's own form: those of a stage name those of the one before, and must leave before them."""
    queues: Mapping[str, str]
    """Names of the queues by pool; the same in every namespace."""
    gpus: Mapping[str, int]
    """How many each of them has."""
    levels: Mapping[str, tuple[str, ...]]
    """The labels of each pool's topology, hosts last; none for a pool whose queue has no topology."""
    worker: WorkerPlan | None = None
    """What a manager cluster finds here; ``None`` where none sends jobs."""
    dispatch: DispatchPlan | None = None
    """The queues whose jobs run on other clusters; ``None`` where there are none."""
    warnings: tuple[str, ...] = ()


_WAITS_FOR_EVER = (
    "its nodes come when a pod asks for them, and Kueue lets a job by claims start when its devices are there"
)
_HAS_NO_GPUS = (
    "they ask for nvidia.com/gpu, which nodes whose GPUs are claimed do not have, and Kueue places by what nodes have; "
    "set gpuAllocation: device-plugin on the pool"
)
_DEFAULT_PRIORITIES = {"low": -100, "high": 100}
_READY_MINUTES = 30
_MOST_MINUTES = 7 * 24 * 60
_MOST_LEVELS = 15  # besides the hosts; Topology takes 16
# Of a priority; above are those of Kubernetes itself (pkg/apis/scheduling/validation, HighestUserDefinablePriority).
_LEAST, _MOST = -(2**31), 1_000_000_000
_LONGEST_CLASS = 63


def of_one_queue(names: Sequence[str]) -> list[tuple[int, str]]:
    """The places of pools that would have the queue of one before, each with its error.

    Labels of nodes know capitals and underscores, names of queues do not.
    """
    clashes = []
    first: dict[str, str] = {}
    for i, name in enumerate(names):
        queue = queue_name(name)
        if (other := first.setdefault(queue, name)) != name:
            clashes.append((i, f"{name} and {other} would have one queue, {queue}; rename one of them"))
    return clashes


def plan_queues_on(
    options: QueueSettings,
    pools: Sequence[GpuPool],
    context: ClusterContext,
    namespaces: Sequence[str],
    errors: ErrorList,
    *,
    new: bool,
) -> QueuesPlan | None:
    """Plan a queue for each of ``pools``. Returns ``None`` when an error was added.

    ``new`` says that nothing else makes the namespaces.
    """
    levels = options.get("topology", {})
    names = [pool.name for pool in pools]
    for pool, labels in levels.items():
        at = errors.at("topology", pool)
        if pool not in names:
            at.add(f"no pool has this name; the pools are {', '.join(names)}")
        for i, label in enumerate(labels):
            if label == HOSTNAME:
                at.at(i).add("the hosts are the lowest level of every topology; remove it")
            elif check_key(label, at.at(i)) and label in list(labels[:i]):
                at.at(i).add(f"{label} is listed twice; list each level once")
        if len(labels) > _MOST_LEVELS:
            at.add(f"got {len(labels)} levels; a topology has {_MOST_LEVELS} at the most, besides the hosts")
    _check_priorities(options.get("priorities", {}), errors.at("priorities"))
    if not 1 <= (minutes := options.get("ready_minutes", _READY_MINUTES)) <= _MOST_MINUTES:
        errors.at("ready_minutes").add(f"got {minutes}; must be 1 to {_MOST_MINUTES}, a week")
    never = [pool for pool in pools if pool.scales_from_zero and isinstance(pool.fabric.nic_attachment, Claims)]
    if pools and len(never) == len(pools):
        errors.at("enabled").add(f"no pool can have a queue: {_WAITS_FOR_EVER}; set it to false")
    queued = [replace(each, levels=tuple(levels.get(each.name, each.levels))) for each in pools if each not in never]
    worker, dispatch = _over_clusters(options, queued, namespaces, errors)
    if errors or not (pools or dispatch):
        return None
    plan = replace(
        _plan(options, queued, context, namespaces, minutes, dispatch),
        new_namespaces=tuple(new_namespaces(namespaces)) if new else (),
    )
    kept_out = (f"queues: {pool.name} gets none: {_WAITS_FOR_EVER}" for pool in never)
    plan = replace(plan, warnings=(*kept_out, *plan.warnings))
    if worker is None:
        return plan
    sent_to = {pool for pool in options["worker"]["queues"].values() if plan.levels[pool]}
    claimed = [pool.name for pool in queued if pool.name in sent_to and pool.allocation == GpuAllocation.DRA]
    unplaced = (f"queues.worker: {name} takes no jobs that name no cloud: {_HAS_NO_GPUS}" for name in claimed)
    return replace(plan, worker=worker, warnings=(*plan.warnings, *unplaced))


def _over_clusters(
    options: QueueSettings, queued: Sequence[GpuPool], namespaces: Sequence[str], errors: ErrorList
) -> tuple[WorkerPlan | None, DispatchPlan | None]:
    """What this cluster does for others, and others for it."""
    worker = dispatch = None
    if "worker" in options:
        worker = plan_worker(options["worker"], queued, namespaces, errors.at("worker"))
    if "dispatch" in options:
        own = [*(queue_name(pool.name) for pool in queued), *options.get("worker", {}).get("queues", {})]
        dispatch = plan_dispatch(options["dispatch"], own, namespaces, errors.at("dispatch"))
    return worker, dispatch


def plan_queues(args: QueuesArgs, errors: ErrorList) -> QueuesPlan | None:
    """Plan ``Queues`` used alone. Returns ``None`` when an error was added."""
    sends_only = not args["pools"] and "dispatch" in args
    pools = [] if sends_only else resolve_all(args["pools"], errors.at("pools"), least_nodes=1)
    for i, why in of_one_queue([pool["name"] for pool in args["pools"]]):
        errors.at("pools", i, "name").add(why)
    namespaces = args.get("namespaces", DEFAULT_NAMESPACES)
    check_namespaces(namespaces, errors.at("namespaces"))
    check_taken(namespaces, our_namespaces(), errors.at("namespaces"))
    check_not_kept(namespaces, errors.at("namespaces"))
    check_cluster(args, errors)
    if "pool_label" not in args and not sends_only:
        errors.at("pool_label").add("missing; it has no default where there are pools")
    if "worker" in args:
        check_kubeconfig(args.get("kubeconfig"), errors.at("kubeconfig"))
    return plan_queues_on(args, pools, context_of(args), namespaces, errors, new=args.get("create_namespaces", False))


def _plan(
    options: QueueSettings,
    pools: Sequence[GpuPool],
    context: ClusterContext,
    namespaces: Sequence[str],
    minutes: int,
    dispatch: DispatchPlan | None,
) -> QueuesPlan:
    """Objects and charts for ``pools``, whose nodes do not wait for a pod that waits for them."""
    registries = context.registries
    levels = {
        pool.name: (*pool.levels, HOSTNAME) if countable(pool) and not pool.scales_from_zero else () for pool in pools
    }
    flavors = {pool.name: flavor(pool, levels[pool.name], context) for pool in pools}
    topologies = {topology_name(labels): labels for labels in levels.values() if labels}
    preemption = options.get("preemption", False)
    asked = list(dict.fromkeys(pool.provisioning for pool in pools if pool.provisioning))
    stages = (
        (*(topology(name, labels) for name, labels in topologies.items()), *map(provisioning_config, asked)),
        (*flavors.values(), *map(admission_check, asked)),
        tuple(cluster_queue(each, flavors[each.name]["metadata"]["name"], namespaces, preemption) for each in pools),
        tuple(local_queue(pool, namespace) for namespace in namespaces for pool in pools),
    )
    return QueuesPlan(
        charts=(jobset(registries), kueue(pools, namespaces, minutes, dispatch, registries)),
        namespaces=tuple(namespaces),
        new_namespaces=(),
        priorities=options.get("priorities", _DEFAULT_PRIORITIES),
        stages=stages,
        queues={pool.name: queue_name(pool.name) for pool in pools},
        gpus={queue_name(pool.name): quotas_of(pool)[GPU] for pool in pools},
        levels=levels,
        dispatch=dispatch,
        warnings=tuple(
            f"queues: jobs of {pool.name} are counted and not placed: it is not known how many CPUs "
            f"{pool.machine.name} has, and by those alone Kueue can tell that a node whose GPUs are claimed is full"
            for pool in pools
            if not countable(pool)
        ),
    )


def check_not_kept(namespaces: Sequence[str], errors: ErrorList) -> None:
    """Kueue does not start where it is to look after Kubernetes' own (kueue@v0.19.2 pkg/config/validation.go)."""
    for i, namespace in enumerate(namespaces):
        if namespace == "kube-system":
            errors.at(i).add("kube-system is Kubernetes' own, in which Kueue lets nothing queue; take another name")


def _check_priorities(priorities: Mapping[str, int], errors: ErrorList) -> None:
    for name, value in priorities.items():
        at = errors.at(name)
        if not is_domain(name) or len(name) > _LONGEST_CLASS:
            at.add(
                f"a priority class is 1 to {_LONGEST_CLASS} lower-case letters, digits, hyphens and dots, with a "
                "letter or digit first, last and on both sides of a dot"
            )
        elif name.startswith("system-"):
            at.add("Kubernetes keeps names that begin with system- for itself; take another")
        if not _LEAST <= value <= _MOST:
            at.add(f"got {value}; must be between {_LEAST} and {_MOST}")
