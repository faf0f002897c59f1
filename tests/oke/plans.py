"""Plans of OKE components, with what each test leaves alone filled in; and a look into graphs."""

from collections.abc import Callable
from typing import Any

from pulumi_offline import Answer, Graph, preview
from pulumi_offline.errors import Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog.oke import MACHINES, OkeMachine
from rdma_cluster.oke.plan.adopt import AdoptionPlan, OkeAdoptedNodesArgs, plan_adoption
from rdma_cluster.oke.plan.cluster import OkeClusterArgs, OkeClusterPlan, plan_cluster
from rdma_cluster.oke.plan.identity import IdentityPlan, OkeIdentityPoliciesArgs, plan_policies
from rdma_cluster.oke.plan.machines import not_built
from rdma_cluster.oke.plan.network import OkeHpcNetworkArgs, OkeNetworkPlan, plan_network
from rdma_cluster.oke.plan.node_pool import OkeGpuNodePoolArgs, OkeNodePoolPlan, plan_node_pool
from rdma_cluster.oke.plan.rdma_cluster import OkeRdmaClusterPlan, plan_rdma_cluster_args

REGION = "eu-frankfurt-1"
ZONE = "TrcQ:EU-FRANKFURT-1-AD-3"
TENANCY = "ocid1.tenancy.oc1..aaaaexample"
COMPARTMENT = "ocid1.compartment.oc1..aaaaexample"
CLUSTER = "ocid1.cluster.oc1.eu-frankfurt-1.aaaaexample"
FABRIC = "ocid1.computegpumemoryfabric.oc1.eu-frankfurt-1.aaaaexample{}"
ON_DEMAND = {"on_demand": True}
DEDICATED = {"dedicated": True}
BUILT = [machine for machine in MACHINES if not not_built(machine)]

NETWORK = {"region": REGION, "compartment": COMPARTMENT}
IN_CLUSTER = {**NETWORK, "tenancy": TENANCY, "zone": ZONE}
OF_CLUSTER = {
    **IN_CLUSTER,
    "vcn": "v",
    "api_subnet": "a",
    "worker_subnet": "w",
    "pod_subnet": "ocid1.subnet.oc1..pods",
    "load_balancer_subnet": "ocid1.subnet.oc1..balancers",
}
POOL = {
    **IN_CLUSTER,
    "name": "h100",
    "machine": "BM.GPU.H100.8",
    "nodes": 2,
    "capacity": ON_DEMAND,
    "cluster": CLUSTER,
    "api_host": "10.140.0.2",
    "ca_certificate": "eA==",
    "subnet": "w",
    "pod_subnet": "ocid1.subnet.oc1..pods",
    "groups": ["wg"],
    "pod_groups": ["pg"],
}
RACKS = {
    "machine": "BM.GPU.GB200-v3.4",
    "nodes": 36,
    "capacity": DEDICATED,
    "memory_fabrics": [{"id": FABRIC.format(i), "nodes": 18} for i in (1, 2)],
}
EXISTING_NETWORK = {
    "existing": {
        "vcn": "ocid1.vcn.oc1..a",
        **dict.fromkeys(("api_subnet", "worker_subnet", "pod_subnet", "load_balancer_subnet"), "ocid1.subnet.oc1..a"),
        "cidrs": ["10.0.0.0/16"],
    }
}
IN_EXISTING: dict[str, Any] = {
    "kubernetes": {"existing": {"id": CLUSTER}, "version": "1.35.2", "name": "mine"},
    "network": EXISTING_NETWORK,
}
STACK_POOL: dict[str, Any] = {"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2, "capacity": ON_DEMAND}


def refused(plan: Callable[..., object], *args: Any, **kwargs: Any) -> list[str]:
    """What one of these plans is refused for; nothing where it is let in."""
    try:
        plan(*args, **kwargs)
    except Refused as found:
        return [str(error) for error in found.errors]
    return []


def places(errors: list[str]) -> list[str]:
    """Where each error is, without its words."""
    return [each.partition(": ")[0] for each in errors]


def row(name: str) -> OkeMachine:
    """A machine of the catalogue."""
    return next(machine for machine in MACHINES if machine.name == name)


def network_plan(**args: Any) -> OkeNetworkPlan:
    """The plan of a network."""
    return plan_from(OkeHpcNetworkArgs, plan_network, {**NETWORK, **args})


def cluster_plan(**args: Any) -> OkeClusterPlan:
    """The plan of a cluster."""
    return plan_from(OkeClusterArgs, lambda of, errors: plan_cluster(of, "oke", errors), {**OF_CLUSTER, **args})


def pool_plan(**args: Any) -> OkeNodePoolPlan:
    """The plan of a pool of two H100."""
    return plan_from(OkeGpuNodePoolArgs, plan_node_pool, {**POOL, **args})


def identity_plan(*modes: str, **args: Any) -> IdentityPlan:
    """The plan of the policies of pools of these modes."""
    base = {**{key: IN_CLUSTER[key] for key in ("region", "tenancy", "compartment")}, "cluster": CLUSTER}
    return plan_from(OkeIdentityPoliciesArgs, plan_policies, {**base, "modes": list(modes), **args})


def adoption_plan(**args: Any) -> AdoptionPlan:
    """The plan of two H100 nodes that are taken in."""
    base = {"compartment": COMPARTMENT, "name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2}
    return plan_from(OkeAdoptedNodesArgs, plan_adoption, {**base, "names": ["10.0.0.1", "10.0.0.2"], **args})


def whole_plan(pools: list[dict[str, Any]], **choices: Any) -> OkeRdmaClusterPlan:
    """The plan of a whole stack with these pools."""
    return plan_rdma_cluster_args({**IN_CLUSTER, "pools": pools, **choices}, "oke")


def built(component: str, args: dict[str, Any], **answers: Answer) -> Graph:
    """What one component makes in a program of its own."""
    from rdma_cluster import oke

    return preview(lambda: getattr(oke, component)("oke", args), project="foreign", invokes=answers)


def inputs(graph: Graph, token: str, name: str) -> dict[str, Any]:
    """What one resource is made of; ``token`` is the end of its type."""
    (found,) = [each for each in graph.resources if each.type.endswith(f":{token}") and each.name == name]
    return dict(found.inputs)


def names(graph: Graph, token: str) -> set[str]:
    """Names of all resources of a type."""
    return {each.name for each in graph.resources if each.type.endswith(f":{token}")}


def made(graph: Graph, token: str, name: str) -> tuple[dict[str, Any], dict[str, Any], set[str]]:
    """What one resource is made of, its options, and what it comes after, as ``type name``; it is its component's."""
    (found,) = [each for each in graph.resources if each.type.endswith(f":{token}") and each.name == name]
    assert found.parent is not None and found.parent.rpartition("::")[2] == "oke"
    after = {f"{urn.split('::')[2].rpartition(':')[2]} {urn.rpartition('::')[2]}" for urn in found.dependencies}
    return dict(found.inputs), dict(found.options), after
