"""Values as they travel: decoding and showing them."""

import math
from typing import Any

import pytest
from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest
from pulumi_offline.codec import ARCHIVE, ASSET, RESOURCE, SECRET, SIGNATURE, decode, show
from pulumi_offline.unknowns import UNKNOWN


def signed(kind: str, **more: Any) -> dict[str, Any]:
    """A value with a signature."""
    return {SIGNATURE: kind, **more}


def struct(**values: Any) -> Any:
    """A set of keys as it travels."""
    made = RegisterResourceRequest().object
    made.update(values)
    return made


def test_a_decoded_value_has_sorted_keys_and_whole_numbers():
    """Nulls below keys are dropped, and those of a list stay."""
    decoded = decode(struct(whole=3, part=2.5, none=None, items=[1, None, {"z": None, "a": "b"}], map={}))

    assert decoded == {"items": [1, None, {"a": "b"}], "map": {}, "part": 2.5, "whole": 3}
    assert list(decoded) == ["items", "map", "part", "whole"]
    assert type(decoded["whole"]) is int and type(decoded["part"]) is float
    assert decode(struct(big=math.inf)) == {"big": math.inf}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("t", "t"),
        (UNKNOWN, "[unknown]"),
        (7, 7),
        (["a", UNKNOWN, {"b": UNKNOWN}], ["a", "[unknown]", {"b": "[unknown]"}]),
        ({"a": {"@isPulumiResource": "yes", "b": 1}}, {"a": {"b": 1}}),
        (signed(SECRET, value="hush"), "[secret]"),
        (signed(RESOURCE, urn="urn:a", id="i"), "urn:a"),
        (signed(ASSET, text="t", hash="h"), {"asset": {"text": "t", "hash": "h"}}),
        (
            signed(ARCHIVE, assets={"a": signed(ASSET, text="t")}),
            {"archive": {"assets": {"a": {"asset": {"text": "t"}}}}},
        ),
    ],
)
def test_secrets_unknowns_and_references_are_shown_by_a_word(value: Any, shown: Any):
    """Resources are their URN, assets and archives their source."""
    assert show(value) == shown
