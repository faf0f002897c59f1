"""An EKS cluster with its network, its GPU pools and what runs on them."""

import pulumi
import pulumi_aws as aws

from ..component import Opts, inputs, plan_args, replaceable, waiting_for
from ..incluster.in_cluster import BaseStorage, install_in_cluster
from ..incluster.rdma_cluster import BaseRdmaCluster
from ..key_docs import with_keys
from ..pulling import pulling
from ..tagging import tagged
from .cluster import EksCluster
from .network import EksHpcNetwork
from .node_pool import EksGpuNodePool
from .plan.cluster import EksClusterArgs, EksKubernetes
from .plan.network import EksFabric, EksHpcNetworkArgs
from .plan.node_pool import EksGpuNodePoolArgs
from .plan.rdma_cluster import EksRdmaClusterArgs, EksRdmaClusterPlan, plan_rdma_cluster
from .plan.storage import EksStorageArgs
from .plan.tags import AMAZON


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
        # A provider of our own unless the user brings one: the default one would take its region from the environment.
        amazon = self.get_provider("aws:ec2/vpc:Vpc") or aws.Provider(
            name, region=plan.args["region"], opts=replaceable(pulumi.ResourceOptions(parent=self))
        )
        child = pulumi.ResourceOptions(parent=self, providers=[amazon])
        fabric = _fabric(name, plan, child)
        block = {} if plan.network is None else {"vpc_block": plan.network.cidr}
        cluster = EksCluster(
            name,
            EksClusterArgs(
                **block,
                **{**plan.args.get("kubernetes", EksKubernetes()), "name": plan.cluster.name},
                region=plan.args["region"],
                subnets=fabric["cluster_subnets"],
                system_subnets=fabric.get("system_subnets", fabric["cluster_subnets"]),
                service_cidr=plan.cluster.service_cidr,
            ),
            child,
            plan=plan.cluster,
        )
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
        self.show(cluster.name, cluster.kubeconfig, plan, installed)


def _fabric(name: str, plan: EksRdmaClusterPlan, child: pulumi.ResourceOptions) -> EksFabric:
    """The network that cluster and nodes live in: the user's, or a new one."""
    choice = plan.args.get("network", {})
    if "existing" in choice:
        return choice["existing"]
    network = EksHpcNetwork(
        name,
        EksHpcNetworkArgs(
            region=plan.args["region"],
            zone=plan.args["zone"],
            machines=sorted({pool.machine.name for pool in plan.pools}),
            **{key: value for key, value in choice.items() if key != "existing"},
        ),
        child,
        plan=plan.network,
    )
    return EksFabric(
        cluster_subnets=network.cluster_subnets,
        system_subnets=network.system_subnets,
        gpu_subnets=network.gpu_subnets,
        security_group=network.security_group,
    )


def _pools(
    name: str, plan: EksRdmaClusterPlan, fabric: EksFabric, cluster: EksCluster, child: pulumi.ResourceOptions
) -> dict[str, EksGpuNodePool]:
    """The node pools by name."""
    return {
        pool["name"]: EksGpuNodePool(
            f"{name}-{pool['name']}",
            EksGpuNodePoolArgs(
                **pool,
                region=plan.args["region"],
                zone=plan.args["zone"],
                cluster=cluster.name,
                cluster_security_group=cluster.security_group,
                efa_security_group=fabric["security_group"],
                node_role=cluster.node_role,
                subnets=fabric["gpu_subnets"],
            ),
            waiting_for(child, cluster.node_needs),
            plan=pool_plan,
        )
        for pool, pool_plan in zip(plan.args["pools"], plan.pools, strict=True)
    }


def _storage(
    name: str, plan: EksRdmaClusterPlan, fabric: EksFabric, cluster: EksCluster, child: pulumi.ResourceOptions
) -> BaseStorage | None:
    """The stack's storage; ``None`` where there is none, or it is there already."""
    place = plan.in_cluster.storage
    if place is None or place.store.mounted is None:
        return None
    from .storage import EksStorage  # few stacks have any

    return EksStorage(
        name,
        EksStorageArgs(
            **{key: value for key, value in plan.args["storage"].items() if key != "existing"},
            region=plan.args["region"],
            cluster=cluster.name,
            namespaces=list(place.namespaces),
            subnet=fabric["gpu_subnets"][0]["subnet"],
            security_group=cluster.security_group,
            addon=cluster.cluster is not None,
        ),
        child,
        plan=plan.storage,
        after=cluster.system_nodes,
    )
