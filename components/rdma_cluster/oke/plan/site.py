"""What everything inside the cluster is told of OKE's nodes, as far as the pools could be read."""

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


def known(pools: list[OkePool], adopted: list[OkeAdoptedPool]) -> list[tuple[str, OkeMachine, GpuAllocation]]:
    """Name, shape and GPU allocation of the pools of shapes that are built, whatever else is wrong with them."""
    found = [_one(pool, allocation_of(pool)) for pool in pools]
    found += [_one(pool, GpuAllocation.DEVICE_PLUGIN) for pool in adopted]
    return [each for each in found if each is not None]


def claimed(pools: list[OkePool]) -> list[str]:
    """The pools whose GPUs are handed out by claims."""
    allocations = [allocation_of(pool) for pool in pools]
    return [f"pools[{i}]" for i, each in enumerate(allocations) if each == GpuAllocation.DRA]


def _one(pool: OkePool | OkeAdoptedPool, allocation: GpuAllocation) -> tuple[str, OkeMachine, GpuAllocation] | None:
    machine = BUILDABLE.get(pool["machine"])
    return None if machine is None else (pool["name"], machine, allocation)


def nodes_of(pool: NodePoolPlan, zone: str, cluster: ClusterPlan | None, network: NetworkPlan | None) -> str:
    """A digest of what gives the pool other nodes. A new template or version gives new nodes to nobody who is there."""
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
    made_of_what: Mapping[str, str],
    cuda: Mapping[str, str | None],
) -> list[SitePool]:
    """The pools as what runs on them must know them."""
    nodes = {pool["name"]: pool["nodes"] for pool in (*pools, *adopted)}
    return [
        SitePool(
            name,
            machine,
            nodes[name],
            with_tests(rdma.fabric, cuda.get(name)),
            allocation,
            not_proven=not_proven(machine),
            made_of=made_of_what.get(name, ""),
        )
        for name, machine, allocation in known(pools, adopted)
    ]
