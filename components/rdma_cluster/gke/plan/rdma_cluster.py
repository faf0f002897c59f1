"""The whole GKE stack: all faults of a configuration at once, or one plan of everything it builds."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NotRequired

from typing_extensions import TypedDict

from ...args import planned, shape
from ...catalog import find, gke, releases
from ...claims import NicDriver
from ...claims.target import OWN_CLASS
from ...faults import Faults
from ...incluster.plan.acceptance import (
    AcceptanceChoice,
    AcceptancePlan,
    AcceptancePool,
    NcclAcceptanceArgs,
    decide_acceptance,
)
from ...incluster.plan.claim_templates import (
    ClaimChoice,
    ClaimTemplatesArgs,
    ClaimTemplatesPlan,
    decide_claim_templates,
)
from ...incluster.plan.dra_drivers import DraDriversArgs, DraDriversPlan, DriverChoice, Part, decide_dra_drivers
from ...incluster.plan.nccl_installer import NcclInstallerArgs, Plugin, decide_nccl_installer
from ...incluster.plan.workload import Workload
from ...pools import by_claim, check_pools, machine_names, node_set
from .cluster import ClusterPlan, GkeKubernetes, decide_kubernetes
from .network import (
    DEFAULT_MAX_NODES,
    GkeAddresses,
    GkeExistingNetwork,
    NetworkPlan,
    decide_subnets,
    region_of,
)
from .node_pool import GPU_TAINT, POOL_LABEL, GkePool, GpuAllocation, NodePoolPlan, decide_pool


@shape
class GkeNetworkChoice(GkeAddresses):
    """The addresses a stack may use, or the networks it shall use."""

    existing: NotRequired[GkeExistingNetwork]
    """Use these networks and make none."""


@shape
class GkeRdmaClusterArgs(TypedDict):
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
    claims: NotRequired[ClaimChoice]
    """Which claim templates to offer."""
    drivers: NotRequired[DriverChoice]
    """Who brings which driver."""
    acceptance: NotRequired[AcceptanceChoice]
    """How the fabric is proved before `up` ends."""


@dataclass(frozen=True)
class RdmaClusterPlan:
    """Everything ``GkeRdmaCluster`` builds."""

    project: str
    zone: str
    network: NetworkPlan | None
    """``None`` where existing networks are used."""
    cluster: ClusterPlan
    pools: tuple[NodePoolPlan, ...]
    drivers: DraDriversPlan
    claims: ClaimTemplatesPlan
    installer_args: NcclInstallerArgs
    drivers_args: DraDriversArgs
    claims_args: ClaimTemplatesArgs
    acceptance: AcceptancePlan
    acceptance_args: NcclAcceptanceArgs
    managed_nics: bool
    workloads: Mapping[str, Workload]
    """What a pod adds to its spec, by pool."""
    warnings: tuple[str, ...]


STACK_KEYS = {"gcp:project": "project"}
"""Configuration keys of other namespaces that become args."""


def plan_rdma_cluster(args: Mapping[str, Any], name: str, *, camel: bool = False) -> RdmaClusterPlan:
    """The plan of ``GkeRdmaCluster(name, args)``.

    ``camel`` reads the keys, and spells the faults' paths, as a stack file does. Raises ``Refused`` with every fault.
    """
    return planned(
        GkeRdmaClusterArgs, lambda admitted, faults: decide_rdma_cluster(admitted, name, faults), args, camel=camel
    )


def decide_rdma_cluster(args: GkeRdmaClusterArgs, name: str, faults: Faults) -> RdmaClusterPlan | None:
    choice = args.get("drivers", {})
    kubernetes = args.get("kubernetes", {})
    version = kubernetes.get("version", releases.GKE.default)
    managed_nics = choice.get("nic") is Part.MANAGED
    claimed = [pool for pool in args["pools"] if by_claim(pool)]

    if not args["project"]:
        faults.at("project").add("empty; name the project's id, e.g. my-project")
    region = region_of(args["zone"], faults.at("zone"))
    cluster = decide_kubernetes(
        kubernetes,
        project=args["project"],
        zone=args["zone"],
        region=region,
        name=name,
        claims="GPUs" if claimed else "NICs",
        faults=faults.at("kubernetes"),
    )
    pools = [
        decide_pool(pool, zone=args["zone"], version=version, managed_nics=managed_nics, faults=faults.at("pools", i))
        for i, pool in enumerate(args["pools"])
    ]
    check_pools(args["pools"], faults.at("pools"))
    _check_existing(args, faults)
    network = _network(args, region, faults)
    gpu_nodes, nic_nodes = node_set(claimed, POOL_LABEL), node_set(args["pools"], POOL_LABEL)
    drivers_args = DraDriversArgs(host="cos", gpu_nodes=gpu_nodes, nic_nodes=nic_nodes, **choice)
    drivers = decide_dra_drivers(drivers_args, faults.at("drivers"))
    claims_args = ClaimTemplatesArgs(
        **args.get("claims", {}),
        machines=machine_names(claimed, "gke"),
        nic_only_machines=machine_names([pool for pool in args["pools"] if not by_claim(pool)], "gke"),
        nic_driver=NicDriver.GKE_MANAGED if managed_nics else NicDriver.DRANET,
        version=version,
        create_namespaces="existing" not in kubernetes,
    )
    claims = decide_claim_templates(claims_args, faults.at("claims"))
    installer_args = NcclInstallerArgs(plugin=Plugin.GIB, nodes=nic_nodes)
    installer = None if not args["pools"] else decide_nccl_installer(installer_args, faults)
    acceptance_args = _acceptance(args, version, managed_nics)
    acceptance = decide_acceptance(acceptance_args, faults.at("acceptance")) if not faults else None
    if faults or cluster is None or drivers is None or claims is None or installer is None or acceptance is None:
        return None
    planned_pools = tuple(pool for pool in pools if pool is not None)
    return RdmaClusterPlan(
        project=args["project"],
        zone=args["zone"],
        network=network,
        cluster=cluster,
        pools=planned_pools,
        drivers=drivers,
        claims=claims,
        installer_args=installer_args,
        drivers_args=drivers_args,
        claims_args=claims_args,
        acceptance=acceptance,
        acceptance_args=acceptance_args,
        managed_nics=managed_nics,
        workloads={pool.name: _workload(pool, installer.workload, claims) for pool in planned_pools},
        warnings=(*(warning for pool in planned_pools for warning in pool.warnings), *_driver_warnings(choice)),
    )


def _driver_warnings(choice: DriverChoice) -> list[str]:
    if choice.get("nic") is not Part.EXISTING:
        return []
    return [
        f"drivers.nic is existing: the claims name DeviceClass {OWN_CLASS}, which must be there, or pods stay pending"
    ]


def _check_existing(args: GkeRdmaClusterArgs, faults: Faults) -> None:
    kubernetes = args.get("kubernetes", {})
    if "existing" not in kubernetes:
        return
    if "name" not in kubernetes:
        faults.at("kubernetes", "name").add("missing; an existing cluster must be named")
    if "existing" not in args.get("network", {}):
        faults.at("network", "existing").add(
            "missing; an existing cluster keeps the network it was made in, so name its networks"
        )


def _network(args: GkeRdmaClusterArgs, region: str | None, faults: Faults) -> NetworkPlan | None:
    """The subnets to make, or ``None`` where the networks exist (or a fault was added)."""
    choice = args.get("network", {})
    machines = [row for row in gke.MACHINES if row.name in machine_names(args["pools"], "gke")]
    if (existing := choice.get("existing")) is not None:
        at = faults.at("network", "existing")
        for key in sorted(choice.keys() - {"existing"}):
            faults.at("network", key).add(
                "not allowed with existing networks, which have their addresses; remove one of the two"
            )
        rails = max((machine.nics for machine in machines), default=0)
        if len(existing["rails"]) != rails:
            at.at("rails").add(
                f"got {len(existing['rails'])}; the machines have {rails} rails, list them in rail order"
            )
        return None
    total = sum(pool["nodes"] for pool in args["pools"])
    ceiling = choice.get("max_nodes", DEFAULT_MAX_NODES)
    if total > ceiling > 0:
        faults.at("pools").add(
            f"{total} nodes in all, and the subnets are cut for {ceiling}; set network.maxNodes to {total} or more "
            "before the first up, since rails cannot grow later"
        )
    return decide_subnets(choice, machines, args["project"], args["zone"], region, faults.at("network"))


def _acceptance(args: GkeRdmaClusterArgs, version: str, managed_nics: bool) -> NcclAcceptanceArgs:
    pools = []
    for pool in args["pools"]:
        tested = AcceptancePool(name=pool["name"], machine=pool["machine"], nodes=pool["nodes"])
        if pool["capacity"].get("flex_start"):
            tested["not_proven"] = "a flex-start pool has no nodes until a job asks for them"
        if not by_claim(pool):
            tested["gpus_by_claim"] = False
            tested["limits"] = device_plugin_limits(pool["machine"])
        pools.append(tested)
    return NcclAcceptanceArgs(
        **args.get("acceptance", AcceptanceChoice()),
        pools=pools,
        pool_label=POOL_LABEL,
        taint={"key": GPU_TAINT[0], "value": GPU_TAINT[1]},
        plugin=Plugin.GIB,
        nic_driver=NicDriver.GKE_MANAGED if managed_nics else NicDriver.DRANET,
        version=version,
    )


def device_plugin_limits(machine: str) -> dict[str, str]:
    """What a pod that wants the whole machine asks the device plugin for."""
    row = find(machine, "gke")
    return {"nvidia.com/gpu": str(row.gpus)} if row else {}


def _workload(pool: NodePoolPlan, plugin: Workload, claims: ClaimTemplatesPlan) -> Workload:
    claimed = pool.gpu_allocation is GpuAllocation.DRA
    names = [template.name for template in claims.templates(pool.machine.name)]
    return replace(
        plugin,
        node_selector={POOL_LABEL: pool.name},
        taint=GPU_TAINT[:2],
        claim_templates=tuple(name for name in names if claimed or name.endswith("-nics")),
        limits={} if claimed else device_plugin_limits(pool.machine.name),
    )
