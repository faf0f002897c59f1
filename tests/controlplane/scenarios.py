"""Nodes as a machine's drivers would publish them, pods that claim their devices, and what the scheduler made of it.

A scenario has a node to itself, so that many of them run in one cluster at the same time. The first pods of all
scenarios go in together; the second ones when each of these has its verdict, because which devices a pod gets
depends on those taken before it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rdma_cluster.claims import Target, Template
from rdma_cluster.claims.allocator import Allocation
from rdma_cluster.claims.device import ResourceSlice
from .api import Object
from .cluster import RESOURCE_API, Cluster, Placement, allocation

VERDICT_SECONDS = 240.0  # for some hundred pods on a machine that has other things to do, and claims that flap
Devices = dict[tuple[int, str], tuple[str, ...]]
"""Names of devices by the number of the claim in the pod and the name of the request."""


class Answer(NamedTuple):
    """The scheduler's answer to one pod."""

    placement: Placement
    devices: Devices
    """Empty for a pod that fits nowhere."""


@dataclass(frozen=True)
class Scenario:
    """One node, and the pods that ask for it."""

    name: str
    """The node's, too; so it is made of lower-case letters, digits and hyphens, 63 at the most."""
    target: Target
    slices: tuple[ResourceSlice, ...]
    pods: tuple[tuple[Template, ...], ...]
    """By the claims that each makes, in the order in which they come."""
    last: tuple[tuple[Template, ...], ...] = ()
    """Pods that come when no scenario has any other left."""


def node_name(*parts: str) -> str:
    """A name for a scenario from those of a machine, drivers and intents."""
    return "-".join(parts).lower().replace("_", "-").replace(".", "-")


def names(found: Allocation) -> Devices:
    """Our allocator's answer in the form of the scheduler's."""
    claims = list(dict.fromkeys(template for template, _ in found.devices))
    return {
        (claims.index(template), request): tuple(device.name for device in devices)
        for (template, request), devices in found.devices.items()
    }


def device_classes(targets: Sequence[Target]) -> list[Object]:
    """Every DeviceClass that claims under these targets may name, with the selector the claims were proved with."""
    selectors = {name: selector for target in targets for name, selector in target.classes.items()}
    return [
        {
            "apiVersion": RESOURCE_API,
            "kind": "DeviceClass",
            "metadata": {"name": name},
            "spec": {"selectors": [{"cel": {"expression": expression}}]},
        }
        for name, expression in sorted(selectors.items())
    ]


def claiming_pod(name: str, templates: Sequence[str], node_selector: Mapping[str, str]) -> Object:
    """A pod with a claim from each template. It tolerates everything: what a taint does is not in question here."""
    claims = [{"name": f"claim-{i}", "resourceClaimTemplateName": each} for i, each in enumerate(templates)]
    container = {
        "name": "main",
        "image": "registry.example/pause:1",
        "resources": {"claims": [{"name": claim["name"]} for claim in claims]},
    }
    spec = {
        "nodeSelector": dict(node_selector),
        "tolerations": [{"operator": "Exists"}],
        "resourceClaims": claims,
        "containers": [container],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def run(cluster: Cluster, scenarios: Sequence[Scenario]) -> dict[str, list[Answer]]:
    """The answer to every pod of every scenario, in the scenario's order."""
    prepare(cluster, scenarios)
    placements: dict[str, Placement] = {}
    for number in range(max(len(scenario.pods) for scenario in scenarios)):
        waiting = [(each, number, each.pods[number]) for each in scenarios if number < len(each.pods)]
        placements |= cluster.schedule_all([_pod(*pod) for pod in waiting], VERDICT_SECONDS)
    waiting = [
        (each, number, claims) for each in scenarios for number, claims in enumerate(each.last, start=len(each.pods))
    ]
    if waiting:
        placements |= cluster.schedule_all([_pod(*pod) for pod in waiting], VERDICT_SECONDS)
    given = devices_by_pod(cluster)
    return {
        scenario.name: [
            Answer(
                placements[_pod_name(scenario, number)], _numbered(claims, given.get(_pod_name(scenario, number), {}))
            )
            for number, claims in enumerate((*scenario.pods, *scenario.last))
        ]
        for scenario in scenarios
    }


def prepare(cluster: Cluster, scenarios: Sequence[Scenario]) -> None:
    """All nodes, their devices, and the templates under names that no other scenario has."""
    cluster.add_nodes([scenario.name for scenario in scenarios])
    objects = [each.manifest() for scenario in scenarios for each in scenario.slices]
    for scenario in scenarios:
        templates = {template for claims in (*scenario.pods, *scenario.last) for template in claims}
        for template in sorted(templates, key=lambda template: template.name):
            manifest = template.manifest(cluster.namespace)
            manifest["metadata"]["name"] = _template_name(scenario, template)
            objects.append(manifest)
    cluster.create_all(objects)


def devices_by_pod(cluster: Cluster) -> dict[str, dict[str, dict[str, tuple[str, ...]]]]:
    """Names of the devices allocated in the namespace, by pod, by the claim's name in the pod, and by request."""
    given: dict[str, dict[str, dict[str, tuple[str, ...]]]] = {}
    for claim in cluster.api.objects(RESOURCE_API, "ResourceClaim", cluster.namespace):
        (owner,) = claim["metadata"]["ownerReferences"]
        in_pod = claim["metadata"]["annotations"]["resource.kubernetes.io/pod-claim-name"]
        devices = {request: tuple(name for _, name in found) for request, found in allocation(claim).items()}
        if devices:
            given.setdefault(owner["name"], {})[in_pod] = devices
    return given


def _numbered(claims: Sequence[Template], found: Mapping[str, Mapping[str, tuple[str, ...]]]) -> Devices:
    return {
        (number, request): devices
        for number in range(len(claims))
        for request, devices in found.get(f"claim-{number}", {}).items()
    }


def _pod(scenario: Scenario, number: int, claims: Sequence[Template]) -> Object:
    templates = [_template_name(scenario, template) for template in claims]
    return claiming_pod(_pod_name(scenario, number), templates, {"kubernetes.io/hostname": scenario.name})


def _pod_name(scenario: Scenario, number: int) -> str:
    return f"{scenario.name}-{number}"


def _template_name(scenario: Scenario, template: Template) -> str:
    return f"{scenario.name}-{template.name}"
