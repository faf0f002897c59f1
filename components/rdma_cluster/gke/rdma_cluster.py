"""The whole: networks, cluster, GPU pools, drivers, NCCL plugin and claims on GKE."""

from typing import Any, Optional

import pulumi

from ..component import plan_args
from ..incluster.claim_templates import ClaimTemplates
from ..incluster.dra_drivers import DraDrivers
from ..incluster.nccl_installer import NcclInstaller
from .cluster import GkeCluster
from .network import GkeHpcNetwork
from .node_pool import GkeGpuNodePool
from .plan.cluster import GkeClusterArgs
from .plan.network import GkeHpcNetworkArgs
from .plan.node_pool import GkeGpuNodePoolArgs
from .plan.rdma_cluster import GkeRdmaClusterArgs, decide_rdma_cluster


class GkeRdmaCluster(pulumi.ComponentResource):
    """A GKE cluster whose GPUs talk over RDMA."""

    cluster_name: pulumi.Output[str]
    """Name of the cluster."""
    kubeconfig: pulumi.Output[str]
    """Kubeconfig with exec credentials, as JSON; secret."""
    workloads: pulumi.Output[dict[str, Any]]
    """What a pod adds to its spec to run on a pool, by pool."""

    def __init__(self, name: str, args: GkeRdmaClusterArgs, opts: Optional[pulumi.ResourceOptions] = None):  # noqa: UP045
        super().__init__("rdma-cluster:index:GkeRdmaCluster", name, dict(args), opts)
        plan = plan_args(GkeRdmaClusterArgs, lambda checked, faults: decide_rdma_cluster(checked, name, faults), args)
        child = pulumi.ResourceOptions(parent=self)
        choice = args.get("network", {})

        existing = choice.get("existing")
        if existing is not None:
            links = {key: existing[key] for key in ("network", "subnetwork", "pod_range", "service_range")}
            node_networks = [existing["gvnic"], *existing["rails"]]
        else:
            network = GkeHpcNetwork(
                name,
                GkeHpcNetworkArgs(
                    project=plan.project,
                    zone=plan.zone,
                    machines=sorted({pool.machine.name for pool in plan.pools}),
                    **choice,
                ),
                child,
            )
            links = {key: getattr(network, key) for key in ("network", "subnetwork", "pod_range", "service_range")}
            node_networks = network.node_networks

        cluster = GkeCluster(
            name,
            GkeClusterArgs(
                **{**args.get("kubernetes", {}), "name": plan.cluster.name},
                **links,
                project=plan.project,
                zone=plan.zone,
                multi_networking=not plan.managed_nics,
            ),
            child,
        )
        pools = [
            GkeGpuNodePool(
                f"{name}-{pool['name']}",
                GkeGpuNodePoolArgs(
                    **pool,
                    project=plan.project,
                    zone=plan.zone,
                    cluster=cluster.name,
                    location=plan.cluster.location,
                    networks=node_networks,
                    service_account=cluster.node_service_account,
                    version=plan.cluster.version,
                    managed_nics=plan.managed_nics,
                ),
                child,
            )
            for pool in args["pools"]
        ]

        # Drivers and plugin go where the nodes are, and leave before them: the finalizers of claims need running
        # drivers. Claims wait for nobody: they are only data.
        on_cluster = pulumi.ResourceOptions(parent=self, provider=cluster.provider)
        on_nodes = pulumi.ResourceOptions.merge(
            on_cluster, pulumi.ResourceOptions(depends_on=[pool.node_pool for pool in pools])
        )
        DraDrivers(name, plan.drivers_args, on_nodes)
        NcclInstaller(name, plan.installer_args, on_nodes)
        ClaimTemplates(name, plan.claims_args, on_cluster)

        self.cluster_name = cluster.name
        self.kubeconfig = cluster.kubeconfig
        self.workloads = pulumi.Output.from_input({pool: w.fragment() for pool, w in plan.workloads.items()})
        self.register_outputs(
            {"clusterName": self.cluster_name, "kubeconfig": self.kubeconfig, "workloads": self.workloads}
        )
