"""AKS's GPU pools as the components inside the cluster need them."""

from collections.abc import Mapping

from ...common.fingerprint import fingerprint
from ...incluster.plan.pool import GpuPool
from .drivers import AksDrivers
from .machines import BUILDABLE
from .node_pool import AksNodePoolPlan, AksPool


def gpu_pools(
    pools: list[AksPool], plans: list[AksNodePoolPlan | None], drivers: AksDrivers, place: Mapping[str, object]
) -> list[GpuPool]:
    """The pools of machines that are built; a change of ``place`` makes the nodes of all pools anew."""
    return [
        GpuPool(
            pool["name"],
            BUILDABLE[pool["machine"]],
            pool["nodes"],
            drivers.fabric,
            drivers.allocation,
            fingerprint=_nodes_of(plan, pool, drivers, place) if plan else "",
            disk_gb=plan.os_disk_gb if plan else None,
        )
        for pool, plan in zip(pools, plans, strict=True)
        if pool["machine"] in BUILDABLE
    ]


def _nodes_of(plan: AksNodePoolPlan, pool: AksPool, drivers: AksDrivers, place: Mapping[str, object]) -> str:
    """A digest of all that gives the pool other nodes."""
    group = pool["capacity"].get("reservation", {}).get("group")
    return fingerprint(plan, {**place, "reservation": group, "drivers": drivers.on_nodes})
