"""Outputs that the clusters of all clouds with Kubernetes share."""

from typing import cast

import pulumi

from ..component import outputs
from ..shown import PoolProof, PoolWorkload, ServedModel, StoredData
from .in_cluster import Installed
from .plan.rdma_cluster import BaseRdmaClusterPlan


class BaseRdmaCluster(pulumi.ComponentResource):
    """The outputs that every cloud's cluster has; each cloud adds its own."""

    cluster_name: pulumi.Output[str]
    """Name of the cluster."""
    kubeconfig: pulumi.Output[str]
    """Kubeconfig with exec credentials, as JSON; secret."""
    workloads: pulumi.Output[dict[str, PoolWorkload]]
    """What a pod adds to its spec to run on a pool, by pool."""
    proofs: pulumi.Output[dict[str, PoolProof]]
    """Whether each pool's fabric is proven, and by what."""
    inference: pulumi.Output[ServedModel]
    """What is served, and where it is asked; empty where nothing is."""
    storage: pulumi.Output[StoredData]
    """Where data is kept, and what pods name of it; empty where nothing is."""
    dispatch: pulumi.Output[str]
    """What a manager of queues needs to send jobs here, as JSON; secret, and empty without ``queues.worker``."""

    def show(
        self,
        cluster_name: pulumi.Output[str],
        kubeconfig: pulumi.Output[str],
        plan: BaseRdmaClusterPlan,
        installed: Installed,
    ) -> None:
        """Sets the outputs of all clouds and registers them with those that the cloud has set before."""
        self.cluster_name = cluster_name
        self.kubeconfig = kubeconfig
        self.workloads = pulumi.Output.from_input(
            {pool: cast("PoolWorkload", w.pod_patch()) for pool, w in plan.in_cluster.workloads.items()}
        )
        self.proofs = installed.proofs
        self.inference = installed.inference
        self.storage = installed.storage
        self.dispatch = installed.dispatch
        self.register_outputs(outputs(self))
