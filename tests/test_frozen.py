"""Classes that ``frozen`` makes are frozen dataclasses in all that the package and its users do with them."""

from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest
from pulumi_offline.frozen import frozen


@frozen
class Point:
    """The last two fields are not compared, and each record has tags of its own."""

    x: int
    y: int = 2
    note: str = field(default="", compare=False, repr=False)
    tags: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Original:
    """The standard library makes this class of the same fields."""

    x: int
    y: int = 2
    note: str = field(default="", compare=False, repr=False)
    tags: Mapping[str, str] = field(default_factory=dict, compare=False)


def test_a_record_is_what_a_dataclass_is():
    ours, theirs = Point(1, 3, note="n", tags={"a": "b"}), Original(1, 3, note="n", tags={"a": "b"})

    assert repr(ours) == repr(theirs).replace("Original", "Point")
    assert ours == Point(1, 3) and hash(ours) == hash(Point(1, 3)) and ours not in (Point(1), theirs)
    assert [each.name for each in fields(ours)] == [each.name for each in fields(theirs)]
    assert replace(ours, y=9) == Point(1, 9)
    assert Point(1).tags is not Point(1).tags
    match ours:
        case Point(_, y):
            assert y == 3


def test_no_field_can_be_set_or_deleted():
    point = Point(1)

    with pytest.raises(FrozenInstanceError):
        point.x = 2  # ty: ignore[invalid-assignment]
    with pytest.raises(FrozenInstanceError):
        del point.x  # ty: ignore[invalid-assignment]
    assert point.x == 1


@pytest.mark.parametrize(
    ("args", "named", "words"),
    [
        ((), {"y": 1}, "Point needs x$"),
        ((1, 2, "n"), {"y": 1, "note": "", "x": 1}, "Point got two values for note, x, y$"),
        ((1, 2, "", {}, 5), {}, "takes 4 positional arguments, got 5"),
        ((), {"z": 1, "w": 1, "v": 1}, "Point has no v, w, z$"),
    ],
)
def test_wrong_arguments_are_named(args: tuple[Any, ...], named: dict[str, Any], words: str):
    with pytest.raises(TypeError, match=words):
        Point(*args, **named)
