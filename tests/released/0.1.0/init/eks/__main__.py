"""GPUs that talk over RDMA, from this stack's configuration."""

import pulumi
from rdma_cluster.eks import EksRdmaCluster
from rdma_cluster.eks.plan import STACK_KEYS, plan_rdma_cluster_args
from rdma_cluster.program import configured, reported

plan = configured(plan_rdma_cluster_args, STACK_KEYS)
cluster = EksRdmaCluster(pulumi.get_stack(), plan.args, plan=plan)

pulumi.export("clusterName", cluster.cluster_name)
pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("workloads", cluster.workloads)
pulumi.export("proofs", cluster.proofs)
pulumi.export("inference", cluster.inference)
pulumi.export("storage", cluster.storage)
pulumi.export("dispatch", cluster.dispatch)
pulumi.export("placementGroups", cluster.placement_groups)
pulumi.export("report", reported(plan, cluster.proofs))
