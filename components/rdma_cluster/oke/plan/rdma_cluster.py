"""The plan of a whole OKE stack: every error of a configuration at once, or one plan of everything it builds."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ...base.args import Link, args_schema
from ...catalog import oke_releases
from ...catalog.oke import OkeMachine
from ...common.existing import private_api
from ...common.names import check_own_name
from ...common.pools import GPU_TAINT, check_pool_names, check_pools
from ...common.stack import BaseRdmaClusterPlan, planner
from ...common.tags import check_tags
from ...incluster.addons.storage.store import asked_store
from ...incluster.plan.artifacts import demanding
from ...incluster.plan.context import ClusterContext
from ...incluster.plan.dra_drivers import DriverOptions, refuse_managed
from ...incluster.plan.in_cluster import InClusterPlan, plan_in_cluster
from ...incluster.plan.pool import GpuPool
from ...incluster.plan.rdma_cluster import BaseRdmaClusterArgs, in_cluster_options
from ...incluster.plan.support import support_warnings
from . import blueprints
from .adopt import AdoptionPlan, OkeAdoptedPool, plan_all
from .capacity_modes import OkePoolMode, check_racks_once
from .cloud_init import check_ssh_key
from .cluster import NAME, NAME_WORDS, OkeClusterPlan, OkeEndpoint, OkeKubernetes, plan_kubernetes
from .cni import OkeCniType
from .existing import OkeNetworkOptions, plan_networks, services_of
from .gpu_pools import acceptance_options, claimed, cuda_warnings, gpu_pools, holding, machines_of, nodes_of
from .identity import IdentityPlan, OkeIdentity, plan_identity, statements_for
from .images import ImportPlan, imports
from .network import OkeNetworkPlan
from .node_pool import POOL_LABEL, ClusterSettings, OkeNodePoolPlan, OkePool, allocation_of, plan_pool
from .rdma import CLAIMED_WHEN, OkeNicAttachment, OkeRdma, RdmaPlan, check_allocation, plan_rdma, rdma_warnings
from .skypilot import pools_for_skypilot, sky_configuration, sky_warnings
from .storage import OkeStorageOptions, OkeStoragePlan, choose_storage, storage_warnings
from .virtual_functions import VirtualFunctionsPlan, virtual_functions_of
from .zones import ORACLE, check_region, check_tenancy, check_zone, place_of


@blueprints.for_stack
@args_schema
class OkeRdmaClusterArgs(BaseRdmaClusterArgs):
    """A cluster whose GPUs talk over RDMA: where, which shapes, how many."""

    region: str
    """Region. Example: ``eu-frankfurt-1``."""
    tenancy: Link
    """OCID of the tenancy."""
    compartment: Link
    """OCID of the compartment of everything."""
    zone: str
    """Availability domain of the nodes, by full name or number. Example: ``TrcQ:EU-FRANKFURT-1-AD-3``."""
    pools: NotRequired[list[OkePool]]
    """GPU pools; needed unless nodes are adopted."""
    adopt: NotRequired[list[OkeAdoptedPool]]
    """Nodes of an existing cluster that become pools."""
    kubernetes: NotRequired[OkeKubernetes]
    """The cluster's choices, or an existing cluster."""
    network: NotRequired[OkeNetworkOptions]
    """Addresses, or an existing network."""
    identity: NotRequired[OkeIdentity]
    """Who gives nodes their permissions."""
    rdma: NotRequired[OkeRdma]
    """How pods get NICs and GPUs."""
    drivers: NotRequired[DriverOptions]
    """Who brings which driver."""
    storage: NotRequired[OkeStorageOptions]
    """Where data is kept. Default: nowhere."""
    skypilot: NotRequired[bool]
    """Make a cluster on which SkyPilot's ``network_tier: best`` works: no claims, its label of the GPU, one machine
    type. With ``sriov`` the output ``skypilot`` is what its configuration must say besides. Default: false."""
    ssh_public_key: NotRequired[Link]
    """Key for ssh to the nodes. Default: none."""


@frozen(kw_only=True)
class OkeRdmaClusterPlan(BaseRdmaClusterPlan):
    """Everything ``OkeRdmaCluster`` builds."""

    args: OkeRdmaClusterArgs
    """The stack's args, checked; for SkyPilot with labels on their pools."""
    network: OkeNetworkPlan | None
    """``None`` where an existing network is used, or nothing needs one."""
    cluster: OkeClusterPlan
    identity: IdentityPlan
    images: tuple[ImportPlan, ...]
    """Each image that pools boot, once."""
    pools: tuple[OkeNodePoolPlan, ...]
    adopted: tuple[AdoptionPlan, ...]
    rdma: RdmaPlan
    virtual_functions: VirtualFunctionsPlan | None
    storage: OkeStoragePlan | None
    """Where data is kept; ``None`` is nowhere."""
    skypilot: Mapping[str, Any]
    """What SkyPilot's configuration must hold for this context; empty where it needs nothing."""


_OUR_POOLS = {"system": "the system nodes"}
_LONGEST_NAME = 100  # OCI takes 100 to 255 characters for a name, and we append a dash and a word
# The operator's pods start and then configure each node: Oracle's stack sleeps for seven minutes of it.
_VF_SECONDS = 1800
STACK_KEYS = {"oci:region": "region", "oci:tenancyOcid": "tenancy"}
"""Configuration keys of other namespaces that become args."""


def plan_rdma_cluster(args: OkeRdmaClusterArgs, name: str, errors: ErrorList) -> OkeRdmaClusterPlan | None:
    """All choices of ``OkeRdmaCluster``. Returns ``None`` when an error was added."""
    if args.get("skypilot", False):
        pools_with_labels: Any = pools_for_skypilot(args, errors)
        args = {**args, **pools_with_labels}
    kubernetes, network_choice = args.get("kubernetes", OkeKubernetes()), args.get("network", OkeNetworkOptions())
    pools, adopted = args.get("pools", []), args.get("adopt", [])
    machines, lustre, place = machines_of(pools, adopted), "lustre" in args.get("storage", {}), place_of(args)

    check_own_name(name, NAME, _LONGEST_NAME, NAME_WORDS, errors)
    check_tags(args.get("tags", {}), ORACLE, errors.at("tags"))
    check_region(args["region"], errors.at("region"))
    check_zone(args["zone"], region=args["region"], errors=errors.at("zone"))
    check_tenancy(args["tenancy"], args["compartment"], errors)
    existing = "existing" in kubernetes
    rdma = plan_rdma(args.get("rdma", {}), machines, claimed(pools), existing=existing, errors=errors.at("rdma"))
    services = services_of(network_choice, kubernetes, errors.at("network"))
    at = errors.at("kubernetes")
    cluster = plan_kubernetes(kubernetes, name, place=place, services=services, addons=rdma.addons, errors=at)
    if "ssh_public_key" in args:
        check_ssh_key(args["ssh_public_key"], errors.at("ssh_public_key"))
    pool_plans = _pools(args, rdma, errors.at("pools"))
    names = [pool["name"] for pool in pools]
    adopted_plans = plan_all(adopted, names, kubernetes, args["compartment"], errors.at("adopt"))
    network = plan_networks(network_choice, kubernetes, pools, place=place, lustre=lustre, errors=errors)
    modes, dual_stack = {pool.mode for pool in pool_plans}, kubernetes.get("dual_stack", False)
    groups = [pool.host_group for pool in pool_plans if pool.host_group and pool.mode == OkePoolMode.MANAGED]
    statements = statements_for(modes, groups, dual_stack=dual_stack, lustre=lustre)
    choice, at = args.get("identity", {}), errors.at("identity")
    identity = plan_identity(choice, args["tenancy"], args["compartment"], tuple(statements), at)
    functions = virtual_functions_of(rdma, machines, existing, args.get("registries", {}), errors)
    fingerprints = {pool.name: nodes_of(pool, cluster, network) for pool in pool_plans}
    cuda = {**{pool.name: pool.image.cuda for pool in pool_plans}, **{pool.name: pool.cuda for pool in adopted_plans}}
    storage, in_cluster = _in_cluster(args, rdma, gpu_pools(pools, adopted, rdma, fingerprints, cuda), cuda, errors)
    if errors or cluster is None or identity is None or in_cluster is None:
        return None
    pairs = zip(pool_plans, pools, strict=True)
    plan = OkeRdmaClusterPlan(
        args=args,
        network=network,
        cluster=cluster,
        identity=identity,
        images=tuple(imports(args["compartment"], [(pool.image, pool.machine.name) for pool in pool_plans])),
        pools=tuple(holding(pool, each) if pool.name in in_cluster.held else pool for pool, each in pairs),
        adopted=tuple(adopted_plans),
        rdma=rdma,
        virtual_functions=functions,
        in_cluster=in_cluster,
        storage=storage,
        skypilot=sky_configuration(rdma) if args.get("skypilot", False) else {},
        warnings=(),
    )
    return replace(plan, warnings=tuple(_warnings(plan, machines, cuda)))


def _pools(args: OkeRdmaClusterArgs, rdma: RdmaPlan, errors: ErrorList) -> list[OkeNodePoolPlan]:
    """The plans of the pools that have no errors."""
    pools, kubernetes = args.get("pools", []), args.get("kubernetes", OkeKubernetes())
    cluster = ClusterSettings(
        place=place_of(args),
        version=kubernetes.get("version", oke_releases.VERSIONS.default),
        cni=kubernetes.get("cni", OkeCniType.VCN_NATIVE),
        dual_stack=kubernetes.get("dual_stack", False),
        fabric=rdma.fabric,
        ssh_public_key=args.get("ssh_public_key"),
        own_gpu_plugin=rdma.own_gpu_plugin,
    )
    for i, pool in enumerate(pools):
        check_allocation(allocation_of(pool), rdma.nic_attachment, errors.at(i, "gpu_allocation"))
    check_racks_once(pools, errors)
    plans = [plan_pool(pool, cluster, errors.at(i)) for i, pool in enumerate(pools)]
    if pools or not args.get("adopt"):
        check_pools(pools, errors)
    check_pool_names(pools, _OUR_POOLS, errors)
    return [plan for plan in plans if plan is not None]


def _in_cluster(
    args: OkeRdmaClusterArgs, rdma: RdmaPlan, pools: list[GpuPool], cuda: Mapping[str, str | None], errors: ErrorList
) -> tuple[OkeStoragePlan | None, InClusterPlan | None]:
    kubernetes = args.get("kubernetes", OkeKubernetes())
    existing = "existing" in kubernetes
    drivers = refuse_managed(args.get("drivers", {}), "OKE brings no DRA driver", errors.at("drivers"))
    acceptance = acceptance_options(args.get("acceptance", {}), cuda, args.get("registries", {}))
    storage = None
    if "storage" in args:
        own, at = not existing and "existing" not in args.get("network", {}), errors.at("storage")
        storage = choose_storage(args["storage"], place=place_of(args), own_network=own, errors=at)
    context = ClusterContext(
        "ubuntu-oke",
        kubernetes.get("version", oke_releases.VERSIONS.default),
        POOL_LABEL,
        GPU_TAINT[:2],
        makes_namespaces=not existing,
        driver_seconds=_VF_SECONDS if rdma.nic_attachment == OkeNicAttachment.SRIOV else 0,
        claimed_when=f"set {CLAIMED_WHEN}",
        channels_beside_plugins=True,
        # By itself neither of OKE's two CNIs does: Oracle's page on pod networking names Calico for it
        # (docs.oracle.com/iaas ContEng/Concepts/contengpodnetworking.htm, 2026-11-23).
        enforces_policies=False,
    )
    choice = in_cluster_options({**args, "acceptance": acceptance}, drivers, asked_store("storage" in args, storage))
    return storage, plan_in_cluster(context, pools, choice, errors)


def _warnings(plan: OkeRdmaClusterPlan, machines: list[OkeMachine], cuda: Mapping[str, str | None]) -> Iterator[str]:
    """What may not work, in the order in which the stack is built."""
    for pool in plan.pools:
        yield from pool.warnings
    yield from rdma_warnings(plan.rdma, machines, plan.cluster.existing is not None)
    yield from cuda_warnings(cuda, plan.args.get("acceptance", {}))
    yield from plan.in_cluster.warnings
    addons = {each.name: each.version for each in plan.cluster.addons}
    yield from support_warnings(plan, "oke", plan.args.get("kubernetes", {}), oke_releases.VERSIONS.default, addons)
    if plan.network is not None and plan.cluster.endpoint == OkeEndpoint.PRIVATE:
        yield private_api("VCN", "VCN", "peering, VPN, a bastion session")
    if plan.cluster.dual_stack and plan.pools:
        yield (
            "kubernetes.dualStack: that Oracle's GPU images take up an IPv6 address at boot is in none of its "
            "documents; `kubectl get nodes -o custom-columns=:metadata.name,:status.addresses[*].address` shows which "
            "nodes have one"
        )
    yield from storage_warnings(plan.storage, plan.pools, policies=plan.identity.make)
    if plan.args.get("skypilot", False):
        yield from sky_warnings(plan.rdma, plan.pools)


plan_rdma_cluster_args = planner(OkeRdmaClusterArgs, demanding(plan_rdma_cluster))
"""The plan of ``OkeRdmaCluster(name, args)``, by ``(args, name)``."""
