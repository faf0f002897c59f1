"""The changes between two JSON values name each leaf once, and make the one of the other."""

import copy
import json
import re
from typing import Any

from hypothesis import given, strategies as st
from pulumi_offline.json_diff import Change, compare

KEYS = st.sampled_from(["a", "b", "aB", "a_b", "a-b", "example.com/team", "x y"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
STEP = re.compile(r'\["([^"]*)"\]|\[(\d+)\]|\.?([^.\[]+)')


def steps(path: str) -> list[str | int]:
    """The steps of a path, from the outermost in."""
    return [int(index) if index else quoted or key for quoted, index, key in STEP.findall(path)]


def applied(before: Any, changes: list[Change]) -> Any:
    """A value after its changes."""
    value = {"root": copy.deepcopy(before)}
    for change in changes:
        *way, last = steps(change.path)
        holder: Any = value
        for step in way:
            holder = holder[step]
        if change.kind == "remove" and isinstance(holder, list):
            holder[last] = STEP
        elif change.kind == "remove":
            del holder[last]
        elif change.kind == "add" and isinstance(holder, list):
            holder.append(change.after)
        else:
            holder[last] = change.after
    return swept(value["root"])


def swept(value: Any) -> Any:
    """A value without the items that were taken away."""
    if isinstance(value, list):
        return [swept(item) for item in value if item is not STEP]
    return {key: swept(of) for key, of in value.items()} if isinstance(value, dict) else value


@given(VALUES, VALUES)
def test_changes_make_the_one_of_the_other(before: Any, after: Any):
    """None is missing, and values that are alike have none; true is not 1."""
    changes = list(compare("root", before, after))

    assert json.dumps(applied(before, changes), sort_keys=True) == json.dumps(after, sort_keys=True)
    assert all(repr(each.before) != repr(each.after) or each.kind != "change" for each in changes)
    assert len({each.path for each in changes}) == len(changes)
    assert list(compare("root", before, before)) == []
    turned = {(each.path, {"add": "remove", "remove": "add"}.get(each.kind, each.kind)) for each in changes}
    assert turned == {(each.path, each.kind) for each in compare("root", after, before)}
