"""An EKS stack: every error of a configuration at once, or one plan of everything it builds."""

from dataclasses import dataclass
from typing import NotRequired

from ...args import shape
from ...catalog import releases
from ...clouds.existing import check_existing
from ...clouds.floors import VersionFloor, unseen
from ...clouds.names import check_own_name
from ...clouds.pools import GPU_TAINT, allocation_of, check_pool_names, check_pools
from ...clouds.skypilot import pools_for_skypilot
from ...clouds.stack import planner
from ...fabrics import GpuAllocation
from ...faults import Faults
from ...incluster.addons.storage.store import asked_store
from ...incluster.plan.rdma_cluster import BaseRdmaClusterArgs, BaseRdmaClusterPlan, whole_choice
from ...incluster.plan.site import Site
from ...incluster.plan.whole import decide_whole
from .cluster import CLUSTER_NAME, NAME_WORDS, ClusterPlan, EksEndpoint, EksKubernetes, decide_kubernetes
from .devices import EksDriverChoice, decide_drivers
from .existing import EksNetworkChoice, decide_networks
from .machines import BUILDABLE
from .network import NetworkPlan
from .node_pool import POOL_LABEL, EksPool, NodePoolPlan, decide_pool
from .site import on_site
from .storage import EksStorageChoice, StoragePlan, choose_storage, storage_warnings
from .zones import check_region, check_zone


@shape
class EksRdmaClusterArgs(BaseRdmaClusterArgs):
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
    drivers: NotRequired[EksDriverChoice]
    """Who brings which driver."""
    storage: NotRequired[EksStorageChoice]
    """Where data is kept, with a claim in each of the claim templates' namespaces. Default: nowhere."""
    skypilot: NotRequired[bool]
    """Make a cluster on which SkyPilot's ``network_tier: best`` works as it is: GPUs and EFA devices by device plugins,
    its label of the GPU, one machine type. Default: false."""


@dataclass(frozen=True, kw_only=True)
class EksRdmaClusterPlan(BaseRdmaClusterPlan):
    """Everything ``EksRdmaCluster`` builds."""

    args: EksRdmaClusterArgs
    """The args that it was planned from."""
    network: NetworkPlan | None
    """``None`` where an existing network is used."""
    cluster: ClusterPlan
    pools: tuple[NodePoolPlan, ...]
    storage: StoragePlan | None
    """Where data is kept; ``None`` is nowhere."""


_OUR_POOLS = {"system": "the system nodes"}
STACK_KEYS = {"aws:region": "region"}
"""Configuration keys of other namespaces that become args."""


# All parts of a stack in one view, in the order of their errors.
def decide_rdma_cluster(args: EksRdmaClusterArgs, name: str, faults: Faults) -> EksRdmaClusterPlan | None:
    """All choices of ``EksRdmaCluster``. Returns ``None`` when a fault was added."""
    if args.get("skypilot"):
        args = {**args, "pools": pools_for_skypilot(args["pools"], BUILDABLE, faults.at("pools"))}
    region, zone = args["region"], args["zone"]
    kubernetes, network_choice = args.get("kubernetes", {}), args.get("network", {})
    version = kubernetes.get("version", releases.EKS.default)

    # IAM takes 64 characters for a role's name; Pulumi puts "-", our longest word, "cluster", and seven digits behind.
    check_own_name(name, CLUSTER_NAME, 64 - len("-cluster-1234567"), NAME_WORDS, faults)
    check_region(region, faults.at("region"))
    check_zone(zone, region=region, faults=faults.at("zone"))
    cluster = decide_kubernetes(
        kubernetes,
        region=region,
        service_cidr=network_choice.get("service_cidr"),
        name=name,
        floors=_floors(args["pools"]),
        faults=faults.at("kubernetes"),
        services_at=faults.at("network", "service_cidr"),
    )
    # An existing cluster's version is known only where the user names it.
    known_version = None if "existing" in kubernetes and "version" not in kubernetes else version
    pools = [
        decide_pool(pool, zone=zone, version=known_version, faults=faults.at("pools", i))
        for i, pool in enumerate(args["pools"])
    ]
    check_pools(args["pools"], faults.at("pools"))
    check_pool_names(args["pools"], _OUR_POOLS, faults.at("pools"))
    check_existing(kubernetes, network_choice, faults)
    network = decide_networks(
        choice=network_choice, kubernetes=kubernetes, pools=args["pools"], region=region, zone=zone, faults=faults
    )
    drivers, registry = decide_drivers(args.get("drivers", {}), region=region, faults=faults.at("drivers"))
    storage = None
    if "storage" in args:
        storage = choose_storage(args["storage"], region=region, name=name, faults=faults.at("storage"))
    # A change of these replaces the nodes of all pools.
    place = zone, cluster and (cluster.identifier, cluster.service_cidr), network and (network.cidr, network.gpu)
    whole = decide_whole(
        Site("al2023", version, POOL_LABEL, GPU_TAINT[:2], "existing" not in kubernetes, registry),
        on_site(args["pools"], pools, place),
        whole_choice(args, drivers, asked_store("storage" in args, storage)),
        faults,
    )
    if faults or cluster is None or whole is None:
        return None
    planned = tuple(pool for pool in pools if pool is not None)
    return EksRdmaClusterPlan(
        args=args,
        network=network,
        cluster=cluster,
        pools=planned,
        whole=whole,
        storage=storage,
        warnings=(
            *unseen(version, releases.EKS.minors, "EKS"),
            *(warning for pool in planned for warning in pool.warnings),
            *whole.warnings,
            *_warnings(cluster, network),
            *storage_warnings(storage, cluster.name, cluster.existing),
        ),
    )


def _floors(pools: list[EksPool]) -> list[VersionFloor]:
    used, remedy = {allocation_of(pool) for pool in pools}, "raise it, or give the pools gpuAllocation: device-plugin"
    floors = {
        GpuAllocation.DRA: VersionFloor("claims for GPUs need", releases.EKS.gpu_dra, remedy),
        GpuAllocation.DEVICE_PLUGIN: VersionFloor(
            "driver 580 in AWS's images needs", releases.EKS.device_plugin, "raise it"
        ),
    }
    return [floor for allocation, floor in floors.items() if allocation in used]


def _warnings(cluster: ClusterPlan, network: NetworkPlan | None) -> list[str]:
    if network is None or cluster.endpoint != EksEndpoint.PRIVATE:
        return []
    return [
        "the cluster's API is private and its VPC is new: what runs on the cluster is installed once this machine "
        "reaches the VPC (peering, VPN), or at once with kubernetes.endpoint: public and publicCidrs"
    ]


plan_rdma_cluster = planner(EksRdmaClusterArgs, decide_rdma_cluster)
"""The plan of ``EksRdmaCluster(name, args)``, by ``(args, name)``."""
