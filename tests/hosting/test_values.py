"""Values between our components and programs in other languages, without an engine."""

import asyncio
from contextlib import closing
from inspect import isclass
from typing import Any, NotRequired

import pulumi
import pytest
from pulumi.output import Unknown
from pulumi_offline import preview
from rdma_cluster import __version__, hosting
from rdma_cluster.base.args import Input, args_schema
from rdma_cluster.base.key_docs import with_keys
from rdma_cluster.hosting import ComponentPlugin, _later, _spelt, components_of
from rdma_cluster.hosting.schema import _as_pulumi, _in_markdown
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


def test_a_component_is_constructed():
    """It reads its inputs itself, with what is not known yet as outputs; its outputs have names in camelCase."""
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


def test_what_is_served(monkeypatch: pytest.MonkeyPatch):
    """The components of the clouds that are named, and what any cluster can have, in the version of the package."""
    served: list[Any] = []
    monkeypatch.setattr(hosting, "main", lambda *given: served.append(given))
    monkeypatch.setattr(hosting, "argv", ["plugin", "127.0.0.1:1"])
    monkeypatch.setattr(hosting, "schema_of", lambda components: {"of": [each.__name__ for each in components]})
    hosting.host()
    ((provider, arguments),) = served

    assert arguments == ["127.0.0.1:1"] and provider.version == __version__
    assert provider.schema == f'{{"of": {list(provider._constructors)}}}'.replace("'", '"')
    assert list(provider._constructors) == [each.__name__ for each in components_of("incluster")]


def test_components_alone_are_served():
    """Not the args, choices and functions that stand beside them."""
    from rdma_cluster import incluster

    served = components_of("incluster")

    assert all(isclass(each) and issubclass(each, pulumi.ComponentResource) for each in served)
    assert {"NcclAcceptance", "DraDrivers"} <= {each.__name__ for each in served} < set(incluster.__all__)
    assert "DraDriversArgs" in incluster.__all__ and "DraDriversArgs" not in {each.__name__ for each in served}
    assert components_of("incluster", "incluster") == [*served, *served]


def test_what_is_not_known_yet_is_an_output():
    """At whatever depth the engine wrote it; the rest stays as it is."""

    async def read() -> Any:
        return _later({"a": Unknown(), "b": [1, Unknown(), {"c": Unknown(), "d": "e"}], "f": None})

    with closing(asyncio.new_event_loop()) as loop:
        later = loop.run_until_complete(read())

    assert isinstance(later["a"], pulumi.Output) and isinstance(later["b"][1], pulumi.Output)
    assert isinstance(later["b"][2]["c"], pulumi.Output)
    assert (later["b"][0], later["b"][2]["d"], later["f"]) == (1, "e", None)
    assert (_later([]), _later("x"), _later({})) == ([], "x", {})


def test_keys_of_outputs_are_spelt_as_elsewhere():
    """Those of a value that is known, and those of one that comes later."""

    async def later(output: Any) -> Any:
        return await output.future()

    async def caller() -> None:
        assert await later(_spelt(pulumi.Output[LidArgs], pulumi.Output.from_input({"lid_kind": "a"}))) == {
            "lidKind": "a"
        }
        assert await later(_spelt(pulumi.Output[LidArgs], {"lid_kind": "a"})) == {"lidKind": "a"}

    assert _spelt(LidArgs, {"lid_kind": "a"}) == {"lidKind": "a"}
    assert _spelt(list[LidArgs], [{"lid_kind": "a"}]) == [{"lidKind": "a"}]
    with closing(asyncio.new_event_loop()) as loop:
        loop.run_until_complete(caller())


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"description": "See ``ca_key`` and ``own_key``."}, {"description": "See `caKey` and `own_key`."}),
        ({"a": None, "b": [None, {"c": None}]}, {"b": [None, {}]}),
        (
            {"description": {"type": "string", "description": "``a``"}},
            {"description": {"type": "string", "description": "`a`"}},
        ),
        ({"title": "``ca_key``", "list": ["``ca_key``"]}, {"title": "``ca_key``", "list": ["``ca_key``"]}),
        ([{"description": "`one` ``"}], [{"description": "`one` ``"}]),
    ],
)
def test_descriptions_are_markdown(schema: Any, expected: Any):
    """Keys in them are written as in other languages; a property that is called so is no description."""
    assert _in_markdown(schema, {"ca_key": "caKey"}) == expected


def test_our_input_is_pulumi_s():
    """For its analyzer; other annotations stay."""
    assert _as_pulumi(Input[str]) == pulumi.Input[str]
    assert _as_pulumi(str) is str and _as_pulumi(list[str]) == list[str]
