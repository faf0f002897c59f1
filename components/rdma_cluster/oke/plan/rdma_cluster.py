"""The plan of a whole OKE stack: every fault of a configuration at once, or one plan of everything it builds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NotRequired

from ...args import shape
from ...catalog import oke_releases
from ...catalog.oke import OkeMachine
from ...clouds.names import check_own_name
from ...clouds.pools import GPU_TAINT, check_pool_names, check_pools
from ...clouds.stack import planner
from ...faults import Faults
from ...incluster.addons.storage.store import asked_store
from ...incluster.plan.dra_drivers import DriverChoice, refuse_managed
from ...incluster.plan.pool import SitePool
from ...incluster.plan.rdma_cluster import BaseRdmaClusterArgs, BaseRdmaClusterPlan, whole_choice
from ...incluster.plan.site import Site
from ...incluster.plan.whole import WholePlan, decide_whole
from .adopt import AdoptionPlan, OkeAdoptedPool, decide_all
from .cloud_init import check_ssh_key
from .cluster import NAME, NAME_WORDS, ClusterPlan, OkeEndpoint, OkeKubernetes, decide_kubernetes
from .cni import OkeCniType
from .existing import OkeNetworkChoice, decide_networks, services_of
from .identity import IdentityPlan, OkeIdentity, decide_identity, statements_for
from .images import ImportPlan, imports
from .modes import OkePoolMode, check_racks_once
from .network import NetworkPlan
from .node_pool import POOL_LABEL, ClusterSettings, NodePoolPlan, OkePool, allocation_of, decide_pool
from .rdma import CLAIMED_WHEN, OkeExposure, OkeRdma, RdmaPlan, check_allocation, decide_rdma, rdma_warnings
from .site import claimed, cuda_warnings, decide_acceptance, machines_of, nodes_of, on_site
from .skypilot import pools_for_skypilot, sky_configuration, sky_warnings
from .storage import OkeStorageChoice, StoragePlan, choose_storage, storage_warnings
from .virtual_functions import OkeVirtualFunctionsArgs, VirtualFunctionsPlan, virtual_functions_of
from .zones import check_region, check_tenancy, check_zone


@shape
class OkeRdmaClusterArgs(BaseRdmaClusterArgs):
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
    drivers: NotRequired[DriverChoice]
    """Who brings which driver."""
    storage: NotRequired[OkeStorageChoice]
    """Where data is kept. Default: nowhere."""
    skypilot: NotRequired[bool]
    """Make a cluster on which SkyPilot's ``network_tier: best`` works: no claims, its label of the GPU, one machine
    type. With ``sriov`` the output ``skypilot`` is what its configuration must say besides. Default: false."""
    ssh_public_key: NotRequired[str]
    """Key for ssh to the nodes. Default: none."""


@dataclass(frozen=True, kw_only=True)
class OkeRdmaClusterPlan(BaseRdmaClusterPlan):
    """Everything ``OkeRdmaCluster`` builds."""

    args: OkeRdmaClusterArgs
    """The stack's args, checked; for SkyPilot with labels on their pools."""
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
    storage: StoragePlan | None
    """Where data is kept; ``None`` is nowhere."""
    skypilot: Mapping[str, Any]
    """What SkyPilot's configuration must hold for this context; empty where it needs nothing."""


_OUR_POOLS = {"system": "the system nodes"}
_LONGEST_NAME = 100  # OCI takes 100 to 255 characters for a name, and we append a dash and a word
# The operator's pods start and then configure each node: Oracle's stack sleeps for seven minutes of it.
_VF_SECONDS = 1800
STACK_KEYS = {"oci:region": "region", "oci:tenancyOcid": "tenancy"}
"""Configuration keys of other namespaces that become args."""


def decide_rdma_cluster(args: OkeRdmaClusterArgs, name: str, faults: Faults) -> OkeRdmaClusterPlan | None:
    """All choices of ``OkeRdmaCluster``. Returns ``None`` when a fault was added."""
    if args.get("skypilot", False):
        pools_with_labels: Any = pools_for_skypilot(args, faults)
        args = {**args, **pools_with_labels}
    kubernetes, network_choice = args.get("kubernetes", OkeKubernetes()), args.get("network", OkeNetworkChoice())
    pools, adopted = args.get("pools", []), args.get("adopt", [])
    machines, lustre = machines_of(pools, adopted), "lustre" in args.get("storage", {})

    check_own_name(name, NAME, _LONGEST_NAME, NAME_WORDS, faults)
    check_region(args["region"], faults.at("region"))
    check_zone(args["zone"], region=args["region"], faults=faults.at("zone"))
    check_tenancy(args["tenancy"], args["compartment"], faults)
    existing = "existing" in kubernetes
    rdma = decide_rdma(args.get("rdma", {}), machines, claimed(pools), existing=existing, faults=faults.at("rdma"))
    services = services_of(network_choice, kubernetes, faults.at("network"))
    cluster = decide_kubernetes(
        kubernetes, name, place=args, services=services, addons=rdma.addons, faults=faults.at("kubernetes")
    )
    if "ssh_public_key" in args:
        check_ssh_key(args["ssh_public_key"], faults.at("ssh_public_key"))
    pool_plans = _pools(args, rdma, faults.at("pools"))
    names = [pool["name"] for pool in pools]
    adopted_plans = decide_all(adopted, names, kubernetes, args["compartment"], faults.at("adopt"))
    network = decide_networks(network_choice, kubernetes, pools, place=args, lustre=lustre, faults=faults)
    statements = statements_for(
        {pool.mode for pool in pool_plans},
        [pool.host_group for pool in pool_plans if pool.host_group and pool.mode == OkePoolMode.MANAGED],
        dual_stack=kubernetes.get("dual_stack", False),
        lustre=lustre,
    )
    identity = decide_identity(args.get("identity", {}), args["compartment"], tuple(statements), faults.at("identity"))
    functions = virtual_functions_of(rdma, machines, existing, args.get("registries", {}), faults)
    fingerprints = {pool.name: nodes_of(pool, args["zone"], cluster, network) for pool in pool_plans}
    cuda = {**{pool.name: pool.image.cuda for pool in pool_plans}, **{pool.name: pool.cuda for pool in adopted_plans}}
    storage, whole = _in_cluster(args, rdma, on_site(pools, adopted, rdma, fingerprints, cuda), cuda, faults)
    if faults or cluster is None or identity is None or whole is None:
        return None
    plan = OkeRdmaClusterPlan(
        args=args,
        network=network,
        cluster=cluster,
        identity=identity,
        images=tuple(imports(args["compartment"], [(pool.image, pool.machine.name) for pool in pool_plans])),
        pools=tuple(pool_plans),
        adopted=tuple(adopted_plans),
        rdma=rdma,
        virtual_functions=functions,
        whole=whole,
        storage=storage,
        skypilot=sky_configuration(rdma) if args.get("skypilot", False) else {},
        warnings=(),
    )
    return replace(plan, warnings=tuple(_warnings(plan, machines, cuda)))


def _pools(args: OkeRdmaClusterArgs, rdma: RdmaPlan, faults: Faults) -> list[NodePoolPlan]:
    """The plans of the pools that have no faults."""
    pools, kubernetes = args.get("pools", []), args.get("kubernetes", OkeKubernetes())
    cluster = ClusterSettings(
        zone=args["zone"],
        version=kubernetes.get("version", oke_releases.VERSIONS.default),
        cni=kubernetes.get("cni", OkeCniType.VCN_NATIVE),
        dual_stack=kubernetes.get("dual_stack", False),
        fabric=rdma.fabric,
        own_gpu_plugin=rdma.own_gpu_plugin,
    )
    for i, pool in enumerate(pools):
        check_allocation(allocation_of(pool), rdma.exposure, faults.at(i, "gpu_allocation"))
    check_racks_once(pools, faults)
    plans = [decide_pool(pool, cluster, faults.at(i)) for i, pool in enumerate(pools)]
    if pools or not args.get("adopt"):
        check_pools(pools, faults)
    check_pool_names(pools, _OUR_POOLS, faults)
    return [plan for plan in plans if plan is not None]


def _in_cluster(
    args: OkeRdmaClusterArgs,
    rdma: RdmaPlan,
    pools: list[SitePool],
    cuda: Mapping[str, str | None],
    faults: Faults,
) -> tuple[StoragePlan | None, WholePlan | None]:
    """The stack's storage, and what runs in the cluster."""
    kubernetes = args.get("kubernetes", OkeKubernetes())
    existing = "existing" in kubernetes
    drivers = refuse_managed(args.get("drivers", {}), "OKE brings no DRA driver", faults.at("drivers"))
    acceptance = decide_acceptance(args.get("acceptance", {}), cuda)
    storage = None
    if "storage" in args:
        own_network = not existing and "existing" not in args.get("network", {})
        storage = choose_storage(
            args["storage"], zone=args["zone"], own_network=own_network, faults=faults.at("storage")
        )
    site = Site(
        "ubuntu-oke",
        kubernetes.get("version", oke_releases.VERSIONS.default),
        POOL_LABEL,
        GPU_TAINT[:2],
        makes_namespaces=not existing,
        driver_seconds=_VF_SECONDS if rdma.exposure == OkeExposure.SRIOV else 0,
        claimed_when=f"set {CLAIMED_WHEN}",
        channels_beside_plugins=True,
    )
    choice = whole_choice({**args, "acceptance": acceptance}, drivers, asked_store("storage" in args, storage))
    return storage, decide_whole(site, pools, choice, faults)


def _warnings(plan: OkeRdmaClusterPlan, machines: list[OkeMachine], cuda: Mapping[str, str | None]) -> Iterator[str]:
    """What may not work, in the order in which the stack is built."""
    for pool in plan.pools:
        yield from pool.warnings
    yield from rdma_warnings(plan.rdma, machines, plan.cluster.existing is not None)
    yield from cuda_warnings(cuda, plan.args.get("acceptance", {}))
    yield from plan.whole.warnings
    if plan.network is not None and plan.cluster.endpoint == OkeEndpoint.PRIVATE:
        yield (
            "the cluster's API is private and its VCN is new: what runs on the cluster is installed once this machine "
            "reaches the VCN (peering, VPN, a bastion session), or at once with kubernetes.endpoint: public and "
            "publicCidrs"
        )
    if plan.cluster.dual_stack and plan.pools:
        yield (
            "kubernetes.dualStack: that Oracle's GPU images take up an IPv6 address at boot is in none of its "
            "documents; `kubectl get nodes -o custom-columns=:metadata.name,:status.addresses[*].address` shows which "
            "nodes have one"
        )
    yield from storage_warnings(plan.storage, plan.pools, policies=plan.identity.make)
    if plan.args.get("skypilot", False):
        yield from sky_warnings(plan.rdma, plan.pools)


plan_rdma_cluster = planner(OkeRdmaClusterArgs, decide_rdma_cluster)
"""The plan of ``OkeRdmaCluster(name, args)``, by ``(args, name)``."""
