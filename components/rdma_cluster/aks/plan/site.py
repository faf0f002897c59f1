"""What everything inside the cluster is told of AKS's nodes, as far as the pools could be read."""

from ...clouds.pools import made_of
from ...fabrics import Fabric
from ...incluster.plan.pool import SitePool
from .drivers import AksDrivers
from .machines import buildable, row
from .node_pool import AksPool, NodePoolPlan


def on_site(
    pools: list[AksPool], plans: list[NodePoolPlan | None], drivers: AksDrivers, place: tuple[object, ...]
) -> list[SitePool]:
    """The pools of machines that are built, whatever else is wrong with them."""
    found = [_site_pool(pool, f"pools-{i}", drivers.fabric, plans[i], drivers, place) for i, pool in enumerate(pools)]
    return [pool for pool in found if pool is not None]


def _site_pool(
    pool: AksPool,
    stand_in: str,
    fabric: Fabric,
    plan: NodePoolPlan | None,
    drivers: AksDrivers,
    place: tuple[object, ...],
) -> SitePool | None:
    machine = row(pool["machine"])
    if machine is None or not buildable(machine):
        return None
    group = pool["capacity"].get("reservation", {}).get("group")
    return SitePool(
        pool["name"],
        machine,
        pool["nodes"],
        fabric,
        drivers.allocation,
        made_of=(made_of(plan, *place, group, drivers.on_nodes) if plan else ""),
        disk_gb=plan.os_disk_gb if plan else None,
    )
