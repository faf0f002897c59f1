"""The whole EKS stack: all faults of a configuration at once, or one plan of everything it builds."""

from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

from ...args import shape
from ...catalog import eks, releases
from ...clouds.existing import OF_EXISTING_CLUSTER, check_addresses, check_ceiling, check_existing
from ...clouds.floors import VersionFloor
from ...clouds.pools import GPU_TAINT, allocation_of, check_pools, made_of
from ...clouds.stack import planner
from ...fabrics import GpuAllocation
from ...faults import Faults
from ...incluster.plan.acceptance import AcceptanceChoice
from ...incluster.plan.claim_templates import ClaimChoice
from ...incluster.plan.whole import Site, SitePool, WholeChoice, WholePlan, decide_whole
from .cluster import ClusterPlan, EksEndpoint, EksKubernetes, check_two_zones, decide_kubernetes
from .devices import FABRICS, EksDriverChoice, decide_drivers
from .network import EksAddresses, EksExistingNetwork, NetworkPlan, buildable, decide_subnets
from .node_pool import POOL_LABEL, EksPool, NodePoolPlan, check_one_zone, decide_pool
from .zones import check_region, check_zone


@shape
class EksNetworkChoice(EksAddresses):
    """The addresses a stack may use, or the network it uses in place of a new one."""

    existing: NotRequired[EksExistingNetwork]
    """Use this network and make none."""


@shape
class EksRdmaClusterArgs(TypedDict):
    """A cluster whose GPUs talk over RDMA: where, which machines, how many."""

    region: str
    """AWS region. Example: ``us-east-2``."""
    zone: str
    """Zone of the GPU nodes. Example: ``us-east-2a``."""
    pools: list[EksPool]
    """GPU node pools."""
    kubernetes: NotRequired[EksKubernetes]
    """The cluster's choices, or an existing cluster."""
    network: NotRequired[EksNetworkChoice]
    """The fabric's addresses, or an existing network."""
    claims: NotRequired[ClaimChoice]
    """Which claim templates to offer."""
    drivers: NotRequired[EksDriverChoice]
    """Who brings which driver."""
    acceptance: NotRequired[AcceptanceChoice]
    """How the fabric is proved before `up` ends."""


@dataclass(frozen=True)
class RdmaClusterPlan:
    """Everything ``EksRdmaCluster`` builds."""

    args: EksRdmaClusterArgs
    """What it was made of, checked."""
    region: str
    zone: str
    network: NetworkPlan | None
    """``None`` where an existing network is used."""
    cluster: ClusterPlan
    pools: tuple[NodePoolPlan, ...]
    whole: WholePlan
    """What goes into the cluster."""
    warnings: tuple[str, ...]


_BUILDABLE = {row.name: row for row in eks.MACHINES if buildable(row)}
STACK_KEYS = {"aws:region": "region"}
"""Configuration keys of other namespaces that become args."""


def decide_rdma_cluster(args: EksRdmaClusterArgs, name: str, faults: Faults) -> RdmaClusterPlan | None:
    """All choices of ``EksRdmaCluster``. Returns ``None`` when a fault was added."""
    region, zone, kubernetes = args["region"], args["zone"], args.get("kubernetes", {})
    version = kubernetes.get("version", releases.EKS.default)

    check_region(region, faults.at("region"))
    check_zone(zone, region, faults.at("zone"))
    cluster = decide_kubernetes(
        kubernetes,
        region=region,
        service_cidr=args.get("network", {}).get("service_cidr"),
        name=name,
        floors=_floors(args["pools"]),
        faults=faults.at("kubernetes"),
        services_at=faults.at("network", "service_cidr"),
    )
    pools = [decide_pool(pool, zone=zone, faults=faults.at("pools", i)) for i, pool in enumerate(args["pools"])]
    made = [pool for pool in pools if pool is not None]
    check_pools(args["pools"], faults.at("pools"))
    check_existing(kubernetes, args.get("network", {}), faults)
    network = _network(args, faults)
    drivers, registry = decide_drivers(region, args.get("drivers", {}), faults.at("drivers"))
    whole = decide_whole(
        Site("al2023", version, POOL_LABEL, GPU_TAINT[:2], "existing" not in kubernetes, registry),
        _on_site(
            args["pools"],
            pools,
            (
                zone,
                cluster and (cluster.identifier, cluster.service_cidr),
                network and (network.cidr, network.gpu),
            ),
        ),
        WholeChoice(drivers, args.get("claims", {}), args.get("acceptance", {})),
        faults,
    )
    if faults or cluster is None or whole is None:
        return None
    return RdmaClusterPlan(
        args=args,
        region=region,
        zone=zone,
        network=network,
        cluster=cluster,
        pools=tuple(made),
        whole=whole,
        warnings=(
            *(warning for pool in made for warning in pool.warnings),
            *whole.warnings,
            *_warnings(cluster, network),
        ),
    )


def _on_site(pools: list[EksPool], plans: list[NodePoolPlan | None], place: tuple[object, ...]) -> list[SitePool]:
    """The pools of machines that are built, whatever else is wrong with them."""
    return [
        SitePool(
            pool["name"],
            _BUILDABLE[pool["machine"]],
            pool["nodes"],
            FABRICS[allocation],
            allocation,
            made_of=made_of(plan, *place, pool.get("release_version")) if plan else "",
        )
        for pool, plan in zip(pools, plans, strict=True)
        for allocation in (allocation_of(pool),)
        if pool["machine"] in _BUILDABLE
    ]


def _floors(pools: list[EksPool]) -> list[VersionFloor]:
    floors = {
        GpuAllocation.DRA: VersionFloor(
            "claims for GPUs need",
            releases.EKS.gpu_dra,
            "raise it, or give the pools gpuAllocation: device-plugin",
        ),
        GpuAllocation.DEVICE_PLUGIN: VersionFloor(
            "driver 580 in AWS's images needs", releases.EKS.device_plugin, "raise it"
        ),
    }
    used = {allocation_of(pool) for pool in pools}
    return [floor for allocation, floor in floors.items() if allocation in used]


def _network(args: EksRdmaClusterArgs, faults: Faults) -> NetworkPlan | None:
    """The subnets to make, or ``None`` where they exist (or a fault was added)."""
    choice = args.get("network", {})
    at = faults.at("network", "existing")
    if "existing" in args.get("kubernetes", {}) and "service_cidr" in choice:
        faults.at("network", "service_cidr").add(OF_EXISTING_CLUSTER)
    if (existing := choice.get("existing")) is not None:
        check_addresses(choice, ("service_cidr",), faults.at("network"))
        if not existing["dns"]:
            at.at("dns").add(
                "got false; a node joins its cluster by name: turn on DNS support and DNS hostnames of the VPC"
            )
        check_two_zones(existing["cluster_subnets"], at.at("cluster_subnets"))
        check_one_zone(existing["gpu_subnets"], args["zone"], at.at("gpu_subnets"))
        return None
    check_ceiling(args["pools"], choice, faults.at("pools"))
    named = {pool["machine"] for pool in args["pools"]}
    machines = [row for name, row in _BUILDABLE.items() if name in named]
    return decide_subnets(choice, machines, args["region"], args["zone"], faults.at("network"))


def _warnings(cluster: ClusterPlan, network: NetworkPlan | None) -> list[str]:
    if network is None or cluster.endpoint is not EksEndpoint.PRIVATE:
        return []
    return [
        "the cluster's API is private and its VPC is new: what runs on the cluster is installed once this machine "
        "reaches the VPC (peering, VPN), or at once with kubernetes.endpoint: public and publicCidrs"
    ]


plan_rdma_cluster = planner(EksRdmaClusterArgs, decide_rdma_cluster)
"""The plan of ``EksRdmaCluster(name, args)``, by ``(args, name)``."""
