"""A change as lines that a person reads: what differs inside JSON and scripts, and long values cut short."""

from typing import Any

import pytest
from pulumi_offline.change_lines import change_lines
from pulumi_offline.json_diff import Change


def lines(before: Any, after: Any, kind: str = "change") -> list[str]:
    """The lines of one change at ``a``."""
    return list(change_lines(Change("a", kind, before, after), "  "))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (1, 2, ["  ~ a: 1 -> 2"]),
        ({"b": 1, "a": 2}, [1], ['  ~ a: {"a": 2, "b": 1} -> [1]']),
        ("x", None, ['  ~ a: "x" -> null']),
        (None, "x\ny", ['  ~ a: null -> "x\\ny"']),
        ("x", "y", ['  ~ a: "x" -> "y"']),
        ('{"b": 1, "c": [1]}', '{"b": 2, "c": [1]}', ["  ~ a.b: 1 -> 2"]),
        ("[1, 2]", "[1]", ["  - a[1]: 2"]),
        ('{"b": 1}', '{"b":1}', ["  ~ a: the same data, written in another way"]),
        ('{"b": 1}', "{b", ['  ~ a: "{\\"b\\": 1}" -> "{b"']),
        ("{b", '{"b": 1}', ['  ~ a: "{b" -> "{\\"b\\": 1}"']),
        ('"b"', '"c"', ['  ~ a: "\\"b\\"" -> "\\"c\\""']),
        ("x\n", "y", ["  ~ a:", "      @@ -1 +1 @@", "      - x", "      + y"]),
        ("x", "x\ny", ["  ~ a:", "      @@ -1 +1,2 @@", "        x", "      + y"]),
    ],
)
def test_a_change_is_shown_by_what_its_values_are(before: Any, after: Any, expected: list[str]):
    """Data is compared leaf by leaf and a script line by line; other values are shown whole."""
    assert lines(before, after) == expected


def test_added_and_removed_values_are_shown():
    assert lines(None, {"b": 1}, "add") == ['  + a: {"b": 1}']
    assert lines("x\ny", None, "remove") == ['  - a: "x\\ny"']
    assert list(change_lines(Change("a", "add", after=1))) == ["    + a: 1"]


def test_a_long_value_is_cut_and_its_length_is_given():
    assert lines(None, "x" * 98, "add") == [f'  + a: "{"x" * 98}"']
    assert lines(None, "x" * 1199, "add") == [f'  + a: "{"x" * 99}... (1,201 characters)']
    assert lines("b", "x" * 101 + "\n")[-1] == f"      + {'x' * 100}... (101 characters)"
    assert lines("b", "x" * 100 + "\n")[-1] == f"      + {'x' * 100}"


def test_two_long_texts_are_shown_from_before_where_they_differ():
    """Twenty characters stand before; both are whole where they are not longer than two lines together."""
    assert lines("x" * 99 + "a", "x" * 99 + "b") == [f'  ~ a: "{"x" * 99}a" -> "{"x" * 99}b"']
    assert lines("x" * 99 + "a", "x" * 100 + "b") == [f'  ~ a: ..."{"x" * 20}a" -> ..."{"x" * 21}b"']
    assert lines("x" * 20 + "a" * 90, "x" * 20 + "b" * 91)[0].startswith('  ~ a: "xx')
    assert lines("x" * 21 + "a" * 90, "x" * 21 + "b" * 91)[0].startswith(f'  ~ a: ..."{"x" * 20}aa')
    assert lines("x" * 90, "x" * 90 + "y" * 30) == [f'  ~ a: ..."{"x" * 20}" -> ..."{"x" * 20}{"y" * 30}"']


def script(length: int) -> str:
    """Lines of letters."""
    return "\n".join(f"line {i}" for i in range(length))


@pytest.mark.parametrize(("added", "shown", "rest"), [(18, 18, 0), (19, 18, 1), (30, 18, 12)])
def test_a_script_shows_twenty_lines_and_counts_the_rest(added: int, shown: int, rest: int):
    """The line with the place and the one before the change count among the twenty."""
    told = lines("start\n", "start\n" + script(added))

    more = [f"      ... and {rest} more lines; --json has them all"] if rest else []
    assert told[1] == f"      @@ -1 +1,{added + 1} @@" and told[2] == "        start"
    assert told[3:] == [*(f"      + line {i}" for i in range(shown)), *more]
