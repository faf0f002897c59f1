"""Add-ons of a stack: the fabric given at admission, queues, a served model, monitoring."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ...args import hints
from ...fabrics import Claims
from ...faults import Faults
from ..plan.claim_templates import DEFAULT_NAMESPACES
from ..plan.dra_drivers import Part
from ..plan.pool import InClusterPool, SitePool
from ..plan.site import Addons, Decided, Site, WholeChoice
from .inference.args import DistributedInferenceArgs, InferenceWeights
from .inference.plan import InferencePlan, plan_inference
from .injection.args import FabricInjectionArgs
from .injection.plan import InjectedPools, InjectionPlan, plan_injection
from .monitoring.args import MonitoringArgs
from .monitoring.plan import MonitoringPlan, plan_monitoring
from .queues.args import QueuesArgs
from .queues.plan import QueuesPlan, check_not_kept, of_one_queue, plan_queues
from .storage.store import Store

T = TypeVar("T")

_UNCOUNTED = (
    "queues: Kueue counts what a job's own template claims; claims that injection adds to its pods are not counted: "
    "write them, as `rdma-cluster job` does"
)
_SERVED_BESIDE = (
    "queues: the nodes that serve a model are not taken off the quota of their pool, so that jobs may be let go onto "
    "them, and wait; serve from a pool of its own"
)


def decide_addons(
    site: Site, injected: InjectedPools, choice: WholeChoice, *, new_namespaces: bool, faults: Faults
) -> Addons:
    """Plans of all four; an add-on that could not be planned is ``None``, too, and a fault was added.

    ``new_namespaces`` says that nothing else makes the namespaces of the claims.
    """
    pools = injected.pools
    claimed = any(isinstance(pool.fabric.exposure, Claims) for pool in pools)
    injection = None
    if injected.claims is not None or not claimed:
        injection = _injection(site, injected, choice, faults)
    queues = _queues(site, pools, choice, new_namespaces, faults.at("queues"), faults.at("claims", "namespaces"))
    inference = _inference(
        site, pools, choice, faults.at("inference"), all_planned=bool(pools) and not faults.at("pools")
    )
    monitoring = _monitoring(site, pools, choice, faults.at("monitoring"))
    return Addons(
        injection=injection,
        queues=queues,
        inference=inference,
        monitoring=monitoring,
        warnings=(
            *(injection.plan.warnings if injection else ()),
            *(queues.plan.warnings if queues else ()),
            *([_UNCOUNTED] if queues and injection and claimed else []),
            *([_SERVED_BESIDE] if queues and inference else []),
            *(inference.plan.warnings if inference else ()),
            *(monitoring.plan.warnings if monitoring else ()),
        ),
    )


def _enabled(options: Mapping[str, Any] | None) -> bool:
    return options is not None and options["enabled"]


def _args(
    args_shape: type[T], site: Site, choice: WholeChoice, options: Mapping[str, Any] | None, pools: list[InClusterPool]
) -> T:
    """Args of an add-on: the user's ``options``, the pools, and what its other keys ask of the cluster."""
    known = {
        "pools": pools,
        "pool_label": site.pool_label,
        "taint": site.taint_args,
        "other_taints": dict(site.other_taints),
        "version": site.version,
        "host": site.host,
        "registries": dict(choice.registries),
    }
    keys = hints(args_shape)
    chosen = {key: value for key, value in (options or {}).items() if key != "enabled"}
    return args_shape(**chosen, **{key: value for key, value in known.items() if key in keys})


def _injection(
    site: Site, injected: InjectedPools, choice: WholeChoice, faults: Faults
) -> Decided[FabricInjectionArgs, InjectionPlan] | None:
    """The policies, where the user enables them."""
    if not _enabled(choice.injection):
        return None
    args = _args(FabricInjectionArgs, site, choice, choice.injection, [pool.as_args() for pool in injected.pools])
    args["claims"] = choice.claims
    plan = plan_injection(args, faults.at("injection"), injected, faults.at("claims"))
    return None if plan is None else Decided(args, plan)


def _queues(
    site: Site, pools: Sequence[SitePool], choice: WholeChoice, new: bool, faults: Faults, of_namespaces: Faults
) -> Decided[QueuesArgs, QueuesPlan] | None:
    """The queues, where the user enables them; ``new`` where nothing else makes the namespaces."""
    if not _enabled(choice.queues):
        return None
    namespaces = choice.claims.get("namespaces", DEFAULT_NAMESPACES)
    check_not_kept(namespaces, of_namespaces)
    for _, why in of_one_queue([pool.name for pool in pools]):
        faults.add(f"pools {why}")
    args = _args(QueuesArgs, site, choice, choice.queues, [pool.as_args("nodes") for pool in pools])
    args |= {"namespaces": namespaces, "create_namespaces": new}
    plan = plan_queues(args, faults, pools)
    return None if plan is None else Decided(args, plan)


def _inference(
    site: Site, pools: Sequence[SitePool], choice: WholeChoice, faults: Faults, *, all_planned: bool
) -> Decided[DistributedInferenceArgs, InferencePlan] | None:
    """The model that is served, where the user names one; ``all_planned``: no pool is missing from ``pools``."""
    if (options := choice.inference) is None:
        return None
    namespaces = choice.claims.get("namespaces", DEFAULT_NAMESPACES)
    known = [pool.as_args("nodes", "disk_gb") for pool in pools]
    args = _args(DistributedInferenceArgs, site, choice, options, known)
    # What the test of the fabric may lack, its use may.
    if waived := [gate for gate in choice.acceptance.get("waive", []) if gate in ("socket", "transport", "gdr")]:
        args["waive"] = waived
    if options.get("weights", {}).get("storage"):
        args["weights"] = _from_storage(options["weights"], choice.storage, faults.at("weights"))
    if "namespace" not in options:
        args["namespace"] = next(iter(namespaces), DEFAULT_NAMESPACES[0])
    if args["namespace"] in namespaces:
        args["pod_files"] = Part.EXISTING
    elif args.get("weights", {}).get("storage"):
        faults.at("namespace").add(
            f"got {args['namespace']}, which gets no claim on the stack's storage; list it in claims.namespaces, too"
        )
    plan = plan_inference(args, faults, pools, all_pools_planned=all_planned)
    if plan is None:
        return None
    if any(pool.name == plan.pool and pool.comes_when_asked for pool in pools):
        faults.at("pool").add(
            f"{plan.pool} has no nodes until a pod asks for them, and they go again, while `up` waits until the model "
            "answers; name a pool whose nodes stay"
        )
        return None
    return Decided(args, plan)


def _from_storage(weights: InferenceWeights, store: Store | None, faults: Faults) -> InferenceWeights:
    """Weights in the claim of the stack's storage; in none where it has none, for which the plan adds a fault."""
    for key in ("claim", "claim_gb"):
        if key in weights:
            faults.at(key).add("not allowed with storage, which has a claim of its own; remove one of the two")
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
    site: Site, pools: Sequence[SitePool], choice: WholeChoice, faults: Faults
) -> Decided[MonitoringArgs, MonitoringPlan] | None:
    """Exporters, alerts and a dashboard, where the user enables them."""
    if not _enabled(choice.monitoring):
        return None
    args = _args(MonitoringArgs, site, choice, choice.monitoring, [pool.as_args("nodes") for pool in pools])
    if site.gpu_exporter is not None:
        args["managed_exporter"] = site.gpu_exporter
    plan = plan_monitoring(args, faults, pools)
    return None if plan is None else Decided(args, plan)
