"""Plans of plain machines, and where they are refused."""

from collections.abc import Callable
from typing import Any

from pulumi_offline.errors import Refused
from rdma_cluster.gce.plan import plan_rdma_cluster_args
from rdma_cluster.gce.plan.vms import VmsPlan

PLACE = {"project": "my-project", "zone": "us-central1-a"}


def pool_of(nodes: int = 2, **more: Any) -> VmsPlan:
    """The first pool of a stack `s`."""
    pool = {"name": "a3", "machine": "a3-highgpu-8g", "nodes": nodes, "capacity": {"spot": True}}
    return plan_rdma_cluster_args({**PLACE, "pools": [pool], **more}, "s").pools[0]


def places(plan: Callable[..., object], *args: Any, **kwargs: Any) -> list[str]:
    """Where a plan is refused, without the words; nowhere where it is let in."""
    try:
        plan(*args, **kwargs)
    except Refused as refused:
        return [line.partition(": ")[0] for line in refused.lines]
    return []
