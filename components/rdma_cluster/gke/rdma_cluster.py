"""The whole: networks, cluster, GPU pools, drivers, NCCL plugin and claims on GKE."""

from typing import Any

import pulumi
import pulumi_gcp as gcp

from ..component import inputs, plan_args
from ..incluster.claim_templates import ClaimTemplates
from ..incluster.dra_drivers import DraDrivers
from ..incluster.nccl_acceptance import NcclAcceptance
from ..incluster.nccl_installer import NcclInstaller
from ..key_docs import with_keys
from .cluster import GkeCluster
from .network import GkeHpcNetwork
from .node_pool import GkeGpuNodePool
from .plan.cluster import GkeClusterArgs, GkeKubernetes
from .plan.network import GkeAddresses, GkeHpcNetworkArgs
from .plan.node_pool import GkeGpuNodePoolArgs
from .plan.rdma_cluster import GkeRdmaClusterArgs, decide_rdma_cluster


@with_keys
class GkeRdmaCluster(pulumi.ComponentResource):
    """A GKE cluster whose GPUs talk over RDMA."""

    cluster_name: pulumi.Output[str]
    """Name of the cluster."""
    kubeconfig: pulumi.Output[str]
    """Kubeconfig with exec credentials, as JSON; secret."""
    workloads: pulumi.Output[dict[str, Any]]
    """What a pod adds to its spec to run on a pool, by pool."""
    proofs: pulumi.Output[dict[str, Any]]
    """Whether each pool's fabric is proven, and by what."""

    def __init__(self, name: str, args: GkeRdmaClusterArgs, opts: pulumi.ResourceOptions | None = None):
        args, plan = plan_args(
            GkeRdmaClusterArgs, lambda checked, faults: decide_rdma_cluster(checked, name, faults), args
        )
        super().__init__("rdma-cluster:index:GkeRdmaCluster", name, inputs(GkeRdmaClusterArgs, args), opts)
        # A provider of our own unless the user brings one: the default one would take its project from the environment.
        google = self.get_provider("gcp:compute/network:Network") or gcp.Provider(
            name, project=plan.project, opts=pulumi.ResourceOptions(parent=self)
        )
        child = pulumi.ResourceOptions(parent=self, providers=[google])
        choice = args.get("network", {})

        existing = choice.get("existing")
        if existing is not None:
            primary = existing
            node_networks = [existing["gvnic"], *existing["rails"]]
        else:
            addresses = GkeAddresses(**{key: value for key, value in choice.items() if key != "existing"})
            network = GkeHpcNetwork(
                name,
                GkeHpcNetworkArgs(
                    project=plan.project,
                    zone=plan.zone,
                    machines=sorted({pool.machine.name for pool in plan.pools}),
                    **addresses,
                ),
                child,
            )
            primary = network.primary
            node_networks = network.node_networks

        cluster = GkeCluster(
            name,
            GkeClusterArgs(
                **{**args.get("kubernetes", GkeKubernetes()), "name": plan.cluster.name},
                project=plan.project,
                zone=plan.zone,
                network=primary["network"],
                subnetwork=primary["subnetwork"],
                pod_range=primary["pod_range"],
                service_range=primary["service_range"],
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
        drivers = DraDrivers(name, plan.drivers_args, on_nodes)
        installer = NcclInstaller(name, plan.installer_args, on_nodes)
        ClaimTemplates(name, plan.claims_args, on_cluster)
        acceptance = NcclAcceptance(
            name,
            plan.acceptance_args,
            pulumi.ResourceOptions.merge(on_cluster, pulumi.ResourceOptions(depends_on=[drivers, installer])),
        )

        self.cluster_name = cluster.name
        self.kubeconfig = cluster.kubeconfig
        self.workloads = pulumi.Output.from_input({pool: w.fragment() for pool, w in plan.workloads.items()})
        self.proofs = acceptance.proofs
        self.register_outputs(
            {
                "clusterName": self.cluster_name,
                "kubeconfig": self.kubeconfig,
                "workloads": self.workloads,
                "proofs": self.proofs,
            }
        )
