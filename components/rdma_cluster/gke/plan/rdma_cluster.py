"""The whole GKE stack: all faults of a configuration at once, or one plan of everything it builds."""

from dataclasses import dataclass
from typing import NotRequired

from ...args import shape
from ...catalog import releases
from ...clouds.existing import check_existing
from ...clouds.floors import unseen
from ...clouds.names import check_own_name
from ...clouds.pools import GPU_TAINT, check_pool_names, check_pools
from ...clouds.stack import planner
from ...fabrics import PodNetwork, PodNetworks
from ...faults import Faults
from ...google.plan.names import NAME, NAME_WORDS, check_project, region_of
from ...incluster.addons.monitoring.args import ExporterPods
from ...incluster.addons.storage.store import asked_store
from ...incluster.plan.dra_drivers import DriverChoice
from ...incluster.plan.rdma_cluster import BaseRdmaClusterArgs, BaseRdmaClusterPlan, whole_choice
from ...incluster.plan.site import Site
from ...incluster.plan.whole import WholePlan, decide_whole
from .cluster import ClusterPlan, GkeKubernetes, decide_kubernetes
from .drivers import check_drivers, check_owners, drivers_of, floors, mode_used
from .existing import GkeNetworkChoice, decide_networks
from .fabric import GkeNetworkMode
from .lookups import LookUp, look_ups
from .machines import BUILDABLE
from .network import NetworkPlan
from .node_pool import POOL_LABEL, GkePool, NodePoolPlan, decide_pool
from .shared import check_shared
from .site import on_site, other_taints
from .skypilot import check_skypilot, mode_with, skypilot_warnings
from .storage import GkeStorageChoice, StoragePlan, choose_storage, storage_floors, storage_warnings


@shape
class GkeRdmaClusterArgs(BaseRdmaClusterArgs):
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
    drivers: NotRequired[DriverChoice]
    """Who brings which driver."""
    storage: NotRequired[GkeStorageChoice]
    """Where data is kept, with a claim in each of the claim templates' namespaces. Default: nowhere."""
    skypilot: NotRequired[bool]
    """Make a cluster on which SkyPilot's ``network_tier: best`` works as it is: networks by the names that it asks for,
    GPUs by the device plugin, one machine type. Default: false."""
    look_ups: NotRequired[bool]
    """Ask Google before the first resource for what only it knows: whether the zone has the machines, what reservations
    hold and for whom, quotas of GPUs. Default: true; a look-up that is not allowed is a warning."""


@dataclass(frozen=True, kw_only=True)
class GkeRdmaClusterPlan(BaseRdmaClusterPlan):
    """Everything ``GkeRdmaCluster`` builds."""

    args: GkeRdmaClusterArgs
    """What it was made of, checked."""
    project: str
    zone: str
    network: NetworkPlan | None
    """``None`` where existing networks are used."""
    cluster: ClusterPlan
    pools: tuple[NodePoolPlan, ...]
    mode: GkeNetworkMode | None
    """As chosen or as SkyPilot needs it; ``None`` is the machines' usual one."""
    pod_networks: tuple[PodNetwork, ...]
    """Networks that pods name, one for each further network of the nodes; none where claims bring the NICs."""
    storage: StoragePlan | None
    """Where data is kept; ``None`` is nowhere."""
    look_ups: tuple[LookUp, ...]
    """What Google is asked before the first resource."""

    @property
    def gpu_metrics(self) -> bool:
        """Whether GKE's own DCGM exporter runs: never beside ours."""
        return not _exports_gpus(self.whole)


# Seen on GKE with 21 fields, none of them XIDs, failed rows or ECC; by default it serves Google's own dashboards.
_GPU_EXPORTER = ExporterPods(
    namespace="gke-managed-system", labels={"app.kubernetes.io/name": "gke-managed-dcgm-exporter"}, faults=False
)
_OUR_POOLS = {"system": "the system nodes"}
STACK_KEYS = {"gcp:project": "project"}
"""Configuration keys of other namespaces that become args."""


def decide_rdma_cluster(args: GkeRdmaClusterArgs, name: str, faults: Faults) -> GkeRdmaClusterPlan | None:
    """All choices of ``GkeRdmaCluster``. Returns ``None`` when a fault was added."""
    zone, drivers, kubernetes = args["zone"], args.get("drivers", {}), args.get("kubernetes", {})
    version = kubernetes.get("version", releases.GKE.default)
    skypilot = args.get("skypilot", False)
    mode = mode_with(skypilot, args.get("network", {}).get("mode"))

    check_own_name(name, NAME, 40, NAME_WORDS, faults)
    check_project(args["project"], faults.at("project"))
    region = region_of(zone, faults.at("zone"))
    cluster = decide_kubernetes(
        kubernetes,
        project=args["project"],
        zone=zone,
        region=region,
        name=name,
        floors=[*floors(args["pools"], mode), *storage_floors(args.get("storage", {}))],
        faults=faults.at("kubernetes"),
    )
    pools = [
        decide_pool(pool, zone=zone, version=version, mode=mode, faults=faults.at("pools", i))
        for i, pool in enumerate(args["pools"])
    ]
    check_pools(args["pools"], faults.at("pools"))
    check_pool_names(args["pools"], _OUR_POOLS, faults.at("pools"))
    check_shared(args["pools"], BUILDABLE, faults.at("pools"))
    used = mode_used(mode, args["pools"])
    check_drivers(drivers, used, faults.at("drivers"))
    check_owners(args["pools"], mode, faults.at("pools"))
    check_skypilot(skypilot, mode, args["pools"], faults)
    check_existing(kubernetes, args.get("network", {}), faults)
    network = decide_networks(
        args.get("network", {}),
        args["pools"],
        mode,
        project=args["project"],
        zone=zone,
        region=region,
        faults=faults,
    )
    made = [pool for pool in pools if pool is not None]
    storage = None
    if "storage" in args:
        storage = choose_storage(args["storage"], zone=zone, region=region, name=name, faults=faults.at("storage"))
    whole = decide_whole(
        Site(
            "cos",
            version,
            POOL_LABEL,
            GPU_TAINT[:2],
            makes_namespaces=kubernetes.get("existing") is None,
            gpu_exporter=_GPU_EXPORTER,
            other_taints=other_taints(args["pools"]),
            channels_beside_plugins=True,
        ),
        on_site(args["pools"], pools, mode, (zone, cluster and cluster.identifier, network)),
        whole_choice(args, drivers_of(drivers, used), asked_store("storage" in args, storage)),
        faults,
    )
    if faults or cluster is None or whole is None:
        return None
    return GkeRdmaClusterPlan(
        args=args,
        project=args["project"],
        zone=zone,
        network=network,
        cluster=cluster,
        pools=tuple(made),
        mode=mode,
        pod_networks=_pod_networks(made),
        whole=whole,
        storage=storage,
        look_ups=_look_ups(args, pools),
        warnings=(
            *unseen(version, releases.GKE.minors, "GKE"),
            *(warning for pool in made for warning in pool.warnings),
            *whole.warnings,
            *skypilot_warnings(skypilot, made),
            *_monitoring_warnings(whole, cluster),
            *_metal_warnings(kubernetes, made),
            *storage_warnings(storage, cluster, own_network=network is not None),
        ),
    )


def _exports_gpus(whole: WholePlan) -> bool:
    """Whether the DCGM exporter is ours."""
    monitoring = whole.addons.monitoring
    return monitoring is not None and monitoring.plan.exports_gpus


def _monitoring_warnings(whole: WholePlan, cluster: ClusterPlan) -> list[str]:
    """On a cluster of ours GKE's exporter makes room; on another we touch nothing."""
    if not _exports_gpus(whole) or not cluster.existing:
        return []
    return [
        "monitoring: GKE runs a DCGM exporter of its own where the cluster's monitoring has the component DCGM; take "
        "it out there, or both ask the GPUs for profiling counters and one gets none"
    ]


def _look_ups(args: GkeRdmaClusterArgs, plans: list[NodePoolPlan | None]) -> tuple[LookUp, ...]:
    """What Google is asked, of the pools that could be planned."""
    if not args.get("look_ups", True):
        return ()
    planned = [(pool, plan) for pool, plan in zip(args["pools"], plans, strict=True) if plan is not None]
    return look_ups(args["project"], args["zone"], planned) or ()


def _metal_warnings(kubernetes: GkeKubernetes, pools: list[NodePoolPlan]) -> list[str]:
    """What we cannot see of a cluster that is there already."""
    metal = [pool.name for pool in pools if pool.machine.metal]
    if not metal or kubernetes.get("existing") is None:
        return []
    return [
        f"pool {metal[0]}: bare-metal nodes join a cluster without Shielded GKE Nodes alone; see that yours has none"
    ]


def _pod_networks(pools: list[NodePoolPlan]) -> tuple[PodNetwork, ...]:
    """The networks that the pools' pods name; all pools attach to the same, or to the first of them."""
    named = [(pool.fabric.exposure, pool.machine) for pool in pools]
    found = [exposure.networks(machine) for exposure, machine in named if isinstance(exposure, PodNetworks)]
    return max(found, key=len, default=())


plan_rdma_cluster = planner(GkeRdmaClusterArgs, decide_rdma_cluster)
"""The plan of ``GkeRdmaCluster(name, args)``, by ``(args, name)``."""
