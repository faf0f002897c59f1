"""An AKS cluster with everything in it: network, GPU pools, operators, and what runs on them."""

from typing import Any

import pulumi
import pulumi_azure_native as azure

from ..catalog.machine import Capacity
from ..component import Opts, inputs, plan_args, replaceable, waiting_for
from ..incluster.charts import install
from ..incluster.in_cluster import BaseStorage, install_in_cluster
from ..incluster.rdma_cluster import BaseRdmaCluster
from ..key_docs import with_keys
from ..pulling import pulling
from ..tagging import tagged
from .cluster import AksCluster
from .network import AksHpcNetwork
from .node_pool import AksGpuNodePool
from .operators import AksOperators
from .plan.cluster import AksClusterArgs, AksKubernetes
from .plan.network import AksExistingNetwork, AksHpcNetworkArgs, AksOutbound
from .plan.node_pool import AksGpuNodePoolArgs
from .plan.operators import AksOperatorsArgs
from .plan.rdma_cluster import AksRdmaClusterArgs, AksRdmaClusterPlan, plan_rdma_cluster
from .plan.storage import AksStorageArgs, lustre_tib
from .plan.tags import AZURE


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
        # A provider of our own unless the user brings one: the default one would take its subscription from outside.
        native = self.get_provider("azure-native:network:VirtualNetwork") or azure.Provider(
            name,
            subscription_id=plan.cluster.subscription,
            location=plan.cluster.location,
            opts=replaceable(pulumi.ResourceOptions(parent=self)),
        )
        child = pulumi.ResourceOptions(parent=self, providers=[native])
        self.resource_group = _group(name, plan, child)
        network, lustre_subnet = _network(name, plan, self.resource_group, child)
        cluster = AksCluster(name, _cluster_args(plan, network, self.resource_group), child, plan=plan.cluster)
        pools = [
            AksGpuNodePool(
                f"{name}-{pool['name']}",
                AksGpuNodePoolArgs(
                    **pool,
                    **({"zone": plan.args["zone"]} if "zone" in plan.args else {}),
                    resource_group=self.resource_group,
                    cluster=cluster.name,
                    subnet=network["subnet"],
                    gpu_driver=planned.gpu_driver,
                    infiniband_feature=planned.infiniband_feature,
                    version=plan.cluster.version,
                ),
                waiting_for(child, cluster.pool_needs),
                plan=planned,
            )
            for pool, planned in zip(plan.args["pools"], plan.pools, strict=True)
        ]
        nodes: list[pulumi.Resource] = [pool.node_pool for pool in pools]
        on_cluster = replaceable(pulumi.ResourceOptions(parent=self, provider=cluster.provider))
        if plan.operators:
            # They go where the nodes are, and leave before them, or with a cluster that is made anew.
            where = pulumi.ResourceOptions(depends_on=nodes, deleted_with=cluster.cluster)
            options = pulumi.ResourceOptions.merge(on_cluster, where)
            nodes = [*nodes, AksOperators(name, _operators_args(plan), options, plan=plan.operators)]
        store = _storage(name, plan, self.resource_group, cluster, lustre_subnet, child)
        if plan.storage is not None and plan.storage.driver is not None:
            # After drivers that start containers anew, and gone after the pods that mount by it.
            gone = pulumi.ResourceOptions.merge(on_cluster, pulumi.ResourceOptions(deleted_with=cluster.cluster))
            nodes = [*nodes, install(f"{name}-lustre", plan.storage.driver, nodes, gone)]
        installed = install_in_cluster(
            name, plan.in_cluster, cluster.cluster, nodes, on_cluster, cluster.kubeconfig, store
        )

        self.skypilot = pulumi.Output.from_input(dict(plan.skypilot))
        self.show(cluster.name, cluster.kubeconfig, plan, installed)


def _cluster_args(plan: AksRdmaClusterPlan, network: AksExistingNetwork, group: pulumi.Output[str]) -> AksClusterArgs:
    choice = plan.args.get("network", {})
    reservations = [pool["capacity"].get("reservation") for pool in plan.args["pools"]]
    return AksClusterArgs(
        **{**plan.args.get("kubernetes", AksKubernetes()), "name": plan.cluster.name},
        **{key: choice[key] for key in ("pod_cidr", "service_cidr", "max_nodes") if key in choice},
        **({"zone": plan.args["zone"]} if "zone" in plan.args else {}),
        subscription=plan.cluster.subscription,
        location=plan.cluster.location,
        resource_group=group,
        subnet=network["subnet"],
        cidrs=network["cidrs"],
        outbound=network["outbound"],
        **({"egress_cidrs": network["egress_cidrs"]} if "egress_cidrs" in network else {}),
        **({"blobs": True} if plan.storage is not None and plan.storage.account is not None else {}),
        reservations=[each["group"] for each in reservations if each],
    )


def _operators_args(plan: AksRdmaClusterPlan) -> AksOperatorsArgs:
    return AksOperatorsArgs(
        **plan.args.get("drivers", {}),
        machines=sorted({pool.machine.name for pool in plan.pools}),
        nodes=plan.nodes,
        gpu_allocation=plan.drivers.allocation,
        spot=any(pool.capacity is Capacity.SPOT for pool in plan.pools),
        registries=plan.args.get("registries", {}),
    )


def _group(name: str, plan: AksRdmaClusterPlan, child: pulumi.ResourceOptions) -> pulumi.Output[str]:
    """Name of the resource group: the user's, or a new one."""
    if (existing := plan.args.get("resource_group")) is not None:
        return pulumi.Output.from_input(existing)
    return azure.resources.ResourceGroup(name, location=plan.cluster.location, opts=child).name


def _network(
    name: str, plan: AksRdmaClusterPlan, group: pulumi.Output[str], child: pulumi.ResourceOptions
) -> tuple[AksExistingNetwork, pulumi.Output[str] | None]:
    """The network that cluster and nodes live in, the user's or a new one; and the subnet of a Lustre file system."""
    choice = plan.args.get("network", {})
    if (existing := choice.get("existing")) is not None:
        return existing, None
    network = AksHpcNetwork(
        name,
        AksHpcNetworkArgs(
            location=plan.cluster.location,
            resource_group=group,
            **{key: choice[key] for key in ("cidr", "max_nodes", "outbound") if key in choice},
            **({"lustre_tib": tib} if (tib := lustre_tib(plan.args.get("storage"))) else {}),
        ),
        child,
        plan=plan.network,
    )
    links = AksExistingNetwork(subnet=network.subnet, cidrs=network.cidrs, outbound=network.outbound)
    if network.outbound == AksOutbound.NAT_GATEWAY:
        links["egress_cidrs"] = [network.egress_cidr]
    return links, network.lustre_subnet if plan.network is not None and plan.network.lustre else None


def _storage(
    name: str,
    plan: AksRdmaClusterPlan,
    group: pulumi.Output[str],
    cluster: AksCluster,
    lustre_subnet: pulumi.Output[str] | None,
    child: pulumi.ResourceOptions,
) -> BaseStorage | None:
    """What is made of the stack's storage; ``None`` where nothing is."""
    place = plan.in_cluster.storage
    if place is None or place.store.mounted is None:
        return None
    from .storage import AksStorage  # few stacks have any

    assert cluster.kubelet is not None
    return AksStorage(
        name,
        AksStorageArgs(
            **{key: of for key, of in plan.args["storage"].items() if key != "existing"},
            subscription=plan.cluster.subscription,
            location=plan.cluster.location,
            resource_group=group,
            namespaces=list(place.namespaces),
            identity_client=cluster.kubelet.client_id,
            identity_principal=cluster.kubelet.principal_id,
            **({"lustre_subnet": lustre_subnet} if lustre_subnet is not None else {}),
            **({"zone": plan.cluster.zone} if lustre_subnet is not None and plan.cluster.zone else {}),
        ),
        child,
        plan=plan.storage,
    )
