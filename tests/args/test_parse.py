"""Args are let in as their types say, spelt as Python spells them, and each value of another form is refused."""

from enum import Enum
from typing import Any, NotRequired

import pytest
from pulumi_offline.errors import RULES_FOLLOW, ErrorList, Refused
from rdma_cluster.base.args import Input, Link, args_schema, parse, plan_from
from typing_extensions import TypedDict


class Pace(str, Enum):
    SLOW = "slow"
    FAST = "fast"


@args_schema
class Wheel(TypedDict):
    size_mm: int
    labels: NotRequired[dict[str, str]]


@args_schema
class Trailer(TypedDict):
    """Another resource may bring it."""

    hitch: NotRequired[Link]


@args_schema
class Cart(TypedDict):
    """A cart has a key of every kind that ours have."""

    name: str
    front_wheels: NotRequired[list[Wheel]]
    is_open: NotRequired[bool]
    pace: NotRequired[Pace]
    hitch: NotRequired[Link]
    tags: NotRequired[list[str]]
    trailers: NotRequired[Input[list[Trailer]]]


class Later:
    """An output, which is told by its ``apply``."""

    def apply(self, function: Any) -> "Later":
        return self


def admitted(value: dict[str, Any]) -> Any:
    """A cart as it goes on, in which nothing is wrong."""
    errors = ErrorList()
    found = parse(Cart, value, errors, camel=True)
    assert not errors, errors.found()
    return found


def refusals(value: dict[str, Any], camel: bool = True) -> list[str]:
    """The errors of a cart."""
    errors = ErrorList()
    parse(Cart, value, errors, camel=camel)
    return list(map(str, errors.found()))


def test_keys_of_a_file_go_on_in_snake_case_and_choices_as_enums():
    """A user's own keys stay, and every number of another language arrives as a float."""
    value = {"name": "a", "frontWheels": [{"sizeMm": 2.0, "labels": {"my_key": "v"}}], "isOpen": True, "pace": "slow"}
    found = admitted(value)

    wheel = {"size_mm": 2, "labels": {"my_key": "v"}}
    assert found == {"name": "a", "front_wheels": [wheel], "is_open": True, "pace": Pace.SLOW}
    assert type(found["front_wheels"][0]["size_mm"]) is int


def test_an_output_may_be_an_input_and_decides_nothing_that_is_built():
    """Another resource brings an input in part or as a whole."""
    later = Later()
    value = {"name": "a", "hitch": later, "trailers": [later, {"hitch": later}]}

    assert admitted(value) == value
    assert admitted({"name": "a", "trailers": later}) == {"name": "a", "trailers": later}
    wrong = {"name": later, "isOpen": later, "pace": later, "tags": later, "frontWheels": [{"sizeMm": later}]}
    assert [each.partition(": got an output")[0] for each in refusals(wrong)] == [
        *("name", "frontWheels[0].sizeMm", "isOpen", "pace", "tags")
    ]


def test_a_key_that_holds_none_is_absent():
    """A program passes `None` for what it leaves to the default, at every depth."""
    value = {"name": "a", "hitch": None, "frontWheels": [{"sizeMm": 1, "labels": None}], "surprise": None, "tags": None}

    assert admitted(value) == {"name": "a", "front_wheels": [{"size_mm": 1}]}
    assert [each.partition(":")[0] for each in refusals({"name": None})] == ["name"]


@pytest.mark.parametrize(
    ("value", "place", "named"),
    [
        ({"name": 7}, "name", "7"),
        ({"tags": [None]}, "tags[0]", "null"),
        ({"isOpen": 1}, "isOpen", "1"),
        ({"pace": "medium"}, "pace", "slow or fast"),
        ({"frontWheels": {}}, "frontWheels", "{}"),
        ({"frontWheels": [3]}, "frontWheels[0]", "labels, sizeMm"),
        ({"frontWheels": [{"sizeMm": True}]}, "frontWheels[0].sizeMm", "true"),
        ({"frontWheels": [{"sizeMm": 2.5}]}, "frontWheels[0].sizeMm", "2.5"),
        ({"frontWheels": [{"sizeMm": 1, "labels": {"a.b/my_key": 1}}]}, "frontWheels[0].labels.a.b/my_key", "1"),
        ({"tags": [{"a": [True, None, {"b": 1}]}]}, "tags[0]", "{a: [true, null, {b: 1}]}"),
        ({"hitch": ["x"]}, "hitch", "['x']"),
        ({"trailers": [{"hitch": 3}]}, "trailers[0].hitch", "3"),
        ({"trailers": [{"hook": "x"}]}, "trailers[0].hook", "hitch"),
        ({"pa\x1bse\n": 1}, "pa\\u001bse\\n", "pace"),
        ({"xyz": 1}, "xyz", "frontWheels, hitch, isOpen"),
        ({"is_open": True}, "is_open", "isOpen"),
    ],
)
def test_a_value_of_another_form_is_refused_at_its_place(value: dict[str, Any], place: str, named: str):
    (error,) = refusals({"name": "a", **value})

    assert error.startswith(f"{place}: ") and named in error.removeprefix(f"{place}: ")


def test_a_program_in_python_is_told_its_own_spelling():
    (error,) = refusals({"name": "a", "isOpen": True}, camel=False)

    assert error.startswith("isOpen: ") and "is_open" in error


def make_plan(cart: Cart, errors: ErrorList) -> str | None:
    """The rules are broken at a key of ours and at one of the user's."""
    for i, wheel in enumerate(cart.get("front_wheels", [])):
        at = errors.at("front_wheels", i)
        if wheel["size_mm"] < 1:
            at.at("size_mm").add("too small")
        for key in wheel.get("labels", {}):
            if key == "my_key":
                at.at("labels", key).add("taken")
    return None if errors else cart["name"]


def test_every_broken_rule_is_told_in_the_spelling_of_the_file():
    wheels = [{"sizeMm": 0, "labels": {"my_key": "v"}}, {"sizeMm": -1}]

    with pytest.raises(Refused) as caught:
        plan_from(Cart, make_plan, {"name": "a", "frontWheels": wheels}, camel=True)

    assert caught.value.lines == [
        "frontWheels[0].sizeMm: too small",
        "frontWheels[0].labels.my_key: taken",
        "frontWheels[1].sizeMm: too small",
    ]
    assert not caught.value.rules_follow and plan_from(Cart, make_plan, {"name": "a"}) == "a"


def test_rules_wait_until_the_form_is_right():
    """Errors of form are told together, and alone."""
    with pytest.raises(Refused) as caught:
        plan_from(Cart, make_plan, {"front_wheels": [{"size_mm": 0}, {"size_mm": "x"}], "nam": 1, "is_open": 1})

    assert [line.partition(":")[0] for line in caught.value.lines] == [
        *("nam", "front_wheels[1].size_mm", "is_open", RULES_FOLLOW)
    ]


def test_a_plan_that_names_no_error_is_a_defect_of_ours():
    with pytest.raises(AssertionError, match="named no error"):
        plan_from(Cart, lambda cart, errors: None, {"name": "a"})
