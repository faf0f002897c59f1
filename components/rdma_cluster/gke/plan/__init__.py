"""GKE left of the wall: the configuration's shape, every refusal, all arithmetic. Imports no Pulumi."""

from ...clouds.google import STACK_KEYS
from .example import EXAMPLE
from .rdma_cluster import GkeRdmaClusterArgs, GkeRdmaClusterPlan, plan_rdma_cluster
from .summary import summarise

STACK_ARGS = GkeRdmaClusterArgs
OUTPUTS = ("cluster_name", "kubeconfig", "workloads", "proofs", "inference", "storage")
"""What a stack's program exports, by the names of its component."""

__all__ = [
    "EXAMPLE",
    "OUTPUTS",
    "STACK_ARGS",
    "STACK_KEYS",
    "GkeRdmaClusterArgs",
    "GkeRdmaClusterPlan",
    "plan_rdma_cluster",
    "summarise",
]
