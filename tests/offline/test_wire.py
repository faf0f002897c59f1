"""Values as they travel: decoding them, showing them, and putting outputs into them for a transform."""

import math
from typing import Any

import pytest
from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest
from pulumi_offline.codec import ARCHIVE, ASSET, OUTPUT, RESOURCE, SECRET, SIGNATURE, decode, show, signature
from pulumi_offline.transforms import _as_outputs, _without_outputs
from pulumi_offline.unknowns import UNKNOWN


def signed(kind: str, **more: Any) -> dict[str, Any]:
    """A value with a signature."""
    return {SIGNATURE: kind, **more}


def struct(**values: Any) -> Any:
    """As it travels."""
    made = RegisterResourceRequest().object
    made.update(values)
    return made


def test_decoded_values():
    """Keys are sorted, nulls below keys are dropped and those of a list stay, whole numbers are ints."""
    decoded = decode(
        struct(
            text="t", none=None, yes=True, no=False, whole=3, part=2.5, items=[1, None, {"z": None, "a": "b"}], map={}
        )
    )

    assert decoded == {
        "items": [1, None, {"a": "b"}],
        "map": {},
        "no": False,
        "part": 2.5,
        "text": "t",
        "whole": 3,
        "yes": True,
    }
    assert list(decoded) == ["items", "map", "no", "part", "text", "whole", "yes"]
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
def test_shown_values(value: Any, shown: Any):
    """Secrets and unknown values are a word each, resources their URN, assets and archives their source."""
    assert show(value) == shown


@pytest.mark.parametrize(("value", "kind"), [(signed(ASSET), ASSET), ({"a": 1}, None), (SIGNATURE, None), ([], None)])
def test_signatures(value: Any, kind: str | None):
    """Only an object has one."""
    assert signature(value) == kind


@pytest.mark.parametrize(
    ("plain", "with_outputs"),
    [
        ("t", "t"),
        (UNKNOWN, signed(OUTPUT)),
        (signed(SECRET, value="hush"), signed(OUTPUT, value="hush", secret=True)),
        (["a", UNKNOWN], ["a", signed(OUTPUT)]),
        (
            {"a": {"b": UNKNOWN}, "c": [signed(SECRET, value=1)]},
            {"a": {"b": signed(OUTPUT)}, "c": [signed(OUTPUT, value=1, secret=True)]},
        ),
        (signed(ASSET, text="t"), signed(ASSET, text="t")),
    ],
)
def test_outputs_for_a_transform(plain: Any, with_outputs: Any):
    """A secret and an unknown value are outputs for it, at any depth, and come back as they were."""
    assert _as_outputs(plain) == with_outputs
    assert _without_outputs(with_outputs) == plain


def test_outputs_from_a_transform():
    """One that is neither secret nor unknown is its value; a secret that is not known yet stays a secret."""
    assert _without_outputs(signed(OUTPUT, value=["a"], dependencies=["urn:a"])) == ["a"]
    assert _without_outputs(signed(OUTPUT, value="a", secret=False)) == "a"
    assert _without_outputs(signed(OUTPUT, secret=True)) == signed(SECRET, value=UNKNOWN)
    assert _without_outputs(signed(OUTPUT, value={"a": signed(OUTPUT, value=1)}, secret=True)) == signed(
        SECRET, value={"a": 1}
    )
