"""What a run records: URNs, parents, providers, dependencies, options, inputs and outputs."""

import asyncio
import json
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s
import pytest
from pulumi_offline import BrokenProgram, Graph, preview

RAIL = "urn:pulumi:lab::gpu::test:index:Rail::rail"
NETWORK = "urn:pulumi:lab::gpu::test:index:Rail$gcp:compute/network:Network::rail-net"
SUBNET = "urn:pulumi:lab::gpu::test:index:Rail$gcp:compute/subnetwork:Subnetwork::rail-subnet"


def run(program, **more) -> Graph:
    return preview(program, project="gpu", stack="lab", **more)


def test_urns_carry_the_chain_of_parent_types(rail):
    """As the engine makes them: the stack's own type is left out, every other parent's is in."""

    def program() -> None:
        outer = pulumi.ComponentResource("test:index:Outer", "outer")
        rail("rail", pulumi.ResourceOptions(parent=outer))
        gcp.compute.Network("alone")

    assert [resource.urn for resource in run(program).resources] == [
        "urn:pulumi:lab::gpu::gcp:compute/network:Network::alone",
        "urn:pulumi:lab::gpu::test:index:Outer$test:index:Rail$gcp:compute/network:Network::rail-net",
        "urn:pulumi:lab::gpu::test:index:Outer$test:index:Rail$gcp:compute/subnetwork:Subnetwork::rail-subnet",
        "urn:pulumi:lab::gpu::test:index:Outer$test:index:Rail::rail",
        "urn:pulumi:lab::gpu::test:index:Outer::outer",
    ]


def test_parent_and_implicit_dependency(rail):
    """A child names its parent, a root resource has none; a property that flows in is a dependency."""
    graph = run(lambda: rail("rail"))
    subnet = graph.one("gcp:compute/subnetwork:Subnetwork")

    assert graph.one("test:index:Rail").parent is None
    assert subnet.parent == RAIL
    assert subnet.dependencies == (NETWORK,)
    assert subnet.inputs["network"] == "[selfLink of gcp:compute/network:Network rail-net]"


def test_depends_on_a_component_expands_to_its_children(rail):
    """The engine is told of the custom resources, because a component has nothing to wait for."""

    def program() -> None:
        gcp.compute.Network("later", opts=pulumi.ResourceOptions(depends_on=[rail("rail")]))

    later = run(program).one("gcp:compute/network:Network", "later")

    assert later.dependencies == (NETWORK, SUBNET)


def test_provider_is_a_urn_or_none(rail):
    """Explicit and inherited providers are named by URN without their id, the default one is None."""

    def program() -> None:
        provider = gcp.Provider("west", project="p")
        rail("rail", pulumi.ResourceOptions(providers=[provider]))
        gcp.compute.Network("default")

    graph = run(program)
    provider = "urn:pulumi:lab::gpu::pulumi:providers:gcp::west"

    assert graph.one("gcp:compute/network:Network", "rail-net").provider == provider
    assert graph.one("gcp:compute/network:Network", "default").provider is None
    assert graph.one("test:index:Rail").options == {"providers": {"gcp": provider}}


def test_options_show_what_differs_from_the_default():
    """Every option a program sets is there in camelCase, sets in one order; and nothing the SDK adds by itself."""

    def program() -> None:
        first = k8s.core.v1.ConfigMap("first")
        hook = pulumi.ResourceHook("count", lambda args: None)
        k8s.core.v1.ConfigMap(
            "all",
            opts=pulumi.ResourceOptions(
                additional_secret_outputs=["data", "binaryData"],
                aliases=[
                    pulumi.Alias(name="old"),
                    pulumi.Alias(name="older", type_="kubernetes:core/v1:ConfigMapList"),
                    pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE),
                    "urn:a",
                ],
                custom_timeouts=pulumi.CustomTimeouts(create="60m"),
                delete_before_replace=False,
                deleted_with=first,
                hooks=pulumi.ResourceHookBinding(after_create=[hook]),
                ignore_changes=["spec.b", "metadata"],
                import_="there",
                protect=True,
                replace_on_changes=["data", "binaryData"],
                retain_on_delete=True,
                version="4.0.0",
            ),
        )

    graph = run(program)

    assert graph.one("kubernetes:core/v1:ConfigMap", "first").options == {}
    assert graph.one("kubernetes:core/v1:ConfigMap", "all").options == {
        "additionalSecretOutputs": ["binaryData", "data"],
        "aliases": [
            {"name": "old"},
            {"name": "older", "type": "kubernetes:core/v1:ConfigMapList"},
            {"parent": None},
            "urn:a",
        ],
        "customTimeouts": {"create": "60m"},
        "deleteBeforeReplace": False,
        "deletedWith": "urn:pulumi:lab::gpu::kubernetes:core/v1:ConfigMap::first",
        "hooks": {"afterCreate": ["count"]},
        "ignoreChanges": ["metadata", "spec.b"],
        "import": "there",
        "protect": True,
        "replaceOnChanges": ["binaryData", "data"],
        "retainOnDelete": True,
        "version": "4.0.0",
    }


def test_sdk_aliases_are_left_out():
    """A DaemonSet comes with the aliases of its older API groups; they are not the program's."""
    spec: Any = {"selector": {"match_labels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}}}
    graph = run(lambda: k8s.apps.v1.DaemonSet("nccl", spec=spec))

    assert graph.one("kubernetes:apps/v1:DaemonSet").options == {}


def test_alias_of_a_component_by_its_old_type():
    """The same form as the SDK's own aliases, but on a component it is the program's."""

    def program() -> None:
        options = pulumi.ResourceOptions(aliases=[pulumi.Alias(type_="test:index:Old")])
        pulumi.ComponentResource("test:index:New", "renamed", opts=options)

    assert run(program).one("test:index:New").options == {"aliases": [{"type": "test:index:Old"}]}


def test_inputs_are_in_order():
    """Whoever walks over a graph sees the same order on every run."""

    def program() -> None:
        spec: Any = {"type": "ClusterIP", "selector": {"b": "1", "a": "2"}, "cluster_ip": "None", "ports": []}
        k8s.core.v1.Service("svc", spec=spec)

    spec = run(program).one("kubernetes:core/v1:Service").inputs["spec"]

    assert list(spec) == ["clusterIP", "ports", "selector", "type"]
    assert list(spec["selector"]) == ["a", "b"]


def test_secrets_never_show():
    """Nested inputs, a kubeconfig inside a provider, component outputs and exports say only that they are secret."""

    def program() -> None:
        secret = pulumi.Output.secret("hush")
        k8s.Provider("cluster", kubeconfig=pulumi.Output.json_dumps({"token": secret}))
        k8s.core.v1.Secret("keys", string_data={"open": "hush"})
        k8s.core.v1.ConfigMap("mixed", data={"open": "o", "closed": secret})
        pulumi.export("password", secret)
        pulumi.export("nested", {"a": [secret]})

    graph = run(program)

    assert graph.one("pulumi:providers:kubernetes").inputs == {"kubeconfig": "[secret]"}
    assert "hush" not in graph.to_json()
    assert graph.one("kubernetes:core/v1:Secret").inputs["stringData"] == "[secret]"
    assert graph.one("kubernetes:core/v1:ConfigMap").inputs["data"] == {"closed": "[secret]", "open": "o"}
    assert graph.outputs == {"nested": {"a": ["[secret]"]}, "password": "[secret]"}


def test_secret_config_is_secret():
    """A key named in `secrets` reaches the program as a secret."""

    def program() -> None:
        pulumi.export("token", pulumi.Config("app").require_secret("token"))

    assert run(program, config={"app:token": "hush"}, secrets=["app:token"]).outputs == {"token": "[secret]"}


def test_outputs_the_sdk_calls_secret_are_secret():
    """What is computed and marked by additional_secret_outputs stays secret wherever it flows."""

    def program() -> None:
        network = gcp.compute.Network("n", opts=pulumi.ResourceOptions(additional_secret_outputs=["self_link"]))
        pulumi.export("link", network.self_link)

    assert run(program).outputs == {"link": "[secret]"}


def test_component_outputs_are_kept(rail):
    """What a component registers is on its resource, in Python only; secrets are hidden there, too."""
    resource = run(lambda: rail("rail")).one("test:index:Rail")

    assert resource.inputs == {"mtuBytes": 8896}
    assert resource.outputs == {"key": "[secret]", "network": "rail-net"}
    assert "outputs" not in resource.to_dict()


def test_config_reaches_the_program_as_from_the_engine():
    """Texts as they are, everything else as JSON that Config parses."""

    def program() -> None:
        config = pulumi.Config("app")
        pulumi.export("got", [config.require("zone"), config.require_int("n"), config.require_object("pools")])
        pulumi.export("where", [pulumi.get_stack(), pulumi.get_project(), pulumi.runtime.is_dry_run()])

    graph = run(program, config={"app:zone": "z", "app:n": 3, "app:pools": [{"machine": "a4"}]})

    assert graph.outputs == {"got": ["z", 3, [{"machine": "a4"}]], "where": ["lab", "gpu", True]}


def test_json_form_comes_back_unchanged(rail):
    """from_dict(to_dict) is the same graph, and the text has the interface's keys."""
    graph = run(lambda: rail("rail"))
    data = json.loads(graph.to_json())

    assert Graph.from_dict(data) == graph
    assert sorted(data) == ["outputs", "resources", "stack"]
    assert sorted(data["resources"][0]) == sorted(
        ["urn", "type", "name", "parent", "provider", "inputs", "options", "dependencies"]
    )


def test_one_says_what_there_is(rail):
    """A look-up that finds none or several names the candidates."""
    graph = run(lambda: (rail("a"), rail("b")))

    with pytest.raises(LookupError, match=r"Network: 2 resources fit, want exactly 1; of this type .*: a-net, b-net"):
        graph.one("gcp:compute/network:Network")
    assert graph.one("gcp:compute/network:Network", "b-net").name == "b-net"


def test_provider_inputs_are_decoded():
    """A provider's SDK sends everything that is no text as JSON; the graph shows what was meant."""

    def program() -> None:
        k8s.Provider("k", kubeconfig='{"kind": "Config"}', enable_server_side_apply=True)

    assert run(program).one("pulumi:providers:kubernetes").inputs == {
        "enableServerSideApply": True,
        "kubeconfig": '{"kind": "Config"}',
    }


def test_get_is_recorded_as_a_read():
    """A resource looked up by its id is in the graph with that id."""
    network = run(lambda: gcp.compute.Network.get("there", "projects/p/there")).one("gcp:compute/network:Network")

    assert network.options == {"get": "projects/p/there"}


def test_unknown_values_say_so():
    """A stack reference nobody answers has unknown outputs, and so has what is made of them."""

    def program() -> None:
        gcp.compute.Network("n", description=pulumi.StackReference("org/infra/lab").get_output("note"))

    assert run(program).one("gcp:compute/network:Network").inputs["description"] == "[unknown]"


def test_references_to_resources_are_urns():
    """A resource handed over as a property, to a component or as an export, is neither its id nor its secret state."""

    def program() -> None:
        network = gcp.compute.Network("n", opts=pulumi.ResourceOptions(additional_secret_outputs=["project"]))
        pulumi.ComponentResource("test:index:Uses", "uses", {"network": network})
        pulumi.export("network", network)

    graph = run(program)

    assert graph.one("test:index:Uses").inputs == {"network": "urn:pulumi:lab::gpu::gcp:compute/network:Network::n"}
    assert graph.outputs["network"]["project"] == "[secret]"
    assert "@isPulumiResource" not in graph.outputs["network"]


def test_remote_components_and_patches():
    """A chart rendered by its provider registers itself only, and is checked like any resource."""

    def program() -> None:
        k8s.helm.v4.Chart("chart", chart="gpu-operator", values={"a_b": 1})
        k8s.apps.v1.DaemonSetPatch("patch", spec={"template": {"spec": {"node_selector": {"a": "b"}}}})

    graph = run(program)

    assert graph.one("kubernetes:helm.sh/v4:Chart").inputs == {"chart": "gpu-operator", "values": {"a_b": 1}}
    patch = graph.one("kubernetes:apps/v1:DaemonSetPatch")
    assert patch.inputs["spec"] == {"template": {"spec": {"nodeSelector": {"a": "b"}}}}


def test_duplicate_urn_is_a_problem():
    """The engine refuses two resources of one type, name and parent; mocks do not."""

    def program() -> None:
        gcp.compute.Network("twin")
        gcp.compute.Network("twin")

    with pytest.raises(BrokenProgram) as caught:
        run(program)
    (problem,) = caught.value.problems
    assert problem.urn == "urn:pulumi:lab::gpu::gcp:compute/network:Network::twin"
    assert "two resources have this URN" in problem.message


def test_async_program_and_pulumi_run():
    """A program may be a coroutine function, and may hand one to pulumi.run."""

    async def later() -> None:
        await asyncio.sleep(0)
        gcp.compute.Network("later")

    async def returned() -> dict:
        await asyncio.sleep(0)
        return {"a": 1}

    assert run(later).one("gcp:compute/network:Network").name == "later"
    assert run(lambda: pulumi.run(returned)).outputs == {"a": 1}
