"""Add-ons of a stack: the fabric given at admission, queues, a served model, monitoring, nodes kept ready."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard, TypeVar

from ...args import hints
from ...catalog import pull_secrets
from ...errors import ErrorList
from ...fabrics import Claims
from ...versions import parse
from ..plan.claim_templates import DEFAULT_NAMESPACES
from ..plan.context import Addons, ClusterContext, InClusterOptions, Planned
from ..plan.dra_drivers import InstalledBy
from ..plan.pool import GpuPool, InClusterPool
from .inference.args import DistributedInferenceArgs, InferenceWeights
from .inference.plan import InferencePlan, plan_inference
from .injection.args import FabricInjectionArgs
from .injection.plan import InjectedPools, InjectionPlan, plan_injection
from .monitoring.args import MonitoringArgs
from .monitoring.plan import MonitoringPlan, plan_monitoring
from .queues.args import QueuesArgs
from .queues.plan import QueuesPlan, check_not_kept, of_one_queue, plan_queues
from .readiness.args import NodeReadinessArgs
from .readiness.plan import ReadinessPlan, plan_readiness
from .storage.store import Store

T = TypeVar("T")

_UNCOUNTED = (
    "queues: Kueue counts what a job's own template claims; claims that injection adds to its pods are not counted: "
    "write them, as `rdma-cluster job` does"
)
_SENT_WITHOUT = (
    "queues.worker: jobs that are sent here name no cloud, and without injection their pods get GPUs and no NIC: set "
    "injection.enabled"
)
_SERVED_BESIDE = (
    "queues: the nodes that serve a model are not taken off the quota of their pool, so that jobs may be let go onto "
    "them, and wait; serve from a pool of its own"
)
_UNPOLICED = (
    "inference: whether this cluster's network enforces NetworkPolicies is not known, and OKE's does not by itself; "
    "where it does not, any pod reaches the ports between vLLM's nodes, which take orders from whoever does: install "
    "what enforces them, such as Calico, or let no pods on the cluster that you do not trust (docs/security.md)"
)
_FITS_ALL = "1.36"
"""A version of Kubernetes that every add-on takes."""


def plan_addons(
    context: ClusterContext,
    injected: InjectedPools,
    choice: InClusterOptions,
    *,
    new_namespaces: bool,
    readiness: Planned[NodeReadinessArgs, ReadinessPlan] | None,
    errors: ErrorList,
) -> Addons:
    """All plans; that of ``readiness`` comes before the plan of the acceptance test, and is handed over.

    An add-on that could not be planned is ``None``, too, and an error was added. ``new_namespaces`` says that nothing
    else makes the namespaces of the claims.
    """
    pools = injected.pools
    claimed = any(isinstance(pool.fabric.nic_attachment, Claims) for pool in pools)
    injection = None
    if injected.claims is not None or not claimed:
        injection = _injection(context, injected, choice, errors)
    queues = _queues(context, pools, choice, new_namespaces, errors.at("queues"), errors.at("claims", "namespaces"))
    inference = _inference(
        context, pools, choice, errors.at("inference"), all_planned=bool(pools) and not errors.at("pools")
    )
    monitoring = _monitoring(context, pools, choice, readiness, errors.at("monitoring"))
    _judge_disabled(context, injected, choice, errors)
    return Addons(
        injection=injection,
        queues=queues,
        inference=inference,
        monitoring=monitoring,
        readiness=readiness,
        warnings=(
            *(injection.plan.warnings if injection else ()),
            *(queues.plan.warnings if queues else ()),
            *([_UNCOUNTED] if queues and injection and claimed else []),
            *([_SENT_WITHOUT] if queues and queues.plan.worker and not injection else []),
            *([_SERVED_BESIDE] if queues and inference else []),
            *([_UNPOLICED] if inference and not (context.enforces_policies and context.makes_namespaces) else []),
            *(inference.plan.warnings if inference else ()),
            *(monitoring.plan.warnings if monitoring else ()),
        ),
    )


def _judge_disabled(
    context: ClusterContext, injected: InjectedPools, choice: InClusterOptions, errors: ErrorList
) -> None:
    """What is wrong with the keys of an add-on that is not enabled; what it would ask of the stack is not looked at."""
    for name in ("injection", "queues", "monitoring", "readiness"):
        options = getattr(choice, name)
        if options is None or options["enabled"] or len(options) == 1:
            continue
        found = ErrorList()
        enabled = replace(choice, **{name: {**options, "enabled": True}})
        if name == "injection":
            _injection(context, injected, enabled, found)
        elif name == "queues":
            _queues(context, injected.pools, enabled, False, found.at(name), ErrorList())
        elif name == "monitoring":
            _monitoring(context, injected.pools, enabled, None, found.at(name))
        else:
            readiness_of(context, injected.pools, enabled, found)
        for error in found.found():
            # That it is enabled is our word, not the user's.
            if error.path[0] == name and set(error.path[1:2]) & (options.keys() - {"enabled"}):
                errors.at(*error.path).add(error.reason)


def _enabled(options: Mapping[str, Any] | None) -> TypeGuard[Mapping[str, Any]]:
    return options is not None and options["enabled"]


def _args(
    args_shape: type[T],
    context: ClusterContext,
    choice: InClusterOptions,
    options: Mapping[str, Any],
    pools: list[InClusterPool],
) -> T:
    """Args of an add-on: the user's ``options``, the pools, and what its other keys ask of the cluster."""
    known = {
        "pools": pools,
        "pool_label": context.pool_label,
        "taint": context.taint_args,
        "other_taints": dict(context.other_taints),
        # A stack refuses what is no version by its own key, and nothing else shall follow from it.
        "version": context.version if parse(context.version) else _FITS_ALL,
        "host": context.host,
        "registries": dict(choice.registries),
    }
    keys = hints(args_shape)
    chosen = {key: value for key, value in options.items() if key != "enabled"}
    return args_shape(**chosen, **{key: value for key, value in known.items() if key in keys})


def _injection(
    context: ClusterContext, injected: InjectedPools, choice: InClusterOptions, errors: ErrorList
) -> Planned[FabricInjectionArgs, InjectionPlan] | None:
    """The policies, where the user enables them."""
    if not _enabled(choice.injection):
        return None
    args = _args(FabricInjectionArgs, context, choice, choice.injection, [pool.as_args() for pool in injected.pools])
    args["claims"] = choice.claims
    plan = plan_injection(args, errors.at("injection"), injected, errors.at("claims"))
    return None if plan is None else Planned(args, plan)


def _queues(
    context: ClusterContext,
    pools: Sequence[GpuPool],
    choice: InClusterOptions,
    new: bool,
    errors: ErrorList,
    of_namespaces: ErrorList,
) -> Planned[QueuesArgs, QueuesPlan] | None:
    """The queues, where the user enables them; ``new`` where nothing else makes the namespaces."""
    if not _enabled(choice.queues):
        return None
    namespaces = choice.claims.get("namespaces", DEFAULT_NAMESPACES)
    check_not_kept(namespaces, of_namespaces)
    for _, why in of_one_queue([pool.name for pool in pools]):
        errors.add(f"pools {why}")
    args = _args(QueuesArgs, context, choice, choice.queues, [pool.as_args("nodes") for pool in pools])
    args |= {"namespaces": namespaces, "create_namespaces": new}
    plan = plan_queues(args, errors, pools)
    return None if plan is None else Planned(args, plan)


def _inference(
    context: ClusterContext, pools: Sequence[GpuPool], choice: InClusterOptions, errors: ErrorList, *, all_planned: bool
) -> Planned[DistributedInferenceArgs, InferencePlan] | None:
    """The model that is served, where the user names one; ``all_planned``: no pool is missing from ``pools``."""
    if (options := choice.inference) is None:
        return None
    namespaces = choice.claims.get("namespaces", DEFAULT_NAMESPACES)
    known = [pool.as_args("nodes", "disk_gb") for pool in pools]
    args = _args(DistributedInferenceArgs, context, choice, options, known)
    # What the test of the fabric may lack, its use may.
    if waived := [gate for gate in choice.acceptance.get("waive", []) if gate in ("socket", "transport", "gdr")]:
        args["waive"] = waived
    if options.get("weights", {}).get("storage"):
        args["weights"] = _from_storage(options["weights"], choice.storage, errors.at("weights"))
    if "namespace" not in options:
        args["namespace"] = next(iter(namespaces), DEFAULT_NAMESPACES[0])
    if args["namespace"] in namespaces:
        args["pod_files"] = InstalledBy.EXISTING
    elif args.get("weights", {}).get("storage"):
        errors.at("namespace").add(
            f"got {args['namespace']}, which gets no claim on the stack's storage; list it in claims.namespaces, too"
        )
    plan = plan_inference(args, errors, pools, all_pools_planned=all_planned)
    if plan is None:
        return None
    if any(pool.name == plan.pool and pool.scales_from_zero for pool in pools):
        errors.at("pool").add(
            f"{plan.pool} has no nodes until a pod asks for them, and they go again, while `up` waits until the model "
            "answers; name a pool whose nodes stay"
        )
        return None
    return Planned(args, plan)


def _from_storage(weights: InferenceWeights, store: Store | None, errors: ErrorList) -> InferenceWeights:
    """Weights in the claim of the stack's storage; in none where it has none, for which the plan adds an error."""
    for key in ("claim", "claim_gb"):
        if key in weights:
            errors.at(key).add("not allowed with storage, which has a claim of its own; remove one of the two")
    stored = InferenceWeights(**{key: value for key, value in weights.items() if key not in ("claim", "claim_gb")})
    if store is None or not store.claim:
        return stored
    stored["claim"] = store.claim
    if store.mounted is None:  # a claim of the user's, as if named here
        del stored["storage"]
        return stored
    if store.capacity_gb is not None:
        stored["claim_gb"] = store.capacity_gb
    if store.annotations:
        stored["annotations"] = {**store.annotations, **weights.get("annotations", {})}
    return stored


def _monitoring(
    context: ClusterContext,
    pools: Sequence[GpuPool],
    choice: InClusterOptions,
    readiness: Planned[NodeReadinessArgs, ReadinessPlan] | None,
    errors: ErrorList,
) -> Planned[MonitoringArgs, MonitoringPlan] | None:
    """Exporters, alerts and a dashboard, where the user enables them; of ``readiness`` its proofs, too."""
    if not _enabled(choice.monitoring):
        return None
    args = _args(MonitoringArgs, context, choice, choice.monitoring, [pool.as_args("nodes") for pool in pools])
    if context.gpu_exporter is not None:
        args["managed_exporter"] = context.gpu_exporter
    if readiness is not None and readiness.plan.prover is not None:
        args["renew_seconds"] = readiness.plan.renew_seconds
    plan = plan_monitoring(args, errors, pools)
    return None if plan is None else Planned(args, plan)


def readiness_of(
    context: ClusterContext, pools: Sequence[GpuPool], choice: InClusterOptions, errors: ErrorList
) -> Planned[NodeReadinessArgs, ReadinessPlan] | None:
    """What keeps nodes ready, where the user enables it. What is wrong with its tests stands under ``acceptance``."""
    if not _enabled(choice.readiness):
        return None
    args = _args(NodeReadinessArgs, context, choice, choice.readiness, [pool.as_args("nodes") for pool in pools])
    args["acceptance"] = choice.acceptance
    if context.pools_taint:
        args["taint_on_join"] = False
    if choice.pull_secret is not None:
        args["pull_secret_name"] = pull_secrets.NAME
    plan = plan_readiness(args, errors.at("readiness"), pools, errors.at("acceptance"))
    return None if plan is None else Planned(args, plan)
