"""AKS left of the wall: the configuration's shape, every refusal, all arithmetic. Imports no Pulumi."""

from .rdma_cluster import STACK_KEYS, AksRdmaClusterArgs, RdmaClusterPlan, plan_rdma_cluster
from .summary import summarise

__all__ = ["STACK_KEYS", "AksRdmaClusterArgs", "RdmaClusterPlan", "plan_rdma_cluster", "summarise"]
