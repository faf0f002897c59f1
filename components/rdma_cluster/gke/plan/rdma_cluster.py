"""The whole GKE stack: all faults of a configuration at once, or one plan of everything it builds."""

from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

from ...args import shape
from ...catalog import gke, releases
from ...clouds.existing import check_addresses, check_ceiling, check_existing
from ...clouds.floors import VersionFloor
from ...clouds.pools import GPU_TAINT, allocation_of, check_pools, made_of
from ...clouds.stack import planner
from ...fabrics import GpuAllocation
from ...faults import Faults
from ...incluster.plan.acceptance import AcceptanceChoice
from ...incluster.plan.claim_templates import ClaimChoice
from ...incluster.plan.dra_drivers import DriverChoice, Part
from ...incluster.plan.whole import Site, SitePool, WholeChoice, WholePlan, decide_whole
from .cluster import ClusterPlan, GkeKubernetes, decide_kubernetes
from .network import (
    GkeAddresses,
    GkeExistingNetwork,
    NetworkPlan,
    buildable,
    check_one_network,
    decide_subnets,
)
from .node_pool import POOL_LABEL, GkePool, NodePoolPlan, decide_pool, fabric_for
from .zones import region_of


@shape
class GkeNetworkChoice(GkeAddresses):
    """The addresses a stack may use, or the networks it uses in place of new ones."""

    existing: NotRequired[GkeExistingNetwork]
    """Use these networks and make none."""


@shape
class GkeRdmaClusterArgs(TypedDict):
    """A cluster whose GPUs talk over RDMA: where, which machines, how many."""

    project: str
    """Google Cloud project id."""
    zone: str
    """Zone of the GPU nodes. Example: ``us-west8-c``."""
    pools: list[GkePool]
    """GPU node pools."""
    kubernetes: NotRequired[GkeKubernetes]
    """The cluster's choices, or an existing cluster."""
    network: NotRequired[GkeNetworkChoice]
    """The fabric's addresses, or existing networks."""
    claims: NotRequired[ClaimChoice]
    """Which claim templates to offer."""
    drivers: NotRequired[DriverChoice]
    """Who brings which driver."""
    acceptance: NotRequired[AcceptanceChoice]
    """How the fabric is proved before `up` ends."""


@dataclass(frozen=True)
class RdmaClusterPlan:
    """Everything ``GkeRdmaCluster`` builds."""

    args: GkeRdmaClusterArgs
    """What it was made of, checked."""
    project: str
    zone: str
    network: NetworkPlan | None
    """``None`` where existing networks are used."""
    cluster: ClusterPlan
    pools: tuple[NodePoolPlan, ...]
    managed_nics: bool
    whole: WholePlan
    """What goes into the cluster."""
    warnings: tuple[str, ...]


_BUILDABLE = {row.name: row for row in gke.MACHINES if buildable(row)}
STACK_KEYS = {"gcp:project": "project"}
"""Configuration keys of other namespaces that become args."""


def decide_rdma_cluster(args: GkeRdmaClusterArgs, name: str, faults: Faults) -> RdmaClusterPlan | None:
    """All choices of ``GkeRdmaCluster``. Returns ``None`` when a fault was added."""
    zone, drivers, kubernetes = args["zone"], args.get("drivers", {}), args.get("kubernetes", {})
    version = kubernetes.get("version", releases.GKE.default)
    managed_nics = drivers.get("nic") is Part.MANAGED

    if not args["project"]:
        faults.at("project").add("empty; name the project's id, e.g. my-project")
    region = region_of(zone, faults.at("zone"))
    cluster = decide_kubernetes(
        kubernetes,
        project=args["project"],
        zone=zone,
        region=region,
        name=name,
        floors=[_floor(args["pools"])],
        faults=faults.at("kubernetes"),
    )
    pools = [
        decide_pool(pool, zone=zone, version=version, managed_nics=managed_nics, faults=faults.at("pools", i))
        for i, pool in enumerate(args["pools"])
    ]
    check_pools(args["pools"], faults.at("pools"))
    check_existing(kubernetes, args.get("network", {}), faults)
    network = _network(args, region, faults)
    made = [pool for pool in pools if pool is not None]
    whole = decide_whole(
        Site("cos", version, POOL_LABEL, GPU_TAINT[:2], makes_namespaces="existing" not in kubernetes),
        _on_site(args["pools"], pools, managed_nics, (zone, cluster and cluster.identifier, network)),
        WholeChoice(drivers, args.get("claims", {}), args.get("acceptance", {})),
        faults,
    )
    if faults or cluster is None or whole is None:
        return None
    return RdmaClusterPlan(
        args=args,
        project=args["project"],
        zone=zone,
        network=network,
        cluster=cluster,
        pools=tuple(made),
        managed_nics=managed_nics,
        whole=whole,
        warnings=(*(warning for pool in made for warning in pool.warnings), *whole.warnings),
    )


def _floor(pools: list[GkePool]) -> VersionFloor:
    if any(allocation_of(pool) is GpuAllocation.DRA for pool in pools):
        remedy = "raise it, or give the pools gpuAllocation: device-plugin"
        return VersionFloor("claims for GPUs need", releases.GKE.gpu_dra, remedy)
    return VersionFloor("claims for NICs need", releases.GKE.nic_dra, "raise it")


def _on_site(
    pools: list[GkePool],
    plans: list[NodePoolPlan | None],
    managed_nics: bool,
    place: tuple[object, ...],
) -> list[SitePool]:
    """The pools of machines that are built, whatever else is wrong with them."""
    found = []
    for pool, plan in zip(pools, plans, strict=True):
        if (machine := _BUILDABLE.get(pool["machine"])) is not None:
            waits = "a flex-start pool has no nodes until a job asks for them"
            found.append(
                SitePool(
                    pool["name"],
                    machine,
                    pool["nodes"],
                    fabric_for(managed_nics),
                    allocation_of(pool),
                    not_proven=waits if pool["capacity"].get("flex_start") else "",
                    made_of=made_of(plan, *place) if plan else "",
                )
            )
    return found


def _network(args: GkeRdmaClusterArgs, region: str | None, faults: Faults) -> NetworkPlan | None:
    """The subnets to make, or ``None`` where the networks exist (or a fault was added)."""
    choice = args.get("network", {})
    check_one_network([(pool["machine"], faults.at("pools", i, "machine")) for i, pool in enumerate(args["pools"])])
    machines = [_BUILDABLE[pool["machine"]] for pool in args["pools"] if pool["machine"] in _BUILDABLE]
    if (existing := choice.get("existing")) is not None:
        check_addresses(choice, (), faults.at("network"))
        rails = max((machine.nics for machine in machines), default=0)
        if len(existing["rails"]) != rails:
            faults.at("network", "existing", "rails").add(
                f"got {len(existing['rails'])}; the machines have {rails} rails, list them in rail order"
            )
        return None
    check_ceiling(args["pools"], choice, faults.at("pools"))
    return decide_subnets(choice, machines, args["project"], args["zone"], region, faults.at("network"))


plan_rdma_cluster = planner(GkeRdmaClusterArgs, decide_rdma_cluster)
"""The plan of ``GkeRdmaCluster(name, args)``, by ``(args, name)``."""
