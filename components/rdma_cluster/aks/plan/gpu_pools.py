"""AKS's GPU pools as the components inside the cluster need them."""

from collections.abc import Mapping
from dataclasses import replace

from pulumi_offline.errors import ErrorList
from ...common.fingerprint import fingerprint, listed
from ...incluster.plan.pool import GpuPool, InClusterPool
from .drivers import AksDriverOptions, AksDrivers, plan_drivers
from .machines import BUILDABLE
from .node_pool import AksNodePoolPlan, AksPool


def gpu_pools(
    pools: list[AksPool], plans: list[AksNodePoolPlan | None], drivers: AksDrivers, place: Mapping[str, object]
) -> list[GpuPool]:
    """The pools whose machine can be built; a change of ``place`` replaces the nodes of all pools."""
    return [
        GpuPool(
            pool["name"],
            BUILDABLE[pool["machine"]],
            pool["nodes"],
            drivers.fabric,
            drivers.allocation,
            fingerprint=_digest(plan, drivers, place) if plan else "",
            disk_gb=plan.os_disk_gb if plan else None,
        )
        for pool, plan in zip(pools, plans, strict=True)
        if pool["machine"] in BUILDABLE
    ]


def _digest(plan: AksNodePoolPlan, drivers: AksDrivers, place: Mapping[str, object]) -> str:
    """A digest of all that gives the pool other nodes. Its reservation group counts as a part of the place."""
    place = {**place, "reservation": plan.reservation_group, "drivers": drivers.on_nodes}
    return fingerprint(replace(plan, reservation_group=None), place)


def listed_pool(plan: AksNodePoolPlan) -> InClusterPool:
    """A pool that a program joins to a cluster by hand, with the drivers that its operators have by default."""
    drivers = plan_drivers(AksDriverOptions(gpu_driver=plan.gpu_driver), [plan.gpu_allocation], ErrorList())
    return listed(plan, _digest(plan, drivers, {"zone": plan.zone}))
