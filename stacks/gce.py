"""Plain machines whose GPUs talk by GPUDirect-TCPX, from this stack's configuration."""

import pulumi
from rdma_cluster.gce import GceRdmaCluster
from rdma_cluster.gce.plan import STACK_KEYS, plan_rdma_cluster_args, summarise
from rdma_cluster.program import configured, reported

plan = configured(plan_rdma_cluster_args, STACK_KEYS)
cluster = GceRdmaCluster(pulumi.get_stack(), plan.args, plan=plan)

pulumi.export("workloads", cluster.workloads)
pulumi.export("proofs", cluster.proofs)
pulumi.export("report", reported(plan, cluster.proofs, summarise))
pulumi.export("machines", cluster.machines)
