"""Plans of GKE stacks and of their parts, with what a test leaves alone filled in."""

from collections.abc import Callable
from typing import Any

from pulumi_offline.errors import Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.gke.plan import GkeRdmaClusterPlan, plan_rdma_cluster_args
from rdma_cluster.gke.plan.cluster import GkeClusterArgs, GkeClusterPlan, plan_cluster
from rdma_cluster.gke.plan.network import GkeHpcNetworkArgs, GkeNetworkPlan, plan_network
from rdma_cluster.gke.plan.node_pool import GkeGpuNodePoolArgs, GkeNodePoolPlan, plan_node_pool

PLACE = {"project": "my-project", "zone": "us-west8-c"}
RESERVED: dict[str, Any] = {"reservation": {"name": "r"}}
ONE_RACK: dict[str, Any] = {"reservation": {"name": "r", "block": "b", "sub_block": "s"}}
PRIMARY = dict.fromkeys(("network", "subnetwork", "pod_range", "service_range"), "vpc")
SECOND = {"network": "second", "subnetwork": "second-nodes"}


def pool(machine: str = "a4-highgpu-8g", name: str = "a4", **more: Any) -> dict[str, Any]:
    """A pool of two nodes of a reservation, as a stack lists it."""
    return {"name": name, "machine": machine, "nodes": 2, "capacity": RESERVED, **more}


A4 = pool()
MEGA = pool("a3-megagpu-8g", "mega")
RACK = pool("a4x-highgpu-4g", "rack", nodes=18, capacity=ONE_RACK)
METAL = pool("a4x-maxgpu-4g-metal", "metal", nodes=18, capacity=ONE_RACK)


def rails(count: int) -> list[dict[str, str]]:
    """Subnets of one RoCE VPC."""
    return [{"network": "roce", "subnetwork": f"lane-{i}"} for i in range(count)]


EXISTING: dict[str, Any] = {
    "kubernetes": {"name": "mine", "existing": {"location": "us-west8", "endpoint": "gke.example"}},
    "network": {"existing": {**PRIMARY, "gvnic": SECOND, "rails": rails(8)}},
}
"""A cluster and its networks that exist, as a stack names them."""


def stack_plan(*pools: dict[str, Any], name: str = "gke", **more: Any) -> GkeRdmaClusterPlan:
    """The plan of a stack in us-west8-c, of two A4 nodes unless other pools are given."""
    return plan_rdma_cluster_args({**PLACE, "look_ups": True, "pools": list(pools) or [A4], **more}, name)


def pool_plan(machine: str = "a4-highgpu-8g", networks: Any = None, **more: Any) -> GkeNodePoolPlan:
    """The plan of a node pool on its own, with the nine networks of an A4 node."""
    given = {**pool(machine), **PLACE, "cluster": "c", "location": "us-west8", **more}
    return plan_from(
        GkeGpuNodePoolArgs, plan_node_pool, {**given, "networks": rails(9) if networks is None else networks}
    )


def cluster_plan(called: str = "gke", **more: Any) -> GkeClusterPlan:
    """The plan of a cluster on its own."""
    return plan_from(
        GkeClusterArgs, lambda args, errors: plan_cluster(args, called, errors), {**PLACE, **PRIMARY, **more}
    )


def network_plan(*machines: str, **more: Any) -> GkeNetworkPlan:
    """The plan of a network on its own, of A4 machines unless others are named."""
    return plan_from(
        GkeHpcNetworkArgs, plan_network, {**PLACE, "machines": list(machines) or ["a4-highgpu-8g"], **more}
    )


def refused(plan: Callable[..., object], *args: Any, **more: Any) -> list[str]:
    """The paths of what a plan refuses; none where the plan is made."""
    try:
        plan(*args, **more)
    except Refused as why:
        return [line.partition(": ")[0] for line in why.lines]
    return []
