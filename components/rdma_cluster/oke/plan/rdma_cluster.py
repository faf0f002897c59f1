"""The whole OKE stack: all faults of a configuration at once, or one plan of everything it builds."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NotRequired

from typing_extensions import TypedDict

from ...args import shape
from ...catalog import oke, oke_releases
from ...catalog.oke import OkeMachine
from ...clouds.existing import OF_EXISTING_CLUSTER, check_addresses, check_ceiling, check_existing, check_most
from ...clouds.names import check_own_name
from ...clouds.pools import GPU_TAINT, check_pool_names, check_pools, made_of
from ...clouds.skypilot import asked_for
from ...clouds.stack import planner
from ...fabrics import GpuAllocation
from ...faults import Faults
from ...incluster.plan.acceptance import AcceptanceChoice
from ...incluster.plan.claim_templates import ClaimChoice
from ...incluster.plan.dra_drivers import DriverChoice, refuse_managed
from ...incluster.plan.inference import InferenceChoice
from ...incluster.plan.injection import InjectionChoice
from ...incluster.plan.monitoring import MonitoringChoice
from ...incluster.plan.queues import QueueChoice
from ...incluster.plan.site import Site, SitePool, WholeChoice
from ...incluster.plan.storage import asked_store
from ...incluster.plan.whole import WholePlan, decide_whole
from ...unread import UNREAD, holds, if_read, items, or_else, readable, rule
from .adopt import AdoptionPlan, OkeAdoptedPool, check_nodes_once, check_whose, decide_adopted
from .cluster import NAME, NAME_WORDS, ClusterPlan, OkeEndpoint, OkeKubernetes, decide_kubernetes
from .identity import IdentityPlan, OkeIdentity, decide_identity
from .images import ImportPlan, imports
from .machines import not_built
from .modes import OkePoolMode, check_racks_once
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
from .proof import cuda_warnings, decide_acceptance, not_proven, with_tests
from .rdma import OkeExposure, OkeRdma, RdmaPlan, decide_rdma, rdma_warnings
from .skypilot import sky_configuration, sky_warnings, used_by_skypilot
from .storage import OkeStorageChoice, StoragePlan, choose_storage
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
    injection: NotRequired[InjectionChoice]
    """Whether pods that only ask for GPUs are given the fabric at admission. Default: they are not."""
    queues: NotRequired[QueueChoice]
    """Whether jobs wait in queues that know GPUs, NICs and the network. Default: there are none."""
    inference: NotRequired[InferenceChoice]
    """A model that is served from several nodes once the fabric is proved. Default: none."""
    monitoring: NotRequired[MonitoringChoice]
    """Whether GPUs and NICs are watched: exporters, alerts, a dashboard. Default: they are not."""
    storage: NotRequired[OkeStorageChoice]
    """Where data is kept. Default: nowhere."""
    skypilot: NotRequired[bool]
    """Make a cluster on which SkyPilot's ``network_tier: best`` works: no claims, its label of the GPU, one machine
    type. With ``sriov`` the output ``skypilot`` is what its configuration must say besides. Default: false."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold charts and images, by prefix of their references. Example:
    ``{"registry.k8s.io": "mirror.example/k8s"}``. `rdma-cluster artifacts` lists what a stack fetches."""
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
    storage: StoragePlan | None
    """Where data is kept; ``None`` is nowhere."""
    skypilot: Mapping[str, Any]
    """What SkyPilot's configuration says of this context; empty where it needs nothing."""
    warnings: tuple[str, ...]


_OUR_POOLS = {"system": "the system nodes"}
_LONGEST_NAME = 100  # OCI takes 100 to 255 characters for a name, and our longest word and a dash stand behind it
_BUILDABLE = {row.name: row for row in oke.MACHINES if not not_built(row)}
# The operator's pods come first, and then configure each node: Oracle's stack sleeps for seven minutes of it.
_VF_SECONDS = 1800
_CLAIMED_WHEN = "rdma.exposure: dranet"
STACK_KEYS = {"oci:region": "region", "oci:tenancyOcid": "tenancy"}
"""Configuration keys of other namespaces that become args."""


def decide_rdma_cluster(args: OkeRdmaClusterArgs, name: str, faults: Faults) -> RdmaClusterPlan | None:
    """All choices of ``OkeRdmaCluster``. Returns ``None`` when a fault was added."""
    skypilot = asked_for(args.get("skypilot", False))
    if skypilot:
        args = used_by_skypilot(args, _BUILDABLE, faults)
    region, zone, compartment = args["region"], args["zone"], args["compartment"]
    kubernetes, network_choice = args.get("kubernetes", OkeKubernetes()), args.get("network", OkeNetworkChoice())
    pools, adopted = args.get("pools", []), args.get("adopt", [])
    existing, cni = kubernetes.get("existing") is not None, kubernetes.get("cni", OkeCniType.VCN_NATIVE)
    dual_stack = kubernetes.get("dual_stack", False)

    check_own_name(name, NAME, _LONGEST_NAME, NAME_WORDS, faults)
    check_region(region, faults.at("region"))
    check_zone(zone, region=region, faults=faults.at("zone"))
    check_ocid(args["tenancy"], ("tenancy",), faults.at("tenancy"))
    check_ocid(compartment, ("compartment", "tenancy"), faults.at("compartment"))
    machines = [machine for _, machine, _ in _known(pools, adopted)]
    rdma = decide_rdma(
        args.get("rdma", OkeRdma()), machines, _claimed(pools), existing=existing, faults=faults.at("rdma")
    )
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
    version = kubernetes.get("version", oke_releases.VERSIONS.default)
    if "ssh_public_key" in args:
        _check_ssh_key(args["ssh_public_key"], faults.at("ssh_public_key"))
    for i, pool in enumerate(items(pools)):
        _check_allocation(allocation_of(pool), rdma.exposure, faults.at("pools", i, "gpu_allocation"))
    check_racks_once(items(pools), faults.at("pools"))
    planned_pools = [
        decide_pool(
            pool,
            zone=zone,
            version=version,
            cni=cni,
            dual_stack=dual_stack,
            fabric=rdma.fabric,
            own_gpu_plugin=rdma.own_gpu_plugin,
            faults=faults.at("pools", i),
        )
        for i, pool in enumerate(items(pools))
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
        host_groups=[pool.host_group for pool in made if pool.host_group and pool.mode == OkePoolMode.MANAGED],
        dual_stack=dual_stack,
        faults=faults.at("identity"),
    )
    functions = _virtual_functions(rdma, machines, existing, args.get("registries", {}), faults)
    sriov = rdma.exposure == OkeExposure.SRIOV
    drivers = if_read(lambda: refuse_managed(args.get("drivers", {}), "OKE brings no DRA driver", faults.at("drivers")))
    cuda = {**{pool.name: pool.image.cuda for pool in made}, **{pool.name: pool.cuda for pool in taken_in}}
    acceptance = decide_acceptance(args.get("acceptance", {}), cuda)
    storage = choose_storage(args["storage"], faults.at("storage")) if "storage" in args else None
    whole = decide_whole(
        Site(
            "ubuntu-oke",
            version,
            POOL_LABEL,
            GPU_TAINT[:2],
            makes_namespaces=not existing,
            driver_seconds=_VF_SECONDS if sriov else 0,
            claimed_when=f"set {_CLAIMED_WHEN}",
            channels_beside_plugins=True,
        ),
        _on_site(pools, adopted, rdma, {pool.name: _made_of(pool, zone, cluster, network) for pool in made}, cuda),
        WholeChoice(
            drivers,
            args.get("claims", {}),
            UNREAD if acceptance is None else acceptance,
            args.get("registries", {}),
            args.get("injection"),
            args.get("queues"),
            args.get("inference"),
            args.get("monitoring"),
            asked_store("storage" in args, storage),
        ),
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
        storage=storage,
        skypilot=sky_configuration(rdma) if skypilot else {},
        warnings=(
            *(warning for pool in made for warning in pool.warnings),
            *rdma_warnings(rdma, machines, existing),
            *cuda_warnings(cuda, args.get("acceptance", AcceptanceChoice())),
            *whole.warnings,
            *_warnings(cluster, network),
            *_ipv6_warnings(cluster, made),
            *(sky_warnings(rdma, made) if skypilot else ()),
        ),
    )


def _known(pools: list[OkePool], adopted: list[OkeAdoptedPool]) -> list[tuple[str, OkeMachine, GpuAllocation]]:
    """Name, shape and GPU allocation of the pools of shapes that are built, whatever else is wrong with them."""
    found = [_one(pool, f"pools-{i}", allocation_of(pool)) for i, pool in enumerate(items(pools))]
    found += [_one(pool, f"adopt-{i}", GpuAllocation.DEVICE_PLUGIN) for i, pool in enumerate(items(adopted))]
    return [each for each in found if each is not None]


def _claimed(pools: list[OkePool]) -> list[str]:
    """The pools whose GPUs are handed out by claims."""
    allocations = [allocation_of(pool) for pool in items(pools)]
    return [f"pools[{i}]" for i, each in enumerate(allocations) if holds(lambda each=each: each == GpuAllocation.DRA)]


@rule
def _one(
    pool: OkePool | OkeAdoptedPool, stand_in: str, allocation: GpuAllocation
) -> tuple[str, OkeMachine, GpuAllocation] | None:
    machine = _BUILDABLE.get(pool["machine"])
    return None if machine is None else (or_else(pool["name"], stand_in), machine, allocation)


def _made_of(pool: NodePoolPlan, zone: str, cluster: ClusterPlan | None, network: NetworkPlan | None) -> str:
    """A digest of what gives the pool other nodes. A new template or version gives new nodes to nobody who is there."""
    nodes = replace(pool, user_data="", boot_digest="", version="")
    return made_of(
        nodes,
        zone,
        cluster and (cluster.identifier, cluster.service_cidr),
        network and (network.cidr, network.cuts, network.ipv6_cidr),
    )


def _on_site(
    pools: list[OkePool],
    adopted: list[OkeAdoptedPool],
    rdma: RdmaPlan,
    made_of_what: Mapping[str, str],
    cuda: Mapping[str, str | None],
) -> list[SitePool]:
    """The pools as what runs on them must know them."""
    nodes = {
        or_else(pool["name"], f"{kind}-{i}"): pool["nodes"]
        for kind, listed in (("pools", pools), ("adopt", adopted))
        for i, pool in enumerate(items(listed))
        if pool is not UNREAD
    }
    return [
        SitePool(
            name,
            machine,
            nodes[name],
            with_tests(rdma.fabric, cuda.get(name)),
            allocation,
            not_proven=not_proven(machine),
            made_of=made_of_what.get(name, ""),
        )
        for name, machine, allocation in _known(pools, adopted)
    ]


@rule
def _check_allocation(allocation: GpuAllocation, exposure: OkeExposure, faults: Faults) -> None:
    if allocation == GpuAllocation.DRA and exposure != OkeExposure.DRANET:
        faults.add(
            f"got dra; with rdma.exposure: {exposure.value} no claim is offered by which a pod could ask for GPUs; "
            f"take device-plugin, or set {_CLAIMED_WHEN}"
        )


_SSH_KEY = re.compile(r"(ssh-(rsa|ed25519)|ecdsa-sha2-[a-z0-9-]+|sk-[a-z0-9@.-]+) [A-Za-z0-9+/]+=*( .*)?")


@rule
def _check_ssh_key(key: str, faults: Faults) -> None:
    if not _SSH_KEY.fullmatch(key.strip()):
        faults.add("no public key of OpenSSH's form; write the one line of a .pub file, e.g. ssh-ed25519 AAAA... me")


def _adopted(args: OkeRdmaClusterArgs, faults: Faults) -> list[AdoptionPlan]:
    """Nodes that are taken in, of a cluster that exists."""
    pools, adopted = args.get("pools", []), args.get("adopt", [])
    check_whose(adopted, args.get("kubernetes", {}), faults.at("adopt"))
    check_nodes_once(items(adopted), faults.at("adopt"))
    if adopted is UNREAD or pools is UNREAD or pools or not adopted:
        check_pools(pools, faults.at("pools"))
    check_pool_names(pools, _OUR_POOLS, faults.at("pools"))
    listed = [pool["name"] for pool in [*items(pools), *items(adopted)]]
    plans = []
    for i, pool in enumerate(items(adopted)):
        _check_other(pool["name"], readable(listed[: len(items(pools)) + i]), faults.at("adopt", i, "name"))
        plans.append(decide_adopted(pool, compartment=args["compartment"], faults=faults.at("adopt", i)))
    return [plan for plan in plans if plan is not None]


@rule
def _check_other(name: str, others: list[str], faults: Faults) -> None:
    if name in others:
        faults.add(f"{name} is the name of another pool; name each pool once")


@rule
def _services(choice: OkeNetworkChoice, cni: OkeCniType, faults: Faults) -> tuple[str, str | None] | None:
    """Blocks of services and pods, apart from the VCN that is made or exists."""
    existing = choice.get("existing")
    return decide_services(choice, cni, own_block(choice) if existing is None else existing_blocks(existing), faults)


@rule
def _network(args: OkeRdmaClusterArgs, cni: OkeCniType, faults: Faults) -> NetworkPlan | None:
    """The subnets to make; ``None`` where they exist, nothing starts in them, or a fault was added."""
    choice, kubernetes = args.get("network", OkeNetworkChoice()), args.get("kubernetes", OkeKubernetes())
    pools, at = args.get("pools", []), faults.at("network", "existing")
    if kubernetes.get("existing") is not None:
        for key in ("service_cidr", "pod_cidr"):
            if key in choice:
                faults.at("network", key).add(OF_EXISTING_CLUSTER)
        if not pools:
            return None  # labels alone need no subnet
    check_existing(kubernetes, choice, faults)
    if (existing := choice.get("existing")) is not None:
        check_addresses(choice, ("service_cidr", "pod_cidr"), faults.at("network"))
        check_existing_network(existing, cni, at)
        check_most(items(pools), faults.at("pools"))
        if (cidr := existing.get("pod_subnet_cidr")) is not None and cni == OkeCniType.VCN_NATIVE:
            _check_pods(cidr, pools, at.at("pod_subnet_cidr"))
        return None
    check_ceiling(items(pools), choice, faults.at("pools"))
    ceiling = choice.get("max_pods", DEFAULT_MAX_PODS)
    for i, pool in enumerate(items(pools)):
        if cni == OkeCniType.VCN_NATIVE:
            _check_room(pool.get("max_pods", 0), ceiling, faults.at("pools", i, "max_pods"))
    return decide_subnets(
        choice,
        region=args["region"],
        compartment=args["compartment"],
        cni=cni,
        dual_stack=kubernetes.get("dual_stack", False),
        public_cidrs=kubernetes.get("public_cidrs", []),
        faults=faults.at("network"),
    )


@rule
def _check_pods(cidr: str, pools: list[OkePool], faults: Faults) -> None:
    wanted = sum(pool["nodes"] * pool.get("max_pods", DEFAULT_MAX_PODS) for pool in pools)
    check_pods_fit(cidr, wanted + SYSTEM_NODES * SYSTEM_PODS, faults)


@rule
def _check_room(pods: int, ceiling: int, faults: Faults) -> None:
    if pods > ceiling:
        faults.add(
            f"got {pods}, and the pods' subnet is cut for {ceiling} a node; set network.maxPods to {pods} or more "
            "before the first up, since subnets cannot grow later"
        )


def _virtual_functions(
    rdma: RdmaPlan, machines: list[OkeMachine], existing: bool, registries: dict[str, str], faults: Faults
) -> tuple[OkeVirtualFunctionsArgs, VirtualFunctionsPlan] | None:
    if rdma.exposure != OkeExposure.SRIOV or not machines or faults.at("rdma"):
        return None
    args = OkeVirtualFunctionsArgs(machines=list(dict.fromkeys(machine.name for machine in machines)))
    args["registries"] = registries
    args["resource"] = rdma.vf_resource
    if existing:
        args["drain_at_once"] = "1"
    of_pools = Faults()
    plan = decide_virtual_functions(args, of_pools)
    for fault in of_pools.found():
        faults.at("pools").add(fault.reason)
    return None if plan is None else (args, plan)


def _warnings(cluster: ClusterPlan, network: NetworkPlan | None) -> list[str]:
    if network is None or cluster.endpoint != OkeEndpoint.PRIVATE:
        return []
    return [
        "the cluster's API is private and its VCN is new: what runs on the cluster is installed once this machine "
        "reaches the VCN (peering, VPN, a bastion session), or at once with kubernetes.endpoint: public and publicCidrs"
    ]


def _ipv6_warnings(cluster: ClusterPlan, pools: list[NodePoolPlan]) -> list[str]:
    if not (cluster.dual_stack and pools):
        return []
    return [
        "kubernetes.dualStack: that Oracle's GPU images take up an IPv6 address at boot is in none of its documents; "
        "`kubectl get nodes -o custom-columns=:metadata.name,:status.addresses[*].address` shows which nodes have one"
    ]


plan_rdma_cluster = planner(OkeRdmaClusterArgs, decide_rdma_cluster)
"""The plan of ``OkeRdmaCluster(name, args)``, by ``(args, name)``."""
