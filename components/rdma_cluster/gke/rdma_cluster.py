"""A GKE cluster with its networks, its GPU pools and what runs on them."""

from typing import Any

import pulumi
import pulumi_gcp as gcp
from ..base.key_docs import with_keys
from ..common.google import STACK_KEYS
from ..common.google.names import GOOGLE
from ..component.account import provider_for
from ..component.frame import Opts, behind, inputs, plan_args, replaceable, waiting_for
from ..component.pulling import pulling
from ..component.tagging import tagged
from ..incluster.in_cluster import BaseRdmaCluster, BaseStorage, install_in_cluster
from .cluster import GkeCluster
from .lookups import nothing_against
from .network import GkeHpcNetwork
from .node_pool import GkeGpuNodePool, PoolLinks
from .plan.cluster import GkeKubernetes
from .plan.existing import GkeNetworkOptions
from .plan.network import GkeNodeNetwork, GkePrimaryNetwork, existing_networks
from .plan.node_pool import GkePool
from .plan.rdma_cluster import GkeRdmaClusterArgs, GkeRdmaClusterPlan, plan_rdma_cluster
from .plan.storage import GkeStorageOptions
from .pod_networks import GkePodNetworks


@with_keys
class GkeRdmaCluster(BaseRdmaCluster):
    """A GKE cluster whose GPUs talk over RDMA."""

    skypilot: pulumi.Output[dict[str, Any]]
    """Without nodes until a job asks: what to write below ``kubernetes.context_configs.CONTEXT`` of SkyPilot's
    configuration, and by pool as the ``config`` of a task; empty where it needs nothing."""

    def __init__(
        self, name: str, args: GkeRdmaClusterArgs, opts: Opts = None, *, plan: GkeRdmaClusterPlan | None = None
    ):
        args, plan = plan_args(GkeRdmaClusterArgs, plan_rdma_cluster, args, plan, name)
        opts = tagged(opts, args.get("tags", {}), GOOGLE)
        opts = pulling(name, opts, args.get("pull_secret"))
        super().__init__("rdma-cluster:index:GkeRdmaCluster", name, inputs(GkeRdmaClusterArgs, args), opts)
        for warning in plan.warnings:
            pulumi.log.warn(warning, self)
        google = provider_for(self, name, gcp.Provider, STACK_KEYS, plan.args)
        checked = nothing_against(plan.look_ups, google, self)
        child = pulumi.ResourceOptions(parent=self, providers=[google], depends_on=checked)
        primary, node_networks = _networks(name, plan, child)
        shown = inputs(GkeKubernetes, plan.args.get("kubernetes", {}))
        cluster = GkeCluster.planned(name, plan.cluster, primary, shown, child)
        on_cluster = replaceable(pulumi.ResourceOptions(parent=self, provider=cluster.provider))
        # In the order of Google's guide: nodes find the networks when they join.
        pod_networks = _pod_networks(name, plan, node_networks, cluster, on_cluster)
        pools = _pools(name, plan, node_networks, cluster, waiting_for(child, pod_networks))
        store = _storage(name, plan, primary, child)
        nodes = [pool.node_pool for pool in pools]
        installed = install_in_cluster(
            name, plan.in_cluster, cluster.cluster, nodes, on_cluster, cluster.kubeconfig, store
        )
        self.skypilot = behind(dict(plan.skypilot), installed.ready)
        self.show(cluster, plan.in_cluster, installed)


def _networks(
    name: str, plan: GkeRdmaClusterPlan, child: pulumi.ResourceOptions
) -> tuple[GkePrimaryNetwork, list[GkeNodeNetwork]]:
    """The network of the cluster, and the further networks of GPU nodes. Both are the user's, or new."""
    choice = plan.args.get("network", {})
    if plan.network is None:
        existing = choice["existing"]
        return existing, existing_networks(existing, [pool.machine for pool in plan.pools])
    network = GkeHpcNetwork.planned(name, plan.network, None, inputs(GkeNetworkOptions, choice), child)
    return network.primary, network.node_networks


def _pools(
    name: str,
    plan: GkeRdmaClusterPlan,
    node_networks: list[GkeNodeNetwork],
    cluster: GkeCluster,
    child: pulumi.ResourceOptions,
) -> list[GkeGpuNodePool]:
    pools = []
    for args, pool in zip(plan.args["pools"], plan.pools, strict=True):
        attached = node_networks[: pool.machine.node_networks]
        links = PoolLinks(cluster.name, plan.cluster.location, attached, cluster.node_service_account)
        pools.append(GkeGpuNodePool.planned(f"{name}-{pool.name}", pool, links, inputs(GkePool, args), child))
    return pools


def _pod_networks(
    name: str,
    plan: GkeRdmaClusterPlan,
    node_networks: list[GkeNodeNetwork],
    cluster: GkeCluster,
    on_cluster: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """The networks that pods name; none where claims bring the NICs."""
    if not plan.pod_networks:
        return []
    if cluster.cluster is not None:
        on_cluster = pulumi.ResourceOptions.merge(on_cluster, pulumi.ResourceOptions(deleted_with=cluster.cluster))
    return GkePodNetworks.planned(name, plan.pod_networks, node_networks, {}, on_cluster).networks


def _storage(
    name: str, plan: GkeRdmaClusterPlan, primary: GkePrimaryNetwork, child: pulumi.ResourceOptions
) -> BaseStorage | None:
    """The stack's new store; ``None`` where there is none."""
    if plan.storage is None or plan.storage.store.mounted is None:
        return None
    from .storage import GkeStorage  # few stacks have any

    # After the subnets: Google chooses addresses that none of them has.
    network = pulumi.Output.all(primary["network"], primary["subnetwork"]).apply(lambda both: both[0])
    return GkeStorage.planned(name, plan.storage, network, inputs(GkeStorageOptions, plan.args["storage"]), child)
