"""With a login to mirrors every pod names its Secret, every namespace has it, and nobody sees the login."""

import json
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from pulumi_offline import diff
from pulumi_offline.graph import Graph, Resource
from rdma_cluster.base.args import hints, is_hidden, to_camel
from rdma_cluster.base.config import TEXTS
from rdma_cluster.catalog.pull_secrets import POLICY_NAMESPACE, chart_values
from tests.cli.commands import command
from tests.clouds import CloudTests, clouds
from tests.stacks import graph_of

pytestmark = pytest.mark.variant

CLOUDS = [each for each in clouds() if each.has_kubernetes]
NAME, WORD = "rdma-cluster-pull", "hunter2"
LOGIN = f"pullSecret={{auths: {{mirror.example: {{username: robot, password: {WORD}}}}}}}"
SECRET, NAMESPACE = "kubernetes:core/v1:Secret", "kubernetes:core/v1:Namespace"
RELEASE, POLICY = "kubernetes:helm.sh/v3:Release", ":NicClusterPolicy"
GIVEN = {"default", "kube-system"}
"""Namespaces that every cluster has."""
WITHOUT_PODS = {"prometheus-operator-crds"}
GRAPHS = [
    *(pytest.param(each.variants[f"pull secret on {each.name}"], id=each.name) for each in CLOUDS),
    *(
        pytest.param((stack, *overrides, LOGIN), id=name, marks=pytest.mark.thorough)
        for each in CLOUDS
        for name, (stack, *overrides) in each.graphs.items()
        if name == stack or any(part in "".join(overrides) for part in ("inference", "storage", "injection"))
    ),
]
"""Each cloud's with what most have; slowly, every stack, and what brings further pods."""


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


def secrets(graph: Graph) -> dict[str, Resource]:
    """The Secrets of a graph by their namespaces."""
    found = [each for each in graph.of_type(SECRET) if each.inputs["metadata"]["name"] == NAME]
    return {each.inputs["metadata"]["namespace"]: each for each in found}


def namespaces(graph: Graph) -> dict[str, str]:
    """The namespace of the pods of each resource, by the resource's URN."""
    found = {}
    for resource in graph.resources:
        if resource.type == RELEASE and resource.inputs["name"] not in WITHOUT_PODS:
            found[resource.urn] = resource.inputs["namespace"]
        elif resource.type.endswith(POLICY):
            found[resource.urn] = POLICY_NAMESPACE
        elif resource.type.startswith("kubernetes:") and list(pods(resource.inputs)):
            found[resource.urn] = resource.inputs["metadata"]["namespace"]
    return found


@pytest.mark.parametrize("graph", GRAPHS)
def test_every_pod_names_the_secret(graph: tuple[str, ...]):
    """It stands in its spec, or in the values that its chart or operator reads."""
    made = graph_of(*graph)
    for resource in (each for each in made.resources if each.urn in namespaces(made)):
        if resource.type == RELEASE:
            assert chart_values(resource.inputs["name"], NAME), resource.urn
        if resource.type == RELEASE or resource.type.endswith(POLICY):
            assert NAME in json.dumps(resource.inputs), resource.urn
        assert all(spec["imagePullSecrets"] == [{"name": NAME}] for spec in pods(resource.inputs)), resource.urn


@pytest.mark.parametrize("graph", GRAPHS)
def test_every_namespace_has_the_secret_before_its_pods_come(graph: tuple[str, ...]):
    """Nothing else waits for it."""
    made = graph_of(*graph)
    there, spaces = secrets(made), {each.inputs["metadata"]["name"]: each.urn for each in made.of_type(NAMESPACE)}
    by_urn = {each.urn: each for each in made.resources}

    assert set(there) == set(namespaces(made).values())
    for urn, namespace in namespaces(made).items():
        assert there[namespace].urn in by_urn[urn].dependencies, urn
    for namespace, secret in there.items():
        assert list(secret.dependencies) == ([] if namespace in GIVEN else [spaces[namespace]]), secret.urn


@pytest.mark.parametrize("each", CLOUDS, ids=str)
def test_a_login_changes_nothing_else(each: CloudTests):
    """Only Secrets come, and only their name is new in what is there."""
    stack, login, *others = each.variants[f"pull secret on {each.name}"]
    changes = diff(graph_of(stack, *others), graph_of(stack, login, *others))
    paths = [change for of in changes.changed.values() for change in of if change.path.startswith("inputs.")]

    assert paths and all(change.kind == "add" and NAME in json.dumps(change.after) for change in paths), paths
    assert {urn.split("::")[2].split("$")[-1] for urn in map(str, changes.added)} == {SECRET}
    assert not changes.removed


@pytest.mark.parametrize("each", CLOUDS, ids=str)
def test_no_graph_shows_the_login(each: CloudTests):
    """It is encrypted in the Secrets, and the whole's own inputs do not have it."""
    graph = graph_of(*each.variants[f"pull secret on {each.name}"])

    assert all(of.inputs["stringData"] == "[secret]" for of in secrets(graph).values())
    assert WORD not in repr(graph)
    assert not [each.urn for each in graph.resources if "pullSecret" in each.inputs]


@pytest.mark.parametrize("each", CLOUDS, ids=str)
def test_no_plan_and_no_error_shows_the_login(each: CloudTests, tmp_path):
    """A plan is shown as text, as JSON and as a page."""
    stack, page = each.stacks[0], tmp_path / "plan.html"
    for words in ((), ("--json",), ("--html", str(page))):
        code, *texts = command("plan", stack, "--set", LOGIN, *words)
        assert code == 0 and WORD not in "".join(texts), words
    assert WORD not in page.read_text()
    for wrong in ("pools=[]", "pools={}", "pullSecret.auths.other={email: hunter2}", "pullSecret=[hunter2]", "x=1"):
        code, *texts = command("plan", stack, "--set", LOGIN, "--set", wrong)
        assert code == 2 and WORD not in "".join(texts), wrong


@pytest.mark.parametrize("each", clouds(), ids=str)
def test_every_secret_of_the_args_is_read_as_text(each: CloudTests):
    """The reader of configurations has a list of its own of texts that look like JSON."""
    schema = import_module(f"rdma_cluster.{each.name}.plan").STACK_ARGS
    hidden = {to_camel(key) for key, hint in hints(schema).items() if is_hidden(hint)}

    assert hidden == (set(TEXTS) if each.has_kubernetes else set())
