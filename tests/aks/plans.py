"""Plans of AKS components, with what each test leaves alone filled in; and a look into graphs."""

from collections.abc import Callable
from typing import Any

from pulumi_offline import Graph, preview
from pulumi_offline.errors import Refused
from rdma_cluster.aks.plan import machines, plan_rdma_cluster_args
from rdma_cluster.aks.plan.cluster import AksClusterArgs, AksClusterPlan, plan_cluster
from rdma_cluster.aks.plan.network import AksHpcNetworkArgs, AksNetworkPlan, plan_network
from rdma_cluster.aks.plan.node_pool import AksGpuNodePoolArgs, AksNodePoolPlan, plan_node_pool
from rdma_cluster.aks.plan.rdma_cluster import AksRdmaClusterPlan
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog.aks import MACHINES, AksMachine

ID = "00000000-0000-0000-0000-000000000000"
SUBNET = f"/subscriptions/{ID}/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/nodes"
RESERVATIONS = f"/subscriptions/{ID}/resourceGroups/r/providers/Microsoft.Compute/capacityReservationGroups/h100"
WHERE: dict[str, Any] = {"location": "southcentralus", "resource_group": "g"}
OF_AZURE: dict[str, Any] = {**WHERE, "subscription": ID}
BUILDABLE = list(machines.BUILDABLE.values())


def refused(plan: Callable[..., object], *args: Any, **kwargs: Any) -> list[str]:
    """The errors of one of these plans; none where it is let in."""
    try:
        plan(*args, **kwargs)
    except Refused as found:
        return [str(error) for error in found.errors]
    return []


def places(plan: Callable[..., object], *args: Any, **kwargs: Any) -> list[str]:
    """The places at which one of these plans is refused."""
    return [error.partition(": ")[0] for error in refused(plan, *args, **kwargs)]


def row(name: str) -> AksMachine:
    """A machine of the catalogue."""
    return next(machine for machine in MACHINES if machine.name == name)


def network_plan(**args: Any) -> AksNetworkPlan:
    """The plan of a network."""
    base = {"location": "southcentralus", "resource_group": "g"}
    return plan_from(AksHpcNetworkArgs, plan_network, {**base, **args})


def cluster_plan(**args: Any) -> AksClusterPlan:
    """The plan of a cluster with one administrator."""
    base = {
        "subscription": ID,
        "location": "southcentralus",
        "resource_group": "g",
        "subnet": SUBNET,
        "admins": [{"id": ID}],
    }
    return plan_from(AksClusterArgs, lambda checked, errors: plan_cluster(checked, "aks", errors), {**base, **args})


def pool_plan(**args: Any) -> AksNodePoolPlan:
    """The plan of a pool of H100 on demand."""
    base = {
        "name": "h100",
        "machine": "Standard_ND96isr_H100_v5",
        "nodes": 2,
        "capacity": {"on_demand": True},
        "resource_group": "g",
        "cluster": "c",
        "subnet": SUBNET,
    }
    return plan_from(AksGpuNodePoolArgs, plan_node_pool, {**base, **args})


def stack_plan(*pools: dict[str, Any], **args: Any) -> AksRdmaClusterPlan:
    """The plan of a stack; one pool of H100 on demand, by device plugins, unless others are given."""
    base = {
        "subscription": ID,
        "location": "southcentralus",
        "kubernetes": {"admins": [{"id": ID}], "endpoint": "public", "public_cidrs": ["203.0.113.7/32"]},
        "acceptance": {"enabled": False},
        "pools": list(pools) or [pool(gpu_allocation="device-plugin")],
    }
    return plan_rdma_cluster_args({**base, **args}, "aks")


def pool(**args: Any) -> dict[str, Any]:
    """A pool as a stack lists it."""
    base = {"name": "h100", "machine": "Standard_ND96isr_H100_v5", "nodes": 2, "capacity": {"on_demand": True}}
    return {**base, **args}


def built(component: str, args: dict[str, Any]) -> Graph:
    """The graph of one component in a program of its own."""
    from rdma_cluster import aks

    return preview(lambda: getattr(aks, component)("aks", args))


def inputs(graph: Graph, token: str, name: str) -> dict[str, Any]:
    """The inputs of one resource; ``token`` is the end of its type."""
    (found,) = [each for each in graph.resources if each.type.endswith(f":{token}") and each.name == name]
    return dict(found.inputs)


def names(graph: Graph, token: str) -> set[str]:
    """Names of all resources of a type."""
    return {each.name for each in graph.resources if each.type.endswith(f":{token}")}


def made(graph: Graph, token: str, name: str) -> tuple[dict[str, Any], dict[str, Any], set[str]]:
    """The inputs and options of a component's resource, and what it comes after, as ``type name``."""
    (found,) = [each for each in graph.resources if each.type.endswith(f":{token}") and each.name == name]
    assert found.parent is not None and ":index:" in found.parent
    after = {f"{urn.split('::')[2].rpartition(':')[2]} {urn.rpartition('::')[2]}" for urn in found.dependencies}
    return dict(found.inputs), dict(found.options), after
