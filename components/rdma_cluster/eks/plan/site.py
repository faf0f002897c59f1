"""What everything inside the cluster is told of EKS's nodes, as far as the pools could be read."""

from ...clouds.pools import allocation_of, made_of
from ...incluster.plan.pool import SitePool
from .devices import FABRICS
from .machines import BUILDABLE
from .node_pool import BOOT_DISK_WITHOUT_LOCAL_GB, EksPool, NodePoolPlan


def on_site(pools: list[EksPool], plans: list[NodePoolPlan | None], place: tuple[object, ...]) -> list[SitePool]:
    """The pools of machines that are built, whatever else is wrong with them."""
    found = [_site_pool(pool, f"pools-{i}", plans[i], place) for i, pool in enumerate(pools)]
    return [pool for pool in found if pool is not None]


def _site_pool(pool: EksPool, stand_in: str, plan: NodePoolPlan | None, place: tuple[object, ...]) -> SitePool | None:
    machine, allocation = BUILDABLE.get(pool["machine"]), allocation_of(pool)
    if machine is None:
        return None
    return SitePool(
        pool["name"],
        machine,
        pool["nodes"],
        FABRICS[allocation],
        allocation,
        made_of=made_of(plan, *place, pool.get("release_version")) if plan else "",
        levels=machine.network_layers,
        disk_gb=machine.nvme_gb or BOOT_DISK_WITHOUT_LOCAL_GB,
    )
