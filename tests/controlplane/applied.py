"""Objects of stacks on a server, the nodes of their pools, and how what is stored is compared with what was sent."""

from pulumi_offline import Resource
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.incluster.plan.mpi_operator import CRD, crd
from .api import FIELD_MANAGER, Applied, Object
from .cluster import Cluster
from .definitions import RECORDED, definition
from .stack_objects import DEFINITION, Pool, manifest

SECONDS = 60.0


def apply_all(taken: list[Resource], cluster: Cluster, definitions: Cluster) -> dict[str, Applied]:
    """By URN what the server made of each, after the kinds that it must know."""
    define_recorded({resource.inputs["kind"] for resource in taken}, definitions)

    def apply(resource: Resource) -> Applied:
        is_definition = resource.type == DEFINITION
        return define(manifest(resource), definitions) if is_definition else cluster.apply(manifest(resource))

    return {resource.urn: apply(resource) for resource in taken}


def define_recorded(kinds: set[str], definitions: Cluster) -> None:
    """Define those kinds that charts bring and whose definitions are recorded here."""
    for kind in sorted(kinds & RECORDED.keys()):
        define(definition(kind), definitions)


def define(kind: Object, definitions: Cluster) -> Applied:
    """A kind that lasts as long as ``definitions``."""
    return definitions.api.define(kind, definitions.apply)


def define_mpi_job(definitions: Cluster) -> Applied:
    """MPIJob, as the operator of ours defines it."""
    named = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": CRD}}
    return define({**named, "spec": crd()}, definitions)


def add_pool_node(cluster: Cluster, pool: Pool, name: str, labels: dict[str, str] | None = None) -> None:
    """A node as the pool would have it: its labels, its taints, and what its drivers publish."""
    taints = [
        {"key": each["key"], "value": each.get("value", ""), "effect": each["effect"]}
        for each in pool.workload["tolerations"]
    ]
    gpus = pool.workload["resources"].get("limits", {})
    cluster.add_node(name, {**pool.workload["nodeSelector"], **(labels or {})}, taints, gpus)
    cluster.create_all([each.manifest() for each in resource_slices(pool.machine, pool.target, name)])


def lacking(sent: object, stored: object, path: str = "") -> list[str]:
    """Where the stored object does not say what was sent; what the server adds is its own affair."""
    if isinstance(sent, dict) and isinstance(stored, dict):
        return [line for key, value in sent.items() for line in lacking(value, stored.get(key), f"{path}.{key}")]
    if isinstance(sent, list) and isinstance(stored, list) and len(sent) == len(stored):
        pairs = enumerate(zip(sent, stored, strict=True))
        return [line for i, pair in pairs for line in lacking(*pair, f"{path}[{i}]")]
    if not sent and stored is None:
        return []  # the API leaves out what is empty
    return [] if sent == stored else [f"{path}: sent {sent!r}, stored {stored!r}"]


def managed(result: Object) -> list[Object]:
    """The fields that are ours in an object, and when one of them last changed."""
    return [entry for entry in result["metadata"].get("managedFields", ()) if entry["manager"] == FIELD_MANAGER]


def in_own_namespace(template: Object) -> Object:
    """A copy that names no namespace."""
    return {
        "apiVersion": template["apiVersion"],
        "kind": template["kind"],
        "metadata": {"name": template["metadata"]["name"]},
        "spec": template["spec"],
    }


def scheduled_everywhere(daemon_set: Object | None) -> int | None:
    """How many nodes a DaemonSet is for, once its controller has looked and made a pod for each."""
    status = daemon_set["status"] if daemon_set else {}
    wanted = status.get("desiredNumberScheduled", 0)
    return wanted if wanted and status.get("currentNumberScheduled") == wanted else None


def bound(cluster: Cluster, owner: Object, wanted: int) -> set[str]:
    """The nodes of the owner's pods, when as many as wanted are bound."""
    nodes: dict[str, str] = {}
    for pod in cluster.api.watch("v1", "Pod", owner["metadata"]["namespace"], SECONDS):
        owners = {each["uid"] for each in pod["metadata"].get("ownerReferences", ())}
        if owner["metadata"]["uid"] in owners and pod["spec"].get("nodeName"):
            nodes[pod["metadata"]["name"]] = pod["spec"]["nodeName"]
        if len(nodes) >= wanted:
            return set(nodes.values())
    raise TimeoutError(f"{owner['kind']} {owner['metadata']['name']}: {len(nodes)} of {wanted} pods bound: {nodes}")
