"""The whole OKE stack: all faults of a configuration at once, or one plan of everything it builds."""

from dataclasses import dataclass, replace
from typing import NotRequired

from typing_extensions import TypedDict

from ...args import shape
from ...catalog import oke, oke_releases
from ...catalog.oke import OkeMachine
from ...clouds.existing import OF_EXISTING_CLUSTER, check_addresses, check_ceiling, check_existing
from ...clouds.floors import VersionFloor, check_floors
from ...clouds.pools import GPU_TAINT, check_pools, made_of
from ...clouds.stack import planner
from ...fabrics import GpuAllocation
from ...faults import Faults
from ...incluster.plan.acceptance import AcceptanceChoice
from ...incluster.plan.claim_templates import ClaimChoice
from ...incluster.plan.dra_drivers import DriverChoice, Part
from ...incluster.plan.whole import Site, SitePool, WholeChoice, WholePlan, decide_whole
from .adopt import AdoptionPlan, OkeAdoptedPool, decide_adopted
from .cluster import ClusterPlan, OkeEndpoint, OkeKubernetes, decide_kubernetes
from .identity import IdentityPlan, OkeIdentity, decide_identity
from .images import ImportPlan, imports
from .machines import not_built
from .modes import OkePoolMode
from .network import (
    DEFAULT_MAX_PODS,
    SYSTEM_NODES,
    SYSTEM_PODS,
    NetworkPlan,
    OkeAddresses,
    OkeCniType,
    OkeExistingNetwork,
    check_existing_network,
    check_pods_fit,
    decide_services,
    decide_subnets,
    existing_blocks,
    own_block,
)
from .node_pool import POOL_LABEL, NodePoolPlan, OkePool, allocation_of, decide_pool
from .rdma import OkeExposure, OkeRdma, RdmaPlan, decide_rdma, rdma_warnings
from .virtual_functions import OkeVirtualFunctionsArgs, VirtualFunctionsPlan, decide_virtual_functions
from .zones import check_ocid, check_region, check_zone


@shape
class OkeNetworkChoice(OkeAddresses):
    """The addresses a stack may use, or the network it uses in place of a new one."""

    existing: NotRequired[OkeExistingNetwork]
    """Use this network and make none."""


@shape
class OkeRdmaClusterArgs(TypedDict):
    """A cluster whose GPUs talk over RDMA: where, which shapes, how many."""

    region: str
    """Region. Example: ``eu-frankfurt-1``."""
    tenancy: str
    """OCID of the tenancy."""
    compartment: str
    """OCID of the compartment of everything."""
    zone: str
    """Availability domain of the nodes, by full name or number. Example: ``TrcQ:EU-FRANKFURT-1-AD-3``."""
    pools: NotRequired[list[OkePool]]
    """GPU pools; needed unless nodes are adopted."""
    adopt: NotRequired[list[OkeAdoptedPool]]
    """Nodes of an existing cluster that become pools."""
    kubernetes: NotRequired[OkeKubernetes]
    """The cluster's choices, or an existing cluster."""
    network: NotRequired[OkeNetworkChoice]
    """Addresses, or an existing network."""
    identity: NotRequired[OkeIdentity]
    """Who gives nodes their permissions."""
    rdma: NotRequired[OkeRdma]
    """How pods get NICs and GPUs."""
    claims: NotRequired[ClaimChoice]
    """Which claim templates to offer, with ``dranet``; and the namespaces of workloads."""
    drivers: NotRequired[DriverChoice]
    """Who brings which driver."""
    acceptance: NotRequired[AcceptanceChoice]
    """How the fabric is proved before `up` ends."""
    ssh_public_key: NotRequired[str]
    """Key for ssh to the nodes. Default: none."""


@dataclass(frozen=True)
class RdmaClusterPlan:
    """Everything ``OkeRdmaCluster`` builds."""

    args: OkeRdmaClusterArgs
    """What it was made of, checked."""
    region: str
    zone: str
    network: NetworkPlan | None
    """``None`` where an existing network is used, or nothing needs one."""
    cluster: ClusterPlan
    identity: IdentityPlan
    images: tuple[ImportPlan, ...]
    """Each image that pools boot, once."""
    pools: tuple[NodePoolPlan, ...]
    adopted: tuple[AdoptionPlan, ...]
    rdma: RdmaPlan
    virtual_functions: tuple[OkeVirtualFunctionsArgs, VirtualFunctionsPlan] | None
    whole: WholePlan
    """What goes into the cluster."""
    warnings: tuple[str, ...]


_BUILDABLE = {row.name: row for row in oke.MACHINES if not not_built(row)}
# The operator's pods come first, and then configure each node: Oracle's stack sleeps for seven minutes of it.
_VF_SECONDS = 1800
STACK_KEYS = {"oci:region": "region", "oci:tenancyOcid": "tenancy"}
"""Configuration keys of other namespaces that become args."""


def decide_rdma_cluster(args: OkeRdmaClusterArgs, name: str, faults: Faults) -> RdmaClusterPlan | None:
    """All choices of ``OkeRdmaCluster``. Returns ``None`` when a fault was added."""
    region, zone, compartment = args["region"], args["zone"], args["compartment"]
    kubernetes, network_choice = args.get("kubernetes", OkeKubernetes()), args.get("network", OkeNetworkChoice())
    pools, adopted = args.get("pools", []), args.get("adopt", [])
    existing, cni = "existing" in kubernetes, kubernetes.get("cni", OkeCniType.VCN_NATIVE)

    check_region(region, faults.at("region"))
    check_zone(zone, region, faults.at("zone"))
    check_ocid(args["tenancy"], ("tenancy",), faults.at("tenancy"))
    check_ocid(compartment, ("compartment", "tenancy"), faults.at("compartment"))
    rdma = decide_rdma(args.get("rdma", OkeRdma()), _known(pools, adopted), existing, faults.at("rdma"))
    cluster = decide_kubernetes(
        kubernetes,
        region=region,
        compartment=compartment,
        zone=zone,
        blocks=_services(network_choice, cni, faults.at("network")),
        addons=rdma.addons,
        name=name,
        faults=faults.at("kubernetes"),
    )
    _check_version(args, rdma, faults.at("kubernetes", "version"))
    version = kubernetes.get("version", oke_releases.VERSIONS.default)
    planned_pools = [
        decide_pool(
            pool,
            zone=zone,
            version=version,
            cni=cni,
            fabric=rdma.fabric,
            own_gpu_plugin=rdma.own_gpu_plugin,
            faults=faults.at("pools", i),
        )
        for i, pool in enumerate(pools)
    ]
    made = [pool for pool in planned_pools if pool is not None]
    taken_in = _adopted(args, faults)
    network = _network(args, cni, faults)
    identity = decide_identity(
        args.get("identity", OkeIdentity()),
        region=region,
        tenancy=args["tenancy"],
        compartment=compartment,
        modes=[pool.mode for pool in made],
        host_groups=[pool.host_group for pool in made if pool.host_group and pool.mode is OkePoolMode.MANAGED],
        faults=faults.at("identity"),
    )
    machines = [machine for _, machine, _ in _known(pools, adopted)]
    functions = _virtual_functions(rdma, machines, existing, faults)
    sriov = rdma.exposure is OkeExposure.SRIOV
    whole = decide_whole(
        Site(
            "ubuntu-oke",
            version,
            POOL_LABEL,
            GPU_TAINT[:2],
            makes_namespaces=not existing,
            driver_seconds=_VF_SECONDS if sriov else 0,
        ),
        _on_site(pools, adopted, rdma, {pool.name: _made_of(pool, zone, cluster, network) for pool in made}),
        WholeChoice(_drivers(args, faults), args.get("claims", {}), _acceptance(args, made)),
        faults,
    )
    if faults or cluster is None or identity is None or whole is None:
        return None
    return RdmaClusterPlan(
        args=args,
        region=region,
        zone=zone,
        network=network,
        cluster=cluster,
        identity=identity,
        images=tuple(imports(compartment, [(pool.image, pool.machine.name) for pool in made])),
        pools=tuple(made),
        adopted=tuple(taken_in),
        rdma=rdma,
        virtual_functions=functions,
        whole=whole,
        warnings=(
            *(warning for pool in made for warning in pool.warnings),
            *rdma_warnings(rdma, machines, existing),
            *whole.warnings,
            *_warnings(cluster, network),
        ),
    )


def _known(pools: list[OkePool], adopted: list[OkeAdoptedPool]) -> list[tuple[str, OkeMachine, GpuAllocation]]:
    """Name, shape and GPU allocation of the pools of shapes that are built, whatever else is wrong with them."""
    found = [(pool["name"], pool["machine"], allocation_of(pool)) for pool in pools]
    found += [(pool["name"], pool["machine"], GpuAllocation.DEVICE_PLUGIN) for pool in adopted]
    return [(name, _BUILDABLE[machine], allocation) for name, machine, allocation in found if machine in _BUILDABLE]


def _made_of(pool: NodePoolPlan, zone: str, cluster: ClusterPlan | None, network: NetworkPlan | None) -> str:
    """A digest of what gives the pool other nodes. A new template gives new nodes to nobody who is there."""
    nodes = replace(pool, user_data="", boot_digest="")
    return made_of(
        nodes, zone, cluster and (cluster.identifier, cluster.service_cidr), network and (network.cidr, network.cuts)
    )


def _on_site(
    pools: list[OkePool], adopted: list[OkeAdoptedPool], rdma: RdmaPlan, made_of_what: dict[str, str]
) -> list[SitePool]:
    """The pools as what runs on them must know them."""
    nodes = {pool["name"]: pool["nodes"] for pool in [*pools, *adopted]}
    return [
        SitePool(
            name,
            machine,
            nodes[name],
            rdma.fabric,
            allocation,
            not_proven=_not_proven(machine),
            made_of=made_of_what.get(name, ""),
        )
        for name, machine, allocation in _known(pools, adopted)
    ]


def _not_proven(machine: OkeMachine) -> str:
    if machine.nvlink_domain <= machine.gpus:
        return ""
    return "its NVLink between nodes takes a ComputeDomain, which the test does not ask for"


def _check_version(args: OkeRdmaClusterArgs, rdma: RdmaPlan, faults: Faults) -> None:
    """What the cluster's version must reach beyond OKE's own floor."""
    version = args.get("kubernetes", {}).get("version", oke_releases.VERSIONS.default)
    if rdma.exposure is OkeExposure.DRANET and not faults:
        floor = VersionFloor("claims for NICs need", "1.34.2", "raise it, or choose another rdma.exposure")
        check_floors(version, [floor], "OKE", faults)


def _adopted(args: OkeRdmaClusterArgs, faults: Faults) -> list[AdoptionPlan]:
    """Nodes that are taken in, of a cluster that exists."""
    pools, adopted = args.get("pools", []), args.get("adopt", [])
    if adopted and "existing" not in args.get("kubernetes", {}):
        faults.at("adopt").add("needs kubernetes.existing: a new cluster has no nodes but its pools'")
    if pools or not adopted:
        check_pools(pools, faults.at("pools"))
    names = [pool["name"] for pool in pools]
    plans = []
    for i, pool in enumerate(adopted):
        if pool["name"] in [*names, *(each["name"] for each in adopted[:i])]:
            faults.at("adopt", i, "name").add(f"{pool['name']} is the name of another pool; name each pool once")
        plans.append(decide_adopted(pool, compartment=args["compartment"], faults=faults.at("adopt", i)))
    return [plan for plan in plans if plan is not None]


def _services(choice: OkeNetworkChoice, cni: OkeCniType, faults: Faults) -> tuple[str, str | None]:
    """Blocks of services and pods, apart from the VCN that is made or exists."""
    existing = choice.get("existing")
    return decide_services(choice, cni, own_block(choice) if existing is None else existing_blocks(existing), faults)


def _network(args: OkeRdmaClusterArgs, cni: OkeCniType, faults: Faults) -> NetworkPlan | None:
    """The subnets to make; ``None`` where they exist, nothing starts in them, or a fault was added."""
    choice, kubernetes = args.get("network", OkeNetworkChoice()), args.get("kubernetes", OkeKubernetes())
    pools, at = args.get("pools", []), faults.at("network", "existing")
    if "existing" in kubernetes:
        for key in ("service_cidr", "pod_cidr"):
            if key in choice:
                faults.at("network", key).add(OF_EXISTING_CLUSTER)
        if not pools:
            return None  # labels alone need no subnet
    check_existing(kubernetes, choice, faults)
    if (existing := choice.get("existing")) is not None:
        check_addresses(choice, ("service_cidr", "pod_cidr"), faults.at("network"))
        check_existing_network(existing, cni, at)
        if (cidr := existing.get("pod_subnet_cidr")) is not None and cni is OkeCniType.VCN_NATIVE:
            wanted = sum(pool["nodes"] * pool.get("max_pods", DEFAULT_MAX_PODS) for pool in pools)
            check_pods_fit(cidr, wanted + SYSTEM_NODES * SYSTEM_PODS, at.at("pod_subnet_cidr"))
        return None
    check_ceiling(pools, choice, faults.at("pools"))
    ceiling = choice.get("max_pods", DEFAULT_MAX_PODS)
    for i, pool in enumerate(pools):
        if (pods := pool.get("max_pods", 0)) > ceiling and cni is OkeCniType.VCN_NATIVE:
            faults.at("pools", i, "max_pods").add(
                f"got {pods}, and the pods' subnet is cut for {ceiling} a node; set network.maxPods to {pods} or more "
                "before the first up, since subnets cannot grow later"
            )
    return decide_subnets(
        choice,
        region=args["region"],
        compartment=args["compartment"],
        cni=cni,
        public_cidrs=kubernetes.get("public_cidrs", []),
        faults=faults.at("network"),
    )


def _drivers(args: OkeRdmaClusterArgs, faults: Faults) -> DriverChoice:
    """Who brings which driver, with what OKE cannot bring left out."""
    choice = DriverChoice(**args.get("drivers", {}))
    for part in ("gpu", "nic", "kernel"):
        if choice.get(part) is Part.MANAGED:
            faults.at("drivers", part).add("got managed; OKE brings no DRA driver; choose installed or existing")
            del choice[part]
    return choice


def _acceptance(args: OkeRdmaClusterArgs, pools: list[NodePoolPlan]) -> AcceptanceChoice:
    """The user's choice, with a test image of the nodes' own CUDA."""
    choice = AcceptanceChoice(**args.get("acceptance", {}))
    cuda = {(pool.image.cuda or "").partition(".")[0] for pool in pools}
    if cuda == {"12"} and "test" not in choice.get("images", {}):
        choice["images"] = {**choice.get("images", {}), "test": oke_releases.NCCL_TESTS_CUDA_12}
    return choice


def _virtual_functions(
    rdma: RdmaPlan, machines: list[OkeMachine], existing: bool, faults: Faults
) -> tuple[OkeVirtualFunctionsArgs, VirtualFunctionsPlan] | None:
    if rdma.exposure is not OkeExposure.SRIOV or not machines or faults.at("rdma"):
        return None
    args = OkeVirtualFunctionsArgs(machines=list(dict.fromkeys(machine.name for machine in machines)))
    args["resource"] = rdma.vf_resource
    if existing:
        args["drain_at_once"] = "1"
    of_pools = Faults()
    plan = decide_virtual_functions(args, of_pools)
    for fault in of_pools.found():
        faults.at("pools").add(fault.reason)
    return None if plan is None else (args, plan)


def _warnings(cluster: ClusterPlan, network: NetworkPlan | None) -> list[str]:
    if network is None or cluster.endpoint is not OkeEndpoint.PRIVATE:
        return []
    return [
        "the cluster's API is private and its VCN is new: what runs on the cluster is installed once this machine "
        "reaches the VCN (peering, VPN, a bastion session), or at once with kubernetes.endpoint: public and publicCidrs"
    ]


plan_rdma_cluster = planner(OkeRdmaClusterArgs, decide_rdma_cluster)
"""The plan of ``OkeRdmaCluster(name, args)``, by ``(args, name)``."""
