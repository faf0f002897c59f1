"""The whole AKS stack: all faults of a configuration at once, or one plan of everything it builds."""

from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

from ... import versions
from ...args import shape
from ...catalog.aks_releases import FLOORS
from ...clouds.existing import OF_EXISTING_CLUSTER, check_addresses, check_ceiling, check_existing
from ...clouds.floors import VersionFloor
from ...clouds.pools import GPU_TAINT, allocation_of, check_pools, made_of
from ...clouds.stack import planner
from ...faults import Faults
from ...incluster.plan.acceptance import AcceptanceChoice
from ...incluster.plan.claim_templates import ClaimChoice
from ...incluster.plan.injection import InjectionChoice
from ...incluster.plan.nodes import NodeSet
from ...incluster.plan.whole import Site, SitePool, WholeChoice, WholePlan, decide_whole
from .cluster import AksEndpoint, AksKubernetes, ClusterPlan, decide_kubernetes
from .drivers import AksDriverChoice, AksDrivers, AksGpuDriver, AksRdmaDriver, decide_drivers
from .features import AksFeatureCheck, check_one_kind
from .machines import buildable, row
from .network import (
    AksAddresses,
    AksExistingNetwork,
    AksOverlay,
    NetworkPlan,
    OverlayPlan,
    decide_existing,
    decide_max_nodes,
    decide_overlay,
    decide_subnets,
    own_block,
)
from .node_pool import POOL_LABEL, SPOT_TAINT, AksPool, NodePoolPlan, decide_pool
from .operators import OperatorsPlan, plan_operators
from .zones import check_location, check_uuid, check_zone


@shape
class AksNetworkChoice(AksAddresses, AksOverlay):
    """The addresses a stack may use, or the network it uses in place of a new one."""

    existing: NotRequired[AksExistingNetwork]
    """Use this subnet and make none."""


@shape
class AksRdmaClusterArgs(TypedDict):
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
    claims: NotRequired[ClaimChoice]
    """Which claim templates to offer."""
    drivers: NotRequired[AksDriverChoice]
    """Who brings which driver."""
    acceptance: NotRequired[AcceptanceChoice]
    """How the fabric is proved before `up` ends."""
    injection: NotRequired[InjectionChoice]
    """Whether pods that only ask for GPUs are given the fabric at admission. Default: they are not."""


@dataclass(frozen=True)
class RdmaClusterPlan:
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
    whole: WholePlan
    """What else goes into the cluster."""
    warnings: tuple[str, ...]


STACK_KEYS = {"azure-native:subscriptionId": "subscription", "azure-native:location": "location"}
"""Configuration keys of other namespaces that become args."""


def decide_rdma_cluster(args: AksRdmaClusterArgs, name: str, faults: Faults) -> RdmaClusterPlan | None:
    """All choices of ``AksRdmaCluster``. Returns ``None`` when a fault was added."""
    location, zone, kubernetes = args["location"], args.get("zone"), args.get("kubernetes", {})
    version = kubernetes.get("version", FLOORS.default)
    if versions.parse(version) is None:
        version = FLOORS.default  # The cluster's plan says what is wrong with it.
    feature = args.get("infiniband_feature", AksFeatureCheck.LOOK_UP)

    check_uuid(args["subscription"], "the subscription's id", faults.at("subscription"))
    check_location(location, faults.at("location"))
    if zone is not None:
        check_zone(zone, faults.at("zone"))
    if args.get("resource_group") == "":
        faults.at("resource_group").add("empty; name it, or leave it out and one is made")
    drivers = decide_drivers(
        args.get("drivers", {}), [allocation_of(pool) for pool in args["pools"]], faults.at("drivers")
    )
    network, overlay = _network(args, faults)
    cluster = decide_kubernetes(
        kubernetes,
        subscription=args["subscription"],
        location=location,
        zone=zone,
        overlay=overlay,
        name=name,
        floors=_floors(drivers),
        faults=faults.at("kubernetes"),
    )
    pools = [
        decide_pool(
            pool,
            zone=zone,
            version=version,
            drivers=drivers,
            infiniband_feature=feature,
            faults=faults.at("pools", i),
        )
        for i, pool in enumerate(args["pools"])
    ]
    made = [pool for pool in pools if pool is not None]
    check_pools(args["pools"], faults.at("pools"))
    _check_alike(args["pools"], faults.at("pools"))
    check_one_kind([row(pool["machine"]) for pool in args["pools"]], faults.at("pools"))
    check_existing(kubernetes, args.get("network", {}), faults)
    other_taints = SPOT_TAINT if any(pool["capacity"].get("spot") for pool in args["pools"]) else {}
    whole = decide_whole(
        Site(
            drivers.host,
            version,
            POOL_LABEL,
            GPU_TAINT[:2],
            "existing" not in kubernetes,
            other_taints=other_taints,
            driver_seconds=drivers.seconds,
        ),
        _on_site(args["pools"], pools, drivers, _place(args, cluster, network)),
        WholeChoice(drivers.dra, args.get("claims", {}), args.get("acceptance", {}), injection=args.get("injection")),
        faults,
    )
    if faults or cluster is None or whole is None:
        return None
    nodes = NodeSet(label=POOL_LABEL, values=[pool.name for pool in made], nodes=sum(pool.nodes for pool in made))
    return RdmaClusterPlan(
        args=args,
        network=network,
        cluster=cluster,
        pools=tuple(made),
        drivers=drivers,
        operators=plan_operators(drivers, [pool.machine for pool in made], nodes, other_taints),
        nodes=nodes,
        whole=whole,
        warnings=(
            *(warning for pool in made for warning in pool.warnings),
            *whole.warnings,
            *_warnings(cluster, network, drivers, made),
        ),
    )


def _floors(drivers: AksDrivers) -> list[VersionFloor]:
    remedy = "raise it, or give the pools gpuAllocation: device-plugin"
    return [] if drivers.plugged else [VersionFloor("claims for GPUs need", FLOORS.gpu_dra, remedy)]


def _on_site(
    pools: list[AksPool], plans: list[NodePoolPlan | None], drivers: AksDrivers, place: tuple[object, ...]
) -> list[SitePool]:
    """The pools of known sizes: what runs on them is judged even where something else of a pool is wrong."""
    return [
        SitePool(
            pool["name"],
            machine,
            pool["nodes"],
            drivers.fabric,
            drivers.allocation,
            made_of=made_of(plan, *place, pool["capacity"].get("reservation")) if plan else "",
        )
        for pool, plan in zip(pools, plans, strict=True)
        if (machine := row(pool["machine"])) and buildable(machine)
    ]


def _place(args: AksRdmaClusterArgs, cluster: ClusterPlan | None, network: NetworkPlan | None) -> tuple[object, ...]:
    """What makes the cluster anew, and its nodes with it, or the nodes alone."""
    if cluster is None:
        return ()
    fixed = (cluster.name, cluster.location, cluster.zone, cluster.version, cluster.system_machine, cluster.overlay)
    return (
        *(args["subscription"], args.get("resource_group"), args.get("network", {}).get("existing"), network),
        *(*fixed, cluster.endpoint is AksEndpoint.PRIVATE),
    )


def _check_alike(pools: list[AksPool], faults: Faults) -> None:
    """The GPU Operator's device plugin is on or off for the whole cluster, so that no node has two owners of GPUs."""
    for i, pool in enumerate(pools):
        if (own := allocation_of(pool)) is not (first := allocation_of(pools[0])):
            faults.at(i, "gpu_allocation").add(
                f"got {own.value}, and pools[0] has {first.value}; the GPU Operator serves all nodes of a cluster "
                "alike: give all pools one, or make a second stack"
            )


def _network(args: AksRdmaClusterArgs, faults: Faults) -> tuple[NetworkPlan | None, OverlayPlan | None]:
    """The subnet to make, or ``None`` where it exists; and the addresses inside a cluster that is made."""
    choice = args.get("network", {})
    at = faults.at("network")
    new_cluster = "existing" not in args.get("kubernetes", {})
    for key in ("pod_cidr", "service_cidr"):
        if key in choice and not new_cluster:
            at.at(key).add(OF_EXISTING_CLUSTER)
    network, max_nodes = None, decide_max_nodes(choice, at)
    if (existing := choice.get("existing")) is not None:
        check_addresses(choice, ("pod_cidr", "service_cidr", "max_nodes"), at)
        blocks = decide_existing(existing, at.at("existing"))
    else:
        network = decide_subnets(choice, args["location"], max_nodes, at)
        blocks = own_block(choice)
    check_ceiling(args["pools"], choice, faults.at("pools"))
    overlay = decide_overlay(choice, blocks, max_nodes, at) if new_cluster and max_nodes is not None else None
    return network, overlay


def _warnings(
    cluster: ClusterPlan, network: NetworkPlan | None, drivers: AksDrivers, pools: list[NodePoolPlan]
) -> list[str]:
    warnings = []
    if network is not None and cluster.endpoint is AksEndpoint.PRIVATE and not cluster.existing:
        warnings.append(
            "the cluster's API is private and its virtual network is new: what runs on the cluster is installed once "
            "this machine reaches the network (peering, VPN), or at once with kubernetes.endpoint: public and "
            "publicCidrs"
        )
    if drivers.rdma_driver is AksRdmaDriver.INBOX:
        warnings.append(
            "drivers.rdmaDriver is inbox: others have run NCCL over the kernel's own InfiniBand driver on H100, and "
            "published no bandwidth; GPU memory is registered by DMA-BUF, which wants NVIDIA's open kernel modules"
        )
        if drivers.plugged:
            warnings.append(
                "drivers.rdmaDriver is inbox: the device plugin picks NICs by PCI id, for want of a network interface; "
                "an Ethernet function of the same id would be handed out, too"
            )
    if drivers.gpu_driver is AksGpuDriver.AKS and drivers.rdma_driver is AksRdmaDriver.DOCA:
        warnings.append(
            "drivers.gpuDriver is aks: nvidia-peermem of AKS's driver does not load beside another InfiniBand driver; "
            "GPU memory is registered by DMA-BUF"
        )
    if drivers.gpu_driver is AksGpuDriver.OPERATOR:
        warnings.append(
            "drivers.gpuDriver is operator: AKS's node problem detector checks neither GPUs nor InfiniBand links of "
            "nodes whose driver it has not installed"
        )
    return warnings


plan_rdma_cluster = planner(AksRdmaClusterArgs, decide_rdma_cluster)
"""The plan of ``AksRdmaCluster(name, args)``, by ``(args, name)``."""
