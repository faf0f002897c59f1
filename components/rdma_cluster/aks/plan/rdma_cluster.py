"""The plan of a whole AKS stack: every error of a configuration at once, or one plan of everything it builds."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NotRequired

from ...args import Choice, args_schema
from ...catalog.aks_releases import FLOORS
from ...common.existing import check_existing
from ...common.minimum_versions import MinimumVersion, unseen
from ...common.names import check_own_name
from ...common.pools import GPU_TAINT, allocation_of, check_pool_names, check_pools, held_until_proven
from ...common.skypilot import pools_for_skypilot
from ...common.stack import planner
from ...common.tags import check_tags
from ...errors import ErrorList
from ...fabrics import GpuAllocation
from ...fabrics.rollout import ANY_VALUE, STARTUP_KEY
from ...frozen import frozen
from ...incluster.addons.monitoring.args import ExporterPods
from ...incluster.addons.storage.store import asked_store
from ...incluster.plan.artifacts import demanding
from ...incluster.plan.context import ClusterContext
from ...incluster.plan.in_cluster import InClusterPlan, plan_in_cluster
from ...incluster.plan.nodes import NodeSet
from ...incluster.plan.pool import GpuPool
from ...incluster.plan.rdma_cluster import BaseRdmaClusterArgs, BaseRdmaClusterPlan, in_cluster_options
from ...versions import minor_of
from .access import AksEndpoint
from .cluster import NAME, NAME_WORDS, AksClusterPlan, AksKubernetes, plan_kubernetes
from .drivers import AksDriverOptions, AksDrivers, driver_warnings, plan_drivers
from .existing import AksNetworkOptions, plan_networks
from .features import AksFeatureCheck, check_one_kind
from .gpu_pools import gpu_pools
from .machines import MACHINES
from .network import AksNetworkPlan
from .node_pool import POOL_LABEL, SPOT_TAINT, AksNodePoolPlan, AksPool, ClusterSettings, plan_pool
from .operators import GPU_NAMESPACE, OperatorsPlan, plan_operators_from_drivers
from .skypilot import SKY_WARNINGS, sky_configuration
from .storage import AksStorageOptions, AksStoragePlan, choose_storage, lustre_tib
from .tags import AZURE
from .zones import check_group, check_place, zone_warnings


@args_schema
class AksRdmaClusterArgs(BaseRdmaClusterArgs):
    """A cluster whose GPUs talk over RDMA: where, which machines, how many."""

    subscription: str
    """Id of the subscription."""
    location: str
    """Location. Example: ``southcentralus``."""
    zone: NotRequired[str]
    """Zone of the GPU nodes: ``1``, ``2`` or ``3``. Default: none, for locations and sizes without zones."""
    resource_group: NotRequired[str]
    """Name of a resource group that exists already. Default: one is made."""
    pools: list[AksPool]
    """GPU node pools: each is an InfiniBand fabric of its own."""
    infiniband_feature: NotRequired[Choice[AksFeatureCheck]]
    """What is done about the subscription's feature AKSInfinibandSupport. Default: ``look-up``."""
    kubernetes: NotRequired[AksKubernetes]
    """The cluster's choices, or an existing cluster."""
    network: NotRequired[AksNetworkOptions]
    """The cluster's addresses, or an existing network."""
    drivers: NotRequired[AksDriverOptions]
    """Who brings which driver."""
    storage: NotRequired[AksStorageOptions]
    """Where data is kept, with a claim in each of the claim templates' namespaces. Default: nowhere."""
    skypilot: NotRequired[bool]
    """Make a cluster that SkyPilot can use over the fabric: device plugins, its label of the GPU, one machine type. It
    knows no network of AKS: the output ``skypilot`` is what a task's ``config`` must say. Default: false."""


@frozen(kw_only=True)
class AksRdmaClusterPlan(BaseRdmaClusterPlan):
    """Everything ``AksRdmaCluster`` builds."""

    args: AksRdmaClusterArgs
    """The stack's args, checked; for SkyPilot with changed pools."""
    network: AksNetworkPlan | None
    """``None`` where an existing network is used."""
    cluster: AksClusterPlan
    pools: tuple[AksNodePoolPlan, ...]
    drivers: AksDrivers
    operators: OperatorsPlan
    nodes: NodeSet
    """Nodes of all pools."""
    storage: AksStoragePlan | None
    """Where data is kept; ``None`` is nowhere."""
    skypilot: Mapping[str, Any]
    """The ``config`` of a SkyPilot task; empty where the stack is not for SkyPilot."""


# As the GPU Operator makes it (NVIDIA/gpu-operator tag v26.3.3 assets/state-dcgm-exporter/0800_daemonset.yaml).
_GPU_EXPORTER = ExporterPods(namespace=GPU_NAMESPACE, labels={"app": "nvidia-dcgm-exporter"})
_LONGEST_NAME = 44 - 8  # managed Prometheus takes 44 characters; azure-native puts eight digits behind a name
_OUR_POOLS = {"system": "the system nodes"}
STACK_KEYS = {"azure-native:subscriptionId": "subscription", "azure-native:location": "location"}
"""Configuration keys of other namespaces that become args."""


MOST_POOLS = 99
"""GPU pools of a cluster, beside the system pool: azure-aks-docs@fb060ab quotas-skus-regions.md, 2026-08-21, which says
of other limits alone that they are raised on request."""


def plan_rdma_cluster(args: AksRdmaClusterArgs, name: str, errors: ErrorList) -> AksRdmaClusterPlan | None:
    """All choices of ``AksRdmaCluster``. Returns ``None`` when an error was added."""
    if args.get("skypilot", False):
        args = {**args, "pools": pools_for_skypilot(args["pools"], MACHINES, errors.at("pools"))}
    kubernetes, pools = args.get("kubernetes", AksKubernetes()), args["pools"]

    check_own_name(name, NAME, _LONGEST_NAME, NAME_WORDS, errors)
    check_tags(args.get("tags", {}), AZURE, errors.at("tags"))
    check_place(args, errors)
    check_group(args.get("resource_group"), errors.at("resource_group"))
    allocations = [allocation_of(pool) for pool in pools]
    drivers = plan_drivers(args.get("drivers", {}), allocations, errors.at("drivers"))
    network, overlay = plan_networks(
        choice=args.get("network", {}),
        kubernetes=kubernetes,
        pools=pools,
        location=args["location"],
        lustre_tib=lustre_tib(args.get("storage")),
        errors=errors,
    )
    cluster = plan_kubernetes(
        kubernetes,
        name,
        place=args,
        overlay=overlay,
        minimum_versions=_minimum_versions(allocations),
        errors=errors.at("kubernetes"),
    )
    plans = _pools(args, drivers, allocations, errors.at("pools"))
    check_existing(kubernetes, args.get("network", {}), errors)
    site_pools = gpu_pools(pools, plans, drivers, _place(args, cluster, network))
    storage, in_cluster = _in_cluster(args, name, drivers, site_pools, errors)
    complete = [plan for plan in plans if plan is not None]
    if errors or cluster is None or in_cluster is None or not complete:
        return None
    nodes = NodeSet(
        label=POOL_LABEL, values=[pool.name for pool in complete], nodes=sum(pool.nodes for pool in complete)
    )
    plan = AksRdmaClusterPlan(
        args=args,
        network=network,
        cluster=cluster,
        pools=held_until_proven(complete, in_cluster.held),
        drivers=drivers,
        operators=plan_operators_from_drivers(
            drivers,
            [pool.machine for pool in complete],
            nodes,
            {**_other_taints(args), **({STARTUP_KEY: ANY_VALUE} if in_cluster.held else {})},
            args.get("registries", {}),
        ),
        nodes=nodes,
        in_cluster=in_cluster,
        storage=storage,
        skypilot=sky_configuration(in_cluster.workloads[complete[0].name]) if args.get("skypilot", False) else {},
        warnings=(),
    )
    return replace(plan, warnings=tuple(_warnings(plan)))


def _pools(
    args: AksRdmaClusterArgs, drivers: AksDrivers, allocations: list[GpuAllocation], errors: ErrorList
) -> list[AksNodePoolPlan | None]:
    """The plan of each pool; ``None`` for one with an error."""
    settings = ClusterSettings(
        zone=args.get("zone"),
        version=args.get("kubernetes", {}).get("version", FLOORS.default),
        drivers=drivers,
        infiniband_feature=args.get("infiniband_feature", AksFeatureCheck.LOOK_UP),
    )
    plans = [plan_pool(pool, settings, errors.at(i)) for i, pool in enumerate(args["pools"])]
    check_pools(args["pools"], errors)
    if (count := len(args["pools"])) > MOST_POOLS:
        errors.add(
            f"got {count} pools; an AKS cluster has {MOST_POOLS + 1} node pools at the most, one of them the system's: "
            "join pools that are alike, or make a second stack"
        )
    check_pool_names(args["pools"], _OUR_POOLS, errors)
    _check_alike(allocations, errors)
    check_one_kind([MACHINES.get(pool["machine"]) for pool in args["pools"]], errors)
    return plans


def _in_cluster(
    args: AksRdmaClusterArgs, name: str, drivers: AksDrivers, pools: list[GpuPool], errors: ErrorList
) -> tuple[AksStoragePlan | None, InClusterPlan | None]:
    """The stack's storage, and what runs in the cluster."""
    kubernetes = args.get("kubernetes", AksKubernetes())
    storage = None
    if "storage" in args:
        storage = choose_storage(
            args["storage"],
            name=name,
            existing="existing" in kubernetes,
            own_network="existing" not in args.get("network", {}),
            registries=args.get("registries", {}),
            errors=errors.at("storage"),
        )
    context = ClusterContext(
        drivers.host,
        kubernetes.get("version", FLOORS.default),
        POOL_LABEL,
        GPU_TAINT[:2],
        makes_namespaces="existing" not in kubernetes,
        other_taints=_other_taints(args),
        driver_seconds=drivers.seconds,
        pools_taint=False,
        gpu_exporter=_GPU_EXPORTER if drivers.gpu_operator else None,
    )
    choice = in_cluster_options(args, drivers.dra, asked_store("storage" in args, storage))
    return storage, plan_in_cluster(context, pools, choice, errors)


def _other_taints(args: AksRdmaClusterArgs) -> dict[str, str]:
    """The taints that some GPU nodes have beside the GPU taint."""
    return SPOT_TAINT if any(pool["capacity"].get("spot") for pool in args["pools"]) else {}


def _minimum_versions(allocations: list[GpuAllocation]) -> list[MinimumVersion]:
    if GpuAllocation.DRA not in allocations:
        return []
    remedy = "raise it, or give the pools gpuAllocation: device-plugin"
    return [MinimumVersion("claims for GPUs need", FLOORS.gpu_dra, remedy)]


def _place(
    args: AksRdmaClusterArgs, cluster: AksClusterPlan | None, network: AksNetworkPlan | None
) -> dict[str, object]:
    """What replaces the cluster and its nodes with it, or the nodes alone, when it changes.

    Not the cluster's version: since March 2022 pools stay on theirs (github.com/Azure/AKS/issues/2905, 3087, 3289).
    """
    if cluster is None:
        return {}
    existing = args.get("network", {}).get("existing")
    return {
        "resource group": args.get("resource_group"),
        "existing network": existing and {key: of for key, of in existing.items() if key != "egress_cidrs"},
        "network": network and replace(network, lustre=""),
        "cluster": cluster.identifier,
        "zone": cluster.zone,
        "system machine": cluster.system_machine,
        "overlay": cluster.overlay,
        "private": cluster.endpoint == AksEndpoint.PRIVATE,
    }


def _check_alike(allocations: list[GpuAllocation], errors: ErrorList) -> None:
    """The GPU Operator's device plugin is on or off for the whole cluster, so that no node has two owners of GPUs."""
    for i, own in enumerate(allocations):
        if own != (first := allocations[0]):
            errors.at(i, "gpu_allocation").add(
                f"got {own.value}, and pools[0] has {first.value}; the GPU Operator serves all nodes of a cluster "
                "alike: give all pools one, or make a second stack"
            )


def _warnings(plan: AksRdmaClusterPlan) -> Iterator[str]:
    """What may not work, in the order of the stack's parts."""
    yield from zone_warnings(plan.args)
    for pool in plan.pools:
        yield from pool.warnings
    yield from plan.in_cluster.warnings
    if not plan.cluster.existing:
        yield from _version_warnings(plan.cluster.version)
        if plan.network is not None and plan.cluster.endpoint == AksEndpoint.PRIVATE:
            yield (
                "the cluster's API is private and its virtual network is new: what runs on the cluster is installed "
                "once this machine reaches the network (peering, VPN), or at once with kubernetes.endpoint: public and "
                "publicCidrs"
            )
    yield from driver_warnings(plan.drivers)
    if plan.args.get("skypilot", False):
        yield from SKY_WARNINGS


def _version_warnings(version: str) -> Iterator[str]:
    """What happens soon to a version at either end of AKS's list."""
    if minor_of(version) == FLOORS.ending:
        yield (
            f"kubernetes.version is {version}: AKS ends its support soon, and upgrades a cluster of a version without "
            "support by itself"
        )
    yield from unseen(version, FLOORS.minors, "AKS")


plan_rdma_cluster_args = planner(AksRdmaClusterArgs, demanding(plan_rdma_cluster))
"""The plan of ``AksRdmaCluster(name, args)``, by ``(args, name)``."""
