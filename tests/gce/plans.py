"""Plans of plain machines, for tests that look into them."""

from typing import Any

from rdma_cluster.gce.plan import plan_rdma_cluster_args
from rdma_cluster.gce.plan.vms import VmsPlan


def pool_of(nodes: int = 2, **more: Any) -> VmsPlan:
    """The one pool of a stack `s`."""
    pool = {"name": "a3", "machine": "a3-highgpu-8g", "nodes": nodes, "capacity": {"spot": True}}
    args = {"project": "my-project", "zone": "us-central1-a", "pools": [pool], **more}
    return plan_rdma_cluster_args(args, "s").pools[0]
