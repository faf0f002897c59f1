"""Which pods are given their machine's fabric at admission, by which engine, and what they are given."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ....base.kubernetes_names import check_taken, is_key
from ....base.versions import at_least, check_form
from ....claims import Gpus
from ....fabrics import Claims, GpuAllocation
from ....injection import (
    NEMO_SWITCHES,
    SWITCH,
    Pattern,
    Scope,
    Served,
    capacity,
    device_requests,
    image_needs,
    kyverno,
    native,
    no_host_network,
    other_nics,
    parts_by,
    pattern,
    refusing,
    unfit_images,
)
from ...plan.claim_templates import (
    DEFAULT_NAMESPACES,
    ClaimOptions,
    ClaimTemplatesPlan,
    check_namespace,
    claims_for,
    our_namespaces,
    plan_claim_templates,
)
from ...plan.context import ClusterContext, context_of
from ...plan.pool import GpuPool
from ...plan.resolve import resolve_all
from ...plan.workload import Workload, workload_on
from .args import FabricInjectionArgs, InjectionEngine, InjectionSettings


@frozen
class InjectedPools:
    """The pools whose pods are given their fabric."""

    pools: tuple[GpuPool, ...]
    workloads: Mapping[str, Workload]
    """What pods add, by pool."""
    claims: ClaimTemplatesPlan | None
    """The claim templates that pods may name; ``None`` where they name none, or the templates have errors."""


@frozen
class InjectionPlan:
    """What ``FabricInjection`` makes."""

    engine: InjectionEngine
    scope: Scope
    patterns: tuple[Pattern, ...]
    """What pods are given, for each machine."""
    policies: tuple[Mapping[str, Any], ...]
    """Policies and bindings in the API's own form, each after what it names."""
    warnings: tuple[str, ...] = ()


EXTENDED_RESOURCE = "1.36"
"""From here on DRA serves who asks for ``nvidia.com/gpu``: the gate DRAExtendedResource is on (kubernetes@v1.36.3
pkg/features/kube_features.go), and NVIDIA's DeviceClass has that name (dra-driver-nvidia-gpu@v0.5.0 deployments/helm/
dra-driver-nvidia-gpu/templates/deviceclass-gpu.yaml)."""
_V1, _V1BETA1 = "1.36", "1.34"
"""Kubernetes versions from which on an API server has the policies, and has them behind a gate (KEP-3962)."""


def injected_pools(args: FabricInjectionArgs, errors: ErrorList) -> InjectedPools:
    """The pools of ``args``, with what their pods add and the claim templates that these may name, or errors."""
    pools, context = resolve_all(args["pools"], errors.at("pools"), least_nodes=None), context_of(args)
    taint = args.get("taint", {})
    if taint and set(taint) != {"key", "value"}:
        errors.at("taint").add('must have a key and a value: {"key": "nvidia.com/gpu", "value": "present"}')
    claimed = [pool for pool in pools if isinstance(pool.fabric.nic_attachment, Claims)]
    claims = claims_for(claimed, args.get("claims", {}), context.version)
    return InjectedPools(
        tuple(pools),
        {pool.name: workload_on(pool, context) for pool in pools},
        plan_claim_templates(claims, errors.at("claims")) if claimed else None,
    )


def plan_injection(args: FabricInjectionArgs, errors: ErrorList) -> InjectionPlan | None:
    """Plan ``FabricInjection`` used alone. Returns ``None`` when an error was added."""
    injected, claims = injected_pools(args, errors), args.get("claims", {})
    return plan_injection_on(args, injected, context_of(args), claims, errors, errors.at("claims"))


def plan_injection_on(
    options: InjectionSettings,
    injected: InjectedPools,
    context: ClusterContext,
    claims: ClaimOptions,
    errors: ErrorList,
    of_claims: ErrorList,
) -> InjectionPlan | None:
    """Plan the policies that give pods the fabrics of ``injected``. Returns ``None`` when an error was added.

    ``claims`` are the options of the claim templates, whose errors ``of_claims`` collects.
    """
    engine = options.get("engine", InjectionEngine.NATIVE)
    beta = _check_version(engine, context.version, options.get("beta", False), errors)
    switch = options.get("annotation", SWITCH)
    if not is_key(switch):
        errors.at("annotation").add(
            f"got {switch!r}; an annotation is a name of letters, digits, - _ and ., with a prefix or without"
        )
    offered = claims.get("namespaces", DEFAULT_NAMESPACES)
    namespaces = options.get("namespaces", offered)
    claimed = any(isinstance(pool.fabric.nic_attachment, Claims) for pool in injected.pools)
    names_objects = claimed or any(workload.adds.files for workload in injected.workloads.values())
    _check_namespaces(namespaces, offered if names_objects else None, errors.at("namespaces"))
    if injected.claims is None and claimed:
        return None  # the claim templates have errors of their own
    # Pools whose pods get the same.
    groups: dict[tuple[str, str, GpuAllocation], list[GpuPool]] = {}
    for pool in injected.pools:
        groups.setdefault((pool.machine.name, pool.fabric.name, pool.allocation), []).append(pool)
    served = [_served(group, context.pool_label, injected, of_claims) for group in groups.values()]
    patterns = tuple(pattern(each) for each in served if each is not None)
    if errors or not patterns:
        return None
    by_claims = any(pool.allocation == GpuAllocation.DRA for pool in injected.pools)
    scope = Scope(
        (switch, *(NEMO_SWITCHES if options.get("nemo") else ())),
        tuple(namespaces),
        options.get("every_pod", False),
        claims_alone=by_claims and not at_least(context.version, EXTENDED_RESOURCE),
    )
    if engine == InjectionEngine.NATIVE:
        policies = (*native(scope, patterns, "v1beta1" if beta else "v1"), *refusing(scope, patterns))
        return InjectionPlan(engine, scope, patterns, policies)
    needs = (
        "injection.engine is kyverno: Kyverno 1.17 or later (chart 3.7) must run before pods are made, and serve "
        "policies.kyverno.io/v1; pods that ask for the fabric are refused while it does not"
    )
    return InjectionPlan(engine, scope, patterns, (*kyverno(scope, patterns), *refusing(scope, patterns)), (needs,))


def _check_version(engine: InjectionEngine, version: str, beta: bool, errors: ErrorList) -> bool:
    """Whether the beta of the API is meant."""
    if engine != InjectionEngine.NATIVE and beta:
        errors.at("beta").add("is of the native engine; remove it, or set engine: native")
    known = check_form(version, errors.at("version"))
    if engine != InjectionEngine.NATIVE or not known or at_least(version, _V1):
        return False
    if not at_least(version, _V1BETA1):
        errors.at("engine").add(f"native needs Kubernetes {_V1} or later, got {version}; raise it, or take kyverno")
    elif not beta:
        errors.at("engine").add(
            f"native needs Kubernetes {_V1} or later, got {version}, where the policies are a beta behind a gate that "
            "managed clusters do not open; take kyverno, or set beta: true where the gate is open"
        )
    return beta


def _check_namespaces(namespaces: list[str], offered: list[str] | None, errors: ErrorList) -> None:
    if not namespaces:
        errors.add("empty; name at least one namespace, e.g. default")
    check_taken(namespaces, our_namespaces(), errors)
    for i, namespace in enumerate(namespaces):
        check_namespace(namespace, namespaces[:i], errors.at(i))
        if offered is not None and namespace not in offered and not errors.at(i):
            errors.at(i).add(
                f"{namespace} has no claim templates and files of the fabric; "
                f"choose from {', '.join(offered)}, or add it to claims.namespaces"
            )


def _served(group: Sequence[GpuPool], pool_label: str, injected: InjectedPools, errors: ErrorList) -> Served | None:
    pool = group[0]
    machine, fabric, allocation = pool.machine, pool.fabric, pool.allocation
    workload = injected.workloads[pool.name]
    offers = injected.claims.by_machine.get(machine.name, ()) if injected.claims else ()
    windows = [offer.windows for offer in offers if not isinstance(offer.intent, Gpus)]
    requests = device_requests(machine, fabric, allocation, windows)
    if not requests:
        errors.add(
            f"no claim template of {machine.name} holds its GPUs, so that its pods cannot be served; offer whole: true"
        )
        return None
    one_way = {each.name for each in injected.pools if each.machine is machine} == {each.name for each in group}
    labels = machine.node_labels
    by_pool = {} if pool_label in labels else {pool_label: [each.name for each in group]}
    # A pod names the machine by any of these: one word of several tells it only where there is no other machine.
    told = one_way and (len(labels) == 1 or not by_pool)
    by_machine = {key: [value] for key, value in labels.items()} if told else {}
    one_pool = len(group) == 1 or not one_way
    selector = workload.node_selector if one_pool and by_pool else labels
    return Served(
        machine=machine.name,
        name=machine.name.lower().replace("_", "-") + ("" if one_way else f"-{fabric.name}-{allocation.value}"),
        pod_patch=replace(workload, node_selector=selector).pod_patch(),
        device_requests=requests,
        capacity=capacity(machine, fabric),
        no_host_network=no_host_network(fabric),
        names={**by_pool, **by_machine},
        only=len(group) == len(injected.pools),
        image_needs=image_needs(machine, fabric),
        unfit=unfit_images(fabric),
        other_nics=other_nics(machine, fabric),
        parts_by=parts_by(machine, fabric),
    )
