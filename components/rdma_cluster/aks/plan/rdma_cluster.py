"""The plan of a whole AKS stack: every fault of a configuration at once, or one plan of everything it builds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NotRequired

from ...args import shape
from ...catalog.aks_releases import FLOORS
from ...clouds.existing import check_existing
from ...clouds.floors import VersionFloor, unseen
from ...clouds.names import check_own_name
from ...clouds.pools import GPU_TAINT, allocation_of, check_pool_names, check_pools
from ...clouds.skypilot import pools_for_skypilot
from ...clouds.stack import planner
from ...fabrics import GpuAllocation
from ...faults import Faults
from ...incluster.addons.monitoring.args import ExporterPods
from ...incluster.addons.storage.store import asked_store
from ...incluster.plan.nodes import NodeSet
from ...incluster.plan.pool import SitePool
from ...incluster.plan.rdma_cluster import BaseRdmaClusterArgs, BaseRdmaClusterPlan, whole_choice
from ...incluster.plan.site import Site
from ...incluster.plan.whole import WholePlan, decide_whole
from ...versions import minor_of
from .cluster import NAME, NAME_WORDS, AksKubernetes, ClusterPlan, decide_kubernetes
from .drivers import AksDriverChoice, AksDrivers, decide_drivers, driver_warnings
from .entry import AksEndpoint
from .existing import AksNetworkChoice, decide_networks
from .features import AksFeatureCheck, check_one_kind
from .machines import MACHINES
from .network import NetworkPlan
from .node_pool import POOL_LABEL, SPOT_TAINT, AksPool, ClusterSettings, NodePoolPlan, decide_pool
from .operators import GPU_NAMESPACE, OperatorsPlan, plan_operators
from .site import on_site
from .skypilot import SKY_WARNINGS, sky_configuration
from .storage import AksStorageChoice, StoragePlan, choose_storage, lustre_tib
from .zones import check_group, check_place


@shape
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
    infiniband_feature: NotRequired[AksFeatureCheck]
    """What is done about the subscription's feature AKSInfinibandSupport. Default: ``look-up``."""
    kubernetes: NotRequired[AksKubernetes]
    """The cluster's choices, or an existing cluster."""
    network: NotRequired[AksNetworkChoice]
    """The cluster's addresses, or an existing network."""
    drivers: NotRequired[AksDriverChoice]
    """Who brings which driver."""
    storage: NotRequired[AksStorageChoice]
    """Where data is kept, with a claim in each of the claim templates' namespaces. Default: nowhere."""
    skypilot: NotRequired[bool]
    """Make a cluster that SkyPilot can use over the fabric: device plugins, its label of the GPU, one machine type. It
    knows no network of AKS: the output ``skypilot`` is what a task's ``config`` must say. Default: false."""


@dataclass(frozen=True, kw_only=True)
class AksRdmaClusterPlan(BaseRdmaClusterPlan):
    """Everything ``AksRdmaCluster`` builds."""

    args: AksRdmaClusterArgs
    """The stack's args, checked; for SkyPilot with changed pools."""
    network: NetworkPlan | None
    """``None`` where an existing network is used."""
    cluster: ClusterPlan
    pools: tuple[NodePoolPlan, ...]
    drivers: AksDrivers
    operators: OperatorsPlan
    nodes: NodeSet
    """Nodes of all pools."""
    storage: StoragePlan | None
    """Where data is kept; ``None`` is nowhere."""
    skypilot: Mapping[str, Any]
    """The ``config`` of a SkyPilot task; empty where the stack is not for SkyPilot."""


# As the GPU Operator makes it (NVIDIA/gpu-operator tag v26.3.3 assets/state-dcgm-exporter/0800_daemonset.yaml).
_GPU_EXPORTER = ExporterPods(namespace=GPU_NAMESPACE, labels={"app": "nvidia-dcgm-exporter"})
_LONGEST_NAME = 44 - 8  # managed Prometheus takes 44 characters; azure-native puts eight digits behind a name
_OUR_POOLS = {"system": "the system nodes"}
STACK_KEYS = {"azure-native:subscriptionId": "subscription", "azure-native:location": "location"}
"""Configuration keys of other namespaces that become args."""


def decide_rdma_cluster(args: AksRdmaClusterArgs, name: str, faults: Faults) -> AksRdmaClusterPlan | None:
    """All choices of ``AksRdmaCluster``. Returns ``None`` when a fault was added."""
    if args.get("skypilot", False):
        args = {**args, "pools": pools_for_skypilot(args["pools"], MACHINES, faults.at("pools"))}
    kubernetes, pools = args.get("kubernetes", AksKubernetes()), args["pools"]

    check_own_name(name, NAME, _LONGEST_NAME, NAME_WORDS, faults)
    check_place(args, faults)
    check_group(args.get("resource_group"), faults.at("resource_group"))
    allocations = [allocation_of(pool) for pool in pools]
    drivers = decide_drivers(args.get("drivers", {}), allocations, faults.at("drivers"))
    network, overlay = decide_networks(
        choice=args.get("network", {}),
        kubernetes=kubernetes,
        pools=pools,
        location=args["location"],
        lustre_tib=lustre_tib(args.get("storage")),
        faults=faults,
    )
    cluster = decide_kubernetes(
        kubernetes, name, place=args, overlay=overlay, floors=_floors(allocations), faults=faults.at("kubernetes")
    )
    plans = _pools(args, drivers, allocations, faults.at("pools"))
    check_existing(kubernetes, args.get("network", {}), faults)
    site_pools = on_site(pools, plans, drivers, _place(args, cluster, network))
    storage, whole = _in_cluster(args, name, drivers, site_pools, faults)
    complete = [plan for plan in plans if plan is not None]
    if faults or cluster is None or whole is None or not complete:
        return None
    nodes = NodeSet(
        label=POOL_LABEL, values=[pool.name for pool in complete], nodes=sum(pool.nodes for pool in complete)
    )
    plan = AksRdmaClusterPlan(
        args=args,
        network=network,
        cluster=cluster,
        pools=tuple(complete),
        drivers=drivers,
        operators=plan_operators(
            drivers, [pool.machine for pool in complete], nodes, _other_taints(args), args.get("registries", {})
        ),
        nodes=nodes,
        whole=whole,
        storage=storage,
        skypilot=sky_configuration(whole.workloads[complete[0].name]) if args.get("skypilot", False) else {},
        warnings=(),
    )
    return replace(plan, warnings=tuple(_warnings(plan)))


def _pools(
    args: AksRdmaClusterArgs, drivers: AksDrivers, allocations: list[GpuAllocation], faults: Faults
) -> list[NodePoolPlan | None]:
    """The plan of each pool; ``None`` for one with a fault."""
    settings = ClusterSettings(
        zone=args.get("zone"),
        version=args.get("kubernetes", {}).get("version", FLOORS.default),
        drivers=drivers,
        infiniband_feature=args.get("infiniband_feature", AksFeatureCheck.LOOK_UP),
    )
    plans = [decide_pool(pool, settings, faults.at(i)) for i, pool in enumerate(args["pools"])]
    check_pools(args["pools"], faults)
    check_pool_names(args["pools"], _OUR_POOLS, faults)
    _check_alike(allocations, faults)
    check_one_kind([MACHINES.get(pool["machine"]) for pool in args["pools"]], faults)
    return plans


def _in_cluster(
    args: AksRdmaClusterArgs, name: str, drivers: AksDrivers, pools: list[SitePool], faults: Faults
) -> tuple[StoragePlan | None, WholePlan | None]:
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
            faults=faults.at("storage"),
        )
    site = Site(
        drivers.host,
        kubernetes.get("version", FLOORS.default),
        POOL_LABEL,
        GPU_TAINT[:2],
        makes_namespaces="existing" not in kubernetes,
        other_taints=_other_taints(args),
        driver_seconds=drivers.seconds,
        gpu_exporter=_GPU_EXPORTER if drivers.gpu_operator else None,
    )
    choice = whole_choice(args, drivers.dra, asked_store("storage" in args, storage))
    return storage, decide_whole(site, pools, choice, faults)


def _other_taints(args: AksRdmaClusterArgs) -> dict[str, str]:
    """The taints that some GPU nodes have beside the GPU taint."""
    return SPOT_TAINT if any(pool["capacity"].get("spot") for pool in args["pools"]) else {}


def _floors(allocations: list[GpuAllocation]) -> list[VersionFloor]:
    if GpuAllocation.DRA not in allocations:
        return []
    remedy = "raise it, or give the pools gpuAllocation: device-plugin"
    return [VersionFloor("claims for GPUs need", FLOORS.gpu_dra, remedy)]


def _place(args: AksRdmaClusterArgs, cluster: ClusterPlan | None, network: NetworkPlan | None) -> tuple[object, ...]:
    """What replaces the cluster and its nodes with it, or the nodes alone, when it changes."""
    if cluster is None:
        return ()
    return (
        args.get("resource_group"),
        args.get("network", {}).get("existing"),
        network and replace(network, lustre=""),
        cluster.identifier,
        cluster.zone,
        cluster.version,
        cluster.system_machine,
        cluster.overlay,
        cluster.endpoint == AksEndpoint.PRIVATE,
    )


def _check_alike(allocations: list[GpuAllocation], faults: Faults) -> None:
    """The GPU Operator's device plugin is on or off for the whole cluster, so that no node has two owners of GPUs."""
    for i, own in enumerate(allocations):
        if own != (first := allocations[0]):
            faults.at(i, "gpu_allocation").add(
                f"got {own.value}, and pools[0] has {first.value}; the GPU Operator serves all nodes of a cluster "
                "alike: give all pools one, or make a second stack"
            )


def _warnings(plan: AksRdmaClusterPlan) -> Iterator[str]:
    """What may not work, in the order of the stack's parts."""
    for pool in plan.pools:
        yield from pool.warnings
    yield from plan.whole.warnings
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
    state = {
        FLOORS.ending: "AKS ends its support soon, and upgrades a cluster of a version without support by itself",
        FLOORS.preview: "a preview of AKS's, which Microsoft does not support in production",
    }.get(minor_of(version))
    if state is not None:
        yield f"kubernetes.version is {version}: {state}"
    yield from unseen(version, FLOORS.minors, "AKS")


plan_rdma_cluster = planner(AksRdmaClusterArgs, decide_rdma_cluster)
"""The plan of ``AksRdmaCluster(name, args)``, by ``(args, name)``."""
