"""What every ResourceClaimTemplate of a graph must keep to."""

import re
from collections.abc import Iterator
from typing import Any

from pulumi_offline import Graph, Resource
from tests.clouds import clouds
from .readers import chart_of

TEMPLATE = "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate"
DEVICE_CLASS = "kubernetes:resource.k8s.io/v1:DeviceClass"
RELEASE = "kubernetes:helm.sh/v3:Release"

_CLASS_OF_CHART = {"dra-driver-nvidia-gpu": "gpu.nvidia.com"}

PCIE_ROOT = "resource.kubernetes.io/pcieRoot"


def pairs_have_their_own_constraint(graph: Graph) -> Iterator[str]:
    """One constraint a pair, or both by their addresses: a common constraint would force all devices onto one root."""
    for template in graph.of_type(TEMPLATE):
        devices = _devices(template)
        constraints = devices.get("constraints", [])
        requests = {request["name"]: request["exactly"] for request in devices["requests"]}
        for name in requests:
            if not (pair := re.fullmatch(r"gpu-(\d+)", name)):
                continue
            if _addressed(requests[name]) and _addressed(requests.get(f"nic-{pair[1]}", {})):
                continue
            wanted = {"matchAttribute": PCIE_ROOT, "requests": [name, f"nic-{pair[1]}"]}
            if constraints.count(wanted) != 1:
                yield f"{template.name}: {name} has no constraint with nic-{pair[1]}"
        for constraint in constraints:
            if not constraint.get("requests"):
                yield f"{template.name}: {constraint} is about all requests"
            for name in constraint.get("requests", []):
                if name not in requests:
                    yield f"{template.name}: {constraint} names {name}, which is not requested"
                if sum(name in each.get("requests", []) for each in constraints) > 1:
                    yield f"{template.name}: {name} is in two constraints"


def attributes_are_read_with_care(graph: Graph) -> Iterator[str]:
    """A missing attribute is an error in CEL, and the claim is never allocated: every read has a default."""
    for resource in graph.of_type(TEMPLATE):
        for request in _devices(resource)["requests"]:
            for selector in request["exactly"].get("selectors", []):
                expression = selector["cel"]["expression"]
                reads = re.findall(r"device\.(?:attributes|capacity)\[[^]]*\](\.\??\w+)(\.orValue\()?", expression)
                for read, default in reads:
                    if not read.startswith(".?") or not default:
                        yield f"{resource.name}: {expression} reads {read} without a default"


def device_classes_exist(graph: Graph) -> Iterator[str]:
    """A claim of a class that nobody makes stays pending for ever; with a driver of the user's, its class is there."""
    known = {each.inputs["metadata"]["name"] for each in graph.of_type(DEVICE_CLASS)}
    for release in graph.of_type(RELEASE):
        known |= {name for chart, name in _CLASS_OF_CHART.items() if chart == chart_of(release)}
    known |= {name for cloud in clouds() for name in cloud.device_classes(graph)}
    for template in graph.of_type(TEMPLATE):
        for request in _devices(template)["requests"]:
            if (wanted := request["exactly"]["deviceClassName"]) not in known:
                yield f"{template.name}: device class {wanted} does not exist"


def workloads_name_templates_that_exist(graph: Graph) -> Iterator[str]:
    """What a user pastes into a pod is there."""
    made = {template.inputs["metadata"]["name"] for template in graph.of_type(TEMPLATE)}
    for pool, workload in graph.outputs.get("workloads", {}).items():
        if not workload["claimTemplates"] and not workload["resources"].get("limits"):
            yield f"{pool}: neither a claim template to choose nor a device plugin's resources"
        for name in workload["claimTemplates"]:
            if name not in made:
                yield f"{pool}: claim template {name} does not exist"


def _addressed(request: dict[str, Any]) -> bool:
    """Whether a request can be met by one device of a node only."""
    texts = [each["cel"]["expression"] for each in request.get("selectors", [])]
    return any(re.search(r"\.\??(pciBusID|pciAddress)\b.* == ", text) for text in texts)


def _devices(template: Resource) -> dict[str, Any]:
    return template.inputs["spec"]["spec"]["devices"]
