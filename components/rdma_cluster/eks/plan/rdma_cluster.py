"""An EKS stack: every error of a configuration at once, or one plan of everything it builds."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ...base.args import args_schema
from ...catalog import quotas, releases
from ...common.existing import check_existing, private_api
from ...common.minimum_versions import MinimumVersion, unseen
from ...common.names import check_own_name
from ...common.pools import GPU_TAINT, allocation_of, check_pool_names, check_pools, held_until_proven, over
from ...common.skypilot import pools_for_skypilot
from ...common.stack import BaseRdmaClusterPlan, planner
from ...common.tags import check_tags
from ...fabrics import GpuAllocation
from ...incluster.addons.storage.store import asked_store
from ...incluster.plan.artifacts import demanding
from ...incluster.plan.context import ClusterContext
from ...incluster.plan.in_cluster import plan_in_cluster
from ...incluster.plan.rdma_cluster import BaseRdmaClusterArgs, in_cluster_options
from ...incluster.plan.support import support_warnings
from .cluster import EksClusterPlan, EksEndpoint, EksKubernetes, plan_kubernetes
from .devices import EksDriverOptions, plan_drivers
from .existing import EksNetworkOptions, plan_networks
from .gpu_pools import gpu_pools
from .machines import BUILDABLE
from .network import EksNetworkPlan
from .node_pool import POOL_LABEL, EksNodePoolPlan, EksPool, plan_pool
from .storage import EksStorageOptions, EksStoragePlan, choose_storage, storage_warnings
from .zones import AMAZON, CLUSTER_NAME, NAME_WORDS, check_region, check_zone


@args_schema
class EksRdmaClusterArgs(BaseRdmaClusterArgs):
    """A cluster whose GPUs talk over RDMA: where, which machines, how many."""

    region: str
    """AWS region. Example: ``us-east-2``."""
    zone: str
    """Zone of the GPU nodes. Example: ``us-east-2a``."""
    pools: list[EksPool]
    """GPU node pools."""
    kubernetes: NotRequired[EksKubernetes]
    """The cluster's choices, or an existing cluster."""
    network: NotRequired[EksNetworkOptions]
    """The fabric's addresses, or an existing network."""
    drivers: NotRequired[EksDriverOptions]
    """Who brings which driver."""
    storage: NotRequired[EksStorageOptions]
    """Where data is kept, with a claim in each of the claim templates' namespaces. Default: nowhere."""
    skypilot: NotRequired[bool]
    """Make a cluster on which SkyPilot's ``network_tier: best`` works as it is: GPUs and EFA devices by device plugins,
    its label of the GPU, one machine type. Default: false."""


@frozen(kw_only=True)
class EksRdmaClusterPlan(BaseRdmaClusterPlan):
    """Everything ``EksRdmaCluster`` builds."""

    args: EksRdmaClusterArgs
    """The stack's args, checked; for SkyPilot with changed pools."""
    network: EksNetworkPlan | None
    """The new network; ``None`` where an existing one is used."""
    cluster: EksClusterPlan
    pools: tuple[EksNodePoolPlan, ...]
    storage: EksStoragePlan | None
    """Where data is kept; ``None`` is nowhere."""


_OUR_POOLS = {"system": "the system nodes"}
STACK_KEYS = {"aws:region": "region"}
"""Configuration keys of other namespaces that become args."""


# All parts of a stack in one view, in the order of their errors.
def plan_rdma_cluster(args: EksRdmaClusterArgs, name: str, errors: ErrorList) -> EksRdmaClusterPlan | None:
    """Make all choices of ``EksRdmaCluster``. Returns ``None`` when an error was added."""
    if args.get("skypilot"):
        args = {**args, "pools": pools_for_skypilot(args["pools"], BUILDABLE, errors.at("pools"))}
    region, zone = args["region"], args["zone"]
    kubernetes, network_choice = args.get("kubernetes", {}), args.get("network", {})
    version = kubernetes.get("version", releases.EKS.default)

    # IAM takes 64 characters for a role's name; Pulumi puts "-", our longest word, "cluster", and seven digits behind.
    check_own_name(name, CLUSTER_NAME, 64 - len("-cluster-1234567"), NAME_WORDS, errors)
    check_tags(args.get("tags", {}), AMAZON, errors.at("tags"))
    check_region(region, errors.at("region"))
    check_zone(zone, region=region, errors=errors.at("zone"))
    cluster = plan_kubernetes(
        kubernetes,
        region=region,
        service_cidr=network_choice.get("service_cidr"),
        name=name,
        minimum_versions=_minimum_versions(args["pools"]),
        errors=errors.at("kubernetes"),
        services_at=errors.at("network", "service_cidr"),
    )
    # An existing cluster's version is known only where the user names it.
    known_version = None if "existing" in kubernetes and "version" not in kubernetes else version
    listed, at = args["pools"], errors.at("pools")
    pools = [plan_pool(each, zone=zone, version=known_version, errors=at.at(i)) for i, each in enumerate(listed)]
    check_pools(listed, at)
    check_pool_names(listed, _OUR_POOLS, at)
    check_existing(kubernetes, network_choice, errors)
    network = plan_networks(
        choice=network_choice, kubernetes=kubernetes, pools=listed, region=region, zone=zone, errors=errors
    )
    drivers, registry = plan_drivers(args.get("drivers", {}), region=region, errors=errors.at("drivers"))
    storage, existing, at = None, "existing" in kubernetes, errors.at("storage")
    if "storage" in args:
        storage = choose_storage(args["storage"], region=region, name=name, existing=existing, errors=at)
    # A change of these replaces the nodes of all pools.
    place = {
        "zone": zone,
        "cluster": cluster and cluster.identifier,
        "services": cluster and cluster.service_cidr,
        "network": network and network.cidr,
        "subnet": network and network.gpu,
        # The nodes' tags stand in their launch template: with others there are other nodes.
        "tags": args.get("tags", {}),
    }
    in_cluster = plan_in_cluster(
        ClusterContext("al2023", version, POOL_LABEL, GPU_TAINT[:2], "existing" not in kubernetes, registry),
        gpu_pools(args["pools"], pools, place),
        in_cluster_options(args, drivers, asked_store("storage" in args, storage)),
        errors,
    )
    if errors or cluster is None or in_cluster is None:
        return None
    planned = tuple(pool for pool in pools if pool is not None)
    return EksRdmaClusterPlan(
        args=args,
        network=network,
        cluster=replace(cluster, vpc_block=network and network.cidr),
        pools=held_until_proven(planned, in_cluster.held),
        in_cluster=in_cluster,
        storage=storage,
        warnings=(
            *unseen(version, releases.EKS.minors, "EKS"),
            *support_warnings(in_cluster, "eks", kubernetes, releases.EKS.default),
            *(warning for pool in planned for warning in pool.warnings),
            *in_cluster.warnings,
            *([private_api("VPC", "VPC")] if network and cluster.endpoint == EksEndpoint.PRIVATE else ()),
            *_quota_warnings(planned, cluster.existing is not None),
            *storage_warnings(storage, cluster.name),
        ),
    )


def _minimum_versions(pools: list[EksPool]) -> list[MinimumVersion]:
    used, remedy = {allocation_of(pool) for pool in pools}, "raise it, or give the pools gpuAllocation: device-plugin"
    claims = MinimumVersion("claims for GPUs need", releases.EKS.gpu_dra, remedy)
    plugins = MinimumVersion("driver 580 in AWS's images needs", releases.EKS.device_plugin, "raise it")
    by_allocation = {GpuAllocation.DRA: claims, GpuAllocation.DEVICE_PLUGIN: plugins}
    return [minimum_version for allocation, minimum_version in by_allocation.items() if allocation in used]


def _quota_warnings(pools: Sequence[EksNodePoolPlan], existing: bool) -> list[str]:
    """Warn of each quota that the stack exceeds; an existing cluster has node groups that are not seen here."""
    groups = len(pools) + (0 if existing else len(_OUR_POOLS))
    large = [pool for pool in pools if pool.nodes > quotas.EKS_GROUP_NODES.default]
    largest, have = max((pool.nodes for pool in large), default=0), "has" if len(large) == 1 else "have"
    return [
        *over(quotas.EKS_NODE_GROUPS, groups, f"the stack has {groups:,}"),
        *over(quotas.EKS_GROUP_NODES, largest, f"{_names(large)} {have} up to {largest:,}"),
    ]


def _names(pools: Sequence[EksNodePoolPlan]) -> str:
    """The names of the first three pools, since there may be many."""
    first = ", ".join(pool.name for pool in pools[:3])
    return f"pool {first}" if len(pools) == 1 else f"{len(pools)} pools ({first}{', ...' if pools[3:] else ''})"


plan_rdma_cluster_args = planner(EksRdmaClusterArgs, demanding(plan_rdma_cluster))
"""The plan of ``EksRdmaCluster(name, args)``, by ``(args, name)``."""
