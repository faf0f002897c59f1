"""OKE's GPU pools as the components inside the cluster need them."""

from collections.abc import Mapping
from dataclasses import replace

from ...catalog.oke import OkeMachine
from ...clouds.pools import made_of
from ...fabrics import GpuAllocation
from ...incluster.plan.pool import SitePool
from .adopt import OkeAdoptedPool
from .cluster import ClusterPlan
from .machines import BUILDABLE
from .network import NetworkPlan
from .node_pool import NodePoolPlan, OkePool, allocation_of
from .proof import not_proven, with_tests
from .rdma import RdmaPlan


def machines_of(pools: list[OkePool], adopted: list[OkeAdoptedPool]) -> list[OkeMachine]:
    """The shapes of the pools, without those that are not built."""
    names = [pool["machine"] for pool in (*pools, *adopted)]
    return [BUILDABLE[name] for name in names if name in BUILDABLE]


def claimed(pools: list[OkePool]) -> list[str]:
    """The pools whose GPUs are handed out by claims."""
    return [f"pools[{i}]" for i, pool in enumerate(pools) if allocation_of(pool) == GpuAllocation.DRA]


def nodes_of(pool: NodePoolPlan, zone: str, cluster: ClusterPlan | None, network: NetworkPlan | None) -> str:
    """A digest of everything that replaces the pool's nodes. A new template or version replaces none that exist."""
    nodes = replace(pool, user_data="", boot_digest="", version="")
    return made_of(
        nodes,
        zone,
        cluster and (cluster.identifier, cluster.service_cidr),
        network and (network.cidr, network.cuts, network.ipv6_cidr),
    )


def on_site(
    pools: list[OkePool],
    adopted: list[OkeAdoptedPool],
    rdma: RdmaPlan,
    fingerprints: Mapping[str, str],
    cuda: Mapping[str, str | None],
) -> list[SitePool]:
    """The pools of shapes that are built; ``fingerprints`` and ``cuda`` go by pool."""
    allocations: list[tuple[OkePool | OkeAdoptedPool, GpuAllocation]] = [(pool, allocation_of(pool)) for pool in pools]
    allocations += [(pool, GpuAllocation.DEVICE_PLUGIN) for pool in adopted]
    return [
        SitePool(
            pool["name"],
            machine,
            pool["nodes"],
            with_tests(rdma.fabric, cuda.get(pool["name"])),
            allocation,
            not_proven=not_proven(machine),
            made_of=fingerprints.get(pool["name"], ""),
        )
        for pool, allocation in allocations
        if (machine := BUILDABLE.get(pool["machine"])) is not None
    ]
