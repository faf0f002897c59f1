"""OKE left of the wall: the configuration's shape, every refusal, all arithmetic. Imports no Pulumi."""

from ...common import stack
from .rdma_cluster import STACK_KEYS as STACK_KEYS, OkeRdmaClusterArgs, plan_rdma_cluster_args as plan_rdma_cluster_args
from .summary import summarise as summarise

STACK_ARGS = OkeRdmaClusterArgs
OUTPUTS = ("cluster_name", "cluster_id", *stack.OUTPUTS, "skypilot", "policies")
"""What a stack's program exports, by the names of its component."""

EXAMPLE = {
    "region": "eu-frankfurt-1",
    "tenancy": "ocid1.tenancy.oc1..aaaaexample",
    "compartment": "ocid1.compartment.oc1..aaaaexample",
    "zone": "TrcQ:EU-FRANKFURT-1-AD-3",
    "pools": [
        {
            "name": "h100",
            "machine": "BM.GPU.H100.8",
            "nodes": 2,
            "mode": "cluster-network",
            "capacity": {"onDemand": True},
        }
    ],
    "kubernetes": {"endpoint": "public", "publicCidrs": ["203.0.113.7/32"]},
}
"""A stack to begin with, in a stack file's spelling: what `init` writes, and what the reference shows."""
