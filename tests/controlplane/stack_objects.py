"""What a stack would give to its cluster: the Kubernetes objects of the graph, in the order in which they can go in."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pulumi_offline import Graph, Resource
from pulumi_offline.sdk import resource_class
from rdma_cluster.catalog import Machine
from rdma_cluster.claims import Target, driver_of
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.fabrics import GpuAllocation
from tests.machines import known_machine
from .api import Object
from .definitions import is_recorded

AUTONAME = "0a1b2c3"  # Pulumi ends the name of an object that has none of its own with seven hexadecimal digits
RELEASE = "kubernetes:helm.sh/v3:Release"
DEFINITION = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"


class Pool(NamedTuple):
    """A pool of GPU nodes, as the stack's file has it and as its output tells a user to ask for it."""

    name: str
    machine: Machine
    target: Target
    nodes: list[str]
    """Their names."""
    workload: Mapping
    """The pod patch that a user pastes into a pod."""


def in_order(graph: Graph) -> list[Resource]:
    """All resources, each after those that it depends on; by URN where that leaves a choice."""
    by_urn = {resource.urn: resource for resource in graph.resources}
    ordered: dict[str, Resource] = {}

    def visit(resource: Resource) -> None:
        for urn in resource.dependencies:
            if urn in by_urn and urn not in ordered:
                visit(by_urn[urn])
        ordered[resource.urn] = resource

    for resource in graph.resources:
        if resource.urn not in ordered:
            visit(resource)
    return list(ordered.values())


def not_applied(resource: Resource, graph: Graph) -> str | None:
    """Why a resource of the Kubernetes provider cannot go into a bare API server; None for what goes in."""
    if "kind" not in resource.inputs:
        return "is read: somebody else made it"
    if resource.type == RELEASE:
        return f"chart {resource.inputs['chart']} {resource.inputs['version']}: its registry is not asked by a test"
    if resource_class(resource.type) is None:
        specs = [each.inputs["spec"] for each in graph.of_type(DEFINITION)]
        group, _, _ = resource.inputs["apiVersion"].rpartition("/")
        defined = (group, resource.inputs["kind"]) in {(spec["group"], spec["names"]["kind"]) for spec in specs}
        if not defined and not is_recorded(resource.inputs["apiVersion"], resource.inputs["kind"]):
            return "custom resource: the stack does not define it, a chart or the cloud does"
    return None


def of_kubernetes(graph: Graph) -> list[Resource]:
    """The resources that go to the cluster, in order."""
    return [resource for resource in in_order(graph) if resource.type.startswith("kubernetes:")]


def manifest(resource: Resource) -> Object:
    """The object as the provider would send it."""
    meta = resource.inputs.get("metadata", {})
    inputs = with_dashes(resource.inputs) if resource.type == DEFINITION else resource.inputs
    return inputs | {"metadata": {"name": f"{resource.name}-{AUTONAME}"} | meta}


def with_dashes(value: Any) -> Any:
    """The extensions of a schema as Kubernetes spells them; the SDKs cannot, and the provider puts it right."""
    if isinstance(value, dict):
        dash = "x_kubernetes_"
        keys = {key: key.replace("_", "-") if key.startswith(dash) else key for key in value}
        return {keys[key]: with_dashes(each) for key, each in value.items()}
    return [with_dashes(each) for each in value] if isinstance(value, list) else value


def pools(stack: str, graph: Graph) -> list[Pool]:
    """The pools of a stack: those that it makes, and nodes that are there and become one."""
    _, settings = read_stack(stack, None, [])
    found = []
    listed = [
        pool for key in ("pools", "adopt") for pool in json.loads(settings.config.get(f"rdma-cluster:{key}", "[]"))
    ]
    for pool in listed:
        machine = known_machine(pool["machine"])
        mode = GpuAllocation(pool.get("gpuAllocation", GpuAllocation.DRA.value))
        target = Target(driver_of(machine), mode)
        workload = graph.outputs["workloads"][pool["name"]]
        names = pool.get("names") or [f"{pool['name']}-{number}" for number in range(pool["nodes"])]
        found.append(Pool(pool["name"], machine, target, names, workload))
    return found


def pasted(name: str, workload: Mapping, claim_template: str, node_selector: Mapping[str, str]) -> Object:
    """A pod of a user who took the pool's pod patch and one of its claim templates."""
    container = {
        "name": "train",
        "image": workload["imageHint"] or "registry.example/train:1",
        "env": workload["env"],
        "volumeMounts": workload["volumeMounts"],
        "securityContext": workload["securityContext"],
        "resources": workload["resources"] | {"claims": [{"name": "fabric"}]},
    }
    spec = {
        "nodeSelector": {**workload["nodeSelector"], **node_selector},
        "tolerations": workload["tolerations"],
        "volumes": workload["volumes"],
        "resourceClaims": [{"name": "fabric", "resourceClaimTemplateName": claim_template}],
        "containers": [container],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
