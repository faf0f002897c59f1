"""The GPU pools of a GKE stack, as the in-cluster plan reads them."""

from collections.abc import Mapping, Sequence

from ...common.fingerprint import fingerprint, listed
from ...incluster.plan.pool import GpuPool, InClusterPool, ProvisioningClass
from .capacity import QUEUED_TAINT, scales_from_zero, why_no_nodes, why_none_of
from .fabric import PoolFabric, known_machines
from .node_pool import GkeNodePoolPlan, GkePool
from .placement import ARM_TAINT

_LOCAL_SSD_GB = 375  # cloud.google.com/compute/docs/disks/local-ssd; all of them are given to pods
# Nodes of a reservation have these labels; of other nodes it is not known, and a job that asks for a missing label
# never starts.
_LEVELS = ("cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock")
# docs.cloud.google.com/kubernetes-engine/docs/how-to/provisioningrequest; without the label another job may take the
# nodes (a maintainer of Kueue on GKE, xpk's queues are the same; 2026-11-23).
_QUEUED = ProvisioningClass(
    "queued-provisioning.gke.io", "autoscaling.gke.io/provisioning-request", "ResizeRequestName"
)


def other_taints(pools: Sequence[GkePool], fabrics: Sequence[PoolFabric]) -> dict[str, str]:
    """The taints that GKE itself puts on nodes of some pools."""
    queued = any(pool["capacity"].get("queued") for pool in pools)
    arm = any(machine.architecture == "arm64" for machine in known_machines(fabrics))
    return {**(QUEUED_TAINT if queued else {}), **(ARM_TAINT if arm else {})}


def gpu_pools(
    pools: Sequence[GkePool],
    fabrics: Sequence[PoolFabric],
    plans: Sequence[GkeNodePoolPlan | None],
    place: Mapping[str, object],
) -> list[GpuPool]:
    """The pools that have a fabric, even where they have other errors; ``place`` goes into ``fingerprint``."""
    return [
        GpuPool(
            pool["name"],
            machine,
            pool["nodes"],
            of_pool.fabric,
            of_pool.allocation,
            skip_reason=why_no_nodes(pool["capacity"]),
            fingerprint=fingerprint(plan, place) if plan else "",
            comes_later=bool(why_no_nodes(pool["capacity"])),
            scales_from_zero=scales_from_zero(pool["capacity"]),
            provisioning=_QUEUED if pool["capacity"].get("queued") else None,
            levels=_LEVELS if pool["capacity"].get("reservation") else (),
            disk_gb=machine.local_ssds and machine.local_ssds * _LOCAL_SSD_GB,
        )
        for pool, of_pool, plan in zip(pools, fabrics, plans, strict=True)
        if of_pool.fabric and (machine := of_pool.machine)
    ]


def listed_pool(plan: GkeNodePoolPlan) -> InClusterPool:
    """A pool that a program joins to a cluster by hand."""
    digest = fingerprint(plan, {"zone": plan.place.zone})
    return listed(plan, digest, why_none_of(plan.capacity, plan.begun))
