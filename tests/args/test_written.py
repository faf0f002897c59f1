"""Numbers keep the text that they were written with."""

import json

from hypothesis import given, strategies as st
from pulumi_offline.errors import show
from pulumi_offline.strict_yaml import read
from pulumi_offline.written import from_json, to_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(VALUES)
def test_our_json_is_read_back_by_us_and_by_others(value: object):
    assert json.loads(to_json(value)) == value == from_json(to_json(value))


def test_the_text_of_a_number_stays_through_a_file_and_json():
    """A number that JSON writes otherwise is shown as JSON does."""
    written = from_json(to_json(read("[1.30, 2.0e+1, 0x10, .5, 7]", "f")))

    assert written == [1.3, 20.0, 16, 0.5, 7]
    assert show(written) == "[1.30, 2.0e+1, 16, 0.5, 7]"
