"""What keeps the nodes of a cluster ready."""

from collections.abc import Sequence

from ....catalog.faults import REPAIRS, Part
from ....catalog.hosts import HOSTS
from ....catalog.machine import Cloud
from ....errors import ErrorList
from ....frozen import frozen
from ....kubernetes_names import check_key, check_taint
from ...plan.images import check_registries
from ...plan.pool import GpuPool
from ...plan.resolve import resolve_all
from .args import NodeReadinessArgs, OnFault
from .watcher import WatcherPlan, plan_watcher


@frozen
class ReadinessPlan:
    """What ``NodeReadiness`` makes."""

    pools: tuple[str, ...]
    """Pools whose nodes are kept ready."""
    on_fault: OnFault
    watcher: WatcherPlan
    """What sees faults of the nodes."""
    warnings: tuple[str, ...] = ()


def plan_readiness(
    args: NodeReadinessArgs, errors: ErrorList, pools: Sequence[GpuPool] | None = None
) -> ReadinessPlan | None:
    """The plan of ``NodeReadiness``, or ``None`` with errors; a stack hands over the ``pools`` that it has resolved."""
    if pools is None:
        pools = resolve_all(args["pools"], errors.at("pools"))
        check_key(args["pool_label"], errors.at("pool_label"))
        check_taint(args["taint"], errors.at("taint"))
        if args["host"] not in HOSTS:
            errors.at("host").add(f"got {args['host']!r}; known are {', '.join(HOSTS)}")
        check_registries(args.get("registries", {}), errors.at("registries"))
    on_fault, evict = args.get("on_fault", OnFault.OBSERVE), args.get("evict", False)
    if evict and on_fault is OnFault.OBSERVE:
        errors.at("evict").add(
            "got true; onFault is observe, which taints nothing; set it to quarantine, or leave evict out"
        )
    if errors:
        return None
    return ReadinessPlan(
        pools=tuple(pool.name for pool in pools),
        on_fault=on_fault,
        watcher=plan_watcher(pools, args["pool_label"], on_fault, evict, args.get("registries", {})),
        warnings=_repair_warnings(HOSTS[args["host"]].cloud) if on_fault is OnFault.REPAIR else (),
    )


def _repair_warnings(cloud: Cloud) -> tuple[str, ...]:
    """What the cloud repairs and by which switch, and what becomes of reserved capacity, before anybody counts "
    "on it."""
    repair = REPAIRS[cloud]
    by = "; ".join(f"of a {part.value}: {repair.by_part[part].partition(' (')[0]}" for part in (Part.GPU, Part.NIC))
    return (
        f"readiness.onFault is repair; {cloud.value.upper()}'s own switch: {repair.switch}. Who repairs faults {by}. "
        f"Reserved capacity: {repair.reserved}",
    )
