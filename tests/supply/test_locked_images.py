"""With ``digestsOnly`` nothing but the plan's own images runs in our namespaces, and all of ours does."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pulumi_offline import Graph
from rdma_cluster.incluster.plan.artifacts import NAME
from rdma_cluster.supply.fetched import fetched
from rdma_cluster.supply.mirror import registries
from tests.stacks import graph_of
from tests.supply.locked import answer

ADDONS = ("queues.enabled=true", "monitoring.enabled=true")


def locked(stack: str) -> Graph:
    """The stack at a mirror, with a lock, and the demand."""
    mirror = registries(fetched(graph_of(stack, *ADDONS)), "m.example/x")
    at_mirror = fetched(graph_of(stack, *ADDONS, "registries=" + json.dumps(mirror)))
    lock = {
        each.reference: f"{each.reference}@{answer(each).digest}" for each in at_mirror if "@" not in each.reference
    }
    return graph_of(stack, *ADDONS, "artifacts.digestsOnly=true", "registries=" + json.dumps({**mirror, **lock}))


def images(value: Any) -> Iterator[str]:
    """What stands under the key ``image`` of pods, however deep."""
    if isinstance(value, dict):
        if isinstance(value.get("image"), str) and "name" in value:
            yield value["image"]
        for each in value.values():
            yield from images(each)
    elif isinstance(value, list):
        for each in value:
            yield from images(each)


@pytest.mark.parametrize("stack", ["gke", *(pytest.param(each, marks=pytest.mark.variant) for each in ("eks", "oke"))])
def test_our_own_pods_are_among_the_locked(stack: str):
    """Jobs, installers, exporters; a pod of ours that its own policy refuses would hang `up`."""
    graph = locked(stack)

    policies = graph.of_type("kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy")
    (policy,) = [each for each in policies if each.inputs["metadata"]["name"] == NAME]
    listed = policy.inputs["spec"]["variables"][0]["expression"]

    for resource in graph.resources:
        if resource.type.startswith("kubernetes:") and "helm" not in resource.type:
            for image in images(resource.inputs.get("spec", {})):
                assert f"'{image}'" in listed or image == "cos-nvidia-installer:fixed", (resource.name, image)


def test_nobody_asks_for_it():
    """The graph has no such policy by default."""
    assert not [each for each in graph_of("gke").resources if "locked-images" in each.name]
