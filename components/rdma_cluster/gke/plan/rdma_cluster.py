"""A GKE stack: every error of a configuration at once, or one plan of everything it builds."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ...base import versions
from ...base.args import args_schema
from ...base.other_names import other_names
from ...catalog import releases
from ...common.existing import check_existing
from ...common.google.names import GOOGLE, NAME, NAME_WORDS, Place, place_of
from ...common.minimum_versions import unseen
from ...common.names import check_own_name
from ...common.pools import GPU_TAINT, check_pool_names, check_pools, held_until_proven
from ...common.stack import BaseRdmaClusterPlan, planner
from ...common.tags import check_tags
from ...fabrics import PodNetwork, PodNetworks
from ...incluster.addons.monitoring.args import ExporterPods
from ...incluster.addons.storage.store import asked_store
from ...incluster.plan.artifacts import demanding
from ...incluster.plan.claim_templates import DEFAULT_NAMESPACES
from ...incluster.plan.context import ClusterContext
from ...incluster.plan.dra_drivers import DriverOptions
from ...incluster.plan.in_cluster import InClusterPlan, plan_in_cluster
from ...incluster.plan.rdma_cluster import BaseRdmaClusterArgs, in_cluster_options
from ...incluster.plan.support import support_warnings
from .calendar_requests import check_calendar_requests
from .cluster import GkeClusterFeatures, GkeClusterPlan, GkeEndpoint, GkeKubernetes, plan_kubernetes
from .drivers import check_drivers, check_owners, drivers_of, minimum_versions
from .existing import GkeNetworkOptions, plan_networks
from .fabric import PoolFabric, is_managed, mode_used, pool_fabric
from .gpu_pools import gpu_pools, other_taints
from .lookups import LookUp, look_ups
from .network import GkeNetworkPlan
from .node_pool import POOL_LABEL, GkeNodePoolPlan, GkePool, plan_pool
from .skypilot import check_skypilot, mode_with, sky_configuration, skypilot_warnings
from .storage import (
    GkeStorageOptions,
    GkeStoragePlan,
    StoreUse,
    choose_storage,
    storage_minimum_versions,
    storage_warnings,
)


@other_names(  # gcloud
    {
        "zone": "region",
        "leave it out: every new cluster has it": "enable_multi_networking enable_dataplane_v2",
        "leave it out: Kubernetes serves resource.k8s.io/v1 from 1.34 on": "enable_kubernetes_unstable_apis",
        "leave it out: an exclusion holds upgrades of nodes off": "no_enable_autoupgrade",
    }
)
@args_schema
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
    network: NotRequired[GkeNetworkOptions]
    """The fabric's addresses, or existing networks."""
    drivers: NotRequired[DriverOptions]
    """Who brings which driver."""
    storage: NotRequired[GkeStorageOptions]
    """Where data is kept, with a claim in each of the claim templates' namespaces. Default: nowhere."""
    skypilot: NotRequired[bool]
    """Make a cluster on which SkyPilot's ``network_tier: best`` works as it is: networks by the names that it asks for,
    GPUs by the device plugin, one machine type. With ``flex_start`` or ``queued`` pools the output ``skypilot`` is what
    its configuration and its tasks must say besides. Default: false."""
    look_ups: NotRequired[bool]
    """Ask Google before the first resource for what only it knows: whether the zone has the machines, what reservations
    hold and for whom, quotas of GPUs. Default: true; a look-up that is not allowed is a warning."""


@frozen(kw_only=True)
class GkeRdmaClusterPlan(BaseRdmaClusterPlan):
    """Everything ``GkeRdmaCluster`` builds."""

    args: GkeRdmaClusterArgs
    """The checked args."""
    place: Place
    network: GkeNetworkPlan | None
    """``None`` where existing networks are used."""
    cluster: GkeClusterPlan
    pools: tuple[GkeNodePoolPlan, ...]
    pod_networks: tuple[PodNetwork, ...]
    """Networks that pods name, one for each further network of the nodes; none where claims bring the NICs."""
    storage: GkeStoragePlan | None
    """Where data is kept; ``None`` is nowhere."""
    look_ups: tuple[LookUp, ...]
    """The questions to Google before the first resource."""
    skypilot: Mapping[str, Any]
    """What SkyPilot's configuration and tasks must say; empty where nothing."""


# Seen on GKE with 21 fields, none of them XIDs, failed rows or ECC; by default it serves Google's own dashboards.
_GPU_EXPORTER = ExporterPods(
    namespace="gke-managed-system", labels={"app.kubernetes.io/name": "gke-managed-dcgm-exporter"}, errors=False
)
_OUR_POOLS = {"system": "the system nodes"}


def plan_rdma_cluster(args: GkeRdmaClusterArgs, name: str, errors: ErrorList) -> GkeRdmaClusterPlan | None:
    """All choices of ``GkeRdmaCluster``. Returns ``None`` when an error was added."""
    listed, kubernetes, networks = args["pools"], args.get("kubernetes", {}), args.get("network", {})
    version = kubernetes.get("version", releases.GKE.default)
    mode = mode_with(args.get("skypilot", False), networks.get("mode"))
    fabrics = [pool_fabric(pool, mode) for pool in listed]
    drivers = args.get("drivers", {})

    check_own_name(name, NAME, 40, NAME_WORDS, errors)
    check_tags(args.get("tags", {}), GOOGLE, errors.at("tags"))
    place = place_of(args, errors)
    needs = [*minimum_versions(fabrics), *storage_minimum_versions(args.get("storage", {}))]
    cluster = plan_kubernetes(kubernetes, place, name, needs, errors.at("kubernetes"))
    pools = [
        plan_pool(pool, fabric, place, version, errors.at("pools", i))
        for i, (pool, fabric) in enumerate(zip(listed, fabrics, strict=True))
    ]
    check_pools(listed, errors.at("pools"))
    check_pool_names(listed, _OUR_POOLS, errors.at("pools"))
    check_calendar_requests(listed, errors.at("pools"))
    used = mode_used(mode, fabrics)
    check_drivers(drivers, used, errors.at("drivers"))
    check_owners(fabrics, errors.at("pools"))
    check_skypilot(args.get("skypilot", False), mode, listed, errors)
    check_existing(kubernetes, networks, errors)
    network = plan_networks(networks, listed, mode, place, errors)
    namespaces = args.get("claims", {}).get("namespaces", DEFAULT_NAMESPACES)
    use = StoreUse(place, tuple(namespaces), connect="existing" not in networks)
    storage = choose_storage(args["storage"], use, name, errors.at("storage")) if "storage" in args else None
    where = {"zone": place.zone, "cluster": cluster and cluster.identifier, "network": network}
    options = in_cluster_options(args, drivers_of(drivers, used), asked_store("storage" in args, storage))
    context = _context(args, fabrics)
    in_cluster = plan_in_cluster(context, gpu_pools(listed, fabrics, pools, where), options, errors)
    planned = tuple(pool for pool in pools if pool is not None)
    if errors or cluster is None or in_cluster is None:
        return None
    plan = GkeRdmaClusterPlan(
        args=args,
        place=place,
        network=network,
        cluster=replace(cluster, features=_features(cluster, planned, in_cluster, storage)),
        pools=held_until_proven(planned, in_cluster.held),
        pod_networks=_pod_networks(planned),
        in_cluster=in_cluster,
        storage=storage,
        look_ups=look_ups(place, list(zip(listed, planned, strict=True))) if args.get("look_ups", True) else (),
        skypilot=sky_configuration(planned) if args.get("skypilot", False) else {},
        warnings=(),
    )
    return replace(plan, warnings=_warnings(plan, version))


def _context(args: GkeRdmaClusterArgs, fabrics: Sequence[PoolFabric]) -> ClusterContext:
    """What a GKE cluster is to the parts that go into it."""
    kubernetes = args.get("kubernetes", {})
    return ClusterContext(
        "cos",
        kubernetes.get("version", releases.GKE.default),
        POOL_LABEL,
        GPU_TAINT[:2],
        makes_namespaces="existing" not in kubernetes,
        gpu_exporter=_GPU_EXPORTER,
        other_taints=other_taints(args["pools"], fabrics),
        channels_beside_plugins=True,
    )


def _features(
    cluster: GkeClusterPlan, pools: Sequence[GkeNodePoolPlan], in_cluster: InClusterPlan, storage: GkeStoragePlan | None
) -> GkeClusterFeatures:
    """What the stack's pools, storage, monitoring and queues need of the cluster."""
    monitoring = in_cluster.addons.monitoring
    return GkeClusterFeatures(
        multi_networking=not is_managed(pools[0].fabric),  # one cluster has one mode
        gpu_metrics=monitoring is None or not monitoring.plan.exports_gpus,
        kubernetes_tokens=in_cluster.takes_jobs and cluster.endpoint is GkeEndpoint.DNS,
        gcs_fuse=storage is not None and storage.bucket is not None,
        lustre=storage is not None and storage.lustre is not None,
        **({"shielded_nodes": False} if any(pool.machine.metal for pool in pools) else {}),
    )


def _warnings(plan: GkeRdmaClusterPlan, version: str) -> tuple[str, ...]:
    """What may fail, and what only the user can check."""
    return (
        *unseen(version, releases.GKE.minors, "GKE"),
        *(() if plan.cluster.existing else _not_in_channel(version, plan.cluster.release_channel)),
        *support_warnings(plan, "gke", plan.args.get("kubernetes", {}), version),
        *(warning for pool in plan.pools for warning in pool.warnings),
        *plan.in_cluster.warnings,
        *skypilot_warnings(plan.args.get("skypilot", False), plan.pools, plan.in_cluster.addons.queues is not None),
        *(_existing_warnings(plan) if plan.cluster.existing else ()),
        *storage_warnings(plan.storage, plan.cluster, own_network=plan.network is not None),
    )


def _not_in_channel(version: str, channel: str) -> list[str]:
    """A minor that GKE has, and not for new clusters of this channel."""
    oldest, newest = releases.GKE.channels[channel]
    minor = versions.minor_of(version)
    unseen_at_all = not versions.at_least(releases.GKE.minors[1], minor)
    if unseen_at_all or (versions.at_least(minor, oldest) and versions.at_least(newest, minor)):
        return []
    return [
        f"kubernetes.version: the channel {channel} was seen to offer {oldest} to {newest}, and not {version}; `up` "
        "fails at a new cluster until it does"
    ]


def _existing_warnings(plan: GkeRdmaClusterPlan) -> list[str]:
    """What an existing cluster must have, which only the user can check."""
    warnings = []
    if not plan.cluster.features.get("gpu_metrics"):
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


def _pod_networks(pools: Sequence[GkeNodePoolPlan]) -> tuple[PodNetwork, ...]:
    """The networks that the pools' pods name; all pools attach to the same, or to the first of them."""
    attachments = [(pool.fabric.nic_attachment, pool.machine) for pool in pools]
    named = [each.networks(machine) for each, machine in attachments if isinstance(each, PodNetworks)]
    return max(named, key=len, default=())


plan_rdma_cluster_args = planner(GkeRdmaClusterArgs, demanding(plan_rdma_cluster))
"""The plan of ``GkeRdmaCluster(name, args)``, by ``(args, name)``."""
