"""The whole: networks, cluster, GPU pools and what runs on them, on GKE."""

import pulumi

from ..clouds.google.resources import provider_of
from ..component import inputs, plan_args, waiting_for
from ..incluster.rdma_cluster import BaseRdmaCluster
from ..incluster.whole import BaseStorage, install_whole
from ..key_docs import with_keys
from .cluster import GkeCluster
from .lookups import nothing_against
from .network import GkeHpcNetwork
from .node_pool import GkeGpuNodePool
from .plan.cluster import GkeClusterArgs, GkeKubernetes
from .plan.fabric import is_managed
from .plan.network import GkeAddresses, GkeHpcNetworkArgs, GkeNodeNetwork, GkePrimaryNetwork, existing_networks
from .plan.node_pool import GkeGpuNodePoolArgs
from .plan.pod_networks import GkePodNetwork, GkePodNetworksArgs
from .plan.rdma_cluster import GkeRdmaClusterArgs, GkeRdmaClusterPlan, decide_rdma_cluster
from .plan.storage import GkeStorageArgs
from .pod_networks import GkePodNetworks


@with_keys
class GkeRdmaCluster(BaseRdmaCluster):
    """A GKE cluster whose GPUs talk over RDMA."""

    def __init__(
        self,
        name: str,
        args: GkeRdmaClusterArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        plan: GkeRdmaClusterPlan | None = None,
    ):
        args, plan = plan_args(GkeRdmaClusterArgs, decide_rdma_cluster, args, plan, name)
        super().__init__("rdma-cluster:index:GkeRdmaCluster", name, inputs(GkeRdmaClusterArgs, args), opts)
        for warning in plan.warnings:
            pulumi.log.warn(warning, self)
        google = provider_of(self, name, plan.project)
        asked = nothing_against(plan.look_ups, google, self)
        child = pulumi.ResourceOptions(parent=self, providers=[google], depends_on=asked)
        primary, node_networks = _networks(name, plan, child)
        cluster = GkeCluster(
            name,
            GkeClusterArgs(
                **{**plan.args.get("kubernetes", GkeKubernetes()), "name": plan.cluster.name},
                project=plan.project,
                zone=plan.zone,
                network=primary["network"],
                subnetwork=primary["subnetwork"],
                pod_range=primary["pod_range"],
                service_range=primary["service_range"],
                **({} if plan.gpu_metrics else {"gpu_metrics": False}),
                multi_networking=not all(is_managed(pool.fabric) for pool in plan.pools),
                **_storage_drivers(plan),
                **({"shielded_nodes": False} if any(pool.machine.metal for pool in plan.pools) else {}),
            ),
            child,
            plan=plan.cluster,
        )
        on_cluster = pulumi.ResourceOptions(parent=self, provider=cluster.provider)
        # In the order of Google's guide: nodes find the networks when they join.
        named = _pod_networks(name, plan, node_networks, cluster, on_cluster)
        after_networks = waiting_for(child, named)
        pools = [
            GkeGpuNodePool(
                f"{name}-{pool['name']}",
                GkeGpuNodePoolArgs(
                    **pool,
                    project=plan.project,
                    zone=plan.zone,
                    cluster=cluster.name,
                    location=plan.cluster.location,
                    networks=node_networks[: planned.machine.node_networks],
                    service_account=cluster.node_service_account,
                    version=plan.cluster.version,
                    **({"mode": plan.mode} if plan.mode else {}),
                ),
                after_networks,
                plan=planned,
            )
            for pool, planned in zip(plan.args["pools"], plan.pools, strict=True)
        ]
        store = _storage(name, plan, primary, child)
        installed = install_whole(
            name,
            plan.whole,
            cluster.cluster,
            [pool.node_pool for pool in pools],
            on_cluster,
            store,
        )

        self.show(cluster.name, cluster.kubeconfig, plan, installed)


def _networks(
    name: str, plan: GkeRdmaClusterPlan, child: pulumi.ResourceOptions
) -> tuple[GkePrimaryNetwork, list[GkeNodeNetwork]]:
    """The cluster's network, and those that GPU nodes attach to besides: the user's, or new ones."""
    choice = plan.args.get("network", {})
    if (existing := choice.get("existing")) is not None:
        return existing, existing_networks(existing, [pool.machine for pool in plan.pools])
    addresses = GkeAddresses(**{key: value for key, value in choice.items() if key not in ("existing", "mode")})
    network = GkeHpcNetwork(
        name,
        GkeHpcNetworkArgs(
            project=plan.project,
            zone=plan.zone,
            machines=sorted({pool.machine.name for pool in plan.pools}),
            **({"mode": plan.mode} if plan.mode else {}),
            **addresses,
        ),
        child,
        plan=plan.network,
    )
    return network.primary, network.node_networks


def _storage_drivers(plan: GkeRdmaClusterPlan) -> dict[str, bool]:
    """The driver of the stack's storage, as the cluster is asked for it."""
    if plan.storage is None or plan.storage.store.mounted is None:
        return {}
    return {"lustre": True} if plan.storage.lustre is not None else {"gcs_fuse": True}


def _storage(
    name: str, plan: GkeRdmaClusterPlan, primary: GkePrimaryNetwork, child: pulumi.ResourceOptions
) -> BaseStorage | None:
    """What is made of the stack's storage; ``None`` where nothing is."""
    place = plan.whole.storage
    if place is None or place.store.mounted is None:
        return None
    from .storage import GkeStorage  # few stacks have any

    return GkeStorage(
        name,
        GkeStorageArgs(
            **{key: of for key, of in plan.args["storage"].items() if key != "existing"},
            project=plan.project,
            zone=plan.zone,
            namespaces=list(place.namespaces),
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
        GkePodNetwork(name=each.name, network=attached["network"], subnetwork=attached["subnetwork"], rdma=each.rdma)
        for each, attached in zip(plan.pod_networks, node_networks, strict=True)
    ]
    if cluster.cluster is not None:
        gone_with_it = pulumi.ResourceOptions(deleted_with=cluster.cluster)
        on_cluster = pulumi.ResourceOptions.merge(on_cluster, gone_with_it)
    return GkePodNetworks(name, GkePodNetworksArgs(networks=networks), on_cluster).networks
