"""The whole OKE stack: all faults of a configuration at once, or one plan of everything it builds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NotRequired

from ...args import shape
from ...catalog import oke_releases
from ...clouds.names import check_own_name
from ...clouds.pools import GPU_TAINT, check_pool_names, check_pools
from ...clouds.stack import planner
from ...faults import Faults
from ...incluster.addons.storage.store import asked_store
from ...incluster.plan.acceptance import AcceptanceChoice
from ...incluster.plan.dra_drivers import DriverChoice, refuse_managed
from ...incluster.plan.rdma_cluster import BaseRdmaClusterArgs, BaseRdmaClusterPlan, whole_choice
from ...incluster.plan.site import Site
from ...incluster.plan.whole import decide_whole
from .adopt import AdoptionPlan, OkeAdoptedPool, decide_all
from .cluster import NAME, NAME_WORDS, ClusterPlan, OkeEndpoint, OkeKubernetes, decide_kubernetes
from .cni import OkeCniType
from .existing import OkeNetworkChoice, decide_networks, services_of
from .identity import IdentityPlan, OkeIdentity, decide_identity
from .images import ImportPlan, imports
from .machines import BUILDABLE
from .modes import OkePoolMode, check_racks_once
from .network import NetworkPlan
from .node_pool import POOL_LABEL, NodePoolPlan, OkePool, allocation_of, check_ssh_key, decide_pool
from .proof import cuda_warnings, decide_acceptance
from .rdma import CLAIMED_WHEN, OkeExposure, OkeRdma, RdmaPlan, check_allocation, decide_rdma, rdma_warnings
from .site import claimed, known, nodes_of, on_site
from .skypilot import sky_configuration, sky_warnings, used_by_skypilot
from .storage import OkeStorageChoice, StoragePlan, asks_for_lustre, choose_storage, storage_warnings
from .virtual_functions import OkeVirtualFunctionsArgs, VirtualFunctionsPlan, virtual_functions_of
from .zones import check_ocid, check_region, check_zone


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
    storage: StoragePlan | None
    """Where data is kept; ``None`` is nowhere."""
    skypilot: Mapping[str, Any]
    """What SkyPilot's configuration says of this context; empty where it needs nothing."""


_OUR_POOLS = {"system": "the system nodes"}
_LONGEST_NAME = 100  # OCI takes 100 to 255 characters for a name, and our longest word and a dash stand behind it
# The operator's pods come first, and then configure each node: Oracle's stack sleeps for seven minutes of it.
_VF_SECONDS = 1800
STACK_KEYS = {"oci:region": "region", "oci:tenancyOcid": "tenancy"}
"""Configuration keys of other namespaces that become args."""


def decide_rdma_cluster(args: OkeRdmaClusterArgs, name: str, faults: Faults) -> OkeRdmaClusterPlan | None:
    """All choices of ``OkeRdmaCluster``. Returns ``None`` when a fault was added."""
    skypilot = args.get("skypilot", False)
    if skypilot:
        args = used_by_skypilot(args, BUILDABLE, faults)
    region, zone, compartment = args["region"], args["zone"], args["compartment"]
    kubernetes, network_choice = args.get("kubernetes", OkeKubernetes()), args.get("network", OkeNetworkChoice())
    pools, adopted = args.get("pools", []), args.get("adopt", [])
    existing, cni = kubernetes.get("existing") is not None, kubernetes.get("cni", OkeCniType.VCN_NATIVE)
    dual_stack = kubernetes.get("dual_stack", False)
    lustre = asks_for_lustre(args)

    check_own_name(name, NAME, _LONGEST_NAME, NAME_WORDS, faults)
    check_region(region, faults.at("region"))
    check_zone(zone, region=region, faults=faults.at("zone"))
    check_ocid(args["tenancy"], ("tenancy",), faults.at("tenancy"))
    check_ocid(compartment, ("compartment", "tenancy"), faults.at("compartment"))
    machines = [machine for _, machine, _ in known(pools, adopted)]
    rdma = decide_rdma(
        args.get("rdma", OkeRdma()), machines, claimed(pools), existing=existing, faults=faults.at("rdma")
    )
    cluster = decide_kubernetes(
        kubernetes,
        region=region,
        compartment=compartment,
        zone=zone,
        blocks=services_of(network_choice, cni, faults.at("network")),
        addons=rdma.addons,
        name=name,
        faults=faults.at("kubernetes"),
    )
    version = kubernetes.get("version", oke_releases.VERSIONS.default)
    if "ssh_public_key" in args:
        check_ssh_key(args["ssh_public_key"], faults.at("ssh_public_key"))
    for i, pool in enumerate(pools):
        check_allocation(allocation_of(pool), rdma.exposure, faults.at("pools", i, "gpu_allocation"))
    check_racks_once(pools, faults.at("pools"))
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
        for i, pool in enumerate(pools)
    ]
    made = [pool for pool in planned_pools if pool is not None]
    if pools or not adopted:
        check_pools(pools, faults.at("pools"))
    check_pool_names(pools, _OUR_POOLS, faults.at("pools"))
    taken_in = decide_all(
        adopted,
        beside=[pool["name"] for pool in pools],
        kubernetes=kubernetes,
        compartment=compartment,
        faults=faults.at("adopt"),
    )
    network = decide_networks(
        cni,
        choice=network_choice,
        kubernetes=kubernetes,
        pools=pools,
        region=region,
        compartment=compartment,
        lustre=lustre,
        faults=faults,
    )
    identity = decide_identity(
        args.get("identity", OkeIdentity()),
        region=region,
        tenancy=args["tenancy"],
        compartment=compartment,
        modes=[pool.mode for pool in made],
        host_groups=[pool.host_group for pool in made if pool.host_group and pool.mode == OkePoolMode.MANAGED],
        dual_stack=dual_stack,
        lustre=lustre,
        faults=faults.at("identity"),
    )
    functions = virtual_functions_of(rdma, machines, existing, args.get("registries", {}), faults)
    sriov = rdma.exposure == OkeExposure.SRIOV
    drivers = refuse_managed(args.get("drivers", {}), "OKE brings no DRA driver", faults.at("drivers"))
    cuda = {**{pool.name: pool.image.cuda for pool in made}, **{pool.name: pool.cuda for pool in taken_in}}
    acceptance = decide_acceptance(args.get("acceptance", {}), cuda)
    storage = None
    if "storage" in args:
        own_network = not existing and network_choice.get("existing") is None
        storage = choose_storage(args["storage"], zone=zone, own_network=own_network, faults=faults.at("storage"))
    whole = decide_whole(
        Site(
            "ubuntu-oke",
            version,
            POOL_LABEL,
            GPU_TAINT[:2],
            makes_namespaces=not existing,
            driver_seconds=_VF_SECONDS if sriov else 0,
            claimed_when=f"set {CLAIMED_WHEN}",
            channels_beside_plugins=True,
        ),
        on_site(pools, adopted, rdma, {pool.name: nodes_of(pool, zone, cluster, network) for pool in made}, cuda),
        whole_choice({**args, "acceptance": acceptance or {}}, drivers, asked_store("storage" in args, storage)),
        faults,
    )
    if faults or cluster is None or identity is None or whole is None:
        return None
    return OkeRdmaClusterPlan(
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
            *storage_warnings(storage, made, policies=identity.make),
            *(sky_warnings(rdma, made) if skypilot else ()),
        ),
    )


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
