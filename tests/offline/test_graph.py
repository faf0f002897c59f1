"""What a run records: URNs, parents, providers, dependencies, options, inputs and outputs."""

import asyncio

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
    """The engine makes them so: the stack's own type is left out, and every other parent's is in."""

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


def test_a_property_that_flows_in_is_a_dependency(rail):
    """A child names its parent, and a resource at the root has none."""
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


def test_a_provider_is_a_urn_or_none(rail):
    """An explicit and an inherited provider is named by its URN without its id; the default one is None."""

    def program() -> None:
        provider = gcp.Provider("west", project="p")
        rail("rail", pulumi.ResourceOptions(providers=[provider]))
        gcp.compute.Network("default")

    graph = run(program)
    provider = "urn:pulumi:lab::gpu::pulumi:providers:gcp::west"

    assert graph.one("gcp:compute/network:Network", "rail-net").provider == provider
    assert graph.one("gcp:compute/network:Network", "default").provider is None
    assert graph.one("test:index:Rail").options == {"providers": {"gcp": provider}}


def test_secrets_are_never_shown():
    """Nested inputs, a kubeconfig of a provider, component outputs and exports say only that they are secret."""

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


def test_an_output_declared_secret_stays_secret():
    """It stays so wherever it flows."""

    def program() -> None:
        network = gcp.compute.Network("n", opts=pulumi.ResourceOptions(additional_secret_outputs=["self_link"]))
        pulumi.export("link", network.self_link)

    assert run(program).outputs == {"link": "[secret]"}


def test_outputs_of_a_component_are_kept(rail):
    """They are on its resource in Python only, and secrets are hidden there, too."""
    resource = run(lambda: rail("rail")).one("test:index:Rail")

    assert resource.inputs == {"mtuBytes": 8896}
    assert resource.outputs == {"key": "[secret]", "network": "rail-net"}
    assert "outputs" not in resource.to_dict()


def test_a_resource_looked_up_by_its_id_is_recorded():
    def program() -> None:
        pulumi.export("urn", gcp.compute.Network.get("there", "projects/p/there").urn)

    graph = run(program)
    network = graph.one("gcp:compute/network:Network")
    assert network.options == {"get": "projects/p/there"} and graph.outputs["urn"] == network.urn


def test_an_unknown_value_is_called_unknown():
    """A stack reference that has no answer has unknown outputs, and so has what is made of them."""

    def program() -> None:
        gcp.compute.Network("n", description=pulumi.StackReference("org/infra/lab").get_output("note"))

    assert run(program).one("gcp:compute/network:Network").inputs["description"] == "[unknown]"


def test_remote_components_and_patches_are_recorded():
    """A chart that its provider renders registers itself only."""

    def program() -> None:
        k8s.helm.v4.Chart("chart", chart="gpu-operator", values={"a_b": 1})
        k8s.apps.v1.DaemonSetPatch("patch", spec={"template": {"spec": {"node_selector": {"a": "b"}}}})

    graph = run(program)

    assert graph.one("kubernetes:helm.sh/v4:Chart").inputs == {"chart": "gpu-operator", "values": {"a_b": 1}}
    patch = graph.one("kubernetes:apps/v1:DaemonSetPatch")
    assert patch.inputs["spec"] == {"template": {"spec": {"nodeSelector": {"a": "b"}}}}


def test_two_resources_of_one_urn_are_a_problem():
    """The engine refuses two resources of one type, name and parent; mocks do not."""

    def program() -> None:
        gcp.compute.Network("twin")
        gcp.compute.Network("twin")

    with pytest.raises(BrokenProgram) as caught:
        run(program)
    (problem,) = caught.value.problems
    assert str(caught.value).startswith("1 problem in stack lab\n")
    assert problem.urn == "urn:pulumi:lab::gpu::gcp:compute/network:Network::twin"
    assert "two resources have this URN" in problem.message


def test_a_program_may_be_a_coroutine():
    """It may also hand one to pulumi.run."""

    async def later() -> None:
        await asyncio.sleep(0)
        gcp.compute.Network("later")

    async def returned() -> dict:
        await asyncio.sleep(0)
        return {"a": 1}

    assert run(later).one("gcp:compute/network:Network").name == "later"
    assert run(lambda: pulumi.run(returned)).outputs == {"a": 1}
