"""An AKS cluster with everything in it: network, GPU pools, operators, and what runs on them."""

from typing import Any

import pulumi
import pulumi_azure_native as azure
from ..base.key_docs import with_keys
from ..component.account import provider_for
from ..component.frame import Opts, behind, inputs, plan_args, replaceable, waiting_for
from ..component.pulling import pulling
from ..component.tagging import tagged
from ..incluster.in_cluster import BaseRdmaCluster, BaseStorage, install_in_cluster
from ..incluster.objects import install
from .cluster import AksCluster
from .network import AksHpcNetwork
from .node_pool import AksGpuNodePool
from .operators import AksOperators
from .plan.cluster import AksClusterLinks, AksKubernetes
from .plan.drivers import AksDriverOptions
from .plan.existing import AksNetworkOptions
from .plan.network import AksExistingNetwork, AksNetworkLinks, AksOutbound
from .plan.node_pool import AksPool, AksPoolLinks
from .plan.rdma_cluster import STACK_KEYS, AksRdmaClusterArgs, AksRdmaClusterPlan, plan_rdma_cluster
from .plan.storage import AksStorageLinks, AksStorageOptions
from .plan.zones import AZURE


@with_keys
class AksRdmaCluster(BaseRdmaCluster):
    """An AKS cluster whose GPUs talk over InfiniBand."""

    resource_group: pulumi.Output[str]
    """Name of the resource group that holds it."""
    skypilot: pulumi.Output[dict[str, Any]]
    """What a task of SkyPilot's says in its config; empty where it needs nothing."""

    def __init__(
        self, name: str, args: AksRdmaClusterArgs, opts: Opts = None, *, plan: AksRdmaClusterPlan | None = None
    ):
        args, plan = plan_args(AksRdmaClusterArgs, plan_rdma_cluster, args, plan, name)
        opts = tagged(opts, args.get("tags", {}), AZURE)
        opts = pulling(name, opts, args.get("pull_secret"))
        super().__init__("rdma-cluster:index:AksRdmaCluster", name, inputs(AksRdmaClusterArgs, args), opts)
        for warning in plan.warnings:
            pulumi.log.warn(warning, self)
        native = provider_for(self, name, azure.Provider, STACK_KEYS, plan.args)
        child = pulumi.ResourceOptions(parent=self, providers=[native])
        if (existing := plan.args.get("resource_group")) is not None:
            self.resource_group = pulumi.Output.from_input(existing)
        else:
            self.resource_group = azure.resources.ResourceGroup(name, location=plan.cluster.location, opts=child).name
        network, lustre_subnet = _network(name, plan, self.resource_group, child)
        group, subnet = self.resource_group, network["subnet"]
        links = AksClusterLinks(resource_group=group, subnet=subnet, egress_cidrs=network.get("egress_cidrs", []))
        choices = inputs(AksKubernetes, plan.args.get("kubernetes", {}))
        cluster = AksCluster.planned(name, plan.cluster, links, choices, child)
        joined = AksPoolLinks(resource_group=group, cluster=cluster.name, subnet=subnet)
        after = waiting_for(child, cluster.pool_needs)
        pools = [
            AksGpuNodePool.planned(f"{name}-{pool['name']}", planned, joined, inputs(AksPool, pool), after)
            for pool, planned in zip(plan.args["pools"], plan.pools, strict=True)
        ]
        nodes: list[pulumi.Resource] = [pool.node_pool for pool in pools]
        on_cluster = pulumi.ResourceOptions(parent=self, provider=cluster.provider, deleted_with=cluster.cluster)
        on_cluster = replaceable(on_cluster)
        if plan.operators:
            # They go where the nodes are, and leave before them, or with a cluster that is made anew.
            drivers, options = inputs(AksDriverOptions, plan.args.get("drivers", {})), waiting_for(on_cluster, nodes)
            nodes = [*nodes, AksOperators.planned(name, plan.operators, None, drivers, options)]
        store = self._storage(name, plan, cluster, lustre_subnet, child)
        if plan.storage is not None and plan.storage.driver is not None:
            # After drivers that start containers anew, and gone after the pods that mount by it.
            nodes = [*nodes, install(f"{name}-lustre", plan.storage.driver, nodes, on_cluster)]
        installed = install_in_cluster(
            name, plan.in_cluster, cluster.cluster, nodes, on_cluster, cluster.kubeconfig, store
        )

        self.skypilot = behind(dict(plan.skypilot), installed.ready)
        self.show(cluster, plan.in_cluster, installed)

    def _storage(
        self, name: str, plan: AksRdmaClusterPlan, cluster: AksCluster, subnet: pulumi.Input[str], child: Opts
    ) -> BaseStorage | None:
        """What is made of the stack's storage; ``None`` where nothing is. Lustre's ``subnet`` is empty without it."""
        if plan.storage is None or plan.storage.store.mounted is None:
            return None
        from .storage import AksStorage  # few stacks have any

        assert cluster.kubelet is not None
        links = AksStorageLinks(
            resource_group=self.resource_group,
            identity_client=cluster.kubelet.client_id,
            identity_principal=cluster.kubelet.principal_id,
            lustre_subnet=subnet,
        )
        return AksStorage.planned(name, plan.storage, links, inputs(AksStorageOptions, plan.args["storage"]), child)


def _network(
    name: str, plan: AksRdmaClusterPlan, group: pulumi.Output[str], child: Opts
) -> tuple[AksExistingNetwork, pulumi.Input[str]]:
    """The network that cluster and nodes live in, the user's or a new one; and the subnet of a Lustre file system."""
    choice = plan.args.get("network", AksNetworkOptions())
    if plan.network is None:
        return choice["existing"], ""
    shown = inputs(AksNetworkOptions, choice)
    network = AksHpcNetwork.planned(name, plan.network, AksNetworkLinks(resource_group=group), shown, child)
    links = AksExistingNetwork(subnet=network.subnet, cidrs=network.cidrs, outbound=network.outbound)
    if network.outbound == AksOutbound.NAT_GATEWAY:
        links["egress_cidrs"] = [network.egress_cidr]
    return links, network.lustre_subnet
