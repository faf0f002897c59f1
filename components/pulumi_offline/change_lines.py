"""A change as lines that a person can read: inside JSON and scripts only what differs, long values cut short."""

import json
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

from .json_diff import Change, compare
from .json_file import parse_json

_LONGEST = 100
"""Characters of a value on one line."""
_MOST_LINES = 20
"""Lines of a script that differ; the rest is counted."""
_SIGNS = {"add": "+", "remove": "-", "change": "~"}


def change_lines(change: Change, indent: str = "    ") -> Iterator[str]:
    """``~ inputs.nodeCount: 2 -> 4``, and below it where a value is a text of many lines."""
    head = f"{indent}{_SIGNS[change.kind]} {change.path}:"
    before, after = change.before, change.after
    if change.kind != "change":
        yield f"{head} {_short(after if change.kind == 'add' else before)}"
    elif not isinstance(before, str) or not isinstance(after, str):
        yield f"{head} {_short(before)} -> {_short(after)}"
    elif (old := _data(before)) is not None and (new := _data(after)) is not None:
        for inner in compare(change.path, old, new):
            yield from change_lines(inner, indent)
        if old == new:
            yield f"{head} the same data, written in another way"
    elif "\n" in before or "\n" in after:
        yield head
        yield from _script_lines(before, after, indent + "    ")
    else:
        yield f"{head} {_around(before, after)}"


def _data(text: str) -> Any:
    """What a text of JSON holds; ``None`` where it is no object or list."""
    if text[:1] not in ("{", "["):
        return None
    try:
        return parse_json(text)
    except ValueError:
        return None


def _script_lines(before: str, after: str, indent: str) -> Iterator[str]:
    """The lines that differ, and one on either side of them."""
    differing = list(unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm=""))[2:]
    for line in differing[:_MOST_LINES]:
        yield indent + (line if line.startswith("@@") else line[:1] + " " + _cut(line[1:]))
    if (rest := len(differing) - _MOST_LINES) > 0:
        yield f"{indent}... and {rest} more lines; --json has them all"


def _around(before: str, after: str) -> str:
    """Two texts of one line; of long ones the part that differs, with what stands before it."""
    if len(before) + len(after) <= 2 * _LONGEST:
        return f"{json.dumps(before)} -> {json.dumps(after)}"
    pairs = enumerate(zip(before, after, strict=False))
    same = next((i for i, (a, b) in pairs if a != b), min(len(before), len(after)))
    start = max(0, same - 20)
    return f"{_short(before[start:], start)} -> {_short(after[start:], start)}"


def _short(value: Any, skipped: int = 0) -> str:
    return ("..." if skipped else "") + _cut(json.dumps(value, sort_keys=True))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text):,} characters)"
