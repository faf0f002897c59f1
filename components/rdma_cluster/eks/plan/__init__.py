"""The plan of an EKS stack: its args, refusals and arithmetic. Imports no Pulumi."""

from ...common import stack
from .rdma_cluster import STACK_KEYS as STACK_KEYS, EksRdmaClusterArgs, plan_rdma_cluster_args as plan_rdma_cluster_args
from .summary import summarise as summarise

STACK_ARGS = EksRdmaClusterArgs
OUTPUTS = ("cluster_name", *stack.OUTPUTS, "placement_groups")
"""What a stack's program exports, by the names of its component."""
EXAMPLE = {
    "region": "us-east-2",
    "zone": "us-east-2a",
    "pools": [
        {
            "name": "p5",
            "machine": "p5.48xlarge",
            "nodes": 2,
            "capacity": {"capacityBlock": {"id": "cr-0123456789abcdef0"}},
        }
    ],
    "kubernetes": {
        "admins": ["arn:aws:iam::111122223333:role/admin"],
        "endpoint": "public",
        "publicCidrs": ["203.0.113.7/32"],
    },
    "network": {"controlPlaneZones": ["us-east-2b"]},
}
"""A stack to begin with, in a stack file's spelling: what `init` writes, and what the reference shows."""
