"""Where the Secret with a login goes: into each spec of a pod, into charts' values, and beside what they have."""

from collections.abc import Mapping
from typing import Any

import pytest
from rdma_cluster.component.pulling import _in_pods, _merged, _naming

NAMED = [{"name": "rdma-cluster-pull"}]


def resource(*path: str) -> Any:
    """One of a class of the SDK, which nobody registers."""
    import pulumi_kubernetes

    cls: Any = pulumi_kubernetes
    for name in path:
        cls = getattr(cls, name)
    return object.__new__(cls)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"containers": [], "a": 1}, {"containers": [], "a": 1, "key": NAMED}),
        (
            {"spec": {"template": {"spec": {"containers": [{"name": "c"}]}}}, "replicas": 2},
            {"spec": {"template": {"spec": {"containers": [{"name": "c"}], "key": NAMED}}}, "replicas": 2},
        ),
        (
            {"jobs": [{"name": "a"}, {"containers": []}, "text", {"containers": []}]},
            {"jobs": [{"name": "a"}, {"containers": [], "key": NAMED}, "text", {"containers": [], "key": NAMED}]},
        ),
        ({"data": {"a": "containers"}}, {"data": {"a": "containers"}}),
        ("containers", "containers"),
    ],
)
def test_specs_of_pods(value: Any, expected: Any):
    """Wherever they are, also in lists; nothing else changes."""
    assert _in_pods(value, "key") == expected


@pytest.mark.parametrize(
    ("values", "more", "expected"),
    [
        ({}, {"a": {"b": [1]}}, {"a": {"b": [1]}}),
        ({"a": {"c": 2}, "d": 3}, {"a": {"b": [1]}}, {"a": {"c": 2, "b": [1]}, "d": 3}),
        ({"a": None}, {"a": {"b": [1]}}, {"a": {"b": [1]}}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}, "e": 5}, {"a": {"b": {"c": 1, "d": 2}}, "e": 5}),
    ],
)
def test_values_beside_others(values: Mapping[str, Any], more: Mapping[str, Any], expected: Mapping[str, Any]):
    """At every depth, whatever is there stays."""
    assert _merged(values, more) == expected


POD, METADATA = {"containers": []}, {"name": "a", "namespace": "there"}


@pytest.mark.parametrize(
    ("path", "props", "namespace", "named"),
    [
        (
            ("apps", "v1", "DaemonSet"),
            {"metadata": METADATA, "spec": POD},
            "there",
            {"spec": {**POD, "image_pull_secrets": NAMED}},
        ),
        (("core", "v1", "ConfigMap"), {"metadata": METADATA, "data": {}}, "", {}),
        (
            ("apiextensions", "CustomResource"),
            {"kind": "JobSet", "metadata": METADATA, "spec": {"jobs": [POD]}},
            "there",
            {"spec": {"jobs": [{**POD, "imagePullSecrets": NAMED}]}},
        ),
        (("apiextensions", "CustomResource"), {"kind": "Net", "metadata": METADATA, "spec": {}}, "", {}),
        (
            ("apiextensions", "CustomResource"),
            {"kind": "NicClusterPolicy", "metadata": METADATA, "spec": {"ofedDriver": {"version": "1"}, "other": {}}},
            "network-operator",
            {"spec": {"ofedDriver": {"version": "1", "imagePullSecrets": ["rdma-cluster-pull"]}, "other": {}}},
        ),
        (
            ("helm", "v3", "Release"),
            {"name": "jobset", "namespace": "jobset-system", "values": {"image": {"tag": "v1"}, "a": 1}},
            "jobset-system",
            {"values": {"image": {"tag": "v1", "pullSecrets": NAMED}, "a": 1}},
        ),
        (
            ("helm", "v3", "Release"),
            {"name": "jobset", "namespace": "n"},
            "n",
            {"values": {"image": {"pullSecrets": NAMED}}},
        ),
        (("helm", "v3", "Release"), {"name": "crds", "namespace": "n", "values": {"a": 1}}, "", {}),
    ],
)
def test_what_names_the_secret(path: tuple[str, ...], props: dict[str, Any], namespace: str, named: dict[str, Any]):
    """The namespace of its pods, and its inputs with the name; a resource without pods stays as it is."""
    before = repr(props)

    assert _naming(resource(*path), props) == (namespace, {**props, **named})
    assert repr(props) == before


def test_who_has_no_login_has_nothing_more():
    """Options stay those that were given."""
    import pulumi
    from rdma_cluster.component.pulling import pulling

    given = pulumi.ResourceOptions(protect=True)

    assert pulling("a", given, None) is given and pulling("a", None, None) is None


def test_secrets_of_a_component():
    """One a namespace: below the component, before pods, after the namespace, on the cluster of its first pods."""
    import pulumi
    import pulumi_kubernetes as k8s
    from pulumi_offline import preview
    from rdma_cluster.component.pulling import pulling

    def pods(name: str, namespace: str, opts: pulumi.ResourceOptions) -> None:
        spec: Any = {"containers": [{"name": "a", "image": "i"}]}
        k8s.core.v1.Pod(name, metadata={"name": name, "namespace": namespace}, spec=spec, opts=opts)

    def program() -> None:
        cluster = k8s.core.v1.ConfigMap("cluster", metadata={"name": "cluster"})
        east, west = k8s.Provider("east"), k8s.Provider("west")
        opts = pulling("team", pulumi.ResourceOptions(protect=True, providers=[west]), "hush")
        team = pulumi.ComponentResource("t:index:Team", "team", None, opts)
        below = pulumi.ResourceOptions(parent=team)
        for name in ("ours", "rdma-acceptance", "empty"):
            k8s.core.v1.Namespace(name, metadata={"name": name}, opts=below)
        pods("a", "ours", pulumi.ResourceOptions(parent=team, provider=east, deleted_with=cluster))
        pods("b", "ours", below)
        pods("c", "kube-system", below)
        k8s.core.v1.ConfigMap("d", metadata={"name": "d", "namespace": "other"}, opts=below)
        pulumi.ComponentResource("t:index:Part", "part", None, below)

    home = "urn:pulumi:s::p::"
    core, secret = (
        f"{home}t:index:Team$kubernetes:core/v1:",
        f"{home}t:index:Team$kubernetes:core/v1:Secret::team-pull-",
    )
    graph = preview(program, project="p", stack="s")
    found = {each.inputs["metadata"]["namespace"]: each for each in graph.of_type("kubernetes:core/v1:Secret")}

    assert {each.urn for each in found.values()} == {f"{secret}{name}" for name in found}
    assert {
        name: (each.dependencies, each.provider, each.options.get("deletedWith")) for name, each in found.items()
    } == {
        "ours": (
            (f"{core}Namespace::ours",),
            f"{home}pulumi:providers:kubernetes::east",
            f"{home}kubernetes:core/v1:ConfigMap::cluster",
        ),
        "rdma-acceptance": ((f"{core}Namespace::rdma-acceptance",), f"{home}pulumi:providers:kubernetes::west", None),
        "kube-system": ((), f"{home}pulumi:providers:kubernetes::west", None),
    }
    for each in found.values():
        assert "protect" not in each.options and each.inputs["metadata"]["name"] == "rdma-cluster-pull"
        assert (each.inputs["type"], each.inputs["stringData"]) == ("kubernetes.io/dockerconfigjson", "[secret]")
    waits = {each.name: each.dependencies for each in graph.of_type("kubernetes:core/v1:Pod")}
    assert waits == {"a": (f"{secret}ours",), "b": (f"{secret}ours",), "c": (f"{secret}kube-system",)}
    assert graph.one("kubernetes:core/v1:Pod", "a").inputs["spec"]["imagePullSecrets"] == NAMED
    assert graph.one("t:index:Team").options["protect"] is True
