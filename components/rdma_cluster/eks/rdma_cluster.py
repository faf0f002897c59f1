"""An EKS cluster with its network, its GPU pools and what runs on them."""

import pulumi
import pulumi_aws as aws
from ..base.key_docs import with_keys
from ..component.account import provider_for
from ..component.frame import Opts, inputs, plan_args, replaceable, waiting_for
from ..component.pulling import pulling
from ..component.tagging import tagged
from ..incluster.in_cluster import BaseRdmaCluster, BaseStorage, install_in_cluster
from .cluster import EksCluster
from .network import EksHpcNetwork
from .node_pool import EksGpuNodePool
from .plan.cluster import EksClusterLinks, EksKubernetes
from .plan.existing import EksNetworkOptions
from .plan.network import EksFabric
from .plan.node_pool import EksPool, EksPoolLinks
from .plan.rdma_cluster import STACK_KEYS, EksRdmaClusterArgs, EksRdmaClusterPlan, plan_rdma_cluster
from .plan.storage import EksStorageOptions
from .plan.zones import AMAZON


@with_keys
class EksRdmaCluster(BaseRdmaCluster):
    """An EKS cluster whose GPUs talk over RDMA."""

    placement_groups: pulumi.Output[dict[str, str]]
    """Cluster placement group of each pool that has one, for reservations to be made in."""

    def __init__(
        self, name: str, args: EksRdmaClusterArgs, opts: Opts = None, *, plan: EksRdmaClusterPlan | None = None
    ):
        args, plan = plan_args(EksRdmaClusterArgs, plan_rdma_cluster, args, plan, name)
        opts = tagged(opts, args.get("tags", {}), AMAZON)
        opts = pulling(name, opts, args.get("pull_secret"))
        super().__init__("rdma-cluster:index:EksRdmaCluster", name, inputs(EksRdmaClusterArgs, args), opts)
        for warning in plan.warnings:
            pulumi.log.warn(warning, self)
        amazon = provider_for(self, name, aws.Provider, STACK_KEYS, plan.args)
        child = pulumi.ResourceOptions(parent=self, providers=[amazon])
        fabric = _fabric(name, plan, child)
        kubernetes = plan.args.get("kubernetes", EksKubernetes())
        subnets = fabric["cluster_subnets"]
        links = EksClusterLinks(subnets=subnets, system_subnets=fabric.get("system_subnets", subnets))
        cluster = EksCluster.planned(name, plan.cluster, links, inputs(EksKubernetes, kubernetes), child)
        pools = _pools(name, plan, fabric, cluster, child)
        installed = install_in_cluster(
            name,
            plan.in_cluster,
            cluster.cluster,
            [pool.node_pool for pool in pools.values()],
            replaceable(pulumi.ResourceOptions(parent=self, provider=cluster.provider)),
            cluster.kubeconfig,
            _storage(name, plan, fabric, cluster, child),
        )

        groups = {pool_name: pool.placement_group for pool_name, pool in pools.items()}
        self.placement_groups = pulumi.Output.all(**groups).apply(
            lambda names: {pool: group for pool, group in names.items() if group}
        )
        self.show(cluster, plan.in_cluster, installed)


def _fabric(name: str, plan: EksRdmaClusterPlan, child: Opts) -> EksFabric:
    """The network that cluster and nodes live in: the user's, or a new one."""
    choice = plan.args.get("network", EksNetworkOptions())
    if plan.network is None:
        return choice["existing"]
    network = EksHpcNetwork.planned(name, plan.network, None, inputs(EksNetworkOptions, choice), child)
    return EksFabric(
        cluster_subnets=network.cluster_subnets,
        system_subnets=network.system_subnets,
        gpu_subnets=network.gpu_subnets,
        security_group=network.security_group,
    )


def _pools(
    name: str, plan: EksRdmaClusterPlan, fabric: EksFabric, cluster: EksCluster, child: pulumi.ResourceOptions
) -> dict[str, EksGpuNodePool]:
    links = EksPoolLinks(
        cluster=cluster.name,
        cluster_security_group=cluster.security_group,
        efa_security_group=fabric["security_group"],
        node_role=cluster.node_role,
        subnets=fabric["gpu_subnets"],
    )
    opts = waiting_for(child, cluster.node_needs)
    return {
        pool["name"]: EksGpuNodePool.planned(f"{name}-{pool['name']}", planned, links, inputs(EksPool, pool), opts)
        for pool, planned in zip(plan.args["pools"], plan.pools, strict=True)
    }


def _storage(
    name: str, plan: EksRdmaClusterPlan, fabric: EksFabric, cluster: EksCluster, child: Opts
) -> BaseStorage | None:
    """The stack's storage; ``None`` where there is none, or it is there already."""
    if plan.storage is None or plan.storage.store.mounted is None:
        return None
    from .storage import EksStorage, EksStorageLinks  # few stacks have any

    subnet = fabric["gpu_subnets"][0]["subnet"]
    links = EksStorageLinks(cluster.name, subnet, cluster.security_group, cluster.system_nodes)
    return EksStorage.planned(name, plan.storage, links, inputs(EksStorageOptions, plan.args["storage"]), child)
