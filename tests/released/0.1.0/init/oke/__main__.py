"""GPUs that talk over RDMA, from this stack's configuration."""

import pulumi
from rdma_cluster.oke import OkeRdmaCluster
from rdma_cluster.oke.plan import STACK_KEYS, plan_rdma_cluster_args
from rdma_cluster.program import configured, reported

plan = configured(plan_rdma_cluster_args, STACK_KEYS)
cluster = OkeRdmaCluster(pulumi.get_stack(), plan.args, plan=plan)

pulumi.export("clusterName", cluster.cluster_name)
pulumi.export("clusterId", cluster.cluster_id)
pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("workloads", cluster.workloads)
pulumi.export("proofs", cluster.proofs)
pulumi.export("inference", cluster.inference)
pulumi.export("storage", cluster.storage)
pulumi.export("dispatch", cluster.dispatch)
pulumi.export("skypilot", cluster.skypilot)
pulumi.export("policies", cluster.policies)
pulumi.export("report", reported(plan, cluster.proofs))
