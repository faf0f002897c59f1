"""A GKE cluster with its networks, its GPU pools and what runs on them."""

from typing import Any

import pulumi

from ..common.google.resources import provider_of
from ..common.google.tags import GOOGLE
from ..component import Opts, inputs, plan_args, replaceable, waiting_for
from ..incluster.in_cluster import BaseStorage, install_in_cluster
from ..incluster.rdma_cluster import BaseRdmaCluster
from ..key_docs import with_keys
from ..pulling import pulling
from ..tagging import tagged
from .cluster import GkeCluster
from .lookups import nothing_against
from .network import GkeHpcNetwork
from .node_pool import GkeGpuNodePool
from .plan.cluster import GkeClusterArgs, GkeEndpoint, GkeKubernetes
from .plan.fabric import is_managed
from .plan.network import GkeHpcNetworkArgs, GkeNodeNetwork, GkePrimaryNetwork, existing_networks
from .plan.node_pool import GkeGpuNodePoolArgs
from .plan.pod_networks import GkePodNetwork, GkePodNetworksArgs
from .plan.rdma_cluster import GkeRdmaClusterArgs, GkeRdmaClusterPlan, plan_rdma_cluster
from .plan.storage import GkeStorageArgs
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
        google = provider_of(self, name, plan.place.project)
        checked = nothing_against(plan.look_ups, google, self)
        child = pulumi.ResourceOptions(parent=self, providers=[google], depends_on=checked)
        primary, node_networks = _networks(name, plan, child)
        cluster = GkeCluster(name, _cluster_args(plan, primary), child, plan=plan.cluster)
        on_cluster = replaceable(pulumi.ResourceOptions(parent=self, provider=cluster.provider))
        # In the order of Google's guide: nodes find the networks when they join.
        pod_networks = _pod_networks(name, plan, node_networks, cluster, on_cluster)
        pools = _pools(name, plan, node_networks, cluster, waiting_for(child, pod_networks))
        store = _storage(name, plan, primary, child)
        nodes = [pool.node_pool for pool in pools]
        installed = install_in_cluster(
            name, plan.in_cluster, cluster.cluster, nodes, on_cluster, cluster.kubeconfig, store
        )
        self.skypilot = pulumi.Output.from_input(dict(plan.skypilot))
        self.show(cluster.name, cluster.kubeconfig, plan, installed)


def _cluster_args(plan: GkeRdmaClusterPlan, primary: GkePrimaryNetwork) -> GkeClusterArgs:
    drivers: dict[str, bool] = {}
    if plan.storage is not None and plan.storage.store.mounted is not None:
        drivers = {"lustre": True} if plan.storage.lustre is not None else {"gcs_fuse": True}
    by_token = plan.in_cluster.takes_jobs and plan.cluster.endpoint is GkeEndpoint.DNS
    return GkeClusterArgs(
        **{**plan.args.get("kubernetes", GkeKubernetes()), "name": plan.cluster.name},
        project=plan.place.project,
        zone=plan.place.zone,
        network=primary["network"],
        subnetwork=primary["subnetwork"],
        pod_range=primary["pod_range"],
        service_range=primary["service_range"],
        **({} if plan.gpu_metrics else {"gpu_metrics": False}),
        **({"kubernetes_tokens": True} if by_token else {}),
        multi_networking=not is_managed(plan.pools[0].fabric),  # one cluster has one mode
        **drivers,
        **({"shielded_nodes": False} if any(pool.machine.metal for pool in plan.pools) else {}),
    )


def _pools(
    name: str,
    plan: GkeRdmaClusterPlan,
    node_networks: list[GkeNodeNetwork],
    cluster: GkeCluster,
    child: pulumi.ResourceOptions,
) -> list[GkeGpuNodePool]:
    return [
        GkeGpuNodePool(
            f"{name}-{args['name']}",
            GkeGpuNodePoolArgs(
                **args,
                project=plan.place.project,
                zone=plan.place.zone,
                cluster=cluster.name,
                location=plan.cluster.location,
                networks=node_networks[: pool.machine.node_networks],
                service_account=cluster.node_service_account,
                version=plan.cluster.version,
                **({"mode": plan.mode} if plan.mode else {}),
            ),
            child,
            plan=pool,
        )
        for args, pool in zip(plan.args["pools"], plan.pools, strict=True)
    ]


def _networks(
    name: str, plan: GkeRdmaClusterPlan, child: pulumi.ResourceOptions
) -> tuple[GkePrimaryNetwork, list[GkeNodeNetwork]]:
    """The cluster's network, and those that GPU nodes attach to besides: the user's, or new ones."""
    choice = plan.args.get("network", {})
    if (existing := choice.get("existing")) is not None:
        return existing, existing_networks(existing, [pool.machine for pool in plan.pools])
    network = GkeHpcNetwork(
        name,
        GkeHpcNetworkArgs(
            project=plan.place.project,
            zone=plan.place.zone,
            machines=sorted({pool.machine.name for pool in plan.pools}),
            **{key: value for key, value in choice.items() if key not in ("existing", "mode")},
            **({"mode": plan.mode} if plan.mode else {}),
        ),
        child,
        plan=plan.network,
    )
    return network.primary, network.node_networks


def _storage(
    name: str, plan: GkeRdmaClusterPlan, primary: GkePrimaryNetwork, child: pulumi.ResourceOptions
) -> BaseStorage | None:
    """The stack's new store; ``None`` where there is none."""
    storage = plan.in_cluster.storage
    if storage is None or storage.store.mounted is None:
        return None
    from .storage import GkeStorage  # few stacks have any

    return GkeStorage(
        name,
        GkeStorageArgs(
            **{key: of for key, of in plan.args["storage"].items() if key != "existing"},
            project=plan.place.project,
            zone=plan.place.zone,
            namespaces=list(storage.namespaces),
            # After the subnets: Google chooses addresses that none of them has.
            network=pulumi.Output.all(primary["network"], primary["subnetwork"]).apply(lambda both: both[0]),
            connect=plan.network is not None,
        ),
        child,
        plan=plan.storage,
    )


def _pod_networks(
    name: str,
    plan: GkeRdmaClusterPlan,
    node_networks: list[GkeNodeNetwork],
    cluster: GkeCluster,
    on_cluster: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """The networks that pods name, where they do."""
    if not plan.pod_networks:
        return []
    networks = [
        GkePodNetwork(name=each.name, **attached, rdma=each.rdma)
        for each, attached in zip(plan.pod_networks, node_networks, strict=True)
    ]
    if cluster.cluster is not None:
        on_cluster = pulumi.ResourceOptions.merge(on_cluster, pulumi.ResourceOptions(deleted_with=cluster.cluster))
    return GkePodNetworks(name, GkePodNetworksArgs(networks=networks), on_cluster).networks
