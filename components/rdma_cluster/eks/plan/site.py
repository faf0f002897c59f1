"""The GPU pools of an EKS stack, as the in-cluster plan reads them."""

from ...clouds.pools import allocation_of, made_of
from ...incluster.plan.pool import SitePool
from .devices import FABRICS
from .machines import BUILDABLE
from .node_pool import BOOT_DISK_WITHOUT_LOCAL_GB, EksPool, NodePoolPlan


def on_site(pools: list[EksPool], plans: list[NodePoolPlan | None], place: tuple[object, ...]) -> list[SitePool]:
    """The pools whose machine can be built, even where they have other errors; ``place`` goes into ``made_of``."""
    return [
        SitePool(
            pool["name"],
            machine,
            pool["nodes"],
            FABRICS[allocation_of(pool)],
            allocation_of(pool),
            made_of=made_of(plan, *place, pool.get("release_version")) if plan else "",
            levels=machine.network_layers,
            disk_gb=machine.nvme_gb or BOOT_DISK_WITHOUT_LOCAL_GB,
        )
        for pool, plan in zip(pools, plans, strict=True)
        if (machine := BUILDABLE.get(pool["machine"])) is not None
    ]
