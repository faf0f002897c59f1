"""Plans of EKS stacks and of their parts, with what a test leaves alone filled in."""

from collections.abc import Callable
from typing import Any

from pulumi_offline.errors import Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog.eks import MACHINES, EksMachine
from rdma_cluster.eks.plan import machines, plan_rdma_cluster_args
from rdma_cluster.eks.plan.cluster import EksClusterArgs, EksClusterPlan, plan_cluster
from rdma_cluster.eks.plan.network import EksHpcNetworkArgs, EksNetworkPlan, plan_network
from rdma_cluster.eks.plan.node_pool import EksGpuNodePoolArgs, EksNodePoolPlan, plan_node_pool
from rdma_cluster.eks.plan.rdma_cluster import EksRdmaClusterPlan

ADMIN = "arn:aws:iam::111122223333:role/admin"
PUBLIC: dict[str, Any] = {"admins": [ADMIN], "endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}
CLUSTER_SUBNETS = [{"subnet": f"subnet-0000000{zone}", "zone": f"us-east-2{zone}"} for zone in "ab"]
BLOCK = {"capacity_block": {"id": "cr-0123456789abcdef0"}}
RESERVATION = {"reservation": {"id": "cr-0123456789abcdef1"}}
P5: dict[str, Any] = {"name": "p5", "machine": "p5.48xlarge", "nodes": 2, "capacity": BLOCK}
GB200: dict[str, Any] = {"name": "gb", "machine": "p6e-gb200.36xlarge", "nodes": 9, "capacity": BLOCK}
EXISTING: dict[str, Any] = {
    "kubernetes": {
        "name": "mine",
        "existing": {
            "endpoint": "https://eks.example",
            "ca_certificate": "eA==",
            "security_group": "sg-01234567",
            "node_role": "arn:aws:iam::111122223333:role/nodes",
        },
    },
    "network": {
        "existing": {
            "cluster_subnets": CLUSTER_SUBNETS,
            "gpu_subnets": [{"subnet": "subnet-0000000c", "zone": "us-east-2a"}],
            "security_group": "sg-01234567",
            "dns": True,
        }
    },
}
"""A cluster and a network that exist, as a stack names them."""
WITH_EFA = [machine for machine in MACHINES if machine.layout is not None]
BUILDABLE = list(machines.BUILDABLE.values())


def row(name: str) -> EksMachine:
    """A machine of the catalogue."""
    return next(machine for machine in MACHINES if machine.name == name)


def network_plan(**args: Any) -> EksNetworkPlan:
    """The plan of a network for P5."""
    base = {"region": "us-east-2", "zone": "us-east-2a", "machines": ["p5.48xlarge"]}
    return plan_from(EksHpcNetworkArgs, plan_network, {**base, "control_plane_zones": ["us-east-2b"], **args})


def pool_plan(**args: Any) -> EksNodePoolPlan:
    """The plan of a pool of P5 on demand."""
    base = {
        "name": "p5",
        "machine": "p5.48xlarge",
        "nodes": 2,
        "capacity": {"on_demand": True},
        "region": "us-east-2",
        "zone": "us-east-2a",
        "cluster": "c",
        "cluster_security_group": "sg-1",
        "efa_security_group": "sg-2",
        "node_role": "r",
        "subnets": [{"subnet": "s", "zone": "us-east-2a"}],
    }
    return plan_from(EksGpuNodePoolArgs, plan_node_pool, {**base, **args})


def cluster_plan(called: str = "eks", **args: Any) -> EksClusterPlan:
    """The plan of a cluster in us-east-2 on its own; what is ``None`` is left out."""
    base = {"region": "us-east-2", "subnets": CLUSTER_SUBNETS, "admins": [ADMIN]}
    given = {key: value for key, value in {**base, **args}.items() if value is not None}
    return plan_from(EksClusterArgs, lambda read, errors: plan_cluster(read, called, errors), given)


def stack_plan(*pools: dict[str, Any], name: str = "eks", **args: Any) -> EksRdmaClusterPlan:
    """The plan of a stack; one pool of P5 in a capacity block unless others are given."""
    base = {
        "region": "us-east-2",
        "zone": "us-east-2a",
        "kubernetes": PUBLIC,
        "network": {"control_plane_zones": ["us-east-2b"]},
        # Few machines have a published figure; the acceptance test has tests of its own.
        "acceptance": {"enabled": False},
        "pools": list(pools) or [P5],
    }
    return plan_rdma_cluster_args({**base, **args}, name)


def refused(plan: Callable[..., object], *args: Any, **more: Any) -> list[str]:
    """The paths of what a plan refuses; none where the plan is made."""
    try:
        plan(*args, **more)
    except Refused as why:
        return [line.partition(": ")[0] for line in why.lines]
    return []
