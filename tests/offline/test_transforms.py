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


def test_transforms_reach_all_below_the_nearest_first(rail):
    """A resource's own come first, then its parents' upwards, then the stack's; each sees what the one before left."""

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


def test_resources_beside_a_component_are_left_alone(rail):
    """So are those that a transform says nothing of."""

    def program() -> None:
        rail("rail", pulumi.ResourceOptions(transforms=[described("a")]))
        rail("beside")

    graph, plain = preview(program), preview(lambda: (rail("rail"), rail("beside")))
    assert "description" not in graph.one(NETWORK, "beside-net").inputs
    assert graph.of_type(SUBNET) == plain.of_type(SUBNET)


def test_a_transform_changes_options(rail):
    given = with_option(
        protect=True,
        ignore_changes=["mtu"],
        retain_on_delete=True,
        delete_before_replace=True,
        aliases=[pulumi.Alias(name="old")],
        custom_timeouts=pulumi.CustomTimeouts(create="5m"),
        import_="projects/p/global/networks/n",
    )

    assert below(rail, given).one(NETWORK).options == {
        "protect": True,
        "ignoreChanges": ["mtu"],
        "retainOnDelete": True,
        "deleteBeforeReplace": True,
        "aliases": [{"name": "old"}],
        "customTimeouts": {"create": "5m"},
        "import": "projects/p/global/networks/n",
    }


def test_a_transform_that_answers_nothing_keeps_inputs_and_options(rail):
    """It may also take options away."""

    def program() -> None:
        given = pulumi.ResourceOptions(protect=True, delete_before_replace=False, ignore_changes=["mtu"])
        asked: tuple[list[Transform], ...] = (
            [lambda args: None],
            [lambda args: pulumi.ResourceTransformResult(args.props, pulumi.ResourceOptions())],
        )
        for name, transforms in zip(("kept", "bare"), asked, strict=True):
            own = pulumi.ResourceOptions(transforms=transforms)
            hush = pulumi.Output.secret("hush")
            gcp.compute.Network(name, description=hush, opts=pulumi.ResourceOptions.merge(given, own))
        own = pulumi.ResourceOptions(transforms=[lambda args: None])
        gcp.compute.Subnetwork("s", network=gcp.compute.Network("n").self_link, ip_cidr_range="10.0.0.0/24", opts=own)

    graph = preview(program)
    assert graph.one(NETWORK, "kept").inputs["description"] == "[secret]"
    assert graph.one(SUBNET).inputs["network"] == f"[selfLink of {NETWORK} n]"
    kept = {"protect": True, "deleteBeforeReplace": False, "ignoreChanges": ["mtu"]}
    assert (graph.one(NETWORK, "kept").options, graph.one(NETWORK, "bare").options) == (kept, {})


def test_providers_and_dependencies_may_be_changed(rail):
    """The engine reads dependencies only of a resource's own transforms."""

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


def test_a_transform_sees_outputs_and_keeps_secrets():
    """A transform that reads an output as if it were known fails here as under the engine."""
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


def test_a_transform_may_wait(rail):
    """It may be async, and may bring what another resource only promises."""

    def program() -> None:
        bucket = gcp.storage.Bucket("b", location="EU")

        async def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
            if args.type_ != NETWORK:
                return None
            return pulumi.ResourceTransformResult({**args.props, "description": bucket.url}, args.opts)

        rail("rail", pulumi.ResourceOptions(transforms=[transform]))

    assert preview(program).one(NETWORK).inputs["description"] == "https://b.bucket.invalid"


def test_what_a_transform_leaves_is_checked(rail):
    def misspelt(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        return pulumi.ResourceTransformResult({**args.props, "mtuu": 1}, args.opts) if args.type_ == NETWORK else None

    with pytest.raises(BrokenProgram, match="rail-net: mtuu: unknown property of NetworkArgs; did you mean mtu"):
        below(rail, misspelt)


def test_an_exception_of_a_transform_is_passed_on(rail):
    def failing(args: pulumi.ResourceTransformArgs) -> None:
        raise ZeroDivisionError("of the transform")

    with pytest.raises(ZeroDivisionError, match="of the transform"):
        below(rail, failing)


def test_calls_of_functions_are_transformed():
    def elsewhere(args: pulumi.InvokeTransformArgs) -> pulumi.InvokeTransformResult:
        return pulumi.InvokeTransformResult({**args.args, "region": "r2"}, args.opts)

    def program() -> None:
        pulumi.runtime.register_invoke_transform(elsewhere)
        pulumi.export("now", gcp.compute.get_zones(region="r").names)
        pulumi.export("later", gcp.compute.get_zones_output(region="r").names)

    zones = {"gcp:compute/getZones:getZones": lambda args: {"id": "z", "names": [f"{args['region']}-b"]}}
    assert preview(program, invokes=zones).outputs == {"now": ["r2-b"], "later": ["r2-b"]}
