"""What keeps the nodes of a cluster ready."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from rdma_agent.names import GPU_DRIVER
from ....base.versions import at_least, check_form
from ....catalog.artifact import mirrored
from ....catalog.clouds import CLOUD_FACTS, HOSTS
from ....catalog.images import JUDGE_PYTHON
from ....fabrics import Claims, GpuAllocation
from ...plan.acceptance import AcceptanceOptions, AcceptancePlan, PoolTest, plan_acceptance_on
from ...plan.acceptance.pod import expectation_name
from ...plan.acceptance.rests_on import digest
from ...plan.context import ClusterContext, context_of
from ...plan.pool import GpuPool
from ...plan.resolve import check_cluster, resolve_all
from .args import NodeReadinessArgs, OnFault, ReadinessSettings, RenewWhen
from .policies import SINCE, registration_policy
from .prover import Prover, prover
from .watcher import WatcherPlan, plan_watcher

_EVERY = re.compile(r"([1-9]\d{0,3})([hd])")
_SECONDS = {"h": 3600, "d": 86400}


@frozen
class ReadinessPlan:
    """What ``NodeReadiness`` makes."""

    fingerprints: dict[str, str]
    """Of what a node shows that passes, by pool: the pools whose nodes are proved."""
    skip_reason: dict[str, str]
    """Pools whose nodes are not held, with the reason."""
    prover: Prover | None
    """``None`` where no pool's nodes can be proved."""
    registration: dict[str, Any] | None
    """Spec of the policy that taints nodes as they register; ``None`` where their cloud does, or Kubernetes cannot."""
    renew_seconds: int
    """At which age the proof of an idle node is renewed; 0 is at none."""
    on_fault: OnFault
    watcher: WatcherPlan
    """What sees faults of the nodes."""
    warnings: tuple[str, ...] = ()


def plan_readiness(args: NodeReadinessArgs, errors: ErrorList) -> ReadinessPlan | None:
    """Plan ``NodeReadiness`` used alone. Returns ``None`` when an error was added."""
    pools, context = resolve_all(args["pools"], errors.at("pools")), context_of(args)
    check_cluster(args, errors)
    check_form(context.version, errors.at("version"))
    return plan_readiness_on(args, pools, context, args.get("acceptance", {}), errors, errors.at("acceptance"))


def plan_readiness_on(
    options: ReadinessSettings,
    pools: Sequence[GpuPool],
    context: ClusterContext,
    acceptance: AcceptanceOptions,
    errors: ErrorList,
    of_tests: ErrorList,
) -> ReadinessPlan | None:
    """Plan what keeps the nodes of ``pools`` ready. Returns ``None`` when an error was added.

    ``acceptance`` says how their fabric is proved, and ``of_tests`` collects its errors.
    """
    every = _renew_seconds(options, errors)
    if not acceptance.get("enabled", True):
        errors.at("enabled").add(
            "got true; nothing proves a node where acceptance.enabled is false; set the one to false or the other "
            "to true"
        )
    on_fault, evict = options.get("on_fault", OnFault.OBSERVE), options.get("evict", False)
    if evict and on_fault is OnFault.OBSERVE:
        errors.at("evict").add(
            "got true; onFault is observe, which taints nothing; set it to quarantine, or leave evict out"
        )
    if errors:
        return None
    tests = pair_tests(acceptance, pools, context, of_tests)
    if tests is None:
        return None
    known = {pool.name: pool for pool in pools}
    fingerprints = {test.pool: fingerprint_of(test) for test in tests.tests}
    rings: list[dict[str, Any]] = [
        {
            **_ring(known[test.pool], test, fingerprints[test.pool], every),
            "pullSecret": context.pull_secret,
            "holds": not options.get("leave_existing", False),
        }
        for test in tests.tests
    ]
    image = acceptance.get("images", {}).get("python") or mirrored(JUDGE_PYTHON.image, context.registries)
    drivers = any(ring["slices"] for ring in rings)
    mpi = any(ring["template"]["test"]["kind"] == "MPIJob" for ring in rings)
    config = {"poolLabel": context.pool_label, "pools": rings}
    return ReadinessPlan(
        fingerprints=fingerprints,
        skip_reason=tests.skip_reason,
        prover=prover(config, image, slices=drivers, mpi=mpi) if rings else None,
        registration=_registration(context, list(fingerprints)),
        renew_seconds=every,
        on_fault=on_fault,
        watcher=plan_watcher(pools, context.pool_label, on_fault, evict, image, fingerprints),
        warnings=(
            *(
                f"readiness: nodes of pool {pool} take work as soon as they are Ready: {reason}"
                for pool, reason in tests.skip_reason.items()
            ),
            *(_repair_warnings(HOSTS[context.host].cloud) if on_fault is OnFault.REPAIR else ()),
        ),
    )


def _repair_warnings(cloud: str) -> tuple[str, ...]:
    """What the cloud repairs, by which switch, and what becomes of reserved capacity."""
    repair = CLOUD_FACTS[cloud].repair
    by = "; ".join(f"of a {part}: {who.partition(' (')[0]}" for part, who in (("GPU", repair.gpu), ("NIC", repair.nic)))
    return (
        f"readiness.onFault is repair; {cloud.upper()}'s own switch: {repair.switch}. Who repairs faults {by}. "
        f"Reserved capacity: {repair.reserved}",
    )


def _registration(context: ClusterContext, pools: Sequence[str]) -> dict[str, Any] | None:
    """The policy that taints nodes of ``pools`` as they register, where their cloud does not and Kubernetes can."""
    taints = pools and not context.pools_taint and at_least(context.version, SINCE)
    return registration_policy(context.pool_label, pools) if taints else None


def pair_tests(
    acceptance: AcceptanceOptions, pools: Sequence[GpuPool], context: ClusterContext, errors: ErrorList
) -> AcceptancePlan | None:
    """What `up` would run for pools of two nodes each, by their NICs: the prover fills it in for others.

    A pool of one node has no neighbour; one whose nodes come later is proved then.
    """
    tested = [
        replace(
            pool,
            nodes=min(pool.nodes, 2),
            skip_reason="" if pool.comes_later else pool.skip_reason,
            fingerprint="",
            channels=False,
        )
        for pool in pools
    ]
    options = AcceptanceOptions(**{k: of for k, of in acceptance.items() if k not in ("rerun", "taint_suspects")})
    return plan_acceptance_on(options, tested, replace(context, driver_seconds=0), errors, {})


def fingerprint_of(test: PoolTest) -> str:
    """A digest of the values on which the proof of two nodes rests."""
    return digest(test.values)


def _ring(pool: GpuPool, test: PoolTest, fingerprint: str, renew_seconds: int) -> dict[str, Any]:
    """What the prover knows of a pool, but for what the user chooses for all."""
    machine, attachment = pool.machine, pool.fabric.nic_attachment
    slices: dict[str, int] = {}
    if isinstance(attachment, Claims):
        slices[attachment.driver] = machine.nics
        if pool.allocation == GpuAllocation.DRA:
            slices[GPU_DRIVER] = machine.gpus
    return {
        "name": pool.name,
        "short": test.short,
        "fingerprint": fingerprint,
        "renewSeconds": renew_seconds,
        "resources": {
            name: int(count)
            for name, count in test.measure.workload.pod_patch()["resources"].get("limits", {}).items()
            if "/" in name  # an extended resource; what has no domain is counted in bytes
        },
        "slices": slices,
        "template": template_of(test),
    }


def template_of(test: PoolTest) -> dict[str, Any]:
    """What ``rdma_agent.prover.fill`` makes the tests of a pool from."""
    made, measure = test.test, test.measure
    return {
        "name": made["metadata"]["name"],
        "host": f"nccl-{test.short}",
        "config": expectation_name(test.short),
        "test": made,
        "service": test.service,
        "expectation": test.config["expectation.json"],
        "collectives": 1 + len(measure.also),
        "ready_seconds": measure.ready_seconds,
        "pair_seconds": measure.pair_seconds,
        "seconds": measure.seconds,
    }


def _renew_seconds(options: ReadinessSettings, errors: ErrorList) -> int:
    """How old a proof may be; 0 is any age."""
    renew = options.get("renew", {})
    if renew.get("when", RenewWhen.IDLE) == RenewWhen.NEVER:
        return 0
    every = renew.get("every", "7d")
    match = _EVERY.fullmatch(every)
    if match is None:
        errors.at("renew", "every").add(f"got {every!r}; write hours or days, e.g. 12h or 7d")
        return 0
    return int(match[1]) * _SECONDS[match[2]]
