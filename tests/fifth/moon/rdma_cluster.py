"""The whole on the moon: a cluster that stands there, and what runs on it."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s
from rdma_cluster.base.key_docs import with_keys
from rdma_cluster.component.frame import inputs, plan_args
from rdma_cluster.incluster.in_cluster import install_in_cluster
from rdma_cluster.incluster.kubeconfig import exec_kubeconfig
from .plan import MoonRdmaClusterArgs, MoonRdmaClusterPlan, plan_rdma_cluster


@with_keys
class MoonRdmaCluster(pulumi.ComponentResource):
    """A cluster on the moon whose GPUs talk over RDMA."""

    workloads: pulumi.Output[dict[str, Any]]
    """What a pod adds to its spec to run on a pool, by pool."""

    def __init__(
        self,
        name: str,
        args: MoonRdmaClusterArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        plan: MoonRdmaClusterPlan | None = None,
    ):
        if plan is None:
            make_plan = plan_rdma_cluster
            args, plan = plan_args(MoonRdmaClusterArgs, lambda checked, at: make_plan(checked, name, at), args)
        super().__init__("rdma-cluster:index:MoonRdmaCluster", name, inputs(MoonRdmaClusterArgs, args), opts)
        kubeconfig = exec_kubeconfig(name, f"https://{plan.crater}.moon.example", {"command": "moon-token"})
        child = pulumi.ResourceOptions(parent=self)
        provider = k8s.Provider(name, kubeconfig=kubeconfig, cluster_identifier=f"moon/{plan.crater}", opts=child)
        on_cluster = pulumi.ResourceOptions(parent=self, provider=provider)
        install_in_cluster(name, plan.in_cluster, None, [], on_cluster, kubeconfig)
        self.workloads = pulumi.Output.from_input(
            {pool: w.pod_patch() for pool, w in plan.in_cluster.workloads.items()}
        )
        self.register_outputs({"workloads": self.workloads})
