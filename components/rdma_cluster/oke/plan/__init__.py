"""OKE left of the wall: the configuration's shape, every refusal, all arithmetic. Imports no Pulumi."""

from .example import EXAMPLE
from .rdma_cluster import STACK_KEYS, OkeRdmaClusterArgs, OkeRdmaClusterPlan, plan_rdma_cluster
from .summary import summarise

STACK_ARGS = OkeRdmaClusterArgs
OUTPUTS = (
    "cluster_name",
    "cluster_id",
    "kubeconfig",
    "workloads",
    "proofs",
    "inference",
    "storage",
    "skypilot",
    "policies",
)
"""What a stack's program exports, by the names of its component."""

__all__ = [
    "EXAMPLE",
    "OUTPUTS",
    "STACK_ARGS",
    "STACK_KEYS",
    "OkeRdmaClusterArgs",
    "OkeRdmaClusterPlan",
    "plan_rdma_cluster",
    "summarise",
]
