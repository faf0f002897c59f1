"""Transforms: what a program's functions change before the engine looks at a registration or a call."""

from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest
from pulumi_offline import BrokenProgram, Graph, preview

NETWORK, SUBNET = "gcp:compute/network:Network", "gcp:compute/subnetwork:Subnetwork"
Transform = Callable[[pulumi.ResourceTransformArgs], Any]


def described(text: str) -> Transform:
    """Adds a word to the description of each network."""

    def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        if args.type_ != NETWORK:
            return None
        words = f"{args.props.get('description', '')}{text}"
        return pulumi.ResourceTransformResult({**args.props, "description": words}, args.opts)

    return transform


def with_option(**option: Any) -> Transform:
    """Gives each network an option."""

    def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        opts = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(**option))
        return pulumi.ResourceTransformResult(args.props, opts) if args.type_ == NETWORK else None

    return transform


def below(rail: Any, *transforms: Transform) -> Graph:
    """A component with transforms."""
    return preview(lambda: rail("rail", pulumi.ResourceOptions(transforms=list(transforms))))


def test_they_reach_all_below_the_nearest_first(rail):
    """A resource's own, its parents' upwards, then the stack's: each sees what the one before has left."""

    class Row(pulumi.ComponentResource):
        def __init__(self, name: str) -> None:
            super().__init__("test:index:Row", name, None, pulumi.ResourceOptions(transforms=[described("c")]))
            inner = rail("rail", pulumi.ResourceOptions(parent=self, transforms=[described("b")]))
            opts = pulumi.ResourceOptions(parent=inner, transforms=[described("a")])
            gcp.compute.Network("own", auto_create_subnetworks=False, opts=opts)

    def program() -> None:
        pulumi.runtime.register_resource_transform(described("d"))
        Row("row")

    graph = preview(program)
    assert graph.one(NETWORK, "own").inputs["description"] == "abcd"
    assert graph.one(NETWORK, "rail-net").inputs["description"] == "bcd"


def test_others_stay(rail):
    """What a transform says nothing of, and what stands beside its component."""

    def program() -> None:
        rail("rail", pulumi.ResourceOptions(transforms=[described("a")]))
        rail("beside")

    graph, plain = preview(program), preview(lambda: (rail("rail"), rail("beside")))
    assert "description" not in graph.one(NETWORK, "beside-net").inputs
    assert graph.of_type(SUBNET) == plain.of_type(SUBNET)


def test_outputs_follow_the_changed_inputs(rail):
    """Who takes a property from a resource gets the transformed one."""

    def program() -> None:
        one = rail("rail", pulumi.ResourceOptions(transforms=[described("a")]))
        pulumi.export("description", one.network.description)

    assert preview(program).outputs == {"description": "a"}


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        ({"protect": True}, {"protect": True}),
        ({"ignore_changes": ["mtu"]}, {"ignoreChanges": ["mtu"]}),
        ({"replace_on_changes": ["mtu"]}, {"replaceOnChanges": ["mtu"]}),
        ({"retain_on_delete": True}, {"retainOnDelete": True}),
        ({"delete_before_replace": True}, {"deleteBeforeReplace": True}),
        ({"aliases": [pulumi.Alias(name="old")]}, {"aliases": [{"name": "old"}]}),
        ({"custom_timeouts": pulumi.CustomTimeouts(create="5m")}, {"customTimeouts": {"create": "5m"}}),
        ({"additional_secret_outputs": ["selfLink"]}, {"additionalSecretOutputs": ["selfLink"]}),
        ({"import_": "projects/p/global/networks/n"}, {"import": "projects/p/global/networks/n"}),
    ],
    ids=lambda each: next(iter(each)),
)
def test_options_change(rail, option: dict[str, Any], shown: dict[str, Any]):
    """Each that the SDK hands to a transform."""
    assert below(rail, with_option(**option)).one(NETWORK).options == shown


def test_a_provider_and_a_dependency_are_followed(rail):
    """Both change what waits for what; the engine reads dependencies only of a resource's own transforms."""

    def program() -> None:
        other = gcp.Provider("other", project="q")
        first = gcp.storage.Bucket("first", location="EU")
        moved = with_option(provider=other, depends_on=[first])
        rail("rail", pulumi.ResourceOptions(transforms=[moved]))
        gcp.compute.Network("own", opts=pulumi.ResourceOptions(transforms=[moved]))

    graph = preview(program)
    bucket = graph.one("gcp:storage/bucket:Bucket").urn
    assert all(each.provider == graph.one("pulumi:providers:gcp").urn for each in graph.of_type(NETWORK))
    assert bucket in graph.one(NETWORK, "own").dependencies
    assert bucket not in graph.one(NETWORK, "rail-net").dependencies


def test_secrets_stay_secret_and_outputs_are_outputs():
    """As under the engine: a transform that reads an output as if it were known fails here too."""
    seen: dict[str, Any] = {}

    def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult:
        seen.update(args.props)
        return pulumi.ResourceTransformResult({**args.props, "region": "r2"}, args.opts)

    def program() -> None:
        network = gcp.compute.Network("n")
        gcp.compute.Subnetwork(
            "s",
            network=network.self_link,
            ip_cidr_range="10.0.0.0/24",
            region="r",
            description=pulumi.Output.secret("hush"),
            opts=pulumi.ResourceOptions(transforms=[transform]),
        )

    subnet = (graph := preview(program)).one(SUBNET)
    assert isinstance(seen["network"], pulumi.Output) and isinstance(seen["description"], pulumi.Output)
    assert seen["region"] == "r"
    assert subnet.inputs["description"] == "[secret]" and "hush" not in graph.to_json()
    assert subnet.inputs["network"] == f"[selfLink of {NETWORK} n]" and subnet.inputs["region"] == "r2"
    assert subnet.dependencies == (graph.one(NETWORK).urn,)


def test_they_may_wait(rail):
    """An async transform, and one that brings what another resource only promises."""

    def program() -> None:
        bucket = gcp.storage.Bucket("b", location="EU")

        async def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
            if args.type_ != NETWORK:
                return None
            return pulumi.ResourceTransformResult({**args.props, "description": bucket.url}, args.opts)

        rail("rail", pulumi.ResourceOptions(transforms=[transform]))

    assert preview(program).one(NETWORK).inputs["description"] == "https://b.bucket.invalid"


def test_what_they_leave_is_checked(rail):
    """A misspelt property of a transform is found as one of the program is."""

    def misspelt(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        return pulumi.ResourceTransformResult({**args.props, "mtuu": 1}, args.opts) if args.type_ == NETWORK else None

    with pytest.raises(BrokenProgram, match="rail-net: mtuu: unknown property of NetworkArgs; did you mean mtu"):
        below(rail, misspelt)


def test_what_they_raise_is_passed_on(rail):
    """As an exception of the program itself."""

    def failing(args: pulumi.ResourceTransformArgs) -> None:
        raise ZeroDivisionError("of the transform")

    with pytest.raises(ZeroDivisionError, match="of the transform"):
        below(rail, failing)


def test_calls_are_transformed():
    """The arguments of a provider's function, before it is answered."""

    def elsewhere(args: pulumi.InvokeTransformArgs) -> pulumi.InvokeTransformResult:
        return pulumi.InvokeTransformResult({**args.args, "region": "r2"}, args.opts)

    def program() -> None:
        pulumi.runtime.register_invoke_transform(elsewhere)
        pulumi.export("now", gcp.compute.get_zones(region="r").names)
        pulumi.export("later", gcp.compute.get_zones_output(region="r").names)

    zones = {"gcp:compute/getZones:getZones": lambda args: {"id": "z", "names": [f"{args['region']}-b"]}}
    assert preview(program, invokes=zones).outputs == {"now": ["r2-b"], "later": ["r2-b"]}
