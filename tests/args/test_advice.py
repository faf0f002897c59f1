"""What the door tells a user to write instead."""

from enum import Enum
from typing import Any, NotRequired

import pytest
from pulumi_offline.errors import ErrorList, show
from rdma_cluster.base.args import args_schema, parse
from typing_extensions import TypedDict


class Gear(str, Enum):
    """A choice of three."""

    LOW = "low"
    MIDDLE = "middle"
    HIGH = "high"


@args_schema
class Switch(TypedDict):
    """Nothing in it must be there."""

    enabled: NotRequired[bool]
    bright: NotRequired[bool]


@args_schema
class Named(TypedDict):
    """A name, and what else there may be."""

    name: str
    town: NotRequired[str]


@args_schema
class Pair(TypedDict):
    """Two names."""

    first: str
    second: str


@args_schema
class Sized(TypedDict):
    """A number."""

    size_mm: int


@args_schema
class Lamp(TypedDict):
    """What may stand in a lamp."""

    switch: NotRequired[Switch]
    shade: NotRequired[Named]
    width: NotRequired[int]


@args_schema
class House(TypedDict):
    """Of every kind of key one."""

    gear: NotRequired[Gear]
    switch: NotRequired[Switch]
    owner: NotRequired[Named]
    pair: NotRequired[Pair]
    size: NotRequired[Sized]
    lamp: NotRequired[Lamp]
    floors: NotRequired[int]
    open: NotRequired[bool]
    labels: NotRequired[dict[str, str]]
    rooms: NotRequired[list[str]]


def told(value: Any, schema: Any = House) -> list[str]:
    """The errors of a house."""
    errors = ErrorList()
    parse(schema, value, errors, camel=True)
    return [str(each) for each in errors.found()]


def keys(of: str) -> str:
    """How several keys are asked for."""
    return f"write one or more of {of}, each with its value"


@pytest.mark.parametrize(
    ("key", "value", "advice"),
    [
        ("switch", True, "write {enabled: true}"),
        ("switch", False, "write {enabled: false}"),
        ("switch", "bright", "write {bright: true}"),
        ("switch", ["bright"], "write {bright: true}"),
        ("switch", ["bright", "enabled"], keys("bright, enabled")),
        ("switch", [], keys("bright, enabled")),
        ("switch", "dark", keys("bright, enabled")),
        ("switch", 1, keys("bright, enabled")),
        ("lamp", True, keys("shade, switch, width")),
        ("lamp", "switch", "write {switch: {}}"),
        ("lamp", "shade", keys("shade, switch, width")),  # it needs a name
        ("lamp", "width", keys("shade, switch, width")),
        ("owner", "me", "write {name: 'me'}"),
        ("owner", ["me"], "write {name: 'me'}"),
        ("pair", "me", keys("first, second")),
        ("size", "3", keys("sizeMm")),
    ],
)
def test_one_value_where_keys_are_asked_for(key: str, value: Any, advice: str):
    """The key that it means is told, where there is one."""
    got = value[0] if isinstance(value, list) and len(value) == 1 else value
    shown = show(value) if got is value else f"[{show(got)}]"

    assert told({key: value}) == [f"{key}: must be a set of keys, got {shown}; {advice}"]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("gear", "mid", "got 'mid'; choose one of low, middle or high"),
        ("gear", 1, "got 1; choose one of low, middle or high"),
        ("gear", True, "got true; choose one of low, middle or high"),
        ("floors", "2", "must be a whole number, got '2'; write it without quotes"),
        ("floors", "-2", "must be a whole number, got '-2'; write it without quotes"),
        ("floors", "2a", "must be a whole number, got '2a'"),
        ("floors", "true", "must be a whole number, got 'true'"),
        ("open", "true", "must be true or false, got 'true'; write it without quotes"),
        ("open", "false", "must be true or false, got 'false'; write it without quotes"),
        ("open", "truer", "must be true or false, got 'truer'"),
        ("open", "1", "must be true or false, got '1'"),
        ("labels", "a", "must be a set of keys, got 'a'; write KEY: VALUE, each on a line of its own, or {KEY: VALUE}"),
        (
            "labels",
            ["a"],
            "must be a set of keys, got ['a']; write KEY: VALUE, each on a line of its own, or {KEY: VALUE}",
        ),
        ("rooms", "a", "must be a list, got 'a'; write ['a']"),
        ("rooms", 1, "must be a list, got 1; write [1]"),
        ("rooms", {"a": 1}, "must be a list, got {a: 1}; write a dash before each item"),
        ("rooms", [1.5], "must be a string, got 1.5; put it in quotes"),
        ("rooms", [True], "must be a string, got true; put it in quotes"),
        ("rooms", [["a"]], "must be a string, got ['a']"),
    ],
)
def test_a_value_of_another_type(key: str, value: Any, said: str):
    """What is asked for, what was got, and how to write it where that can be told."""
    place = f"{key}[0]" if key == "rooms" and isinstance(value, list) else key

    assert told({key: value}) == [f"{place}: {said}"]


@args_schema
class Twins(TypedDict):
    """Two keys that are much alike, and must both be there."""

    pool_a: str
    pool_b: str


def test_a_misspelt_key_means_one_key_alone():
    """The nearest; another that is missing is told as missing."""
    assert told({"poolAx": "x"}, Twins) == [
        "poolAx: unknown key; did you mean poolA?",
        "poolB: missing; it has no default",
    ]


def test_a_hundred_unknown_keys_are_told_with_the_nearest():
    """Of more nobody reads a suggestion for each: what is known is told instead."""
    lines = told({f"flors{i:03}": 1 for i in range(103)})

    suggested = [line.endswith("did you mean floors?") for line in lines]
    assert suggested == [True] * 101 + [False] * 2
    assert lines[-1].startswith("flors102: unknown key; known are floors, gear, labels")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (False, "false"),
        (Gear.LOW, "'low'"),
        (1.5, "1.5"),
        ({"a": True, "b": [None]}, "{a: true, b: [null]}"),
        ((1, 2), "[1, 2]"),
        (list(range(9)), "[0, 1, 2, 3, 4, 5, 6, 7]"),
        ({str(i): i for i in range(9)}, "{0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7}"),
        ("x" * 58, "'" + "x" * 58 + "'"),
        ("x" * 59, "'" + "x" * 56 + "..."),
        (["x" * 56], "['" + "x" * 56 + "']"),
        (["x" * 57], "['" + "x" * 55 + "..."),
        ({"k": "x" * 53}, "{k: '" + "x" * 53 + "'}"),
        ({"k": "x" * 54}, "{k: '" + "x" * 52 + "..."),
        (object(), "a value of type object"),
    ],
)
def test_a_value_is_shown_on_a_short_line(value: Any, shown: str):
    """At most sixty characters and eight items, in YAML's words."""
    assert show(value) == shown
