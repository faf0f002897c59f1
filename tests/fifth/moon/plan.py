"""The moon left of the wall: a pool names a platform and a preset of it, which together are a machine."""

from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from rdma_cluster.base.args import args_schema
from rdma_cluster.catalog import Capacity, Machine, find
from rdma_cluster.common.names import unknown_machine
from rdma_cluster.common.pools import GPU_TAINT, PoolPlan, allocation_of, check_nodes, check_pools
from rdma_cluster.common.stack import planner
from rdma_cluster.common.summary import Summary, machine_rows, summarise_plan, summary_of
from rdma_cluster.fabrics import FABRICS, GpuAllocation
from rdma_cluster.incluster.plan.acceptance import AcceptanceOptions
from rdma_cluster.incluster.plan.claim_templates import ClaimOptions
from rdma_cluster.incluster.plan.context import ClusterContext, InClusterOptions
from rdma_cluster.incluster.plan.dra_drivers import DriverOptions
from rdma_cluster.incluster.plan.in_cluster import InClusterPlan, plan_in_cluster
from rdma_cluster.incluster.plan.pool import GpuPool
from typing_extensions import TypedDict


@args_schema
class MoonPool(TypedDict):
    """Some nodes."""

    name: str
    """Name."""
    platform: str
    """The kind of its machines."""
    preset: str
    """Their size."""
    nodes: int
    """How many."""
    gpu_allocation: NotRequired[GpuAllocation]
    """Who hands out the GPUs."""


@args_schema
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
    claims: NotRequired[ClaimOptions]
    """Which claim templates to offer."""
    drivers: NotRequired[DriverOptions]
    """Who brings which driver."""
    acceptance: NotRequired[AcceptanceOptions]
    """How the fabric is proved."""


@frozen
class MoonRdmaClusterPlan:
    """What ``MoonRdmaCluster`` builds."""

    args: MoonRdmaClusterArgs
    crater: str
    pools: tuple[PoolPlan, ...]
    in_cluster: InClusterPlan


STACK_KEYS = {"moon:crater": "crater"}
STACK_ARGS = MoonRdmaClusterArgs
EXAMPLE = {
    "crater": "tycho",
    "pools": [{"name": "rover", "platform": "gpu-l9-sxm", "preset": "8gpu-96vcpu-1200gb", "nodes": 2}],
}


def machine_for(pool: MoonPool, errors: ErrorList) -> Machine | None:
    """The row of a pool's two words, or an error."""
    name = f"{pool['platform']}.{pool['preset']}"
    if (machine := find(name, "moon")) is None:
        errors.at("preset").add(unknown_machine(name, "moon"))
    return machine


def plan_rdma_cluster(args: MoonRdmaClusterArgs, name: str, errors: ErrorList) -> MoonRdmaClusterPlan | None:
    """All choices."""
    fabric = FABRICS["infiniband"]
    check_pools(args["pools"], errors.at("pools"))
    machines = {}
    for i, pool in enumerate(args["pools"]):
        check_nodes(pool["nodes"], errors.at("pools", i, "nodes"))
        if (machine := machine_for(pool, errors.at("pools", i))) is not None:
            machines[pool["name"]] = machine
    in_cluster = plan_in_cluster(
        ClusterContext("regolith", "1.35", "moon.example/pool", GPU_TAINT[:2], makes_namespaces=True),
        [
            GpuPool(pool["name"], machines[pool["name"]], pool["nodes"], fabric, allocation_of(pool))
            for pool in args["pools"]
            if pool["name"] in machines
        ],
        InClusterOptions(
            args.get("drivers", {}), args.get("claims", {}), args.get("acceptance", {}), args.get("registries", {})
        ),
        errors,
    )
    if errors or in_cluster is None:
        return None
    pools = tuple(
        PoolPlan(
            name=pool["name"],
            machine=machines[pool["name"]],
            nodes=pool["nodes"],
            fabric=fabric,
            gpu_allocation=allocation_of(pool),
            capacity=Capacity.ON_DEMAND,
            reservation=None,
            auto_repair=True,
            labels={},
            create_minutes=60,
            warnings=(),
            held=False,
        )
        for pool in args["pools"]
    )
    return MoonRdmaClusterPlan(args, args["crater"], pools, in_cluster)


plan_rdma_cluster_args = planner(MoonRdmaClusterArgs, plan_rdma_cluster)


@summarise_plan.register
def summarise(plan: MoonRdmaClusterPlan) -> Summary:
    """The plan in words and numbers."""
    return summary_of(
        plan.pools,
        plan.in_cluster,
        plan.in_cluster.warnings,
        cluster={"crater": plan.crater},
        region=plan.crater,
        pool_columns=lambda pool: {},
        rails=lambda pool: machine_rows(pool.machine),
        addresses=[],
        versions=[],
    )
