"""With a login to mirrors every pod of a graph names its Secret, every namespace has it, and nothing else changes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from rdma_cluster.catalog.pull_secrets import chart_values
from rdma_cluster.offline import diff, preview
from rdma_cluster.offline.graph import Graph, Resource

from tests.clouds import CloudTests, clouds
from tests.stacks import graph_of

CLOUDS = [each for each in clouds() if each.has_kubernetes]
NAME = "rdma-cluster-pull"
SECRET, NAMESPACE = "kubernetes:core/v1:Secret", "kubernetes:core/v1:Namespace"
RELEASE = "kubernetes:helm.sh/v3:Release"
GIVEN = {"default", "kube-system"}
"""Namespaces that every cluster has."""
WITHOUT_PODS = {"prometheus-operator-crds"}


def pods(value: Any) -> Iterator[dict[str, Any]]:
    """Every spec of a pod in the inputs of a resource."""
    if isinstance(value, list):
        for item in value:
            yield from pods(item)
    elif isinstance(value, dict):
        if "containers" in value:
            yield value
        for of in value.values():
            yield from pods(of)


def with_secret(each: CloudTests) -> Graph:
    return graph_of(*each.variants[f"pull secret on {each.name}"])


def secrets(graph: Graph) -> dict[str, Resource]:
    """The Secrets by namespace."""
    found = [each for each in graph.of_type(SECRET) if each.inputs["metadata"]["name"] == NAME]
    return {each.inputs["metadata"]["namespace"]: each for each in found}


@pytest.mark.parametrize("each", CLOUDS, ids=str)
def test_every_pod_names_it(each: CloudTests):
    """And its namespace has it before the pod comes, and after the namespace is there."""
    graph = with_secret(each)
    made = secrets(graph)
    spaces = {space.inputs["metadata"]["name"]: space.urn for space in graph.of_type(NAMESPACE)}
    running = [(resource, list(pods(resource.inputs))) for resource in graph.resources if resource.type != RELEASE]
    running = [(resource, specs) for resource, specs in running if specs]

    assert running
    for resource, specs in running:
        assert all(spec["imagePullSecrets"] == [{"name": NAME}] for spec in specs), resource.urn
        assert made[resource.inputs["metadata"]["namespace"]].urn in resource.dependencies, resource.urn
    for namespace, secret in made.items():
        assert namespace in GIVEN or spaces[namespace] in secret.dependencies, secret.urn


@pytest.mark.parametrize("each", CLOUDS, ids=str)
def test_every_chart_names_it(each: CloudTests):
    """By the values that its templates read."""
    graph = with_secret(each)
    releases = [release for release in graph.of_type(RELEASE) if release.inputs["name"] not in WITHOUT_PODS]

    assert releases
    for release in releases:
        assert chart_values(release.inputs["name"], NAME), release.urn
        assert NAME in json.dumps(release.inputs["values"]), release.urn
        assert secrets(graph)[release.inputs["namespace"]].urn in release.dependencies, release.urn


@pytest.mark.parametrize("each", CLOUDS, ids=str)
def test_nothing_else_changes(each: CloudTests):
    """Only Secrets come, and only their name is new in what is there."""
    stack, login, *others = each.variants[f"pull secret on {each.name}"]
    changes = diff(graph_of(stack, *others), graph_of(stack, login, *others))
    paths = [change for of in changes.changed.values() for change in of if change.path.startswith("inputs.")]

    assert paths and all(change.kind == "add" and NAME in json.dumps(change.after) for change in paths), paths
    assert {urn.split("::")[2].split("$")[-1] for urn in map(str, changes.added)} == {SECRET}
    assert not changes.removed


@pytest.mark.parametrize("each", CLOUDS, ids=str)
def test_nobody_sees_it(each: CloudTests):
    """It is in the Secrets, encrypted, and nowhere else."""
    graph = with_secret(each)

    assert all(of.inputs["stringData"] == "[secret]" for of in secrets(graph).values())
    assert "hunter2" not in repr(graph)


def test_what_is_no_text_is_not_shown():
    """In Python a config is soon a dict."""
    import pulumi
    from rdma_cluster.gke import GkeRdmaCluster

    with pytest.raises(pulumi.InputPropertiesError) as refused:
        preview(lambda: GkeRdmaCluster("x", {"pull_secret": {"auths": {"m": {"auth": "hunter2"}}}}))  # ty: ignore

    assert "pull_secret: must be a string (what was got is not shown)" in str(refused.value)
    assert "hunter2" not in str(refused.value)
