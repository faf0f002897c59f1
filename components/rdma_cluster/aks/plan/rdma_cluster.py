"""The whole AKS stack: all faults of a configuration at once, or one plan of everything it builds."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NotRequired

from ...args import shape
from ...catalog import aks
from ...catalog.aks_releases import FLOORS
from ...clouds.existing import check_existing
from ...clouds.floors import VersionFloor, unseen
from ...clouds.names import check_own_name
from ...clouds.pools import GPU_TAINT, allocation_of, check_pool_names, check_pools
from ...clouds.skypilot import asked_for, pools_for_skypilot
from ...clouds.stack import planner
from ...fabrics import GpuAllocation
from ...faults import Faults
from ...incluster.addons.monitoring.args import ExporterPods
from ...incluster.addons.storage.store import asked_store
from ...incluster.plan.nodes import NodeSet
from ...incluster.plan.rdma_cluster import BaseRdmaClusterArgs, BaseRdmaClusterPlan, whole_choice
from ...incluster.plan.site import Site
from ...incluster.plan.whole import decide_whole
from ...versions import minor_of
from .cluster import NAME, NAME_WORDS, AksKubernetes, ClusterPlan, decide_kubernetes
from .drivers import AksDriverChoice, AksDrivers, decide_drivers, driver_warnings
from .entry import AksEndpoint
from .existing import AksNetworkChoice, decide_networks
from .features import AksFeatureCheck, check_one_kind
from .machines import row
from .network import NetworkPlan
from .node_pool import POOL_LABEL, SPOT_TAINT, AksPool, NodePoolPlan, decide_pool
from .operators import GPU_NAMESPACE, OperatorsPlan, plan_operators
from .site import on_site
from .skypilot import SKY_WARNINGS, sky_configuration
from .storage import AksStorageChoice, StoragePlan, choose_storage, lustre_tib
from .zones import check_group, check_location, check_uuid, check_zone


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
    """What it was made of, checked."""
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
    """What a task of SkyPilot's says in its ``config``; empty where the stack is not for it."""


# As the GPU Operator makes it (NVIDIA/gpu-operator tag v26.3.3 assets/state-dcgm-exporter/0800_daemonset.yaml).
_GPU_EXPORTER = ExporterPods(namespace=GPU_NAMESPACE, labels={"app": "nvidia-dcgm-exporter"})
_LONGEST_NAME = 44 - 8  # managed Prometheus takes 44 characters; azure-native puts eight digits behind a name
_OUR_POOLS = {"system": "the system nodes"}
STACK_KEYS = {"azure-native:subscriptionId": "subscription", "azure-native:location": "location"}
"""Configuration keys of other namespaces that become args."""


def decide_rdma_cluster(args: AksRdmaClusterArgs, name: str, faults: Faults) -> AksRdmaClusterPlan | None:
    """All choices of ``AksRdmaCluster``. Returns ``None`` when a fault was added."""
    skypilot = asked_for(args.get("skypilot", False))
    if skypilot:
        args = {
            **args,
            "pools": pools_for_skypilot(args["pools"], {row.name: row for row in aks.MACHINES}, faults.at("pools")),
        }
    subscription, location, zone = args["subscription"], args["location"], args.get("zone")
    kubernetes, registries = args.get("kubernetes", {}), args.get("registries", {})
    pools, version = args["pools"], kubernetes.get("version", FLOORS.default)

    check_own_name(name, NAME, _LONGEST_NAME, NAME_WORDS, faults)
    check_uuid(subscription, "the subscription's id", faults.at("subscription"))
    check_location(location, faults.at("location"))
    check_zone(zone, faults.at("zone"))
    check_group(args.get("resource_group"), faults.at("resource_group"))
    allocations = [allocation_of(pool) for pool in pools]
    drivers = decide_drivers(args.get("drivers", {}), allocations, faults.at("drivers"))
    found = decide_networks(
        choice=args.get("network", {}),
        kubernetes=kubernetes,
        pools=pools,
        location=location,
        lustre_tib=lustre_tib(args.get("storage")),
        faults=faults,
    )
    network, overlay = found or (None, None)
    cluster = decide_kubernetes(
        kubernetes,
        subscription=subscription,
        location=location,
        zone=zone,
        overlay=overlay,
        name=name,
        floors=_floors(allocations),
        faults=faults.at("kubernetes"),
    )
    plans = [
        decide_pool(
            pool,
            zone=zone,
            version=version,
            drivers=drivers,
            infiniband_feature=args.get("infiniband_feature", AksFeatureCheck.LOOK_UP),
            faults=faults.at("pools", i),
        )
        for i, pool in enumerate(pools)
    ]
    check_pools(args["pools"], faults.at("pools"))
    check_pool_names(args["pools"], _OUR_POOLS, faults.at("pools"))
    _check_alike(allocations, faults.at("pools"))
    check_one_kind([row(pool["machine"]) for pool in pools], faults.at("pools"))
    check_existing(kubernetes, args.get("network", {}), faults)
    other_taints = SPOT_TAINT if any(pool["capacity"].get("spot") for pool in pools) else {}
    storage = None
    if "storage" in args:
        there = kubernetes.get("existing") is not None
        storage = choose_storage(
            args["storage"],
            name=name,
            existing=there,
            own_network=args.get("network", {}).get("existing") is None,
            registries=registries,
            faults=faults.at("storage"),
        )
    whole = decide_whole(
        Site(
            drivers.host,
            version,
            POOL_LABEL,
            GPU_TAINT[:2],
            kubernetes.get("existing") is None,
            other_taints=other_taints,
            driver_seconds=drivers.seconds,
            gpu_exporter=(_GPU_EXPORTER if drivers.gpu_operator else None),
        ),
        on_site(pools, plans, drivers, _place(args, cluster, network)),
        whole_choice(args, drivers.dra, asked_store("storage" in args, storage)),
        faults,
    )
    made = [plan for plan in plans if plan is not None]
    if faults or cluster is None or whole is None or not made:
        return None
    nodes = NodeSet(label=POOL_LABEL, values=[pool.name for pool in made], nodes=sum(pool.nodes for pool in made))
    return AksRdmaClusterPlan(
        args=args,
        network=network,
        cluster=cluster,
        pools=tuple(made),
        drivers=drivers,
        operators=plan_operators(drivers, [pool.machine for pool in made], nodes, other_taints, registries),
        nodes=nodes,
        whole=whole,
        storage=storage,
        skypilot=sky_configuration(whole.workloads[made[0].name]) if skypilot else {},
        warnings=(
            *(warning for pool in made for warning in pool.warnings),
            *whole.warnings,
            *_warnings(cluster, network),
            *driver_warnings(drivers),
            *(SKY_WARNINGS if skypilot else ()),
        ),
    )


def _floors(allocations: list[GpuAllocation]) -> list[VersionFloor]:
    if GpuAllocation.DRA not in allocations:
        return []
    remedy = "raise it, or give the pools gpuAllocation: device-plugin"
    return [VersionFloor("claims for GPUs need", FLOORS.gpu_dra, remedy)]


def _place(args: AksRdmaClusterArgs, cluster: ClusterPlan | None, network: NetworkPlan | None) -> tuple[object, ...]:
    """What makes the cluster anew, and its nodes with it, or the nodes alone."""
    if cluster is None:
        return ()
    fixed = (cluster.identifier, cluster.zone, cluster.version, cluster.system_machine, cluster.overlay)
    of_nodes = network and replace(network, lustre="")
    return (
        *(args.get("resource_group"), args.get("network", {}).get("existing"), of_nodes),
        *(*fixed, cluster.endpoint == AksEndpoint.PRIVATE),
    )


def _check_alike(allocations: list[GpuAllocation], faults: Faults) -> None:
    """The GPU Operator's device plugin is on or off for the whole cluster, so that no node has two owners of GPUs."""
    for i, own in enumerate(allocations):
        if own != (first := allocations[0]):
            faults.at(i, "gpu_allocation").add(
                f"got {own.value}, and pools[0] has {first.value}; the GPU Operator serves all nodes of a cluster "
                "alike: give all pools one, or make a second stack"
            )


def _warnings(cluster: ClusterPlan, network: NetworkPlan | None) -> list[str]:
    warnings = _of_version(cluster)
    if network is not None and cluster.endpoint == AksEndpoint.PRIVATE and not cluster.existing:
        warnings.append(
            "the cluster's API is private and its virtual network is new: what runs on the cluster is installed once "
            "this machine reaches the network (peering, VPN), or at once with kubernetes.endpoint: public and "
            "publicCidrs"
        )
    return warnings


def _of_version(cluster: ClusterPlan) -> list[str]:
    """What is coming to a version of the ends of AKS's list."""
    if cluster.existing:
        return []
    minor = minor_of(cluster.version)
    said = {
        FLOORS.ending: "AKS ends its support soon, and upgrades a cluster of a version without support by itself",
        FLOORS.preview: "a preview of AKS's, which Microsoft does not support in production",
    }
    told = [f"kubernetes.version is {cluster.version}: {said[minor]}"] if minor in said else []
    return [*told, *unseen(cluster.version, FLOORS.minors, "AKS")]


plan_rdma_cluster = planner(AksRdmaClusterArgs, decide_rdma_cluster)
"""The plan of ``AksRdmaCluster(name, args)``, by ``(args, name)``."""
