"""What the nodes and charts of a stack bring to its cluster, from the stack's own offline preview."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pulumi_offline import Graph
from pulumi_offline.project import Settings
from pulumi_offline.sdk import resource_class
from rdma_cluster.base.config import NAMESPACE
from rdma_cluster.catalog import Machine, find
from rdma_cluster.claims import Target, driver_of
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.cli.preview import run_program
from rdma_cluster.fabrics import NIC_DRIVERS, GpuAllocation
from .charts import BRINGS, CustomKind, UsedChart

ROOMY = {"cpu": "1000", "memory": "64Ti", "ephemeral-storage": "64Ti", "pods": "1000", "hugepages-2Mi": "1Ti"}
SYSTEM_NODES = 3
"""Nodes of a cluster beside its pools of GPUs."""
_INSTANCE = "node.kubernetes.io/instance-type"
_DEFINITION = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
_RELEASE = "kubernetes:helm.sh/v3:Release"
_CLASS = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass"}
_ALWAYS = {"default", "kube-system"}


@dataclass(frozen=True)
class ExpectedNode:
    """A node as its pool would have it, with what its drivers publish."""

    name: str
    pool: str
    """Empty for a system node."""
    adopted: bool
    """Whether it is there before the stack."""
    manifest: Mapping[str, Any]
    taints: list[dict[str, str]]
    slices: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Expected:
    """What one configuration of a stack brings to its cluster."""

    nodes: tuple[ExpectedNode, ...] = ()
    charts: tuple[UsedChart, ...] = ()
    kinds: tuple[CustomKind, ...] = ()
    """The kinds of the custom resources that the stack makes and does not define."""
    of_cloud: tuple[Mapping[str, Any], ...] = ()
    """Objects that the cluster has by itself: kinds that no chart brings, and device classes."""


def expected(root: Path, settings: Settings) -> Expected:
    """What a stack that the plan takes brings. Raises ``Refused``, ``BrokenProgram``."""
    graph = run_program(root, settings)
    targets = {pool["name"]: _target(pool, graph) for pool in _pools(settings)}
    own = {each.inputs.get("metadata", {}).get("name") for each in graph.resources if each.type.endswith("DeviceClass")}
    classes = {name: cel for _, target in targets.values() for name, cel in target.classes.items() if name not in own}
    kinds, releases = _kinds(graph), [each.inputs for each in graph.of_type(_RELEASE)]
    repos = [(each.get("repositoryOpts") or {}).get("repo", "") for each in releases]
    charts = [UsedChart(each["chart"], repo, each["version"]) for each, repo in zip(releases, repos, strict=True)]
    brought = {group for chart in charts for group in BRINGS.get(chart.name, ())}
    others = [each for each in kinds if each.group not in brought]
    system = [f"system-{number}" for number in range(SYSTEM_NODES)]
    return Expected(
        nodes=(
            *(ExpectedNode(name, "", False, _manifest(name, {}, {}), [], ()) for name in system),
            *(node for pool in _pools(settings) for node in _nodes(pool, graph, targets)),
        ),
        charts=tuple(charts),
        kinds=kinds,
        of_cloud=(
            *_namespaces(graph, {each.api_version for each in others}, is_users=has_cluster(settings)),
            *(each.definition() for each in others),
            *(
                {**_CLASS, "metadata": {"name": name}, "spec": {"selectors": [{"cel": {"expression": cel}}]}}
                for name, cel in sorted(classes.items())
            ),
        ),
    )


def _pools(settings: Settings) -> list[dict[str, Any]]:
    """The pools that the stack makes, and those that it takes over, as its file has them."""
    made, taken = (json.loads(settings.config.get(f"{NAMESPACE}:{key}", "[]")) for key in ("pools", "adopt"))
    return [*made, *taken]


def _target(pool: Mapping[str, Any], graph: Graph) -> tuple[Machine, Target]:
    """Who hands out the devices of a pool's machines: the driver whose class the claims name."""
    machine = find(pool["machine"])
    assert machine is not None, pool
    texts = [json.dumps(each.inputs) for each in graph.resources if each.type.endswith(":ResourceClaimTemplate")]
    usual = driver_of(machine)
    allocation = GpuAllocation(pool.get("gpuAllocation", GpuAllocation.DRA.value))
    targets = [Target(driver, allocation) for driver in (usual, *NIC_DRIVERS.values())]
    named = (each for each in targets if any(f'"{each.nic_class}"' in text for text in texts))
    return machine, next(named, targets[0])


def _nodes(pool: Mapping[str, Any], graph: Graph, targets: Mapping[str, tuple[Machine, Target]]) -> list[ExpectedNode]:
    machine, target = targets[pool["name"]]
    workload = graph.outputs["workloads"][pool["name"]]
    names = pool.get("names") or [f"{pool['name']}-{number}" for number in range(pool["nodes"])]
    tolerations = workload["tolerations"]
    taints = [{"key": t["key"], "value": t.get("value", ""), "effect": t["effect"]} for t in tolerations]
    limits = {**workload["resources"].get("limits", {}), **workload["resources"].get("requests", {})}
    devices = {key: value for key, value in limits.items() if "/" in key}
    adopted = "names" in pool
    return [
        ExpectedNode(
            name,
            pool["name"],
            adopted,
            # Every cloud says what machine it is; who takes nodes over adds the other labels.
            _manifest(name, {_INSTANCE: machine.name, **({} if adopted else workload["nodeSelector"])}, devices),
            [] if adopted else taints,
            tuple(each.manifest() for each in resource_slices(machine, target, name)),
        )
        for name in names
    ]


def _manifest(name: str, labels: Mapping[str, str], devices: Mapping[str, str]) -> dict[str, Any]:
    room = {**ROOMY, **devices}
    ready = {"type": "Ready", "status": "True", "reason": "Simulated", "message": "no kubelet"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **labels}},
        "status": {"capacity": room, "allocatable": room, "conditions": [ready]},
    }


def has_cluster(settings: Settings) -> bool:
    """Whether the stack takes a cluster that is there before it."""
    return "existing" in json.loads(settings.config.get(f"{NAMESPACE}:kubernetes", "{}"))


def _namespaces(graph: Graph, of_cloud: set[str], *, is_users: bool) -> Iterator[dict[str, Any]]:
    """The namespaces that a cloud's add-on makes with its kinds, and those that a user's own cluster has."""
    made = {each.inputs["metadata"]["name"] for each in graph.of_type("kubernetes:core/v1:Namespace")}
    objects = [
        each.inputs["metadata"]
        for each in graph.resources
        if each.inputs.get("apiVersion") in of_cloud or (is_users and {"apiVersion", "metadata"} <= each.inputs.keys())
    ]
    for name in sorted({each.get("namespace", "default") for each in objects} - made - _ALWAYS):
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _kinds(graph: Graph) -> tuple[CustomKind, ...]:
    specs = [each.inputs["spec"] for each in graph.of_type(_DEFINITION)]
    defined = {(spec["group"], spec["names"]["kind"]) for spec in specs}
    found = {
        CustomKind(each.inputs["apiVersion"], each.inputs["kind"], "namespace" in each.inputs["metadata"])
        for each in graph.resources
        if each.type.startswith("kubernetes:") and "kind" in each.inputs and resource_class(each.type) is None
    }
    new = [each for each in found if (each.group, each.kind) not in defined]
    kinds = {(each.group, each.kind, each.api_version): each for each in new}
    return tuple(kinds[key] for key in sorted(kinds))
