"""Values pass between our components and programs in other languages."""

from typing import Any, NotRequired

import pulumi
import pytest
from pulumi.output import Unknown
from pulumi_offline import preview
from rdma_cluster.base.args import Input, args_schema
from rdma_cluster.base.key_docs import with_keys
from rdma_cluster.hosting import ComponentPlugin
from typing_extensions import TypedDict

# The analyzer leaves a file of the SDK's open.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@args_schema
class LidArgs(TypedDict):
    """A lid."""

    lid_kind: NotRequired[str]
    """Its kind."""


@args_schema
class CrateArgs(TypedDict):
    """The args of a crate."""

    width_cm: int
    """Its width."""
    road: NotRequired[Input[str]]
    """Where it goes."""


SEEN: list[Any] = []


@with_keys
class Crate(pulumi.ComponentResource):
    """A crate."""

    lid: LidArgs
    """Its lid."""
    road_name: pulumi.Output[str]
    """Where it goes."""

    def __init__(self, name: str, args: CrateArgs, opts: pulumi.ResourceOptions | None = None):
        super().__init__("rdma-cluster:index:Crate", name, None, opts)
        SEEN.append(args)
        self.lid = {"lid_kind": "flat"}
        self.road_name = pulumi.Output.from_input("west")


def test_a_component_gets_unknown_inputs_as_outputs_and_returns_camel_case():
    found: list[Any] = []
    plugin = ComponentPlugin([Crate])

    def program() -> None:
        inputs: Any = {"widthCm": 2.0, "road": Unknown()}
        options = pulumi.ResourceOptions(protect=True)
        made = plugin.construct("c", "rdma-cluster:index:Crate", inputs, options)
        found.append(made.state)
        pulumi.export("made", {"urn": made.urn, **made.state})

    SEEN.clear()
    graph = preview(program, project="p", stack="s")

    assert set(found[0]) == {"lid", "roadName"} and found[0]["lid"] == {"lidKind": "flat"}
    urn = "urn:pulumi:s::p::rdma-cluster:index:Crate::c"
    assert graph.outputs["made"] == {"urn": urn, "lid": {"lidKind": "flat"}, "roadName": "west"}
    assert graph.one("rdma-cluster:index:Crate").options == {"protect": True}
    (args,) = SEEN
    assert args["widthCm"] == 2.0 and isinstance(args["road"], pulumi.Output)
    assert type(args).__name__ == "CamelCased"


def test_an_output_of_a_hosted_component_depends_on_what_it_waits_for():
    """The engine is told so with the component, for programs in every language."""
    import pulumi_kubernetes as k8s
    from rdma_cluster.incluster import ClaimTemplates

    def program() -> None:
        made = ComponentPlugin([ClaimTemplates]).construct("c", "i:ClaimTemplates", {"machines": ["p5.48xlarge"]}, None)
        names = pulumi.Output.from_input(made.state["names"])
        k8s.core.v1.ConfigMap("mine", data=names.apply(lambda of: {"all": str(sorted(of))}))

    graph = preview(program)
    mine = graph.one("kubernetes:core/v1:ConfigMap")
    templates = graph.of_type("kubernetes:resource.k8s.io/v1:ResourceClaimTemplate")

    assert mine.inputs["data"] == {"all": "['p5.48xlarge']"}
    assert templates and set(mine.dependencies) == {each.urn for each in templates}
