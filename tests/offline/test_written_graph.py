"""A graph's own form: what is written of it, what is read again, and how its parts are found."""

import json
from typing import Any

import pytest
from pulumi_offline import BrokenProgram, Graph, Problem
from tests.offline.written import NETWORK, RAIL, SUBNET, graph, made, urn

RAIL_URN, NET, SUB = urn(RAIL, name="rail"), urn(RAIL, NETWORK, name="net"), urn(RAIL, SUBNET, name="sub")
WHOLE = graph(
    made(RAIL_URN),
    made(NET, parent=RAIL_URN, inputs={"name": "Mün", "b": 1, "a": 2}),
    made(SUB, parent=RAIL_URN, dependencies=(NET, RAIL_URN), options={"protect": True}),
    made(urn(NETWORK, name="other")),
    zone="z",
)


def test_what_is_found():
    """By type in the order of URNs, by parent, and one alone by its name."""
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
def test_none_or_several(token: str, name: str | None, said: str):
    """The names that there are."""
    with pytest.raises(LookupError) as error:
        WHOLE.one(token, name)

    assert str(error.value) == said


def test_the_text_is_the_same_on_every_run():
    """Keys are sorted, letters of other alphabets are themselves, and a newline ends it."""
    text = WHOLE.to_json()

    assert json.loads(text) == WHOLE.to_dict() and Graph.from_dict(json.loads(text)) == WHOLE
    assert text.startswith('{\n  "outputs": {\n    "zone": "z"\n  },\n  "resources": [') and text.endswith("\n}\n")
    assert '"a": 2,\n        "b": 1,\n        "name": "Mün"' in text


def test_a_graph_is_read_in_the_order_of_urns():
    """Whatever order its file has."""
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
def test_kinds_that_a_graph_has(values: dict[str, Any]):
    """Each is read as it was written."""
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
        ({"more": 1}, " of another kind than a graph has"),
        ({"urn": "x"}, "not enough values"),
        ({"parent": NET}, f"{NET} is its own parent"),
    ],
)
def test_kinds_that_no_graph_has(values: dict[str, Any], said: str):
    """They are told by their keys."""
    with pytest.raises(ValueError) as error:
        Graph.from_dict(changed(**values))

    assert said in str(error.value)


def test_parents_end():
    """Two that are above each other are refused, below whatever; a long way up is none of these."""
    ring = [made(NET, parent=SUB), made(SUB, parent=NET), made(urn(RAIL, name="x"), parent=NET)]
    line = [made(urn(RAIL, name=f"{i:03}"), parent=urn(RAIL, name=f"{i - 1:03}") if i else None) for i in range(300)]

    with pytest.raises(ValueError, match="is its own parent"):
        Graph.from_dict(graph(*ring).to_dict())
    assert len(Graph.from_dict(graph(*line).to_dict()).resources) == 300


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (Problem(NET, "a.b", "wrong"), f"{NETWORK} net: a.b: wrong"),
        (Problem(NET, "", "wrong"), f"{NETWORK} net: wrong"),
        (Problem("", "", "wrong"), "wrong"),
    ],
)
def test_a_problem_s_words(problem: Problem, said: str):
    """The resource and the property, where it has them."""
    assert str(problem) == said
    assert str(BrokenProgram((problem,), WHOLE)) == f"1 problem in stack lab\n  {said}"
    assert str(BrokenProgram((problem, problem), WHOLE)) == f"2 problems in stack lab\n  {said}\n  {said}"
