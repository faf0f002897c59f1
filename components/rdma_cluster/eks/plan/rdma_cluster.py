"""The whole EKS stack: all faults of a configuration at once, or one plan of everything it builds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NotRequired

from typing_extensions import TypedDict

from ...args import planned, shape
from ...catalog import eks, releases
from ...catalog.eks import EksMachine
from ...claims import NicDriver, Target
from ...faults import Faults
from ...incluster.plan.acceptance import AcceptanceChoice, AcceptancePlan, NcclAcceptanceArgs, decide_acceptance
from ...incluster.plan.claim_templates import (
    ClaimChoice,
    ClaimTemplatesArgs,
    ClaimTemplatesPlan,
    decide_claim_templates,
)
from ...incluster.plan.device_plugins import DevicePluginsArgs, decide_device_plugins
from ...incluster.plan.dra_drivers import DraDriversArgs, DraDriversPlan, Part, decide_dra_drivers
from ...incluster.plan.nccl_installer import NcclInstallerArgs, Plugin, decide_nccl_installer
from ...incluster.plan.workload import Workload
from ...pools import by_claim, check_pools, machine_names, node_set
from .cluster import OF_EXISTING_CLUSTER, ClusterPlan, EksEndpoint, EksKubernetes, check_two_zones, decide_kubernetes
from .devices import EksDriverChoice, acceptance_args, check_claims, decide_devices, workload_of
from .network import (
    DEFAULT_MAX_NODES,
    EksAddresses,
    EksExistingNetwork,
    NetworkPlan,
    buildable,
    decide_subnets,
)
from .node_pool import POOL_LABEL, EksPool, NodePoolPlan, check_one_zone, decide_pool
from .zones import check_region, check_zone


@shape
class EksNetworkChoice(EksAddresses):
    """The addresses a stack may use, or the network it shall use."""

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

    region: str
    zone: str
    network: NetworkPlan | None
    """``None`` where an existing network is used."""
    cluster: ClusterPlan
    pools: tuple[NodePoolPlan, ...]
    drivers: DraDriversPlan
    claims: ClaimTemplatesPlan
    drivers_args: DraDriversArgs
    plugins_args: DevicePluginsArgs
    claims_args: ClaimTemplatesArgs
    acceptance: AcceptancePlan
    acceptance_args: NcclAcceptanceArgs
    workloads: Mapping[str, Workload]
    """What a pod adds to its spec, by pool."""
    warnings: tuple[str, ...]


STACK_KEYS = {"aws:region": "region"}
"""Configuration keys of other namespaces that become args."""


def plan_rdma_cluster(args: Mapping[str, Any], name: str, *, camel: bool = False) -> RdmaClusterPlan:
    """The plan of ``EksRdmaCluster(name, args)``.

    ``camel`` reads the keys, and spells the faults' paths, as a stack file does. Raises ``Refused`` with every fault.
    """
    return planned(
        EksRdmaClusterArgs, lambda admitted, faults: decide_rdma_cluster(admitted, name, faults), args, camel=camel
    )


def decide_rdma_cluster(args: EksRdmaClusterArgs, name: str, faults: Faults) -> RdmaClusterPlan | None:
    """All choices of ``EksRdmaCluster``. Returns ``None`` when a fault was added."""
    kubernetes = args.get("kubernetes", {})
    version = kubernetes.get("version", releases.EKS.default)
    claimed = [pool for pool in args["pools"] if by_claim(pool)]
    plugged = [pool for pool in args["pools"] if not by_claim(pool)]
    machines = [row for row in eks.MACHINES if row.name in machine_names(args["pools"], "eks") and buildable(row)]

    check_region(args["region"], faults.at("region"))
    check_zone(args["zone"], args["region"], faults.at("zone"))
    cluster = decide_kubernetes(
        kubernetes,
        region=args["region"],
        service_cidr=args.get("network", {}).get("service_cidr"),
        name=name,
        floors=_floors(bool(claimed), bool(plugged)),
        faults=faults.at("kubernetes"),
        services_at=faults.at("network", "service_cidr"),
    )
    pools = [decide_pool(pool, zone=args["zone"], faults=faults.at("pools", i)) for i, pool in enumerate(args["pools"])]
    check_pools(args["pools"], faults.at("pools"))
    _check_existing(args, faults)
    network = _network(args, machines, faults)
    drivers_args, plugins_args = decide_devices(
        args["region"], args["pools"], args.get("drivers", EksDriverChoice()), machines, faults.at("drivers")
    )
    drivers = decide_dra_drivers(drivers_args, faults.at("drivers"))
    plugins = decide_device_plugins(plugins_args, faults.at("drivers"))
    claims_args = ClaimTemplatesArgs(
        **args.get("claims", {}),
        machines=[row.name for row in machines if row.name in machine_names(claimed, "eks")],
        nic_driver=NicDriver.AWS_DRANET,
        version=version,
        create_namespaces="existing" not in kubernetes,
    )
    check_claims(args["pools"], args.get("claims", {}), faults.at("claims"))
    claims = decide_claim_templates(claims_args, faults.at("claims"))
    plugin_args = NcclInstallerArgs(plugin=Plugin.AWS_OFI_NCCL, nodes=node_set(args["pools"], POOL_LABEL))
    plugin = decide_nccl_installer(plugin_args, faults)
    tested = acceptance_args(args["pools"], args.get("acceptance", AcceptanceChoice()), machines, version)
    acceptance = decide_acceptance(tested, faults.at("acceptance")) if not faults else None
    if faults or cluster is None or drivers is None or plugins is None or claims is None or plugin is None:
        return None
    if acceptance is None:
        return None
    planned_pools = tuple(pool for pool in pools if pool is not None)
    return RdmaClusterPlan(
        region=args["region"],
        zone=args["zone"],
        network=network,
        cluster=cluster,
        pools=planned_pools,
        drivers=drivers,
        claims=claims,
        drivers_args=drivers_args,
        plugins_args=plugins_args,
        claims_args=claims_args,
        acceptance=acceptance,
        acceptance_args=tested,
        workloads={pool.name: workload_of(pool, plugin.workload, claims) for pool in planned_pools},
        warnings=(
            *(warning for pool in planned_pools for warning in pool.warnings),
            *_warnings(args, cluster, network),
        ),
    )


def _floors(claimed: bool, plugged: bool) -> list[tuple[str, str, str]]:
    floors = []
    if claimed:
        remedy = "raise it, or give the pools gpuAllocation: device-plugin"
        floors.append(("claims for GPUs need", releases.EKS.gpu_dra, remedy))
    if plugged:
        floors.append(("driver 580 in AWS's images needs", releases.EKS.device_plugin, "raise it"))
    return floors


def _check_existing(args: EksRdmaClusterArgs, faults: Faults) -> None:
    kubernetes = args.get("kubernetes", {})
    if "existing" not in kubernetes:
        return
    if "name" not in kubernetes:
        faults.at("kubernetes", "name").add("missing; an existing cluster must be named")
    if "existing" not in args.get("network", {}):
        faults.at("network", "existing").add(
            "missing; an existing cluster keeps the network it was made in, so name that"
        )
    if "service_cidr" in args.get("network", {}):
        faults.at("network", "service_cidr").add(OF_EXISTING_CLUSTER)


def _network(args: EksRdmaClusterArgs, machines: list[EksMachine], faults: Faults) -> NetworkPlan | None:
    """The subnets to make, or ``None`` where they exist (or a fault was added)."""
    choice = args.get("network", {})
    at = faults.at("network", "existing")
    if (existing := choice.get("existing")) is not None:
        for key in sorted(choice.keys() - {"existing", "service_cidr"}):
            faults.at("network", key).add(
                "not allowed with an existing network, which has its addresses; remove one of the two"
            )
        if not existing["dns"]:
            at.at("dns").add(
                "got false; a node joins its cluster by name: turn on DNS support and DNS hostnames of the VPC"
            )
        check_two_zones(existing["cluster_subnets"], at.at("cluster_subnets"))
        check_one_zone(existing["gpu_subnets"], args["zone"], at.at("gpu_subnets"))
        return None
    total = sum(pool["nodes"] for pool in args["pools"])
    ceiling = choice.get("max_nodes", DEFAULT_MAX_NODES)
    if total > ceiling > 0:
        faults.at("pools").add(
            f"{total} nodes in all, and the subnet is cut for {ceiling}; set network.maxNodes to {total} or more "
            "before the first up, since a subnet cannot grow later"
        )
    return decide_subnets(choice, machines, args["region"], args["zone"], faults.at("network"))


def _warnings(args: EksRdmaClusterArgs, cluster: ClusterPlan, network: NetworkPlan | None) -> list[str]:
    warnings = []
    if args.get("drivers", {}).get("nic") is Part.EXISTING:
        nic_class = Target(NicDriver.AWS_DRANET).nic_class
        warnings.append(
            f"drivers.nic is existing: the claims name DeviceClass {nic_class}, which must exist, or pods stay pending"
        )
    if network is not None and cluster.endpoint is EksEndpoint.PRIVATE:
        warnings.append(
            "the cluster's API is private and its VPC is new: what runs on the cluster is installed once this machine "
            "reaches the VPC (peering, VPN), or at once with kubernetes.endpoint: public and publicCidrs"
        )
    return warnings
