"""Where the Secret with a login goes: into each spec of a pod, into charts' values, and beside what they have."""

from collections.abc import Mapping
from typing import Any

import pytest
from rdma_cluster.pulling import _in_pods, _merged, _naming

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
    from rdma_cluster.pulling import pulling

    given = pulumi.ResourceOptions(protect=True)

    assert pulling("a", given, None) is given and pulling("a", None, None) is None
