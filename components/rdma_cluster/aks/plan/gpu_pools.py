"""AKS's GPU pools as the components inside the cluster need them."""

from ...common.pools import fingerprint
from ...incluster.plan.pool import GpuPool
from .drivers import AksDrivers
from .machines import BUILDABLE
from .node_pool import AksNodePoolPlan, AksPool


def gpu_pools(
    pools: list[AksPool], plans: list[AksNodePoolPlan | None], drivers: AksDrivers, place: tuple[object, ...]
) -> list[GpuPool]:
    """The pools of machines that are built; a change of ``place`` makes the nodes of all pools anew."""
    return [
        GpuPool(
            pool["name"],
            BUILDABLE[pool["machine"]],
            pool["nodes"],
            drivers.fabric,
            drivers.allocation,
            fingerprint=fingerprint(
                plan, *place, pool["capacity"].get("reservation", {}).get("group"), drivers.on_nodes
            )
            if plan
            else "",
            disk_gb=plan.os_disk_gb if plan else None,
        )
        for pool, plan in zip(pools, plans, strict=True)
        if pool["machine"] in BUILDABLE
    ]
