"""A GKE stack: every fault of a configuration at once, or one plan of everything it builds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NotRequired

from ...args import shape
from ...catalog import releases
from ...clouds.existing import check_existing
from ...clouds.floors import unseen
from ...clouds.google.names import NAME, NAME_WORDS, Place, place_of
from ...clouds.names import check_own_name
from ...clouds.pools import GPU_TAINT, check_pool_names, check_pools
from ...clouds.stack import planner
from ...fabrics import PodNetwork, PodNetworks
from ...faults import Faults
from ...incluster.addons.monitoring.args import ExporterPods
from ...incluster.addons.storage.store import Store, asked_store
from ...incluster.plan.dra_drivers import DriverChoice
from ...incluster.plan.pool import SitePool
from ...incluster.plan.rdma_cluster import BaseRdmaClusterArgs, BaseRdmaClusterPlan, whole_choice
from ...incluster.plan.site import Site
from ...incluster.plan.whole import WholePlan, decide_whole
from .cluster import ClusterPlan, GkeKubernetes, decide_kubernetes
from .drivers import check_drivers, check_owners, drivers_of, floors, mode_used
from .existing import GkeNetworkChoice, decide_networks
from .fabric import GkeNetworkMode
from .lookups import LookUp, look_ups
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
    """The checked args."""
    place: Place
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
    """The questions to Google before the first resource."""

    @property
    def gpu_metrics(self) -> bool:
        """Whether GKE's own DCGM exporter runs: never beside ours."""
        monitoring = self.whole.addons.monitoring
        return monitoring is None or not monitoring.plan.exports_gpus


# Seen on GKE with 21 fields, none of them XIDs, failed rows or ECC; by default it serves Google's own dashboards.
_GPU_EXPORTER = ExporterPods(
    namespace="gke-managed-system", labels={"app.kubernetes.io/name": "gke-managed-dcgm-exporter"}, faults=False
)
_OUR_POOLS = {"system": "the system nodes"}


def decide_rdma_cluster(args: GkeRdmaClusterArgs, name: str, faults: Faults) -> GkeRdmaClusterPlan | None:
    """All choices of ``GkeRdmaCluster``. Returns ``None`` when a fault was added."""
    listed, kubernetes, networks = args["pools"], args.get("kubernetes", {}), args.get("network", {})
    version = kubernetes.get("version", releases.GKE.default)
    mode = mode_with(args.get("skypilot", False), networks.get("mode"))

    check_own_name(name, NAME, 40, NAME_WORDS, faults)
    place = place_of(args, faults)
    needs = [*floors(listed, mode), *storage_floors(args.get("storage", {}))]
    cluster = decide_kubernetes(kubernetes, place, name, needs, faults.at("kubernetes"))
    pools = [decide_pool(pool, place.zone, version, mode, faults.at("pools", i)) for i, pool in enumerate(listed)]
    check_pools(listed, faults.at("pools"))
    check_pool_names(listed, _OUR_POOLS, faults.at("pools"))
    check_shared(listed, faults.at("pools"))
    check_drivers(args.get("drivers", {}), mode_used(mode, listed), faults.at("drivers"))
    check_owners(listed, mode, faults.at("pools"))
    check_skypilot(args.get("skypilot", False), mode, listed, faults)
    check_existing(kubernetes, networks, faults)
    network = decide_networks(networks, listed, mode, place, faults)
    storage = choose_storage(args["storage"], place, name, faults.at("storage")) if "storage" in args else None
    known_pools = on_site(listed, pools, mode, (place.zone, cluster and cluster.identifier, network))
    whole = _decide_inside(args, mode, known_pools, asked_store("storage" in args, storage), faults)
    planned = tuple(pool for pool in pools if pool is not None)
    if faults or cluster is None or whole is None:
        return None
    plan = GkeRdmaClusterPlan(
        args=args,
        place=place,
        network=network,
        cluster=cluster,
        pools=planned,
        mode=mode,
        pod_networks=_pod_networks(planned),
        whole=whole,
        storage=storage,
        look_ups=look_ups(place, list(zip(listed, planned, strict=True))) if args.get("look_ups", True) else (),
        warnings=(),
    )
    return replace(plan, warnings=_warnings(plan, version))


def _decide_inside(
    args: GkeRdmaClusterArgs,
    mode: GkeNetworkMode | None,
    pools: Sequence[SitePool],
    store: Store | None,
    faults: Faults,
) -> WholePlan | None:
    """What goes into the cluster."""
    kubernetes, drivers = args.get("kubernetes", {}), args.get("drivers", {})
    site = Site(
        "cos",
        kubernetes.get("version", releases.GKE.default),
        POOL_LABEL,
        GPU_TAINT[:2],
        makes_namespaces="existing" not in kubernetes,
        gpu_exporter=_GPU_EXPORTER,
        other_taints=other_taints(args["pools"]),
        channels_beside_plugins=True,
    )
    drivers = drivers_of(drivers, mode_used(mode, args["pools"]))
    return decide_whole(site, pools, whole_choice(args, drivers, store), faults)


def _warnings(plan: GkeRdmaClusterPlan, version: str) -> tuple[str, ...]:
    """What may fail, and what only the user can check."""
    return (
        *unseen(version, releases.GKE.minors, "GKE"),
        *(warning for pool in plan.pools for warning in pool.warnings),
        *plan.whole.warnings,
        *skypilot_warnings(plan.args.get("skypilot", False), plan.pools),
        *(_existing_warnings(plan) if plan.cluster.existing else ()),
        *storage_warnings(plan.storage, plan.cluster, own_network=plan.network is not None),
    )


def _existing_warnings(plan: GkeRdmaClusterPlan) -> list[str]:
    """What an existing cluster must have, which only the user can check."""
    warnings = []
    if not plan.gpu_metrics:
        warnings.append(
            "monitoring: GKE runs a DCGM exporter of its own where the cluster's monitoring has the component DCGM; "
            "take it out there, or both ask the GPUs for profiling counters and one gets none"
        )
    if metal := [pool.name for pool in plan.pools if pool.machine.metal]:
        warnings.append(
            f"pool {metal[0]}: bare-metal nodes join a cluster without Shielded GKE Nodes alone; see that yours has "
            "none"
        )
    return warnings


def _pod_networks(pools: Sequence[NodePoolPlan]) -> tuple[PodNetwork, ...]:
    """The networks that the pools' pods name; all pools attach to the same, or to the first of them."""
    exposures = [(pool.fabric.exposure, pool.machine) for pool in pools]
    named = [exposure.networks(machine) for exposure, machine in exposures if isinstance(exposure, PodNetworks)]
    return max(named, key=len, default=())


plan_rdma_cluster = planner(GkeRdmaClusterArgs, decide_rdma_cluster)
"""The plan of ``GkeRdmaCluster(name, args)``, by ``(args, name)``."""
