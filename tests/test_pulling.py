"""Each namespace of a component gets one Secret with the login, which all its pods name."""

from typing import Any

NAMED = [{"name": "rdma-cluster-pull"}]


def test_each_namespace_has_one_secret_on_the_cluster_of_its_pods():
    """It stands below the component, after its namespace and before the pods."""
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
