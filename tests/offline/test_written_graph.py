"""A graph's own form: what is written of it, what is read again, and how its parts are found."""

from typing import Any

import pytest
from pulumi_offline import Graph
from tests.offline.written import NETWORK, RAIL, SUBNET, graph, made, urn

RAIL_URN, NET, SUB = urn(RAIL, name="rail"), urn(RAIL, NETWORK, name="net"), urn(RAIL, SUBNET, name="sub")
WHOLE = graph(
    made(RAIL_URN),
    made(NET, parent=RAIL_URN, inputs={"name": "Mün", "b": 1, "a": 2}),
    made(SUB, parent=RAIL_URN, dependencies=(NET, RAIL_URN), options={"protect": True}),
    made(urn(NETWORK, name="other")),
    zone="z",
)


def test_resources_are_found_by_type_parent_and_name():
    by_parent = {parent: [each.name for each in of] for parent, of in WHOLE.by_parent().items()}

    assert [each.name for each in WHOLE.of_type(NETWORK)] == ["other", "net"]
    assert WHOLE.of_type("t:index:None") == []
    assert by_parent == {None: ["other", "rail"], RAIL_URN: ["net", "sub"]}
    assert WHOLE.one(SUBNET).name == "sub" and WHOLE.one(NETWORK, "net").urn == NET
    assert (WHOLE.one(NETWORK, "net").kind, made(urn("pulumi:providers:gcp", name="w")).kind) == ("Network", "Provider")


@pytest.mark.parametrize(
    ("token", "name", "said"),
    [
        (NETWORK, None, f"{NETWORK}: 2 resources fit, want exactly 1; of this type there are: other, net"),
        (NETWORK, "x", f"{NETWORK} x: 0 resources fit, want exactly 1; of this type there are: other, net"),
        ("t:x:Y", None, "t:x:Y: 0 resources fit, want exactly 1; of this type there are: none"),
    ],
)
def test_one_of_none_or_several_names_the_candidates(token: str, name: str | None, said: str):
    with pytest.raises(LookupError) as error:
        WHOLE.one(token, name)

    assert str(error.value) == said


def test_a_graph_is_read_in_the_order_of_urns():
    data = WHOLE.to_dict()
    data["resources"].reverse()

    assert Graph.from_dict(data) == WHOLE


def changed(**values: Any) -> dict[str, Any]:
    """A graph of a resource with other values."""
    return {"stack": "lab", "resources": [{**made(NET).to_dict(), **values}], "outputs": {}}


@pytest.mark.parametrize(
    "values",
    [
        {"parent": None, "provider": "urn"},
        {"options": {"deletedWith": "urn", "ignoreChanges": [], "replaceOnChanges": ["a"], "replaceWith": ["b"]}},
        {"options": {"anything": 1}},
        {"dependencies": ["a"], "parent": "urn:elsewhere"},
    ],
)
def test_a_graph_is_read_as_it_was_written(values: dict[str, Any]):
    assert Graph.from_dict(changed(**values)).to_dict() == changed(**values)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"inputs": []}, "inputs of another kind than a graph has"),
        ({"urn": 1, "name": None}, "urn, name of another kind than a graph has"),
        ({"dependencies": "a"}, "dependencies of another kind than a graph has"),
        ({"provider": 1}, "provider of another kind than a graph has"),
        ({"options": {"deletedWith": ["a"]}}, "deletedWith of another kind than a graph has"),
        ({"options": {"ignoreChanges": "a"}}, "ignoreChanges of another kind than a graph has"),
        ({"options": {"replaceOnChanges": "a"}}, "replaceOnChanges of another kind than a graph has"),
        ({"options": {"replaceWith": "a"}}, "replaceWith of another kind than a graph has"),
        ({"urn": "x"}, "not enough values"),
        ({"parent": NET}, f"{NET} is its own parent"),
    ],
)
def test_a_graph_with_a_wrong_kind_names_its_key(values: dict[str, Any], said: str):
    with pytest.raises(ValueError) as error:
        Graph.from_dict(changed(**values))

    assert said in str(error.value)


def test_parents_that_form_a_ring_are_refused():
    """A long way up is no ring."""
    ring = [made(NET, parent=SUB), made(SUB, parent=NET), made(urn(RAIL, name="x"), parent=NET)]
    line = [made(urn(RAIL, name=f"{i:03}"), parent=urn(RAIL, name=f"{i - 1:03}") if i else None) for i in range(300)]

    with pytest.raises(ValueError, match="is its own parent"):
        Graph.from_dict(graph(*ring).to_dict())
    assert len(Graph.from_dict(graph(*line).to_dict()).resources) == 300
