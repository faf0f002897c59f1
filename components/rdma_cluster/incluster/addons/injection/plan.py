"""Which pods are given their machine's fabric at admission, by which engine, and what they are given."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....catalog import releases
from ....catalog.machine import Machine
from ....claims import Gpus
from ....clouds.names import check_taken, is_key
from ....fabrics import Claims, Fabric, GpuAllocation
from ....faults import Faults
from ....injection import (
    NEMO_SWITCHES,
    SWITCH,
    Pattern,
    Scope,
    Served,
    capacity,
    kyverno,
    native,
    no_host_network,
    pattern,
    refusing,
    shapes,
)
from ....injection.pattern import INSTANCE_TYPE
from ....versions import at_least, parse
from ...plan.claim_templates import (
    DEFAULT_NAMESPACES,
    OUR_NAMESPACES,
    ClaimTemplatesPlan,
    check_namespace,
    claims_for,
    decide_claim_templates,
)
from ...plan.looked_up import machine_and_usual_fabric
from ...plan.workload import Workload
from .args import FabricInjectionArgs, InjectionEngine, InjectionPool


@dataclass(frozen=True)
class GivenPool:
    """A pool, as what is injected must know it."""

    name: str
    machine: Machine
    fabric: Fabric
    allocation: GpuAllocation
    workload: Workload


@dataclass(frozen=True)
class InjectionPlan:
    """What ``FabricInjection`` makes."""

    engine: InjectionEngine
    scope: Scope
    patterns: tuple[Pattern, ...]
    """What pods are given, for each machine."""
    policies: tuple[Mapping[str, Any], ...]
    """Policies and bindings in the API's own form, each after what it names."""
    warnings: tuple[str, ...] = ()


_LABEL_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_V1, _V1BETA1 = "1.36", "1.34"
"""Kubernetes versions from which on an API server has the policies, and has them behind a gate (KEP-3962)."""


def decide_injection(args: FabricInjectionArgs, faults: Faults) -> InjectionPlan | None:
    """All choices of ``FabricInjection``. Returns ``None`` when a fault was added."""
    found = [given_pool(args, i, faults.at("pools", i)) for i in range(len(args["pools"]))]
    pools = [pool for pool in found if pool is not None]
    check_pools(args["pools"], faults.at("pools"))
    _check_taint(args.get("taint", {}), faults.at("taint"))
    claims = offered_claims(args, pools, faults.at("claims"))
    plan = plan_injection(args, pools, claims=claims, faults=faults, at_claims=faults.at("claims"))
    return None if faults else plan


def check_pools(pools: Sequence[InjectionPool], faults: Faults) -> None:
    """There is a pool, and each has a name of its own that a node label can hold."""
    if not pools:
        faults.add("empty; name at least one GPU pool")
    for i, pool in enumerate(pools):
        _check_name(pool["name"], [each["name"] for each in pools[:i]], faults.at(i, "name"))


def _check_name(name: str, before: list[str], faults: Faults) -> None:
    if not _LABEL_VALUE.fullmatch(name):
        faults.add(f"got {name!r}; the value of a node label is 1 to 63 letters, digits, - _ and .")
    elif name in before:
        faults.add(f"{name} is listed twice; name each pool once")


def _check_taint(taint: dict[str, str], faults: Faults) -> None:
    if taint and set(taint) != {"key", "value"}:
        faults.add('must have a key and a value: {"key": "nvidia.com/gpu", "value": "present"}')


def given_pool(args: FabricInjectionArgs, i: int, faults: Faults) -> GivenPool | None:
    """A pool as it is told, with what its pods add. Returns ``None`` when a fault was added."""
    asked = args["pools"][i]
    if (found := machine_and_usual_fabric(asked, faults)) is None:
        return None
    machine, fabric = found
    allocation = asked.get("gpu_allocation", fabric.default_allocation)
    taint = args.get("taint")
    return GivenPool(
        asked["name"],
        machine,
        fabric,
        allocation,
        Workload(
            fabric,
            node_selector={args["pool_label"]: asked["name"]},
            taint=(taint.get("key", ""), taint.get("value", "")) if taint else None,
            other_taints=args.get("other_taints", {}),
            machine=machine,
            allocation=allocation,
        ),
    )


def offered_claims(args: FabricInjectionArgs, pools: Sequence[GivenPool], faults: Faults) -> ClaimTemplatesPlan | None:
    """The claim templates that the pools' pods may name; ``None`` where none do, or a fault was added."""
    claimed = [pool for pool in pools if isinstance(pool.fabric.exposure, Claims)]
    asked = claims_for(claimed, args.get("claims", {}), args.get("version", releases.KUBERNETES))
    return decide_claim_templates(asked, faults) if claimed else None


def plan_injection(
    args: FabricInjectionArgs,
    pools: Sequence[GivenPool],
    claims: ClaimTemplatesPlan | None,
    faults: Faults,
    at_claims: Faults,
) -> InjectionPlan | None:
    """What is injected into the pods of some pools, which are planned already. ``None`` when a fault was added."""
    engine = args.get("engine", InjectionEngine.NATIVE)
    beta = _check_version(engine, args.get("version", releases.KUBERNETES), args.get("beta", False), faults)
    switch = args.get("annotation", SWITCH)
    _check_switch(switch, faults.at("annotation"))
    offered = args.get("claims", {}).get("namespaces", DEFAULT_NAMESPACES)
    namespaces = args.get("namespaces", offered)
    _check_namespaces(namespaces, offered if _reads(pools) else None, faults.at("namespaces"))
    if claims is None and any(isinstance(pool.fabric.exposure, Claims) for pool in pools):
        return None  # the claim templates have errors of their own
    served = [_served(group, args, pools, claims, at_claims) for group in _groups(pools)]
    patterns = tuple(pattern(each) for each in served if each is not None)
    if faults or not patterns:
        return None
    scope = Scope((switch, *(NEMO_SWITCHES if args.get("nemo") else ())), tuple(namespaces))
    if engine == InjectionEngine.NATIVE:
        policies = (*native(scope, patterns, "v1beta1" if beta else "v1"), *refusing(scope, patterns))
        return InjectionPlan(engine, scope, patterns, policies)
    needs = (
        "injection.engine is kyverno: Kyverno 1.17 or later (chart 3.7) must run before pods are made, and serve "
        "policies.kyverno.io/v1; pods that ask for the fabric are refused while it does not"
    )
    return InjectionPlan(engine, scope, patterns, (*kyverno(scope, patterns), *refusing(scope, patterns)), (needs,))


def _check_version(engine: InjectionEngine, version: str, beta: bool, faults: Faults) -> bool:
    """Whether the beta of the API is meant."""
    if engine != InjectionEngine.NATIVE:
        if beta:
            faults.at("beta").add("is of the native engine; remove it, or set engine: native")
        return False
    if parse(version) is None:
        faults.at("version").add(f"got {version!r}; a Kubernetes version is 1.36 or 1.36.2")
        return False
    if at_least(version, _V1):
        return False
    if not at_least(version, _V1BETA1):
        faults.at("engine").add(f"native needs Kubernetes {_V1} or later, got {version}; raise it, or take kyverno")
    elif not beta:
        faults.at("engine").add(
            f"native needs Kubernetes {_V1} or later, got {version}, where the policies are a beta behind a gate that "
            "managed clusters do not open; take kyverno, or set beta: true where the gate is open"
        )
    return beta


def _check_switch(annotation: str, faults: Faults) -> None:
    if not is_key(annotation):
        faults.add(
            f"got {annotation!r}; an annotation is a name of letters, digits, - _ and ., with a prefix or without"
        )


def _check_namespaces(namespaces: list[str], offered: list[str] | None, faults: Faults) -> None:
    if not namespaces:
        faults.add("empty; name at least one namespace, e.g. default")
    check_taken(namespaces, OUR_NAMESPACES, faults)
    for i, namespace in enumerate(namespaces):
        check_namespace(namespace, namespaces[:i], faults.at(i))
        if offered is not None and namespace not in offered and not faults.at(i):
            faults.at(i).add(
                f"{namespace} has no claim templates and files of the fabric; "
                f"choose from {', '.join(offered)}, or add it to claims.namespaces"
            )


def _reads(pools: Sequence[GivenPool]) -> bool:
    """Whether pods name objects of their namespace."""
    return any(isinstance(pool.fabric.exposure, Claims) or pool.workload.adds.files for pool in pools)


def _groups(pools: Sequence[GivenPool]) -> list[list[GivenPool]]:
    """Pools whose pods are given the same."""
    groups: dict[tuple[str, str, GpuAllocation], list[GivenPool]] = {}
    for pool in pools:
        groups.setdefault((pool.machine.name, pool.fabric.name, pool.allocation), []).append(pool)
    return list(groups.values())


def _served(
    group: Sequence[GivenPool],
    args: FabricInjectionArgs,
    pools: Sequence[GivenPool],
    claims: ClaimTemplatesPlan | None,
    faults: Faults,
) -> Served | None:
    pool = group[0]
    machine, fabric, allocation = pool.machine, pool.fabric, pool.allocation
    offers = claims.by_machine.get(machine.name, ()) if claims else ()
    found = shapes(
        machine, fabric, allocation, [offer.windows for offer in offers if not isinstance(offer.intent, Gpus)]
    )
    if not found:
        faults.add(
            f"no claim template of {machine.name} holds its GPUs, so that its pods cannot be served; offer whole: true"
        )
        return None
    one_way = {id(each) for each in pools if each.machine is machine} == {id(each) for each in group}
    by_machine = {INSTANCE_TYPE: [machine.name]} if one_way else {}
    selector = pool.workload.node_selector if len(group) == 1 or not one_way else {INSTANCE_TYPE: machine.name}
    return Served(
        machine=machine.name,
        name=machine.name.lower().replace("_", "-") + ("" if one_way else f"-{fabric.name}-{allocation.value}"),
        fragment=replace(pool.workload, node_selector=selector).fragment(),
        shapes=found,
        capacity=capacity(machine, fabric),
        no_host_network=no_host_network(fabric),
        names={args["pool_label"]: [each.name for each in group], **by_machine},
        only=len(group) == len(pools),
    )
