"""The moon left of the wall: machines of the catalogue that somebody put into a cluster there."""

from dataclasses import dataclass
from typing import NotRequired

from rdma_cluster.args import shape
from rdma_cluster.catalog import Capacity, find
from rdma_cluster.clouds.pools import GPU_TAINT, PoolPlan, allocation_of, check_nodes, check_pools
from rdma_cluster.clouds.stack import planner
from rdma_cluster.clouds.summary import Summary, machine_rows, summary_of
from rdma_cluster.fabrics import FABRICS, GpuAllocation
from rdma_cluster.faults import Faults
from rdma_cluster.incluster.plan.acceptance import AcceptanceChoice
from rdma_cluster.incluster.plan.claim_templates import ClaimChoice
from rdma_cluster.incluster.plan.dra_drivers import DriverChoice
from rdma_cluster.incluster.plan.pool import SitePool
from rdma_cluster.incluster.plan.site import Site, WholeChoice
from rdma_cluster.incluster.plan.whole import WholePlan, decide_whole
from typing_extensions import TypedDict

MACHINE = "a3-ultragpu-8g"


@shape
class MoonPool(TypedDict):
    """Some nodes."""

    name: str
    """Name."""
    nodes: int
    """How many."""
    gpu_allocation: NotRequired[GpuAllocation]
    """Who hands out the GPUs."""


@shape
class MoonRdmaClusterArgs(TypedDict):
    """A cluster on the moon."""

    crater: str
    """Where it stands."""
    pools: list[MoonPool]
    """Its nodes."""
    kubernetes: NotRequired[dict[str, str]]
    """Nothing to choose; every stack file has these three."""
    network: NotRequired[dict[str, str]]
    """Nothing to choose."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold charts and images."""
    claims: NotRequired[ClaimChoice]
    """Which claim templates to offer."""
    drivers: NotRequired[DriverChoice]
    """Who brings which driver."""
    acceptance: NotRequired[AcceptanceChoice]
    """How the fabric is proved."""


@dataclass(frozen=True)
class RdmaClusterPlan:
    """What ``MoonRdmaCluster`` builds."""

    args: MoonRdmaClusterArgs
    crater: str
    pools: tuple[PoolPlan, ...]
    whole: WholePlan


STACK_KEYS = {"moon:crater": "crater"}
STACK_ARGS = MoonRdmaClusterArgs
EXAMPLE = {"crater": "tycho", "pools": [{"name": "rover", "nodes": 2}]}


def decide_rdma_cluster(args: MoonRdmaClusterArgs, name: str, faults: Faults) -> RdmaClusterPlan | None:
    """All choices."""
    machine, fabric = find(MACHINE), FABRICS["gib"]
    assert machine is not None
    check_pools(args["pools"], faults.at("pools"))
    for i, pool in enumerate(args["pools"]):
        check_nodes(pool["nodes"], faults.at("pools", i, "nodes"))
    whole = decide_whole(
        Site("cos", "1.35", "moon.example/pool", GPU_TAINT[:2], makes_namespaces=True),
        [SitePool(pool["name"], machine, pool["nodes"], fabric, allocation_of(pool)) for pool in args["pools"]],
        WholeChoice(
            args.get("drivers", {}), args.get("claims", {}), args.get("acceptance", {}), args.get("registries", {})
        ),
        faults,
    )
    if faults or whole is None:
        return None
    pools = tuple(
        PoolPlan(
            name=pool["name"],
            machine=machine,
            nodes=pool["nodes"],
            fabric=fabric,
            gpu_allocation=allocation_of(pool),
            capacity=Capacity.ON_DEMAND,
            reservation=None,
            auto_repair=True,
            labels={},
            create_minutes=60,
            warnings=(),
        )
        for pool in args["pools"]
    )
    return RdmaClusterPlan(args, args["crater"], pools, whole)


plan_rdma_cluster = planner(MoonRdmaClusterArgs, decide_rdma_cluster)


def summarise(plan: RdmaClusterPlan) -> Summary:
    """The plan in words and numbers."""
    return summary_of(
        plan.pools,
        plan.whole,
        plan.whole.warnings,
        cluster={"crater": plan.crater},
        pool_columns=lambda pool: {},
        rails=lambda pool: machine_rows(pool.machine),
        addresses=[],
        versions=[],
    )
