"""Plain machines left of the wall: the args of a stack, every refusal, all arithmetic. Imports no Pulumi."""
# ruff: noqa: F401 (other rooms read these names here)

from ...common.google import STACK_KEYS
from .rdma_cluster import GceRdmaClusterArgs, GceRdmaClusterPlan, plan_rdma_cluster_args
from .summary import summarise

STACK_ARGS = GceRdmaClusterArgs
OUTPUTS = ("machines", "workloads", "proofs")
"""What a stack's program exports, by the names of its component."""
EXAMPLE = {
    "project": "my-project",
    "zone": "us-central1-a",
    "pools": [
        {"name": "a3", "machine": "a3-highgpu-8g", "nodes": 2, "capacity": {"reservation": {"name": "my-reservation"}}}
    ],
}
"""A stack to begin with, in a stack file's spelling: `init` writes it, and the reference shows it."""
