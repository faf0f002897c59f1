"""The plan of a GKE stack: its args, refusals and arithmetic. Imports no Pulumi."""
# ruff: noqa: F401 (other rooms read these names here)

from ...common.google import STACK_KEYS
from .rdma_cluster import GkeRdmaClusterArgs, GkeRdmaClusterPlan, plan_rdma_cluster_args
from .summary import summarise

STACK_ARGS = GkeRdmaClusterArgs
OUTPUTS = ("cluster_name", "kubeconfig", "workloads", "proofs", "inference", "storage", "dispatch", "skypilot")
"""What a stack's program exports, by the names of its component."""
EXAMPLE = {
    "project": "my-project",
    "zone": "us-west8-c",
    "pools": [
        {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"reservation": {"name": "my-reservation"}}}
    ],
}
"""A stack to begin with, in a stack file's spelling: `init` writes it, and the reference shows it."""
