"""The whole: network, cluster, GPU pools, drivers and claims on EKS."""

from typing import Any

import pulumi
import pulumi_aws as aws

from ..component import inputs, plan_args
from ..incluster.claim_templates import ClaimTemplates
from ..incluster.device_plugins import DevicePlugins
from ..incluster.dra_drivers import DraDrivers
from ..incluster.nccl_acceptance import NcclAcceptance
from ..key_docs import with_keys
from .cluster import EksCluster
from .network import EksHpcNetwork
from .node_pool import EksGpuNodePool
from .plan.cluster import EksClusterArgs, EksKubernetes
from .plan.network import EksAddresses, EksFabric, EksHpcNetworkArgs
from .plan.node_pool import EksGpuNodePoolArgs
from .plan.rdma_cluster import EksRdmaClusterArgs, decide_rdma_cluster


@with_keys
class EksRdmaCluster(pulumi.ComponentResource):
    """An EKS cluster whose GPUs talk over RDMA."""

    cluster_name: pulumi.Output[str]
    """Name of the cluster."""
    kubeconfig: pulumi.Output[str]
    """Kubeconfig with exec credentials, as JSON; secret."""
    workloads: pulumi.Output[dict[str, Any]]
    """What a pod adds to its spec to run on a pool, by pool."""
    proofs: pulumi.Output[dict[str, Any]]
    """Whether each pool's fabric is proven, and by what."""
    placement_groups: pulumi.Output[dict[str, str]]
    """Cluster placement group of each pool that has one, for reservations to be made in."""

    def __init__(self, name: str, args: EksRdmaClusterArgs, opts: pulumi.ResourceOptions | None = None):
        args, plan = plan_args(
            EksRdmaClusterArgs, lambda checked, faults: decide_rdma_cluster(checked, name, faults), args
        )
        super().__init__("rdma-cluster:index:EksRdmaCluster", name, inputs(EksRdmaClusterArgs, args), opts)
        # A provider of our own unless the user brings one: the default one would take its region from the environment.
        amazon = self.get_provider("aws:ec2/vpc:Vpc") or aws.Provider(
            name, region=plan.region, opts=pulumi.ResourceOptions(parent=self)
        )
        child = pulumi.ResourceOptions(parent=self, providers=[amazon])
        choice = args.get("network", {})

        existing = choice.get("existing")
        if existing is not None:
            fabric = EksFabric(
                cluster_subnets=existing["cluster_subnets"],
                gpu_subnets=existing["gpu_subnets"],
                security_group=existing["security_group"],
            )
        else:
            addresses = EksAddresses(**{key: value for key, value in choice.items() if key != "existing"})
            network = EksHpcNetwork(
                name,
                EksHpcNetworkArgs(
                    region=plan.region,
                    zone=plan.zone,
                    machines=sorted({pool.machine.name for pool in plan.pools}),
                    **addresses,
                ),
                child,
            )
            fabric = EksFabric(
                cluster_subnets=network.cluster_subnets,
                gpu_subnets=network.gpu_subnets,
                security_group=network.security_group,
            )

        cluster = EksCluster(
            name,
            EksClusterArgs(
                **{**args.get("kubernetes", EksKubernetes()), "name": plan.cluster.name},
                region=plan.region,
                subnets=fabric["cluster_subnets"],
                service_cidr=plan.cluster.service_cidr,
            ),
            child,
        )
        pools = [
            EksGpuNodePool(
                f"{name}-{pool['name']}",
                EksGpuNodePoolArgs(
                    **pool,
                    region=plan.region,
                    zone=plan.zone,
                    cluster=cluster.name,
                    cluster_security_group=cluster.security_group,
                    efa_security_group=fabric["security_group"],
                    node_role=cluster.node_role,
                    subnets=fabric["gpu_subnets"],
                ),
                pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=cluster.node_needs)),
            )
            for pool in args["pools"]
        ]

        # Drivers go where the nodes are, and leave before them: the finalizers of claims need running drivers. Claims
        # wait for nobody: they are only data. NCCL's plugin is in the images that run.
        on_cluster = pulumi.ResourceOptions(parent=self, provider=cluster.provider)
        on_nodes = pulumi.ResourceOptions.merge(
            on_cluster, pulumi.ResourceOptions(depends_on=[pool.node_pool for pool in pools])
        )
        drivers: list[pulumi.Resource] = []
        if plan.drivers_args["gpu_nodes"]["values"]:
            drivers.append(DraDrivers(name, plan.drivers_args, on_nodes))
            ClaimTemplates(name, plan.claims_args, on_cluster)
        if plan.plugins_args["nodes"]["values"]:
            drivers.append(DevicePlugins(name, plan.plugins_args, on_nodes))
        after = [*drivers, *(pool.node_pool for pool in pools)]
        acceptance = NcclAcceptance(
            name,
            plan.acceptance_args,
            pulumi.ResourceOptions.merge(on_cluster, pulumi.ResourceOptions(depends_on=after)),
        )

        self.cluster_name = cluster.name
        self.kubeconfig = cluster.kubeconfig
        self.workloads = pulumi.Output.from_input({pool: w.fragment() for pool, w in plan.workloads.items()})
        self.proofs = acceptance.proofs
        groups = {pool["name"]: made.placement_group for pool, made in zip(args["pools"], pools, strict=True)}
        self.placement_groups = pulumi.Output.all(**groups).apply(
            lambda named: {pool: group for pool, group in named.items() if group}
        )
        self.register_outputs(
            {
                "clusterName": self.cluster_name,
                "kubeconfig": self.kubeconfig,
                "workloads": self.workloads,
                "proofs": self.proofs,
                "placementGroups": self.placement_groups,
            }
        )
