"""The GPU pools of an EKS stack, as the in-cluster plan reads them."""

from collections.abc import Mapping
from dataclasses import replace

from ...common.fingerprint import fingerprint, listed
from ...common.pools import allocation_of
from ...incluster.plan.pool import GpuPool, InClusterPool
from .devices import FABRICS
from .machines import BUILDABLE
from .node_pool import BOOT_DISK_WITHOUT_LOCAL_GB, EksNodePoolPlan, EksPool


def gpu_pools(pools: list[EksPool], plans: list[EksNodePoolPlan | None], place: Mapping[str, object]) -> list[GpuPool]:
    """The pools whose machine can be built, even where they have other errors; ``place`` goes into each digest."""
    return [
        GpuPool(
            pool["name"],
            machine,
            pool["nodes"],
            FABRICS[allocation_of(pool)],
            allocation_of(pool),
            fingerprint=_digest(plan, place) if plan else "",
            levels=machine.network_layers,
            disk_gb=machine.nvme_gb or BOOT_DISK_WITHOUT_LOCAL_GB,
        )
        for pool, plan in zip(pools, plans, strict=True)
        if (machine := BUILDABLE.get(pool["machine"])) is not None
    ]


def _digest(plan: EksNodePoolPlan, place: Mapping[str, object]) -> str:
    """A digest of what gives a pool other nodes. The image's release counts as a part of the place."""
    named = replace(plan, release_version=None, placement_group=None)
    return fingerprint(named, {**place, "release": plan.release_version})


def listed_pool(plan: EksNodePoolPlan) -> InClusterPool:
    """A pool that a program joins to a cluster by hand."""
    return listed(plan, _digest(plan, {}))
