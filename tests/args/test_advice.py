"""An error of form names the key, what was got, and what to write instead where that can be told."""

from enum import Enum
from typing import Any, NotRequired

import pytest
from pulumi_offline.errors import ErrorList, show
from rdma_cluster.base.args import args_schema, parse
from typing_extensions import TypedDict


class Gear(str, Enum):
    LOW = "low"
    MIDDLE = "middle"
    HIGH = "high"


@args_schema
class Switch(TypedDict):
    """No key of it is required."""

    enabled: NotRequired[bool]
    bright: NotRequired[bool]


@args_schema
class Named(TypedDict):
    """A name is required."""

    name: str
    town: NotRequired[str]


@args_schema
class Pair(TypedDict):
    """Two keys are required."""

    pool_a: str
    pool_b: str


@args_schema
class Lamp(TypedDict):
    switch: NotRequired[Switch]
    shade: NotRequired[Named]
    width: NotRequired[int]


@args_schema
class House(TypedDict):
    """A house has a key of every kind."""

    gear: NotRequired[Gear]
    switch: NotRequired[Switch]
    owner: NotRequired[Named]
    pair: NotRequired[Pair]
    lamp: NotRequired[Lamp]
    floors: NotRequired[int]
    open: NotRequired[bool]
    labels: NotRequired[dict[str, str]]
    rooms: NotRequired[list[str]]


def errors(value: Any, schema: Any = House) -> list[str]:
    found = ErrorList()
    parse(schema, value, found, camel=True)
    return [str(each) for each in found.found()]


@pytest.mark.parametrize(
    ("key", "value", "advice"),
    [
        ("switch", True, "{enabled: true}"),
        ("switch", "bright", "{bright: true}"),
        ("switch", ["bright"], "{bright: true}"),
        ("switch", ["bright", "enabled"], "bright, enabled"),
        ("switch", "dark", "bright, enabled"),
        ("lamp", "switch", "{switch: {}}"),
        ("lamp", "shade", "shade, switch, width"),  # a shade needs a name
        ("lamp", "width", "shade, switch, width"),
        ("owner", "me", "{name: 'me'}"),
        ("pair", "me", "poolA, poolB"),
    ],
)
def test_one_value_in_place_of_keys_means_the_key_that_it_fits(key: str, value: Any, advice: str):
    (error,) = errors({key: value})

    assert error.startswith(f"{key}: ") and advice in error


@pytest.mark.parametrize(
    ("key", "value", "got", "advice"),
    [
        ("gear", "mid", "'mid'", "low, middle or high"),
        ("gear", True, "true", "low, middle or high"),
        ("floors", "-2", "'-2'", "without quotes"),
        ("floors", "2a", "'2a'", ""),
        ("open", "false", "'false'", "without quotes"),
        ("open", "1", "'1'", ""),
        ("labels", ["a"], "['a']", "{KEY: VALUE}"),
        ("rooms", "a", "'a'", "['a']"),
        ("rooms", {"a": 1}, "{a: 1}", "a dash before each item"),
        ("rooms", [1.5], "1.5", "in quotes"),
        ("rooms", [["a"]], "['a']", ""),
    ],
)
def test_a_value_of_another_type_is_told_with_a_remedy_where_there_is_one(key: str, value: Any, got: str, advice: str):
    (error,) = errors({key: value})

    assert error.startswith(key) and f"got {got}" in error and advice in error
    assert advice or ";" not in error


def test_a_misspelt_key_means_the_nearest_one_alone():
    first, second = errors({"poolAx": "x"}, Pair)

    assert first.startswith("poolAx: ") and "poolA?" in first
    assert second.startswith("poolB: missing")


def test_beyond_a_hundred_unknown_keys_the_known_ones_are_told():
    """Nobody reads a suggestion for each of more."""
    lines = errors({f"flors{i:03}": 1 for i in range(103)})

    assert ["floors?" in line for line in lines] == [True] * 101 + [False] * 2
    assert "known are floors, gear, labels" in lines[-1]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (Gear.LOW, "'low'"),
        ({"a": True, "b": [None]}, "{a: true, b: [null]}"),
        (list(range(9)), "[0, 1, 2, 3, 4, 5, 6, 7]"),
        ({str(i): i for i in range(9)}, "{0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7}"),
        ("x" * 58, "'" + "x" * 58 + "'"),
        ("x" * 59, "'" + "x" * 56 + "..."),
        (["x" * 57], "['" + "x" * 55 + "..."),
        ({"k": "x" * 54}, "{k: '" + "x" * 52 + "..."),
        (object(), "a value of type object"),
    ],
)
def test_a_value_is_shown_by_sixty_signs_and_eight_items(value: Any, shown: str):
    assert show(value) == shown
