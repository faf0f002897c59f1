"""What keeps the nodes of a cluster ready."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....catalog import releases
from ....catalog.artifact import mirrored
from ....catalog.faults import REPAIRS, Part
from ....catalog.hosts import HOSTS
from ....catalog.images import JUDGE_PYTHON
from ....catalog.machine import Cloud
from ....errors import ErrorList
from ....fabrics import Claims, GpuAllocation
from ....frozen import frozen
from ....kubernetes_names import check_key, check_taint
from ....versions import at_least, check_form
from ...plan.acceptance import AcceptancePlan, NcclAcceptanceArgs, PoolTest, plan_acceptance
from ...plan.images import check_registries
from ...plan.pool import GpuPool
from ...plan.resolve import resolve_all
from .args import NodeReadinessArgs, OnFault, RenewWhen
from .prover import Prover, prover
from .registration import SINCE, registration_policy
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


def plan_readiness(
    args: NodeReadinessArgs,
    errors: ErrorList,
    pools: Sequence[GpuPool] | None = None,
    of_tests: ErrorList | None = None,
) -> ReadinessPlan | None:
    """The plan of ``NodeReadiness``, or ``None`` with errors; a stack hands over the ``pools`` that it has resolved,
    and the list for errors ``of_tests``."""
    if pools is None:
        pools = resolve_all(args["pools"], errors.at("pools"))
        check_key(args["pool_label"], errors.at("pool_label"))
        check_taint(args["taint"], errors.at("taint"))
        if args["host"] not in HOSTS:
            errors.at("host").add(f"got {args['host']!r}; known are {', '.join(HOSTS)}")
        check_registries(args.get("registries", {}), errors.at("registries"))
    every, version = _renew_seconds(args, errors), args.get("version", releases.KUBERNETES)
    check_form(version, errors.at("version"))
    if not args.get("acceptance", {}).get("enabled", True):
        errors.at("enabled").add(
            "got true; nothing proves a node where acceptance.enabled is false; set the one to false or the other "
            "to true"
        )
    on_fault, evict = args.get("on_fault", OnFault.OBSERVE), args.get("evict", False)
    if evict and on_fault is OnFault.OBSERVE:
        errors.at("evict").add(
            "got true; onFault is observe, which taints nothing; set it to quarantine, or leave evict out"
        )
    if errors:
        return None
    tests = pair_tests(args, pools, errors.at("acceptance") if of_tests is None else of_tests)
    if tests is None:
        return None
    known = {pool.name: pool for pool in pools}
    fingerprints = {test.pool: fingerprint_of(test) for test in tests.tests}
    rings = [_ring(known[test.pool], test, fingerprints[test.pool], args, every) for test in tests.tests]
    registries, image = args.get("registries", {}), args.get("acceptance", {}).get("images", {}).get("python")
    image = image or mirrored(JUDGE_PYTHON.image, registries)
    drivers = any(ring["slices"] for ring in rings)
    mpi = any(ring["template"]["test"]["kind"] == "MPIJob" for ring in rings)
    config = {"poolLabel": args["pool_label"], "pools": rings}
    return ReadinessPlan(
        fingerprints=fingerprints,
        skip_reason=tests.skip_reason,
        prover=prover(config, image, slices=drivers, mpi=mpi) if rings else None,
        registration=_registration(args, list(fingerprints)) if at_least(version, SINCE) else None,
        renew_seconds=every,
        on_fault=on_fault,
        watcher=plan_watcher(pools, args["pool_label"], on_fault, evict, image, fingerprints),
        warnings=(
            *(
                f"readiness: nodes of pool {pool} take work as soon as they are Ready: {reason}"
                for pool, reason in tests.skip_reason.items()
            ),
            *(_repair_warnings(HOSTS[args["host"]].cloud) if on_fault is OnFault.REPAIR else ()),
        ),
    )


def _repair_warnings(cloud: Cloud) -> tuple[str, ...]:
    """What the cloud repairs, by which switch, and what becomes of reserved capacity."""
    repair = REPAIRS[cloud]
    by = "; ".join(f"of a {part.value}: {repair.by_part[part].partition(' (')[0]}" for part in (Part.GPU, Part.NIC))
    return (
        f"readiness.onFault is repair; {cloud.value.upper()}'s own switch: {repair.switch}. Who repairs faults {by}. "
        f"Reserved capacity: {repair.reserved}",
    )


def _registration(args: NodeReadinessArgs, pools: Sequence[str]) -> dict[str, Any] | None:
    taints = pools and args.get("taint_on_join", True)
    return registration_policy(args["pool_label"], pools) if taints else None


def pair_tests(args: NodeReadinessArgs, pools: Sequence[GpuPool], errors: ErrorList) -> AcceptancePlan | None:
    """What `up` would run for pools of two nodes each, by their NICs: the prover fills it in for others. A pool of one
    node has no neighbour; one whose nodes come later is proved then."""
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
    options = {
        key: value for key, value in args.get("acceptance", {}).items() if key not in ("rerun", "taint_suspects")
    }
    of_test = NcclAcceptanceArgs(
        **options,
        registries=dict(args.get("registries", {})),
        pools=[pool.as_args("nodes", "skip_reason") for pool in tested],
        pool_label=args["pool_label"],
        taint=args["taint"],
        other_taints=dict(args.get("other_taints", {})),
        version=args.get("version", releases.KUBERNETES),
        fingerprints={},
    )
    return plan_acceptance(of_test, errors, tested)


def fingerprint_of(test: PoolTest) -> str:
    """A digest of all that a test of two nodes proves, as its name has it."""
    return (test.mpi_job or test.job)["metadata"]["name"].rpartition("-")[2]


def _ring(
    pool: GpuPool, test: PoolTest, fingerprint: str, args: NodeReadinessArgs, renew_seconds: int
) -> dict[str, Any]:
    """What the prover knows of a pool."""
    machine, attachment = pool.machine, pool.fabric.nic_attachment
    slices: dict[str, int] = {}
    if isinstance(attachment, Claims):
        slices[attachment.driver] = machine.nics
        if pool.allocation == GpuAllocation.DRA:
            slices["gpu.nvidia.com"] = machine.gpus
    return {
        "name": pool.name,
        "short": test.short,
        "pullSecret": args.get("pull_secret_name", ""),
        "fingerprint": fingerprint,
        "holds": not args.get("leave_existing", False),
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
    """What ``in_pod/fill.py`` makes the tests of a pool from."""
    made, measure = test.mpi_job or test.job, test.measure
    return {
        "name": made["metadata"]["name"],
        "host": f"nccl-{test.short}",
        "config": f"nccl-expect-{test.short}",
        "test": made,
        "service": test.service,
        "expectation": test.config["expectation.json"],
        "collectives": 1 + len(measure.also),
        "ready_seconds": measure.ready_seconds,
        "pair_seconds": measure.pair_seconds,
        "seconds": measure.seconds,
    }


def _renew_seconds(args: NodeReadinessArgs, errors: ErrorList) -> int:
    """How old a proof may be; 0 is any age."""
    renew = args.get("renew", {})
    if renew.get("when", RenewWhen.IDLE) == RenewWhen.NEVER:
        return 0
    every = renew.get("every", "7d")
    match = _EVERY.fullmatch(every)
    if match is None:
        errors.at("renew", "every").add(f"got {every!r}; write hours or days, e.g. 12h or 7d")
        return 0
    return int(match[1]) * _SECONDS[match[2]]
