"""The plan of a whole AKS stack: every error of a configuration at once, or one plan of everything it builds."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from rdma_agent.names import STARTUP_TAINT
from ...base.args import Choice, Link, args_schema
from ...catalog.aks_releases import FLOORS
from ...common.existing import check_existing, private_api
from ...common.minimum_versions import MinimumVersion, unseen
from ...common.names import check_own_name
from ...common.pools import GPU_TAINT, allocation_of, check_pool_names, check_pools, held_until_proven
from ...common.skypilot import pools_for_skypilot
from ...common.stack import BaseRdmaClusterPlan, planner
from ...common.tags import check_tags
from ...fabrics import GpuAllocation
from ...fabrics.rollout import ANY_VALUE
from ...incluster.addons.monitoring.args import ExporterPods
from ...incluster.addons.storage.store import asked_store
from ...incluster.plan.artifacts import demanding
from ...incluster.plan.context import ClusterContext
from ...incluster.plan.in_cluster import InClusterPlan, plan_in_cluster
from ...incluster.plan.pool import GpuPool, NodeSet
from ...incluster.plan.rdma_cluster import BaseRdmaClusterArgs, in_cluster_options
from ...incluster.plan.support import support_warnings
from .access import AksEndpoint
from .cluster import NAME, NAME_WORDS, AksClusterPlan, AksKubernetes, plan_kubernetes
from .drivers import AksDriverOptions, AksDrivers, check_alike, driver_warnings, plan_drivers
from .existing import AksNetworkOptions, outbound_of, plan_networks
from .features import AksFeatureCheck, check_one_kind
from .gpu_pools import gpu_pools
from .machines import MACHINES
from .network import AksNetworkPlan
from .node_pool import POOL_LABEL, SPOT_TAINT, AksNodePoolPlan, AksPool, ClusterSettings, plan_pool
from .operators import GPU_NAMESPACE, OperatorsPlan, plan_operators_from_drivers
from .skypilot import SKY_WARNINGS, sky_configuration
from .storage import AksStorageOptions, AksStoragePlan, choose_storage, lustre_tib
from .zones import AZURE, check_group, check_place, zone_warnings


@args_schema
class AksRdmaClusterArgs(BaseRdmaClusterArgs):
    """A cluster whose GPUs talk over RDMA: where, which machines, how many."""

    subscription: str
    """Id of the subscription."""
    location: str
    """Location. Example: ``southcentralus``."""
    zone: NotRequired[str]
    """Zone of the GPU nodes: ``1``, ``2`` or ``3``. Default: none, for locations and sizes without zones."""
    resource_group: NotRequired[Link]
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
    """The new network; ``None`` where an existing one is used."""
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
    """Make all choices of ``AksRdmaCluster``. Returns ``None`` when an error was added."""
    if args.get("skypilot", False):
        args = {**args, "pools": pools_for_skypilot(args["pools"], MACHINES, errors.at("pools"))}
    kubernetes, pools = args.get("kubernetes", AksKubernetes()), args["pools"]
    networks, tib = args.get("network", AksNetworkOptions()), lustre_tib(args.get("storage"))

    check_own_name(name, NAME, _LONGEST_NAME, NAME_WORDS, errors)
    check_tags(args.get("tags", {}), AZURE, errors.at("tags"))
    check_place(args, errors)
    check_group(args.get("resource_group"), errors.at("resource_group"))
    allocations = [allocation_of(pool) for pool in pools]
    remedy = "raise it, or give the pools gpuAllocation: device-plugin"
    claims = MinimumVersion("claims for GPUs need", FLOORS.gpu_dra, remedy)
    drivers = plan_drivers(args.get("drivers", {}), allocations, errors.at("drivers"))
    network, overlay = plan_networks(
        choice=networks, kubernetes=kubernetes, pools=pools, location=args["location"], lustre_tib=tib, errors=errors
    )
    needs, at = [claims] if GpuAllocation.DRA in allocations else [], errors.at("kubernetes")
    cluster = plan_kubernetes(kubernetes, name, place=args, overlay=overlay, minimum_versions=needs, errors=at)
    plans = _pools(args, drivers, allocations, errors.at("pools"))
    check_existing(kubernetes, networks, errors)
    site_pools = gpu_pools(pools, plans, drivers, _place(args, cluster, network))
    storage, in_cluster = _in_cluster(args, name, drivers, site_pools, errors)
    complete = [plan for plan in plans if plan is not None]
    if errors or cluster is None or in_cluster is None or not complete:
        return None
    names, count = [pool.name for pool in complete], sum(pool.nodes for pool in complete)
    nodes, machines = NodeSet(label=POOL_LABEL, values=names, nodes=count), [pool.machine for pool in complete]
    taints = {**_other_taints(args), **({STARTUP_TAINT: ANY_VALUE} if in_cluster.held else {})}
    plan = AksRdmaClusterPlan(
        args=args,
        network=network,
        cluster=replace(
            cluster,
            outbound=outbound_of(networks),
            blobs=storage is not None and storage.account is not None,
            reservations=tuple(pool.reservation_group for pool in complete if pool.reservation_group is not None),
        ),
        pools=held_until_proven(complete, in_cluster.held),
        drivers=drivers,
        operators=plan_operators_from_drivers(drivers, machines, nodes, taints, args.get("registries", {})),
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
    """Plan each pool; ``None`` stands for one with an error."""
    version = args.get("kubernetes", {}).get("version", FLOORS.default)
    feature = args.get("infiniband_feature", AksFeatureCheck.LOOK_UP)
    settings = ClusterSettings(args.get("zone"), version, drivers, feature)
    plans = [plan_pool(pool, settings, errors.at(i)) for i, pool in enumerate(args["pools"])]
    check_pools(args["pools"], errors)
    if (count := len(args["pools"])) > MOST_POOLS:
        errors.add(
            f"got {count} pools; an AKS cluster has {MOST_POOLS + 1} node pools at the most, one of them the system's: "
            "join pools that are alike, or make a second stack"
        )
    check_pool_names(args["pools"], _OUR_POOLS, errors)
    check_alike(allocations, errors)
    check_one_kind([MACHINES.get(pool["machine"]) for pool in args["pools"]], errors)
    return plans


def _in_cluster(
    args: AksRdmaClusterArgs, name: str, drivers: AksDrivers, pools: list[GpuPool], errors: ErrorList
) -> tuple[AksStoragePlan | None, InClusterPlan | None]:
    kubernetes = args.get("kubernetes", AksKubernetes())
    storage, existing, own = None, "existing" in kubernetes, "existing" not in args.get("network", {})
    if "storage" in args:
        registries, at = args.get("registries", {}), errors.at("storage")
        storage = choose_storage(
            args["storage"], place=args, name=name, existing=existing, own_network=own, registries=registries, errors=at
        )
    context = ClusterContext(
        drivers.host,
        kubernetes.get("version", FLOORS.default),
        POOL_LABEL,
        GPU_TAINT[:2],
        makes_namespaces=not existing,
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


def _place(
    args: AksRdmaClusterArgs, cluster: AksClusterPlan | None, network: AksNetworkPlan | None
) -> dict[str, object]:
    """Values whose change replaces the cluster with its nodes, or the nodes alone.

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


def _warnings(plan: AksRdmaClusterPlan) -> Iterator[str]:
    """Warn of what may not work, in the order of the stack's parts."""
    yield from zone_warnings(plan.args)
    for pool in plan.pools:
        yield from pool.warnings
    yield from plan.in_cluster.warnings
    if not plan.cluster.existing:
        yield from unseen(plan.cluster.version, FLOORS.minors, "AKS")
        if plan.network is not None and plan.cluster.endpoint == AksEndpoint.PRIVATE:
            yield private_api("virtual network", "network")
    yield from support_warnings(plan, "aks", plan.args.get("kubernetes", {}), FLOORS.default)
    yield from driver_warnings(plan.drivers)
    if plan.args.get("skypilot", False):
        yield from SKY_WARNINGS


plan_rdma_cluster_args = planner(AksRdmaClusterArgs, demanding(plan_rdma_cluster))
"""The plan of ``AksRdmaCluster(name, args)``, by ``(args, name)``."""
