"""AKS left of the wall: the configuration's shape, every refusal, all arithmetic. Imports no Pulumi."""

from ...common import stack
from .rdma_cluster import STACK_KEYS as STACK_KEYS, AksRdmaClusterArgs, plan_rdma_cluster_args as plan_rdma_cluster_args
from .summary import summarise as summarise

STACK_ARGS = AksRdmaClusterArgs
OUTPUTS = ("cluster_name", "resource_group", *stack.OUTPUTS, "skypilot")
"""What a stack's program exports, by the names of its component."""
EXAMPLE = {
    "subscription": "00000000-0000-0000-0000-000000000000",
    "location": "southcentralus",
    "pools": [
        {
            "name": "h100",
            "machine": "Standard_ND96isr_H100_v5",
            "nodes": 2,
            "capacity": {"onDemand": True},
            "gpuAllocation": "device-plugin",
        }
    ],
    "kubernetes": {
        "admins": [{"id": "11111111-1111-1111-1111-111111111111"}],
        "endpoint": "public",
        "publicCidrs": ["203.0.113.7/32"],
    },
}
"""A stack to begin with, in a stack file's spelling: `init` writes it, and the reference shows it."""
