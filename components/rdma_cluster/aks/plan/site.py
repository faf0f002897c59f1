"""AKS's GPU pools as the components inside the cluster need them."""

from ...clouds.pools import made_of
from ...incluster.plan.pool import SitePool
from .drivers import AksDrivers
from .machines import BUILDABLE
from .node_pool import AksPool, NodePoolPlan


def on_site(
    pools: list[AksPool], plans: list[NodePoolPlan | None], drivers: AksDrivers, place: tuple[object, ...]
) -> list[SitePool]:
    """The pools of machines that are built; a change of ``place`` makes the nodes of all pools anew."""
    return [
        SitePool(
            pool["name"],
            BUILDABLE[pool["machine"]],
            pool["nodes"],
            drivers.fabric,
            drivers.allocation,
            made_of=made_of(plan, *place, pool["capacity"].get("reservation", {}).get("group"), drivers.on_nodes)
            if plan
            else "",
            disk_gb=plan.os_disk_gb if plan else None,
        )
        for pool, plan in zip(pools, plans, strict=True)
        if pool["machine"] in BUILDABLE
    ]
