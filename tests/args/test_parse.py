"""What the door lets in, what it turns into what, and the words it refuses with."""

from enum import Enum
from typing import Any, NotRequired

import pytest
from pulumi_offline.errors import RULES_FOLLOW, ErrorList, Refused
from rdma_cluster.base.args import Input, Link, args_schema, parse, plan_from
from typing_extensions import TypedDict


class Pace(str, Enum):
    """A choice."""

    SLOW = "slow"
    FAST = "fast"


@args_schema
class Wheel(TypedDict):
    """A nested schema."""

    size_mm: int
    labels: NotRequired[dict[str, str]]


@args_schema
class Trailer(TypedDict):
    """A schema that another resource may bring."""

    hitch: NotRequired[Link]


@args_schema
class Brake(TypedDict):
    """A schema of switches."""

    on: NotRequired[bool]


@args_schema
class Owner(TypedDict):
    """A schema with one name."""

    name: str
    town: NotRequired[str]


@args_schema
class Cart(TypedDict):
    """A schema with every kind of key that ours have."""

    name: str
    front_wheels: NotRequired[list[Wheel]]
    is_open: NotRequired[bool]
    pace: NotRequired[Pace]
    hitch: NotRequired[Link]
    tags: NotRequired[list[str]]
    trailers: NotRequired[Input[list[Trailer]]]
    brake: NotRequired[Brake]
    owner: NotRequired[Owner]


def refusals(value: dict[str, Any], camel: bool = True) -> list[str]:
    """The errors the door finds in a cart."""
    errors = ErrorList()
    parse(Cart, value, errors, camel=camel)
    return list(map(str, errors.found()))


def test_admits_a_file_s_spelling():
    """Keys come in camelCase and go on in snake_case, at any depth; choices become enums."""
    errors = ErrorList()
    value = {"name": "a", "frontWheels": [{"sizeMm": 2, "labels": {"my_key": "v"}}], "isOpen": True, "pace": "slow"}

    admitted = parse(Cart, value, errors, camel=True)

    expected = {
        "name": "a",
        "front_wheels": [{"size_mm": 2, "labels": {"my_key": "v"}}],
        "is_open": True,
        "pace": Pace.SLOW,
    }
    assert expected == admitted
    assert not errors


class Later:
    """What stands for a value that is known later: an output is told by its ``apply``."""

    def apply(self, function: Any) -> "Later":
        return self


def test_admits_outputs_where_they_may_be():
    """An input that another resource brings, in part or as a whole, and nothing that decides what is built."""
    later = Later()
    value = {"name": "a", "hitch": later, "trailers": [later, {"hitch": later}]}

    assert value == parse(Cart, value, ErrorList())
    assert parse(Cart, {"name": "a", "trailers": later}, ErrorList()) == {"name": "a", "trailers": later}
    assert refusals(
        {"name": later, "isOpen": later, "pace": later, "tags": later, "frontWheels": [{"sizeMm": later}]}
    ) == [
        f"{key}: got an output; this decides what is built, so it must be known before: write the value"
        for key in ("name", "frontWheels[0].sizeMm", "isOpen", "pace", "tags")
    ]


def test_a_key_that_holds_none_is_absent():
    """As everywhere in Pulumi, at every depth; a program passes `None` for what it leaves to the default."""
    value = {"name": "a", "hitch": None, "frontWheels": [{"sizeMm": 1, "labels": None}], "surprise": None, "tags": None}

    admitted = parse(Cart, value, ErrorList(), camel=True)

    assert admitted == {"name": "a", "front_wheels": [{"size_mm": 1}]}
    assert refusals({"name": None}) == ["name: missing; it has no default"]


def test_admits_whole_floats_as_ints():
    """Every number of another language arrives as a float."""
    admitted = parse(Wheel, {"size_mm": 2.0}, ErrorList())

    assert admitted == {"size_mm": 2}
    assert type(admitted["size_mm"]) is int


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, ["name: missing; it has no default"]),
        ({"name": 7}, ["name: must be a string, got 7; put it in quotes"]),
        ({"name": "a", "tags": [None]}, ["tags[0]: must be a string, got null; write a value, or take the item away"]),
        ({"name": "a", "isOpen": "yes"}, ["isOpen: must be true or false, got 'yes'"]),
        ({"name": "a", "isOpen": 1}, ["isOpen: must be true or false, got 1"]),
        ({"name": "a", "pace": "medium"}, ["pace: got 'medium'; choose one of slow or fast"]),
        ({"name": "a", "frontWheels": {}}, ["frontWheels: must be a list, got {}; write a dash before each item"]),
        (
            {"name": "a", "frontWheels": [3]},
            ["frontWheels[0]: must be a set of keys, got 3; write one or more of labels, sizeMm, each with its value"],
        ),
        ({"name": "a", "brake": "on"}, ["brake: must be a set of keys, got 'on'; write {on: true}"]),
        ({"name": "a", "brake": ["on"]}, ["brake: must be a set of keys, got ['on']; write {on: true}"]),
        ({"name": "a", "owner": "me"}, ["owner: must be a set of keys, got 'me'; write {name: 'me'}"]),
        ({"name": "a", "tags": "x"}, ["tags: must be a list, got 'x'; write ['x']"]),
        (
            {"name": "a", "tags": [{"a": [True, None, {"b": 1}]}]},
            ["tags[0]: must be a string, got {a: [true, null, {b: 1}]}"],
        ),
        ({"name": "a", "pa\x1bse\n": 1}, ["pa\\u001bse\\n: unknown key; did you mean pace?"]),
        (
            {"name": "a", "frontWheels": [{"sizeMm": "2"}]},
            ["frontWheels[0].sizeMm: must be a whole number, got '2'; write it without quotes"],
        ),
        ({"name": "a", "frontWheels": [{"sizeMm": True}]}, ["frontWheels[0].sizeMm: must be a whole number, got true"]),
        ({"name": "a", "frontWheels": [{"sizeMm": 2.5}]}, ["frontWheels[0].sizeMm: must be a whole number, got 2.5"]),
        ({"name": "a", "tags": ["x", 1]}, ["tags[1]: must be a string, got 1; put it in quotes"]),
        ({"name": "a", "hitch": 3}, ["hitch: must be a string, got 3; put it in quotes"]),
        ({"name": "a", "hitch": ["x"]}, ["hitch: must be a string, got ['x']"]),
        ({"name": "a", "trailers": [{"hitch": 3}]}, ["trailers[0].hitch: must be a string, got 3; put it in quotes"]),
        ({"name": "a", "trailers": [{"hook": "x"}]}, ["trailers[0].hook: unknown key; known are hitch"]),
        ({"name": "a", "pase": "slow"}, ["pase: unknown key; did you mean pace?"]),
        (
            {"name": "a", "xyz": 1},
            ["xyz: unknown key; known are brake, frontWheels, hitch, isOpen, name, owner, pace, tags, trailers"],
        ),
    ],
)
def test_refuses(value: dict[str, Any], expected: list[str]):
    """Each kind of error has its words."""
    assert expected == refusals(value)


def test_speaks_of_keys_as_the_user_wrote_them():
    """The spelling of the other side is an error that names itself, and the remedy is the spelling of this side."""
    assert refusals({"name": "a", "is_open": True}) == ["is_open: unknown key; did you mean isOpen?"]
    assert refusals({"name": "a", "isOpen": True}, camel=False) == ["isOpen: unknown key; did you mean is_open?"]


def make_plan(cart: Cart, errors: ErrorList) -> str | None:
    """A rule that finds an error at a key of ours and at one of the user's."""
    for i, wheel in enumerate(cart.get("front_wheels", [])):
        at = errors.at("front_wheels", i)
        if wheel["size_mm"] < 1:
            at.at("size_mm").add("too small")
        for key in wheel.get("labels", {}):
            if key == "my_key":
                at.at("labels", key).add("taken")
    return None if errors else cart["name"]


def test_rules_speak_as_the_file_does():
    """A plan's errors carry the schema's keys in the file's spelling, and the user's keys in the user's."""
    value = {"name": "a", "frontWheels": [{"sizeMm": 0, "labels": {"my_key": "v"}}]}

    with pytest.raises(Refused) as caught:
        plan_from(Cart, make_plan, value, camel=True)

    assert str(caught.value) == "frontWheels[0].sizeMm: too small\nfrontWheels[0].labels.my_key: taken"


def test_rules_wait_for_the_form():
    """Errors of form are told together, and alone: a rule is judged over args that are what their types say."""
    with pytest.raises(Refused) as caught:
        plan_from(Cart, make_plan, {"front_wheels": [{"size_mm": 0}, {"size_mm": "x"}], "nam": 1, "is_open": 1})

    assert str(caught.value).splitlines() == [
        "nam: unknown key; did you mean name?",
        "front_wheels[1].size_mm: must be a whole number, got 'x'",
        "is_open: must be true or false, got 1",
        RULES_FOLLOW,
    ]


def test_a_plan_that_names_no_error_is_a_defect_of_ours():
    """Neither a plan nor an error must never pass for a plan."""
    with pytest.raises(AssertionError, match="named no error"):
        plan_from(Cart, lambda cart, errors: None, {"name": "a"})
