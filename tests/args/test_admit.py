"""What the door lets in, what it turns into what, and the words it refuses with."""

from enum import Enum
from typing import Any, NotRequired

import pytest
from rdma_cluster.args import Input, Link, admit, planned, shape, spelt
from rdma_cluster.faults import RULES_FOLLOW, Fault, Faults, Refused, spell
from typing_extensions import TypedDict


class Pace(str, Enum):
    """A choice."""

    SLOW = "slow"
    FAST = "fast"


@shape
class Wheel(TypedDict):
    """A nested shape."""

    size_mm: int
    labels: NotRequired[dict[str, str]]


@shape
class Trailer(TypedDict):
    """A shape that another resource may bring."""

    hitch: NotRequired[Link]


@shape
class Brake(TypedDict):
    """A shape of switches."""

    on: NotRequired[bool]


@shape
class Owner(TypedDict):
    """A shape with one name."""

    name: str
    town: NotRequired[str]


@shape
class Cart(TypedDict):
    """A shape with every kind of key that ours have."""

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
    """The faults the door finds in a cart."""
    faults = Faults()
    admit(Cart, value, faults, camel=camel)
    return list(map(str, faults.found()))


def test_admits_a_file_s_spelling():
    """Keys come in camelCase and go on in snake_case, at any depth; choices become enums."""
    faults = Faults()
    value = {"name": "a", "frontWheels": [{"sizeMm": 2, "labels": {"my_key": "v"}}], "isOpen": True, "pace": "slow"}

    admitted = admit(Cart, value, faults, camel=True)

    expected = {
        "name": "a",
        "front_wheels": [{"size_mm": 2, "labels": {"my_key": "v"}}],
        "is_open": True,
        "pace": Pace.SLOW,
    }
    assert expected == admitted
    assert not faults


class Later:
    """What stands for a value that is known later: an output is told by its ``apply``."""

    def apply(self, function: Any) -> "Later":
        return self


def test_admits_outputs_where_they_may_be():
    """An input that another resource brings, in part or as a whole, and nothing that decides what is built."""
    later = Later()
    value = {"name": "a", "hitch": later, "trailers": [later, {"hitch": later}]}

    assert value == admit(Cart, value, Faults())
    assert admit(Cart, {"name": "a", "trailers": later}, Faults()) == {"name": "a", "trailers": later}
    assert refusals(
        {"name": later, "isOpen": later, "pace": later, "tags": later, "frontWheels": [{"sizeMm": later}]}
    ) == [
        f"{key}: got an output; this decides what is built, so it must be known before: write the value"
        for key in ("name", "frontWheels[0].sizeMm", "isOpen", "pace", "tags")
    ]


def test_a_key_that_holds_none_is_absent():
    """As everywhere in Pulumi, at every depth; a program passes `None` for what it leaves to the default."""
    value = {"name": "a", "hitch": None, "frontWheels": [{"sizeMm": 1, "labels": None}], "surprise": None, "tags": None}

    admitted = admit(Cart, value, Faults(), camel=True)

    assert admitted == {"name": "a", "front_wheels": [{"size_mm": 1}]}
    assert refusals({"name": None}) == ["name: missing; it has no default"]


def test_admits_whole_floats_as_ints():
    """Every number of another language arrives as a float."""
    admitted = admit(Wheel, {"size_mm": 2.0}, Faults())

    assert admitted == {"size_mm": 2}
    assert type(admitted["size_mm"]) is int


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, ["name: missing; it has no default"]),
        ({"name": 7}, ["name: must be a string, got 7; put it in quotes"]),
        ({"name": "a", "tags": [None]}, ["tags[0]: must be a string, got null"]),
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
        ({"name": "a", "pa\x1bse\n": 1}, ["pa\\x1bse\\n: unknown key; did you mean pace?"]),
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
    """Each kind of fault has its words."""
    assert expected == refusals(value)


def test_tells_all_faults_together():
    """An unknown key at depth does not hide a wrong type beside it."""
    value = {"nam": "a", "name": 1, "frontWheels": [{"sizeMm": "x", "labels": {"a": 1}, "colour": "red"}]}

    expected = {
        "nam: unknown key; did you mean name?",
        "name: must be a string, got 1; put it in quotes",
        "frontWheels[0].sizeMm: must be a whole number, got 'x'",
        "frontWheels[0].labels.a: must be a string, got 1; put it in quotes",
        "frontWheels[0].colour: unknown key; known are labels, sizeMm",
    }
    assert expected == set(refusals(value))


def test_speaks_of_keys_as_the_user_wrote_them():
    """The spelling of the other side is a fault that names itself, and the remedy is the spelling of this side."""
    assert refusals({"name": "a", "is_open": True}) == ["is_open: unknown key; did you mean isOpen?"]
    assert refusals({"name": "a", "isOpen": True}, camel=False) == ["isOpen: unknown key; did you mean is_open?"]


def test_user_s_own_keys_stay_as_they_are():
    """Labels are the user's, so that a fault below one keeps its spelling."""
    value = {"name": "a", "frontWheels": [{"sizeMm": 1, "labels": {"example.com/my_key": 1}}]}

    assert refusals(value) == ["frontWheels[0].labels.example.com/my_key: must be a string, got 1; put it in quotes"]


def decide(cart: Cart, faults: Faults) -> str | None:
    """A rule that finds a fault at a key of ours and at one of the user's."""
    for i, wheel in enumerate(cart.get("front_wheels", [])):
        at = faults.at("front_wheels", i)
        if wheel["size_mm"] < 1:
            at.at("size_mm").add("too small")
        for key in wheel.get("labels", {}):
            if key == "my_key":
                at.at("labels", key).add("taken")
    return None if faults else cart["name"]


def test_rules_speak_as_the_file_does():
    """A plan's faults carry the shape's keys in the file's spelling, and the user's keys in the user's."""
    value = {"name": "a", "frontWheels": [{"sizeMm": 0, "labels": {"my_key": "v"}}]}

    with pytest.raises(Refused) as caught:
        planned(Cart, decide, value, camel=True)

    assert str(caught.value) == "frontWheels[0].sizeMm: too small\nfrontWheels[0].labels.my_key: taken"


def test_rules_wait_for_the_form():
    """Errors of form are told together, and alone: a rule is judged over args that are what their types say."""
    with pytest.raises(Refused) as caught:
        planned(Cart, decide, {"front_wheels": [{"size_mm": 0}, {"size_mm": "x"}], "nam": 1, "is_open": 1})

    assert str(caught.value).splitlines() == [
        "nam: unknown key; did you mean name?",
        "front_wheels[1].size_mm: must be a whole number, got 'x'",
        "is_open: must be true or false, got 1",
        RULES_FOLLOW,
    ]


def test_rules_are_judged_together():
    """Where the form is right, every broken rule is told and the last line promises nothing more."""
    with pytest.raises(Refused) as caught:
        planned(Cart, decide, {"name": "a", "front_wheels": [{"size_mm": 0}, {"size_mm": -1}]})

    expected = [
        Fault(("front_wheels", 0, "size_mm"), "too small"),
        Fault(("front_wheels", 1, "size_mm"), "too small"),
    ]
    assert expected == caught.value.faults
    assert not caught.value.rules_follow


def test_a_sound_value_is_planned():
    """The plan is what the rules return."""
    assert planned(Cart, decide, {"name": "a"}) == "a"


def test_a_plan_that_names_no_fault_is_a_defect_of_ours():
    """Neither a plan nor a fault must never pass for a plan."""
    with pytest.raises(AssertionError, match="named no fault"):
        planned(Cart, lambda cart, faults: None, {"name": "a"})


def test_spelling_of_args_for_the_engine():
    """Keys of shapes in camelCase, also inside lists; the user's own keys as they are."""
    args = {"name": "a", "front_wheels": [{"size_mm": 1, "labels": {"my_key": "v"}}], "is_open": False}

    expected = {"name": "a", "frontWheels": [{"sizeMm": 1, "labels": {"my_key": "v"}}], "isOpen": False}
    assert expected == spelt(Cart, args)


@pytest.mark.parametrize(
    ("path", "expected"),
    [((), ""), (("a",), "a"), (("a", 0, "b"), "a[0].b"), (("a", 0, 1), "a[0][1]")],
)
def test_spelling_of_paths(path: tuple[str | int, ...], expected: str):
    """As they would be written in Python or `--set`."""
    assert expected == spell(path)


def test_faults_below_a_path():
    """A view is true when something at or below its path is wrong, and no fault is told twice."""
    faults = Faults()
    faults.at("a", 0).add("wrong")
    faults.at("a", 0).add("wrong")

    assert faults and faults.at("a") and faults.at("a", 0)
    assert not faults.at("a", 1) and not faults.at("b")
    assert len(faults.found()) == 1


def test_long_values_are_cut():
    """A fault is a line, not a page."""
    (told,) = refusals({"name": ["x" * 100]})

    assert len(told) < 100 and told.endswith("...")
