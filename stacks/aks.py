"""An AKS cluster whose GPUs talk over InfiniBand, from this stack's configuration."""

import pulumi
from rdma_cluster.aks import AksRdmaCluster
from rdma_cluster.aks.plan import STACK_KEYS, plan_rdma_cluster_args, summarise
from rdma_cluster.program import configured, reported

plan = configured(plan_rdma_cluster_args, STACK_KEYS)
cluster = AksRdmaCluster(pulumi.get_stack(), plan.args, plan=plan)

pulumi.export("clusterName", cluster.cluster_name)
pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("workloads", cluster.workloads)
pulumi.export("proofs", cluster.proofs)
pulumi.export("report", reported(plan, cluster.proofs, summarise))
pulumi.export("resourceGroup", cluster.resource_group)
pulumi.export("skypilot", cluster.skypilot)
if plan.in_cluster.addons.inference is not None:
    pulumi.export("inference", cluster.inference)
if plan.storage is not None:
    pulumi.export("storage", cluster.storage)
if plan.in_cluster.takes_jobs:
    pulumi.export("dispatch", cluster.dispatch)
