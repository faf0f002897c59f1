"""AKS's GPU pools as the components inside the cluster need them."""

from ...clouds.pools import made_of
from ...incluster.plan.pool import SitePool
from .drivers import AksDrivers
from .machines import buildable, row
from .node_pool import AksPool, NodePoolPlan


def on_site(
    pools: list[AksPool], plans: list[NodePoolPlan | None], drivers: AksDrivers, place: tuple[object, ...]
) -> list[SitePool]:
    """The pools of machines that are built; ``place`` is what makes the nodes of all pools anew when it changes."""
    return [
        SitePool(
            pool["name"],
            machine,
            pool["nodes"],
            drivers.fabric,
            drivers.allocation,
            made_of=made_of(plan, *place, _reservation(pool), drivers.on_nodes) if plan else "",
            disk_gb=plan.os_disk_gb if plan else None,
        )
        for pool, plan in zip(pools, plans, strict=True)
        if (machine := row(pool["machine"])) is not None and buildable(machine)
    ]


def _reservation(pool: AksPool) -> object:
    """The pool's capacity reservation group, where it has one."""
    return pool["capacity"].get("reservation", {}).get("group")
