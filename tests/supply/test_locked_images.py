"""With ``digestsOnly`` only images of the plan run in our namespaces, and all of ours do."""

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
    """The stack at a mirror, with a lock and the demand for digests."""
    mirror = registries(fetched(graph_of(stack, *ADDONS)), "m.example/x")
    at_mirror = fetched(graph_of(stack, *ADDONS, "registries=" + json.dumps(mirror)))
    lock = {
        each.reference: f"{each.reference}@{answer(each).digest}" for each in at_mirror if "@" not in each.reference
    }
    return graph_of(stack, *ADDONS, "artifacts.digestsOnly=true", "registries=" + json.dumps({**mirror, **lock}))


def images(value: Any) -> Iterator[str]:
    """The images of pods, however deep they stand."""
    if isinstance(value, dict):
        if isinstance(value.get("image"), str) and "name" in value:
            yield value["image"]
        for each in value.values():
            yield from images(each)
    elif isinstance(value, list):
        for each in value:
            yield from images(each)


@pytest.mark.parametrize("stack", ["gke", *(pytest.param(each, marks=pytest.mark.variant) for each in ("eks", "oke"))])
def test_the_policy_lists_the_images_of_our_own_pods(stack: str):
    """A pod of ours that our policy refuses would hang `up`."""
    graph = locked(stack)

    policies = graph.of_type("kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy")
    (policy,) = [each for each in policies if each.inputs["metadata"]["name"] == NAME]
    listed = policy.inputs["spec"]["variables"][0]["expression"]

    for resource in graph.resources:
        if resource.type.startswith("kubernetes:") and "helm" not in resource.type:
            for image in images(resource.inputs.get("spec", {})):
                assert f"'{image}'" in listed or image == "cos-nvidia-installer:fixed", (resource.name, image)


def test_a_stack_has_no_such_policy_by_default():
    assert not [each for each in graph_of("gke").resources if "locked-images" in each.name]
