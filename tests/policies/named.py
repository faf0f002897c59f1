"""What objects of a cluster name is there: an account, a role, a file, a claim's template, a class, a queue."""

import re
from collections.abc import Iterator
from typing import Any

from pulumi_offline import Graph, Resource
from .readers import pod_templates

_GIVEN = {("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")}
"""In every namespace by itself."""
_NAMELESS = ("List", "Patch", "Node")
"""Kinds without a name of ours: nodes are called as their cloud calls them."""
Place = tuple[str, str, str]
"""Kind, namespace, name."""


def objects_have_a_name_of_their_own(graph: Graph) -> Iterator[str]:
    """Nothing is called by chance: others name it, and a second cluster's would be another.

    A Job that the next `up` may make again has none: under one name it would go first, and what was made from outputs
    behind it too (pulumi/pulumi#2167).
    """
    for each in _objects(graph):
        if not _metadata(each).get("name") and "pulumi.com/replaceUnready" not in _metadata(each).get(
            "annotations", {}
        ):
            yield f"{each.name}: {each.type} has no name"


def what_is_named_is_there(graph: Graph) -> Iterator[str]:
    """A name that is misspelt is refused by nobody: a pod waits, or an account has no right."""
    there = {
        (each.kind, _metadata(each).get("namespace", ""), _metadata(each).get("name", "")) for each in _objects(graph)
    }
    # A ComputeDomain's controller makes the template of its channels.
    domains = [each for each in _objects(graph) if each.kind == "ComputeDomain"]
    there |= {
        (
            "ResourceClaimTemplate",
            _metadata(each)["namespace"],
            each.inputs["spec"]["channel"]["resourceClaimTemplate"]["name"],
        )
        for each in domains
    }
    made = {kind for kind, _, _ in there}
    for each in _objects(graph):
        for kind, namespace, name in _names(each):
            # What this program makes none of, a chart or a user does.
            if kind in made and (kind, namespace, name) not in there and (kind, name) not in _GIVEN:
                yield f"{each.name}: {kind} {namespace}/{name} is not there"


def _objects(graph: Graph) -> Iterator[Resource]:
    for each in graph.resources:
        of_kubernetes = each.type.startswith("kubernetes:") and not each.type.startswith("kubernetes:helm")
        if of_kubernetes and not each.kind.endswith(_NAMELESS):
            yield each


def _metadata(resource: Resource) -> dict[str, Any]:
    return resource.inputs.get("metadata") or {}


def _names(resource: Resource) -> Iterator[Place]:
    namespace, inputs = _metadata(resource).get("namespace", ""), resource.inputs
    for template in pod_templates(inputs):
        yield from _of_pod(template["spec"], namespace)
    if resource.kind in ("RoleBinding", "ClusterRoleBinding"):
        role = inputs["roleRef"]
        yield role["kind"], namespace if role["kind"] == "Role" else "", role["name"]
        for subject in inputs["subjects"]:
            yield subject["kind"], subject["namespace"], subject["name"]
    if resource.kind == "LocalQueue":
        yield "ClusterQueue", "", inputs["spec"]["clusterQueue"]
    if resource.kind == "ClusterQueue":
        for group in inputs["spec"]["resourceGroups"]:
            yield from (("ResourceFlavor", "", flavor["name"]) for flavor in group["flavors"])
    if resource.kind == "ResourceFlavor" and "topologyName" in inputs.get("spec", {}):
        yield "Topology", "", inputs["spec"]["topologyName"]
    if resource.kind == "PersistentVolumeClaim" and inputs["spec"].get("volumeName"):
        yield "PersistentVolume", "", inputs["spec"]["volumeName"]


def _of_pod(spec: dict[str, Any], namespace: str) -> Iterator[Place]:
    yield "ServiceAccount", namespace, spec.get("serviceAccountName") or "default"
    if not (name := spec.get("priorityClassName", "system-")).startswith("system-"):
        yield "PriorityClass", "", name
    for claim in spec.get("resourceClaims", ()):
        if "resourceClaimTemplateName" in claim:
            yield "ResourceClaimTemplate", namespace, claim["resourceClaimTemplateName"]
    for secret in spec.get("imagePullSecrets", ()):
        yield "Secret", namespace, secret["name"]
    for volume in spec.get("volumes", ()):
        for source in (volume, *volume.get("projected", {}).get("sources", ())):
            if "configMap" in source:
                yield "ConfigMap", namespace, source["configMap"]["name"]


def ports_are_open(graph: Graph) -> Iterator[str]:
    """A port that is asked for health, served or read is one on which a container of the selected pods listens."""
    pods = [
        (each, _metadata(each).get("namespace", ""), pod)
        for each in _objects(graph)
        for pod in pod_templates(each.inputs)
    ]
    charts = {each.inputs.get("namespace") for each in graph.resources if each.kind == "Release"}
    for each, _, pod in pods:
        for container in pod["spec"]["containers"]:
            for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
                asked = container.get(probe, {}).get("httpGet", {}).get("port")
                if asked is not None and (listened := _listened(container)) and asked not in listened:
                    yield f"{each.name}: {container['name']} has no port {asked}, which its {probe} asks"
    for each in (each for each in _objects(graph) if each.kind in ("Service", "PodMonitor")):
        spec = each.inputs["spec"]
        if each.kind == "Service":
            namespaces, selector = [_metadata(each).get("namespace", "")], {"matchLabels": spec.get("selector", {})}
            wanted = [port.get("targetPort", port["port"]) for port in spec.get("ports", ())]
        else:
            namespaces, selector = spec["namespaceSelector"]["matchNames"], spec["selector"]
            wanted = [end["port"] for end in spec["podMetricsEndpoints"]]
        found = [pod for _, within, pod in pods if within in namespaces and _matches(pod, selector)]
        listened = {port for pod in found for container in pod["spec"]["containers"] for port in _listened(container)}
        if not found and not charts & {*namespaces}:
            yield f"{each.name}: selects no pod"
        if found and not {*wanted} <= listened:
            yield f"{each.name}: its pods listen on {listened}, and it leads to {wanted}"


def _listened(container: dict[str, Any]) -> set[int | str]:
    """Ports by number and name; of a container that lists none, those that it is told. Of neither its image knows."""
    words = " ".join([*container.get("command", ()), *container.get("args", ())])
    listed = {of for port in container.get("ports", ()) for of in (port["containerPort"], port.get("name", ""))}
    return listed or {int(port) for port in re.findall(r"--port[= ](\d+)", words)}


def _matches(pod: dict[str, Any], selector: dict[str, Any]) -> bool:
    labels = pod.get("metadata", {}).get("labels", {})
    return selector.get("matchLabels", {}).items() <= labels.items() and all(
        labels.get(each["key"]) in each["values"] for each in selector.get("matchExpressions", ())
    )
