"""A value against the types of an SDK, one check at a time: what fits, what does not, and in which words."""

from enum import Enum
from functools import cache
from typing import Any, Literal

import pytest
from pulumi_offline import check_inputs, sdk
from pulumi_offline.codec import SECRET, SIGNATURE, unwrap
from pulumi_offline.strict import _check_any, decode_provider
from pulumi_offline.unknowns import UNKNOWN


class Size(str, Enum):
    """A choice."""

    SMALL = "small"
    LARGE = "large"


class OSSKU(str, Enum):
    """One that a cloud takes more of than it lists."""

    UBUNTU = "Ubuntu"


@cache
def box() -> Any:
    """The inputs of a thing, as an SDK has them."""
    import pulumi

    class BoxArgs:
        def __init__(self, *, width: pulumi.Input[int], lid_kind: pulumi.Input[str] | None = None) -> None:
            pulumi.set(self, "width", width)
            pulumi.set(self, "lid_kind", lid_kind)

        @property
        @pulumi.getter
        def width(self) -> pulumi.Input[int]:
            """Must be there."""
            return pulumi.get(self, "width")

        @property
        @pulumi.getter(name="lidKind")
        def lid_kind(self) -> pulumi.Input[str] | None:
            """May be."""
            return pulumi.get(self, "lid_kind")

    return pulumi.input_type(BoxArgs)


def told(value: Any, *types: Any) -> list[str]:
    """What is wrong with a value at ``a``."""
    hints = tuple(box() if each is box else list[box()] if each == [box] else each for each in types)  # ty: ignore
    return [": ".join(part for part in each if part) for each in _check_any("a", value, hints)]


def secret(value: Any) -> dict[str, Any]:
    """As it travels."""
    return {SIGNATURE: SECRET, "value": value}


@pytest.mark.parametrize(
    ("value", "types"),
    [
        (1, (int,)),
        (True, (bool,)),
        (1, (float,)),
        (1.5, (float,)),
        ("x", (str,)),
        (["x"], (list[str],)),
        ({"k": 1}, (dict[str, int],)),
        ("small", (Size,)),
        ("small", (str, Size)),
        ("any", (str,)),
        (5, (Size, int)),
        ("b", (Literal["a", "b"],)),
        (object(), (Any,)),
        ({"width": 1}, (box,)),
        ({"width": 1, "lidKind": "flat"}, (str, box)),
        ("text", (str, box)),
        ("text", (box, str)),
        ([{"width": 1}], ([box],)),
        (None, (int,)),
        (UNKNOWN, (int,)),
        ({SIGNATURE: "anything"}, (int,)),
        ({"width": UNKNOWN, "lidKind": None}, (box,)),
        (secret(1), (int,)),
        (secret(secret(1)), (int,)),
        ("Ubuntu2404", (str, OSSKU)),
    ],
)
def test_what_fits(value: Any, types: tuple[Any, ...]):
    """One of the alternatives is enough; what is not known yet fits everywhere."""
    assert told(value, *types) == []


@pytest.mark.parametrize(
    ("value", "types", "said"),
    [
        (True, (int,), "a: True: is not int"),
        (True, (float,), "a: True: is not float"),
        (1, (bool,), "a: 1: is not bool"),
        (1.0, (int,), "a: 1.0: is not int"),
        ("1", (float,), "a: '1': is not float"),
        (1, (str,), "a: 1: is not str"),
        ("x", (list[str],), "a: 'x': is not a list"),
        ({"k": 1}, (list[str],), "a: {'k': 1}: is not a list"),
        (["x"], (dict[str, str],), "a: ['x']: is not a map"),
        (["x", 1], (list[str],), "a[1]: 1: is not str"),
        ({"k": "x", "l": 1}, (dict[str, str],), "a.l: 1: is not str"),
        ([1], (list[str | bool],), "a[0]: 1: is not str"),
        ("smal", (Size,), "a: 'smal': is not a known Size; did you mean small"),
        ("tiny-x", (Size,), "a: 'tiny-x': is not a known Size; allowed: small, large"),
        ("smal", (str, Size), "a: 'smal': is not a known Size; did you mean small"),
        ("smal", (Size, str), "a: 'smal': is not a known Size; did you mean small"),
        ("Ubunto", (str, OSSKU), "a: 'Ubunto': is not a known OSSKU; did you mean Ubuntu"),
        ("Ubuntu2404", (OSSKU,), "a: 'Ubuntu2404': is not a known OSSKU; did you mean Ubuntu"),
        ("c", (Literal["a", "b"],), "a: 'c': is not a known one of its constants; allowed: a, b"),
        ({}, (box,), "a.width: required by BoxArgs"),
        ({"width": None}, (box,), "a.width: required by BoxArgs"),
        ({"width": "1"}, (box,), "a.width: '1': is not int"),
        ({"width": 1, "lid_kind": "x"}, (box,), "a.lid_kind: unknown property of BoxArgs; did you mean lidKind"),
        ({"width": 1, "lidKnd": "x"}, (box,), "a.lidKnd: unknown property of BoxArgs; did you mean lidKind"),
        ({"width": 1, "wdth": 1}, (box,), "a.wdth: unknown property of BoxArgs; did you mean width"),
        ({"width": 1, "qqq": 1}, (box,), "a.qqq: unknown property of BoxArgs"),
        ("x", (box,), "a: 'x': is not the object BoxArgs"),
        ([{"width": 1}, {"width": "1"}], ([box],), "a[1].width: '1': is not int"),
        (secret("x"), (int,), "a: a secret value: is not int"),
        ({"width": secret("x")}, (box,), "a.width: a secret value: is not int"),
        (secret({}), (box,), "a.width: required by BoxArgs"),
        ({"width": "1"}, (str, box), "a.width: '1': is not int"),  # the alternative of its shape
        ({"width": "1"}, (box, str), "a.width: '1': is not int"),
        ("x" * 58, (int,), f"a: '{'x' * 58}': is not int"),
        ("x" * 59, (int,), f"a: '{'x' * 56}...: is not int"),
    ],
)
def test_what_does_not_fit(value: Any, types: tuple[Any, ...], said: str):
    """At its place, with what it should be; a secret is not shown."""
    assert told(value, *types) == [said]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ProtocolType", "-1"),
        ("OSSKU", "Ubuntu2404"),
        ("KnownDataFlowStreams", "Microsoft-PrometheusMetrics"),
        ("KnownPrometheusForwarderDataSourceStreams", "Microsoft-PrometheusMetrics"),
    ],
)
def test_a_cloud_takes_more_than_its_list(name: str, value: str):
    """Of these choices this one value, and of others not."""
    choice, other = Enum(name, {"ONE": "one"}), Enum("Other", {"ONE": "one"})

    assert told(value, str, choice) == []
    assert told(f"{value}x", str, choice) == [f"a: '{value}x': is not a known {name}; allowed: one"]
    assert told(value, str, other) == [f"a: '{value}': is not a known Other; allowed: one"]


@pytest.mark.parametrize(
    ("token", "inputs", "said"),
    [
        ("kubernetes:a.b/v1:Net", {"kind": "Net", "metadata": {"lables": {}}}, ["metadata.lables"]),
        ("kubernetes:a.b/v1:Net", {"kind": "Net", "metadata": {"labels": {"a": 1}}}, ["metadata.labels.a"]),
        ("kubernetes:a.b/v1:Net", {"kind": "Net", "metadata": {"labels": {}}}, []),
        ("kubernetes:a.b/v1:Net", {"kind": "Net", "spec": {}}, []),
        ("kubernetes:a.b/v1:Net", {"kind": "Net", "metadata": "text"}, []),
        ("kubernetes:a.b/v1:Net", {"metadata": {"lables": {}}}, []),
        ("other:a.b/v1:Net", {"kind": "Net", "metadata": {"lables": {}}}, []),
    ],
)
def test_metadata_of_what_no_sdk_knows(token: str, inputs: dict[str, Any], said: list[str]):
    """Any object of Kubernetes has the same; what has no kind, as a component, or is another package's, may differ."""
    assert [path for path, _ in check_inputs(token, inputs)] == said


def test_everything_wrong_with_one_object_is_told():
    """Unknown keys, types and what is missing; of two shapes the one with the fewer complaints."""

    assert told({"wdth": 1, "lidKind": 2}, box) == [
        "a.wdth: unknown property of BoxArgs; did you mean width",
        "a.width: required by BoxArgs",
        "a.lidKind: 2: is not str",
    ]
    assert told([1, 2], list[str], list[bool | str], list[int | str]) == []
    assert told([1, "x"], list[bool], list[str]) == ["a[0]: 1: is not str"]
    assert told(1) == []


def test_a_long_list_of_choices_is_cut():
    """Twelve are told."""
    many: Any = Enum("Many", {f"k{i}": f"{i:03}" for i in range(20)})
    (said,) = told("qqqq", many)

    assert said.endswith("allowed: " + ", ".join(f"{i:03}" for i in range(12)))


def test_a_secret_in_a_secret_is_unwrapped():
    """And nothing else is."""
    assert unwrap(secret(secret({"a": 1}))) == {"a": 1}
    assert unwrap({"a": secret(1)}) == {"a": secret(1)}


@pytest.mark.parametrize(
    ("inputs", "decoded"),
    [
        ({"kubeClientSettings": '{"burst": 1}'}, {"kubeClientSettings": {"burst": 1}}),
        ({"enableServerSideApply": "true"}, {"enableServerSideApply": True}),
        ({"kubeconfig": '{"a": 1}'}, {"kubeconfig": '{"a": 1}'}),
        ({"kubeClientSettings": "{"}, {"kubeClientSettings": "{"}),
        ({"kubeClientSettings": {"burst": 1}}, {"kubeClientSettings": {"burst": 1}}),
        ({"unknown": "true"}, {"unknown": "true"}),
    ],
)
def test_a_provider_s_inputs_are_texts_of_json(inputs: dict[str, Any], decoded: dict[str, Any]):
    """As its SDK sends them, but for those that are texts."""
    import pulumi_kubernetes as k8s

    assert k8s.Provider and decode_provider("pulumi:providers:kubernetes", inputs) == decoded
    assert decode_provider("pulumi:providers:nobody", inputs) == inputs


@pytest.mark.parametrize(
    ("token", "package"),
    [
        ("gcp:compute/network:Network", "gcp"),
        ("pulumi:providers:gcp", "gcp"),
        ("a:b:C", "a"),
        ("pulumi:pulumi:X", "pulumi"),
    ],
)
def test_the_package_of_a_type(token: str, package: str):
    """A provider is of the package that it provides for."""
    assert sdk.package(token) == package
