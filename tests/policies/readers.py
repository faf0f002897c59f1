"""Pools, addresses and charts of a graph, read alike from every cloud."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Any

from pulumi_offline import Graph, Resource
from tests.clouds import Pool, clouds


def gpu_pools(graph: Graph) -> list[Pool]:
    """The GPU pools of a graph, of whatever cloud."""
    return [pool for cloud in clouds() for pool in cloud.pools(graph)]


def ranges(graph: Graph) -> Iterator[tuple[str, IPv4Network]]:
    """Every block of addresses by its name, services' included."""
    for cloud in clouds():
        yield from cloud.ranges(graph)


def chosen(pod: dict[str, Any]) -> list[str]:
    """The pools that a pod's affinity and selector name, or a chart's values in the place of a pod."""
    pool_labels = {cloud.pool_label for cloud in clouds()}
    required = pod.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    terms = [each for term in required.get("nodeSelectorTerms", []) for each in term.get("matchExpressions", [])]
    names = [name for term in terms if term["key"] in pool_labels for name in term.get("values", [])]
    names += [name for label, name in pod.get("nodeSelector", {}).items() if label in pool_labels]
    labels = pod.get("supportedInstanceLabels", {})
    return names + (labels["values"] if set(labels.get("keys", [])) & pool_labels else [])


def chart_of(release: Resource) -> str:
    """A chart's name, without the registry it comes from."""
    return release.inputs["chart"].partition("@")[0].rpartition("/")[2]


def chart_pods(release: Resource) -> dict[str, Any]:
    """Where a chart's values say where its pods run."""
    values = release.inputs.get("values", {})
    return values.get("kubeletPlugin", values)


def pod_templates(inputs: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Templates of pods in an object, with their metadata."""
    pending = [inputs.get("spec")]
    while pending:
        value = pending.pop()
        if isinstance(value, dict) and isinstance(value.get("spec"), dict) and "containers" in value["spec"]:
            yield value
        elif isinstance(value, dict | list):
            pending += value.values() if isinstance(value, dict) else value
